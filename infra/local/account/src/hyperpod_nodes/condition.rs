//! How a node's health shows in Kubernetes: labels, taints, conditions, an event.

use crate::sagemaker::{Cluster, Fault, FaultKind, Node, Remedy, Stage};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// The label (and taint key) that says whether work may go to the node.
pub(super) const HEALTH: &str = "sagemaker.amazonaws.com/node-health-status";

/// The detected fault of a node, if it asks for something to be done.
fn fault(node: &Node) -> Option<&Fault> {
    node.fault.as_ref().filter(|fault| fault.detected)
}

/// Whether the kubelet answers.
fn is_silent(node: &Node) -> bool {
    node.stage == Stage::Rebooting || node.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::KubeletDead)
}

/// Health labels. Before the first verdict there is none: a missing label is unknown, not clean.
pub(super) fn labels(node: &Node, labels: &mut Map<String, Value>) {
    let checking = node.deep_checks.as_deref() == Some("InProgress");
    let word = match (node.stage, fault(node).map(|fault| fault.kind.remedy())) {
        (Stage::BasicChecks, _) => None,
        (_, Some(Remedy::Reboot)) => Some("UnschedulablePendingReboot"),
        (_, Some(Remedy::Replace)) => Some("UnschedulablePendingReplacement"),
        _ if checking => Some("Unschedulable"),
        _ => Some("Schedulable"),
    };
    if let Some(word) = word {
        labels.insert(HEALTH.to_owned(), json!(word));
    }
    if let Some(result) = &node.deep_checks {
        labels.insert("sagemaker.amazonaws.com/deep-health-check-status".to_owned(), json!(result));
    }
    if let Some(fault) = fault(node) {
        labels.insert("sagemaker.amazonaws.com/fault-types".to_owned(), json!(fault.kind.fault_type()));
        labels.insert("sagemaker.amazonaws.com/fault-reasons".to_owned(), json!(fault.kind.reason()));
    }
}

/// The annotation that keeps a fault's details.
pub(super) fn annotations(node: &Node) -> Map<String, Value> {
    let mut annotations = Map::new();
    if let Some(fault) = fault(node) {
        let details = json!([{
            "timestamp": fault.since.to_string(),
            "faultType": fault.kind.fault_type(),
            "faultReason": fault.kind.reason(),
            "faultDetails": fault.kind.message(),
        }]);
        annotations.insert("sagemaker.amazonaws.com/fault-details".to_owned(), json!(details.to_string()));
    }
    annotations
}

/// Taints by HyperPod and by the node lifecycle controller, and those that the group asks for.
pub(super) fn taints(cluster: &Cluster, node: &Node, network: bool) -> Vec<Value> {
    let mut taints = Vec::new();
    let asked = cluster.groups.get(&node.group).and_then(|group| group.spec["KubernetesConfig"]["Taints"].as_array());
    for taint in asked.into_iter().flatten() {
        let mut wanted = json!({ "key": taint["Key"], "effect": taint["Effect"] });
        if let Some(value) = taint.get("Value") {
            wanted["value"] = value.clone();
        }
        taints.push(wanted);
    }
    let faulty = fault(node).is_some_and(|fault| fault.kind.remedy() != Remedy::None);
    if faulty || node.deep_checks.as_deref() == Some("InProgress") {
        taints.push(json!({ "key": HEALTH, "value": "Unschedulable", "effect": "NoSchedule" }));
    }
    let lifecycle = match (is_silent(node), network) {
        (true, _) => Some("node.kubernetes.io/unreachable"),
        (false, false) => Some("node.kubernetes.io/not-ready"),
        (false, true) => None,
    };
    for effect in ["NoSchedule", "NoExecute"] {
        taints.extend(lifecycle.map(|key| json!({ "key": key, "effect": effect })));
    }
    taints
}

/// Conditions, without their times.
pub(super) fn conditions(node: &Node, network: bool) -> Value {
    let mut conditions = vec![
        json!({ "type": "MemoryPressure", "status": "False", "reason": "KubeletHasSufficientMemory", "message": "kubelet has sufficient memory available" }),
        json!({ "type": "DiskPressure", "status": "False", "reason": "KubeletHasNoDiskPressure", "message": "kubelet has no disk pressure" }),
        json!({ "type": "PIDPressure", "status": "False", "reason": "KubeletHasSufficientPID", "message": "kubelet has sufficient PID available" }),
        json!({ "type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status" }),
    ];
    if is_silent(node) {
        for condition in &mut conditions {
            condition["status"] = json!("Unknown");
            condition["reason"] = json!("NodeStatusUnknown");
            condition["message"] = json!("Kubelet stopped posting node status.");
        }
    } else if !network {
        conditions[3]["status"] = json!("False");
        conditions[3]["reason"] = json!("KubeletNotReady");
        conditions[3]["message"] = json!(
            "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin \
             returns error: cni plugin not initialized"
        );
    }
    if let Some(fault) = fault(node) {
        let (kind, reason) = (fault.kind.fault_type(), fault.kind.reason());
        conditions.push(json!({ "type": kind, "status": "True", "reason": reason, "message": fault.kind.message() }));
    }
    Value::Array(conditions)
}

/// The same conditions with their times: a transition is now, unless the condition was already so.
pub(super) fn with_times(conditions: &Value, present: Option<&Value>, now: Timestamp) -> Value {
    let current = present.and_then(|node| node["status"]["conditions"].as_array());
    let dated = |condition: &Value| {
        let mut condition = condition.clone();
        let same = current.and_then(|all| {
            all.iter().find(|it| it["type"] == condition["type"] && it["status"] == condition["status"])
        });
        let since = same.map(|it| it["lastTransitionTime"].clone()).filter(Value::is_string);
        condition["lastTransitionTime"] = since.unwrap_or_else(|| json!(kubernetes_time(now)));
        condition["lastHeartbeatTime"] = json!(kubernetes_time(now));
        condition
    };
    conditions.as_array().into_iter().flatten().map(dated).collect()
}

/// The event that the agent emits when it finds a fault.
pub(super) fn fault_event(name: &str, before: Option<&Value>, object: &Value, now: Timestamp) -> Option<Value> {
    let reasons = "sagemaker.amazonaws.com/fault-reasons";
    let reason = object["metadata"]["labels"][reasons].as_str()?;
    if before.is_some_and(|before| before["metadata"]["labels"][reasons].as_str() == Some(reason)) {
        return None;
    }
    let time = kubernetes_time(now);
    Some(json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": { "name": format!("{name}.{:x}", now.as_millisecond()), "namespace": "default" },
        "involvedObject": { "kind": "Node", "name": name, "uid": name },
        "reason": reason,
        "message": object["metadata"]["annotations"]["sagemaker.amazonaws.com/fault-details"],
        "type": "Warning",
        "count": 1,
        "source": { "component": "health-monitoring-agent", "host": name },
        "firstTimestamp": time,
        "lastTimestamp": time,
    }))
}

/// Kubernetes writes times to the second.
fn kubernetes_time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
