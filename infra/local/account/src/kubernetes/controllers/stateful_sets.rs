//! StatefulSets: pods with a number and a claim each, one after the other.

use super::pods;
use crate::kubernetes::{
    Cluster, object,
    resource::known,
    serve::Options,
    store::{Shared, template_hash},
};
use jiff::Timestamp;
use serde_json::{Value, json};

const FROM: &str = "statefulset-controller";
const HASH: &str = "controller-revision-hash";

pub(super) fn run(cluster: &mut Cluster, now: Timestamp) {
    for set in cluster.all("apps", "statefulsets") {
        if !object::is_terminating(&set) {
            let hash = format!("{}-{}", object::name(&set), template_hash(&set["spec"]["template"]));
            step(cluster, &set, &hash, now);
            report(cluster, &set, &hash);
        }
    }
}

fn ordinal(pod: &Value) -> i64 {
    object::name(pod).rsplit('-').next().and_then(|text| text.parse().ok()).unwrap_or(-1)
}

/// Takes one step: the lowest missing pod, then the highest superfluous one, then the highest of an older template.
fn step(cluster: &mut Cluster, set: &Shared, hash: &str, now: Timestamp) {
    let replicas = object::number(set, "/spec/replicas").unwrap_or(1);
    let first = object::number(set, "/spec/ordinals/start").unwrap_or(0);
    let parallel = set["spec"]["podManagementPolicy"] == "Parallel";
    let mut owned = cluster.pods_of(set);
    owned.sort_by_key(|pod| ordinal(pod));
    for at in first..first + replicas {
        match owned.iter().find(|pod| ordinal(pod) == at) {
            None => {
                make(cluster, set, at, hash, now);
                if !parallel {
                    return;
                }
            }
            Some(pod) if pods::is_over(pod) && !object::is_terminating(pod) => {
                cluster.drop_pod(set, pod, FROM, now);
                return;
            }
            Some(pod) if !pods::is_ready(pod) && !parallel => return,
            Some(_) => {}
        }
    }
    let superfluous = owned.iter().rev().filter(|pod| ordinal(pod) >= first + replicas);
    for pod in superfluous {
        if !object::is_terminating(pod) {
            cluster.drop_pod(set, pod, FROM, now);
        }
        if !parallel {
            return;
        }
    }
    let partition = object::number(set, "/spec/updateStrategy/rollingUpdate/partition").unwrap_or(0);
    let rolling =
        set["spec"]["updateStrategy"]["type"] == "RollingUpdate" && owned.iter().all(|pod| pods::is_ready(pod));
    let old = owned.iter().rev().find(|pod| object::labels(pod)[HASH] != hash && ordinal(pod) >= partition);
    if let Some(pod) = old.filter(|_| rolling) {
        cluster.drop_pod(set, pod, FROM, now);
    }
}

fn make(cluster: &mut Cluster, set: &Value, at: i64, hash: &str, now: Timestamp) {
    let name = format!("{}-{at}", object::name(set));
    let mut pod = pods::from_template(set);
    object::remove(&mut pod, "/metadata", "generateName");
    pod["metadata"]["name"] = name.clone().into();
    let labels = object::entry(&mut pod, "/metadata/labels");
    labels[HASH] = hash.into();
    labels["statefulset.kubernetes.io/pod-name"] = name.clone().into();
    labels["apps.kubernetes.io/pod-index"] = at.to_string().into();
    pod["spec"]["hostname"] = name.clone().into();
    pod["spec"]["subdomain"] = set["spec"]["serviceName"].clone();
    object::put_default(&mut pod, "/spec/volumes", json!([]));
    for template in object::list(set, "/spec/volumeClaimTemplates") {
        let claim = format!("{}-{name}", object::name(template));
        let claims = known("", "persistentvolumeclaims");
        if cluster.store.get(claims, object::namespace(set), &claim).is_none() {
            let body = json!({"metadata": {"name": claim, "labels": set["spec"]["selector"]["matchLabels"]}, "spec": template["spec"]});
            let mut options = Options::internal("kube-controller-manager");
            // Refused now, tried again with the pod.
            _ = cluster.create(claims, object::namespace(set), body, &mut options, now);
        }
        if let Some(volumes) = pod["spec"]["volumes"].as_array_mut() {
            volumes.retain(|one| one["name"] != template["metadata"]["name"]);
            volumes.push(json!({"name": template["metadata"]["name"], "persistentVolumeClaim": {"claimName": claim}}));
        }
    }
    cluster.make_pod(set, pod, FROM, now);
}

fn report(cluster: &mut Cluster, set: &Shared, hash: &str) {
    let owned: Vec<_> = cluster.pods_of(set).into_iter().filter(|pod| !object::is_terminating(pod)).collect();
    let ready = owned.iter().filter(|pod| pods::is_ready(pod)).count();
    let updated = owned.iter().filter(|pod| object::labels(pod)[HASH] == hash).count();
    let mut next = set.copy();
    next["status"] = json!({
        "replicas": owned.len(), "readyReplicas": ready, "availableReplicas": ready, "currentReplicas": updated,
        "updatedReplicas": updated, "currentRevision": hash, "updateRevision": hash, "collisionCount": 0,
        "observedGeneration": set["metadata"]["generation"],
    });
    cluster.write(known("apps", "statefulsets"), set, next);
}
