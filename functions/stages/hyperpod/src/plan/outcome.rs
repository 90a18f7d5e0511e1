//! How groups stand, as figures: what waits and outcome are made of.

use crate::{
    desired::Wanted,
    observe::{Cluster, KubernetesNode, Observed},
};
use cloud::sagemaker::{Group, Node};
use domain::{
    catalogue::hardware,
    ids::InstanceType,
    naming::SYSTEM_GROUP,
    status::{NodeStatus, StatusClass},
};
use engine::reconciler::Scene;
use serde_json::{Map, Value, json};

/// How a group stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GroupState<'a> {
    /// The group.
    pub(super) group: &'a Group,
    /// Nodes that are Running in SageMaker.
    pub(super) running: u32,
    /// Nodes under deep health checks.
    pub(super) deep_checking: u32,
    /// Nodes that have an instance and are not on their way out.
    pub(super) with_instance: u32,
    /// Nodes that take pods.
    pub(super) ready: u32,
    /// What keeps running nodes from taking pods, a phrase each.
    pub(super) complaints: Vec<String>,
}

impl<'a> GroupState<'a> {
    /// The groups that were decided; all of them if nothing was.
    pub(super) fn of_all(cluster: &'a Cluster, wanted: &[Wanted]) -> Vec<Self> {
        let counts = |group: &&Group| wanted.is_empty() || wanted.iter().any(|it| it.name.as_str() == group.name);
        cluster.attached.groups.iter().filter(counts).map(|group| Self::of(cluster, group)).collect()
    }

    fn of(cluster: &Cluster, group: &'a Group) -> Self {
        let nodes = || cluster.nodes.iter().filter(|node| node.group == group.name);
        let number =
            |test: &dyn Fn(&Node) -> bool| u32::try_from(nodes().filter(|node| test(node)).count()).unwrap_or(u32::MAX);
        let leaving = |node: &Node| matches!(node.status.class(), StatusClass::Gone | StatusClass::Failed);
        let (mut ready, mut complaints) = (0, Vec::new());
        for node in nodes().filter(|node| node.status == NodeStatus::Running) {
            match complaint(cluster, node) {
                None => ready += 1,
                Some(complaint) => complaints.push(complaint),
            }
        }
        Self {
            group,
            running: number(&|node| node.status == NodeStatus::Running),
            deep_checking: number(&|node| node.status == NodeStatus::DeepHealthCheckInProgress),
            with_instance: number(&|node| node.instance_id.is_some() && !leaving(node)),
            ready,
            complaints,
        }
    }

    /// Whether every node that is wanted takes pods.
    pub(super) fn is_complete(&self) -> bool {
        self.ready >= self.group.target
    }
}

/// Why a running node takes no pods, if so.
fn complaint(cluster: &Cluster, node: &Node) -> Option<String> {
    let name = node.kubernetes_name()?;
    let judged = node.instance_type.parse::<InstanceType>().ok().and_then(|kind| hardware(&kind));
    let judged = judged.is_none_or(|hardware| hardware.is_accelerated());
    let what = match cluster.joined.get(&name) {
        None => Some("not in Kubernetes yet".to_owned()),
        Some(node) => KubernetesNode::complaint(node, judged),
    };
    what.map(|what| format!("{name} {what}"))
}

/// What came of it.
pub(super) fn of(scene: Scene<'_>, seen: &Observed, wanted: &[Wanted]) -> Value {
    let Some(cluster) = &seen.cluster else {
        return json!({ "hyperpodCluster": null, "wanted": wanted.iter().map(|group| group.instance_count).sum::<u32>() });
    };
    let states = GroupState::of_all(cluster, wanted);
    let (ready, target) = states.iter().fold((0, 0), |(ready, target), state| {
        (ready + state.ready.min(state.group.target), target + state.group.target)
    });
    let groups: Map<String, Value> =
        states.iter().map(|state| (state.group.name.clone(), figures(cluster, state))).collect();
    let mut outcome = json!({
        "hyperpodCluster": cluster.attached.name,
        "hyperpodClusterArn": cluster.attached.arn,
        "origin": if cluster.ours { "owned" } else { "borrowed" },
        "nodes": format!("{ready} of {target}"),
        "groups": groups,
    });
    if target == 0 {
        outcome["note"] = json!("no node was asked for: nothing runs, and nothing is billed for nodes");
    }
    let warnings = warnings(scene, cluster);
    if !warnings.is_empty() {
        outcome["warnings"] = json!(warnings);
    }
    outcome
}

fn figures(cluster: &Cluster, state: &GroupState<'_>) -> Value {
    let group = state.group;
    let capacity = match (&group.training_plan, group.spot) {
        (Some(_), _) => "training-plan",
        (None, true) => "spot",
        (None, false) => "on-demand",
    };
    json!({
        "instanceType": group.instance_type,
        "capacityType": capacity,
        "wanted": group.target,
        "running": state.running,
        "ready": state.ready,
        "subnetIds": cluster.attached.subnets_of(group),
    })
}

fn warnings(scene: Scene<'_>, cluster: &Cluster) -> Vec<String> {
    let mut warnings = Vec::new();
    let holds_system_pods = |group: &Group| {
        group.target > 0 && !group.spot && group.training_plan.is_none() && group.deep_checks.is_empty()
    };
    if !cluster.attached.groups.iter().any(holds_system_pods) {
        warnings.push(format!(
            "every group is deep-checked, Spot, bound to a training plan or at zero: pods that the cluster itself needs \
             may have nowhere to run; a small on-demand CPU group named `{SYSTEM_GROUP}` holds them (systemGroup)"
        ));
    }
    if cluster.attached.autoscaled {
        warnings.push("managed autoscaling is on: counts are its business, and are left to it".to_owned());
    }
    if !cluster.attached.recovers {
        warnings.push("node recovery is off: faulty nodes are marked and not replaced".to_owned());
    }
    let decided = scene.cluster.decisions.hyperpod.as_ref().map(crate::desired::groups).unwrap_or_default();
    for group in &decided {
        let there = cluster.attached.group(group.name.as_str());
        if let Some(there) = there.filter(|there| there.target > group.instance_count) {
            warnings.push(format!(
                "{} has {} instances, more than the {} decided: somebody raised it, and it was left so",
                group.name, there.target, group.instance_count
            ));
        }
    }
    warnings
}
