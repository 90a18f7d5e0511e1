//! What a node allows: selectors, affinity, taints, room; and what becomes of pods whose node is ill or gone.

use super::{Wake, pods};
use crate::kubernetes::{Cluster, object, quantity, resource::known, selector::LabelSelector, serve::Deletion};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Whether a node's labels and name satisfy a pod's `nodeSelector` and required affinity.
pub(super) fn is_selected(spec: &Value, node: &Value) -> bool {
    let labels = object::labels(node);
    if !LabelSelector::pairs(&spec["nodeSelector"]).matches(labels) {
        return false;
    }
    let required = &spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    if !required.is_object() {
        return true;
    }
    let fields = json!({"metadata.name": object::name(node)});
    object::list(required, "/nodeSelectorTerms").iter().any(|term| {
        let (expressions, names) = (object::list(term, "/matchExpressions"), object::list(term, "/matchFields"));
        let holds =
            |rules: &[Value], on: &Value| LabelSelector::from_expressions(rules).is_some_and(|rule| rule.matches(on));
        (!expressions.is_empty() || !names.is_empty()) && holds(expressions, labels) && holds(names, &fields)
    })
}

fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let key = object::text(toleration, "/key");
    let effect = object::text(toleration, "/effect");
    let fits = (key.is_empty() || taint["key"] == key) && (effect.is_empty() || taint["effect"] == effect);
    let exists = toleration["operator"] == "Exists";
    fits && (exists || object::text(toleration, "/value") == object::text(taint, "/value"))
}

/// The first taint with one of these effects that the pod does not tolerate.
pub(super) fn untolerated<'a>(spec: &Value, node: &'a Value, effects: &[&str]) -> Option<&'a Value> {
    object::list(node, "/spec/taints").iter().find(|taint| {
        effects.iter().any(|effect| taint["effect"] == *effect)
            && !object::list(spec, "/tolerations").iter().any(|one| tolerates(one, taint))
    })
}

/// Whether a daemon set wants its pod on this node.
pub(super) fn fits_daemon(spec: &Value, node: &Value) -> bool {
    is_selected(spec, node) && untolerated(spec, node, &["NoSchedule", "NoExecute"]).is_none()
}

/// What a pod asks for, in thousandths: containers together, or an init container if it asks for more.
pub(super) fn requests(spec: &Value) -> BTreeMap<String, i128> {
    let of = |container: &Value| -> BTreeMap<String, i128> {
        let requests = container["resources"]["requests"].as_object().into_iter().flatten();
        requests.map(|(name, amount)| (name.clone(), quantity::of(amount))).collect()
    };
    let mut sum: BTreeMap<String, i128> = BTreeMap::new();
    for container in object::list(spec, "/containers") {
        for (name, amount) in of(container) {
            *sum.entry(name).or_default() += amount;
        }
    }
    for container in object::list(spec, "/initContainers") {
        for (name, amount) in of(container) {
            let entry = sum.entry(name).or_default();
            *entry = (*entry).max(amount);
        }
    }
    sum
}

/// Whether a node's kubelet does anything: it is dead once the control plane no longer knows how it is.
pub(super) fn is_alive(node: &Value) -> bool {
    !object::list(node, "/status/conditions").iter().any(|one| one["type"] == "Ready" && one["status"] == "Unknown")
}

/// Taints ill nodes, evicts what does not tolerate it, and removes pods of nodes that are gone.
pub(super) fn run(cluster: &mut Cluster, now: Timestamp, wake: &mut Wake) {
    for node in cluster.all("", "nodes") {
        let mut next = node.copy();
        taint(&mut next, now);
        cluster.write(known("", "nodes"), &node, next);
    }
    for pod in cluster.all("", "pods") {
        let name = object::text(&pod, "/spec/nodeName");
        if name.is_empty() {
            continue;
        }
        match cluster.store.get(known("", "nodes"), "", name).cloned() {
            None => {
                cluster.store.remove(&known("", "pods").key(), object::namespace(&pod), object::name(&pod));
            }
            Some(node) if !object::is_terminating(&pod) => evict(cluster, &pod, &node, now, wake),
            Some(_) => {}
        }
    }
}

fn taint(node: &mut Value, now: Timestamp) {
    let ready = object::list(node, "/status/conditions").iter().find(|one| one["type"] == "Ready");
    let status = ready.map_or("", |one| object::text(one, "/status")).to_owned();
    let kinds = [("not-ready", status == "False"), ("unreachable", status == "Unknown")];
    let mut taints = object::list(node, "/spec/taints").to_vec();
    for (name, wanted) in kinds {
        let key = format!("node.kubernetes.io/{name}");
        for effect in ["NoSchedule", "NoExecute"] {
            let at = taints.iter().position(|one| one["key"] == key.as_str() && one["effect"] == effect);
            match (wanted, at) {
                (true, None) => {
                    let mut taint = json!({"key": key, "effect": effect});
                    if effect == "NoExecute" {
                        taint["timeAdded"] = object::time(now).into();
                    }
                    taints.push(taint);
                }
                (false, Some(at)) => _ = taints.remove(at),
                _ => {}
            }
        }
    }
    let key = "node.kubernetes.io/unschedulable";
    let at = taints.iter().position(|one| one["key"] == key);
    match (node["spec"]["unschedulable"] == true, at) {
        (true, None) => taints.push(json!({"key": key, "effect": "NoSchedule", "timeAdded": object::time(now)})),
        (false, Some(at)) => _ = taints.remove(at),
        _ => {}
    }
    if taints.is_empty() {
        object::remove(node, "/spec", "taints");
    } else {
        object::put(node, "/spec/taints", taints);
    }
}

/// Deletes a pod that does not tolerate a `NoExecute` taint, once its patience is over.
fn evict(cluster: &mut Cluster, pod: &Value, node: &Value, now: Timestamp, wake: &mut Wake) {
    if pods::is_over(pod) {
        return;
    }
    for taint in object::list(node, "/spec/taints").iter().filter(|one| one["effect"] == "NoExecute") {
        let mut matching = object::list(pod, "/spec/tolerations").iter().filter(|one| tolerates(one, taint)).peekable();
        let patience = if matching.peek().is_none() {
            Some(0)
        } else {
            matching.map(|one| one["tolerationSeconds"].as_i64()).min_by_key(|one| one.unwrap_or(i64::MAX)).flatten()
        };
        let Some(patience) = patience else { continue };
        let since = object::time_at(taint, "/timeAdded").unwrap_or(now);
        let until = since.saturating_add(SignedDuration::from_secs(patience)).unwrap_or(Timestamp::MAX);
        if now < until {
            wake.at(until);
            continue;
        }
        let (namespace, name) = (object::namespace(pod), object::name(pod));
        let message = format!("Marking for deletion Pod {namespace}/{name}");
        cluster.say(pod, "taint-eviction-controller", ("TaintManagerEviction", &message), now);
        // Gone meanwhile is as good.
        _ = cluster.delete(known("", "pods"), namespace, name, &Deletion::default(), now);
        return;
    }
}
