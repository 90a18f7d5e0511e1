//! DaemonSets: a pod on every node that fits.

use super::{nodes, pods};
use crate::kubernetes::{
    Cluster, object,
    resource::known,
    store::{Shared, template_hash},
};
use jiff::Timestamp;
use serde_json::{Value, json};

const FROM: &str = "daemonset-controller";
const HASH: &str = "controller-revision-hash";

pub(super) fn run(cluster: &mut Cluster, now: Timestamp) {
    let nodes = cluster.all("", "nodes");
    for set in cluster.all("apps", "daemonsets") {
        if object::is_terminating(&set) {
            continue;
        }
        let hash = template_hash(&set["spec"]["template"]);
        let template = pod(&set, &hash);
        let wanted: Vec<&Shared> = nodes.iter().filter(|node| nodes::fits_daemon(&template["spec"], node)).collect();
        let owned = cluster.pods_of(&set);
        for node in &wanted {
            let there: Vec<&Shared> = owned.iter().filter(|pod| target(pod) == object::name(node)).collect();
            if there.is_empty() {
                let mut pod = template.clone();
                pin(&mut pod, object::name(node));
                cluster.make_pod(&set, pod, FROM, now);
            }
            for pod in there.iter().filter(|pod| pods::is_over(pod) && !object::is_terminating(pod)) {
                cluster.drop_pod(&set, pod, FROM, now);
            }
        }
        for pod in owned.iter().filter(|pod| !object::is_terminating(pod)) {
            if !wanted.iter().any(|node| object::name(node) == target(pod)) {
                cluster.drop_pod(&set, pod, FROM, now);
            }
        }
        replace_old(cluster, &set, &hash, now);
        report(cluster, &set, &wanted, &hash, now);
    }
}

fn pod(set: &Value, hash: &str) -> Value {
    let mut pod = pods::from_template(set);
    object::entry(&mut pod, "/metadata/labels")[HASH] = hash.into();
    object::put_default(&mut pod, "/spec/tolerations", json!([]));
    let mut add = |key: &str, effect: &str| {
        if let Some(tolerations) = pod["spec"]["tolerations"].as_array_mut() {
            tolerations.push(json!({"key": key, "operator": "Exists", "effect": effect}));
        }
    };
    add("node.kubernetes.io/not-ready", "NoExecute");
    add("node.kubernetes.io/unreachable", "NoExecute");
    for pressure in ["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"] {
        add(&format!("node.kubernetes.io/{pressure}"), "NoSchedule");
    }
    if set["spec"]["template"]["spec"]["hostNetwork"] == true {
        add("node.kubernetes.io/network-unavailable", "NoSchedule");
    }
    pod
}

/// Says by affinity on which node a pod is to run; the scheduler does the rest.
fn pin(pod: &mut Value, node: &str) {
    let field = json!([{"key": "metadata.name", "operator": "In", "values": [node]}]);
    let required = object::entry(pod, "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution");
    if required["nodeSelectorTerms"].as_array().is_none_or(Vec::is_empty) {
        *required = json!({"nodeSelectorTerms": [{}]});
    }
    for term in required["nodeSelectorTerms"].as_array_mut().into_iter().flatten() {
        term["matchFields"] = field.clone();
    }
}

fn target(pod: &Value) -> &str {
    match object::text(pod, "/spec/nodeName") {
        "" => object::text(
            pod,
            "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchFields/0/values/0",
        ),
        node => node,
    }
}

/// Deletes pods of an older template, one unavailable at a time.
fn replace_old(cluster: &mut Cluster, set: &Value, hash: &str, now: Timestamp) {
    if set["spec"]["updateStrategy"]["type"] != "RollingUpdate" {
        return;
    }
    let owned = cluster.pods_of(set);
    let down = owned
        .iter()
        .filter(|pod| !pods::is_ready(pod) && object::labels(pod)[HASH] == hash || object::is_terminating(pod))
        .count();
    let count = i64::try_from(owned.len()).unwrap_or(i64::MAX);
    let most =
        super::deployments::share(&set["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"], count, true)
            .max(1);
    let free = usize::try_from(most).unwrap_or(1).saturating_sub(down);
    let old = owned.iter().filter(|pod| object::labels(pod)[HASH] != hash && !object::is_terminating(pod));
    for pod in old.take(free) {
        cluster.drop_pod(set, pod, FROM, now);
    }
}

fn report(cluster: &mut Cluster, set: &Shared, wanted: &[&Shared], hash: &str, _now: Timestamp) {
    let owned: Vec<_> = cluster.pods_of(set).into_iter().filter(|pod| !object::is_terminating(pod)).collect();
    let on = |node: &&&Shared| owned.iter().find(|pod| target(pod) == object::name(node));
    let there: Vec<_> = wanted.iter().filter_map(|node| on(&node)).collect();
    let ready = there.iter().filter(|pod| pods::is_ready(pod)).count();
    let updated = there.iter().filter(|pod| object::labels(pod)[HASH] == hash).count();
    let mut next = set.copy();
    next["status"] = json!({
        "currentNumberScheduled": there.len(), "desiredNumberScheduled": wanted.len(), "numberAvailable": ready,
        "numberMisscheduled": owned.len() - there.len(), "numberReady": ready, "updatedNumberScheduled": updated,
        "numberUnavailable": wanted.len() - ready, "observedGeneration": set["metadata"]["generation"],
    });
    if let Some(status) = next["status"].as_object_mut() {
        status.retain(|name, value| {
            value != 0 || !matches!(name.as_str(), "numberAvailable" | "numberUnavailable" | "updatedNumberScheduled")
        });
    }
    cluster.write(known("apps", "daemonsets"), set, next);
}
