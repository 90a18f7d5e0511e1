//! The scheduler: filters nodes by room, taints and affinity, and says in an event why none is left.

use super::{nodes, pods};
use crate::kubernetes::{Cluster, object, quantity, resource::known, store::Shared};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;

const FROM: &str = "default-scheduler";

pub(super) fn run(cluster: &mut Cluster, now: Timestamp) {
    let mut waiting: Vec<Shared> = cluster
        .all("", "pods")
        .into_iter()
        .filter(|pod| object::text(pod, "/spec/nodeName").is_empty())
        .filter(|pod| !object::is_terminating(pod) && !pods::is_over(pod))
        .filter(|pod| pod["spec"]["schedulerName"] == FROM && object::list(pod, "/spec/schedulingGates").is_empty())
        .collect();
    waiting.sort_by_key(|pod| {
        let priority = std::cmp::Reverse(pod["spec"]["priority"].as_i64().unwrap_or(0));
        (priority, object::text(pod, "/metadata/creationTimestamp").to_owned(), object::name(pod).to_owned())
    });
    for pod in waiting {
        let verdict = place(cluster, &pod);
        let mut next = pod.copy();
        match verdict {
            Ok(node) => {
                object::put(&mut next, "/spec/nodeName", node.as_str());
                object::set_condition(&mut next, "PodScheduled", true, ("", ""), now);
                cluster.store.put(known("", "pods"), next);
                let message =
                    format!("Successfully assigned {}/{} to {node}", object::namespace(&pod), object::name(&pod));
                cluster.say(&pod, FROM, ("Scheduled", &message), now);
            }
            Err(why) => {
                let told = object::list(&pod, "/status/conditions").iter().any(|one| one["message"] == why.as_str());
                if !told {
                    object::set_condition(&mut next, "PodScheduled", false, ("Unschedulable", &why), now);
                    cluster.store.put(known("", "pods"), next);
                    cluster.say(&pod, FROM, ("FailedScheduling", &why), now);
                }
            }
        }
    }
}

/// The node for a pod: the one with the fewest pods among those that fit.
fn place(cluster: &Cluster, pod: &Value) -> Result<String, String> {
    let all: Vec<&Shared> = cluster.store.list(known("", "nodes"), "").collect();
    if all.is_empty() {
        return Err("no nodes available to schedule pods".to_owned());
    }
    let total = all.len();
    claims(cluster, pod, total)?;
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut hopeless = 0;
    let mut fitting = Vec::new();
    for node in all {
        let here: Vec<&Shared> = cluster
            .store
            .list(known("", "pods"), "")
            .filter(|one| object::text(one, "/spec/nodeName") == object::name(node) && !pods::is_over(one))
            .collect();
        let (why, can_help) = refusals(&pod["spec"], node, &here);
        if why.is_empty() {
            fitting.push((here.len(), object::name(node).to_owned()));
        }
        hopeless += usize::from(!can_help);
        for reason in why {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    if let Some((_, node)) = fitting.into_iter().min() {
        return Ok(node);
    }
    let mut parts: Vec<String> = reasons.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    parts.sort();
    let mut preemption = Vec::new();
    if total > hopeless {
        preemption.push(format!("{} No preemption victims found for incoming pod", total - hopeless));
    }
    if hopeless > 0 {
        preemption.push(format!("{hopeless} Preemption is not helpful for scheduling"));
    }
    Err(format!(
        "0/{total} nodes are available: {}. preemption: 0/{total} nodes are available: {}.",
        parts.join(", "),
        preemption.join(", ")
    ))
}

/// Claims must exist, and be bound unless their class waits for the first consumer.
fn claims(cluster: &Cluster, pod: &Value, total: usize) -> Result<(), String> {
    for volume in object::list(pod, "/spec/volumes") {
        let name = object::text(volume, "/persistentVolumeClaim/claimName");
        if name.is_empty() {
            continue;
        }
        let helpless =
            format!("preemption: 0/{total} nodes are available: {total} Preemption is not helpful for scheduling.");
        let Some(claim) = cluster.store.get(known("", "persistentvolumeclaims"), object::namespace(pod), name) else {
            return Err(format!("0/{total} nodes are available: persistentvolumeclaim {name:?} not found. {helpless}"));
        };
        if claim["status"]["phase"] != "Bound" && !super::volumes::waits_for_consumer(cluster, claim) {
            return Err(format!(
                "0/{total} nodes are available: pod has unbound immediate PersistentVolumeClaims. {helpless}"
            ));
        }
    }
    Ok(())
}

/// Why a node does not fit, by the first filter that says so, and whether evicting other pods could help.
fn refusals(spec: &Value, node: &Value, here: &[&Shared]) -> (Vec<String>, bool) {
    let tolerates_cordon = object::list(spec, "/tolerations").iter().any(|one| {
        one["operator"] == "Exists" && (one["key"] == "node.kubernetes.io/unschedulable" || one["key"].is_null())
    });
    if node["spec"]["unschedulable"] == true && !tolerates_cordon {
        return (vec!["node(s) were unschedulable".to_owned()], false);
    }
    if let Some(taint) = nodes::untolerated(spec, node, &["NoSchedule", "NoExecute"]) {
        let (key, value) = (object::text(taint, "/key"), object::text(taint, "/value"));
        return (vec![format!("node(s) had untolerated taint {{{key}: {value}}}")], false);
    }
    if !nodes::is_selected(spec, node) {
        return (vec!["node(s) didn't match Pod's node affinity/selector".to_owned()], false);
    }
    let allocatable = |name: &str| {
        let amount = &node["status"]["allocatable"][name];
        quantity::of(if amount.is_null() { &node["status"]["capacity"][name] } else { amount })
    };
    let mut why = Vec::new();
    let mut can_help = true;
    let most = allocatable("pods");
    if i128::try_from(here.len()).unwrap_or(i128::MAX).saturating_add(1) * 1000 > most {
        why.push("Too many pods".to_owned());
    }
    for (name, amount) in nodes::requests(spec) {
        if amount == 0 {
            continue;
        }
        let used: i128 = here.iter().map(|pod| nodes::requests(&pod["spec"]).get(&name).copied().unwrap_or(0)).sum();
        if used + amount > allocatable(&name) {
            can_help &= amount <= allocatable(&name);
            why.push(format!("Insufficient {name}"));
        }
    }
    (why, can_help)
}
