//! Faults of nodes, and what HyperPod does about them: detection by the health-monitoring agent, reboot, replacement.
//!
//! How a fault shows in Kubernetes (labels, taint, conditions) is written by [`crate::hyperpod_nodes`] from what is
//! recorded here.

use super::{
    Event, NodeWork,
    birth::Errand,
    cluster::{Node, NodeStatus, Stage},
    cluster_events::{About, Level, publish, record},
    departure, world_access,
};
use crate::{hyperpod_nodes, logs, world::World};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What can break in a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FaultKind {
    /// A GPU error line `NVRM: Xid …` with this number.
    Xid(u16),
    /// Fewer GPUs than the type has.
    GpuMissing,
    /// Fewer Neuron devices than the type has.
    NeuronDeviceMissing,
    /// The kubelet is dead; no agent can tell.
    KubeletDead,
}

/// A fault of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What is broken.
    pub kind: FaultKind,
    /// Since when.
    pub since: Timestamp,
    /// Whether the agent has seen it.
    pub detected: bool,
}

/// What mends a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing is done to the node.
    None,
    /// A restart.
    Reboot,
    /// A new instance.
    Replace,
}

impl FaultKind {
    /// What mends it: Xid 74 and 79 need new hardware, application errors (13, 31, 43) nothing.
    pub fn remedy(self) -> Remedy {
        match self {
            Self::Xid(13 | 31 | 43) => Remedy::None,
            Self::Xid(48 | 64 | 74 | 79 | 95) => Remedy::Replace,
            Self::Xid(_) | Self::GpuMissing | Self::NeuronDeviceMissing | Self::KubeletDead => Remedy::Reboot,
        }
    }

    /// Value of the fault-types label, which is also the node condition's type.
    pub fn fault_type(self) -> &'static str {
        match (self, self.remedy()) {
            (Self::NeuronDeviceMissing, _) => "NeuronErrorReboot",
            (_, Remedy::Replace) => "NvidiaErrorTerminate",
            (_, Remedy::Reboot) => "NvidiaErrorReboot",
            (_, Remedy::None) => "NvidiaErrorUser",
        }
    }

    /// Value of the fault-reasons label, which is also the node condition's reason.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Xid(13 | 31 | 43) => "XidUserAppError",
            Self::Xid(_) => "XidHardwareFailure",
            Self::GpuMissing => "NvidiaGPUCountMismatch",
            Self::NeuronDeviceMissing => "NeuronDeviceCountMismatch",
            Self::KubeletDead => "KubeletUnresponsive",
        }
    }

    /// The raw line that the agent reports.
    pub fn message(self) -> String {
        match self {
            Self::Xid(number) => format!("NVRM: Xid (PCI:0000:b9:00): {number}"),
            Self::GpuMissing => "nvidia-smi reports fewer GPUs than the instance type has".to_owned(),
            Self::NeuronDeviceMissing => "fewer Neuron devices than the instance type has".to_owned(),
            Self::KubeletDead => "kubelet stopped posting node status".to_owned(),
        }
    }
}

/// Breaks the node whose instance id or logical id is `node`; answers whether there was a living one.
pub fn break_node(world: &mut World, cluster_arn: &str, node: &str, kind: FaultKind, now: Timestamp) -> bool {
    let Some(cluster) = world.sagemaker.clusters.get_mut(cluster_arn) else { return false };
    let found = cluster.nodes.values_mut().find(|it| it.logical_id == node || it.instance_id.as_deref() == Some(node));
    let Some(found) = found.filter(|it| it.is_up()) else { return false };
    found.fault = Some(Fault { kind, since: now, detected: false });
    let logical_id = found.logical_id.clone();
    let wait = world.draw(&format!("detect:{cluster_arn}:{logical_id}:{now}"), 5..30);
    come_back(world, cluster_arn, &logical_id, now, wait, NodeWork::Recovery);
    true
}

/// The agent's look at a faulty node, and a minute later what node recovery does about it.
pub(super) fn recover(world: &mut World, arn: &str, logical_id: &str, attempt: u32, at: Timestamp) {
    let Some(errand) = Errand::of(world, arn, logical_id, attempt) else { return };
    let Some(fault) = errand.node.fault.clone() else { return };
    let minute = SignedDuration::from_secs(60);
    if !fault.detected {
        if fault.kind == FaultKind::KubeletDead || !hyperpod_nodes::has_health_agent(world, arn, &errand.node, at) {
            return come_back(world, arn, logical_id, at, minute * 5, NodeWork::Recovery);
        }
        detect(world, &errand, &fault, at);
        return come_back(world, arn, logical_id, at, minute, NodeWork::Recovery);
    }
    let recovers = world.sagemaker.clusters.get(arn).is_some_and(super::Cluster::recovers);
    match fault.kind.remedy() {
        _ if !recovers || errand.node.stage != Stage::Alive => {}
        Remedy::None => {}
        Remedy::Reboot => reboot(world, arn, logical_id, at),
        Remedy::Replace => departure::begin(world, arn, logical_id, true, at),
    }
}

fn detect(world: &mut World, errand: &Errand, fault: &Fault, at: Timestamp) {
    if let Some(fault) = errand.node_mut(world).and_then(|node| node.fault.as_mut()) {
        fault.detected = true;
    }
    let instance = errand.node.instance_id.clone().unwrap_or_default();
    let recovers = world.sagemaker.clusters.get(&errand.arn).is_some_and(super::Cluster::recovers);
    let action = match fault.kind.remedy() {
        Remedy::Reboot if recovers => "Reboot",
        Remedy::Replace if recovers => "Replace",
        _ => "None",
    };
    let detail = json!({
        "ClusterName": errand.cluster_name,
        "ClusterArn": errand.arn,
        "InstanceId": instance,
        "Tags": super::tags::of(world, &errand.arn),
        "HealthSummary": {
            "HealthStatus": "Unhealthy",
            "HealthStatusReason": format!("{}: {}", fault.kind.fault_type(), fault.kind.reason()),
            "RepairAction": action,
            "Recommendation": fault.kind.message(),
        },
    });
    let kind = "SageMaker HyperPod Cluster Node Health Event";
    publish(world, &errand.region, &errand.arn, at, kind, detail);
    let line = json!({
        "level": "info",
        "ts": at.to_string(),
        "msg": "NPD caught event",
        "HealthMonitoringAgentDetectionEvent": "HealthEvent",
        "details": { "severity": "warn", "timestamp": at.to_string(), "reason": fault.kind.reason(), "message": fault.kind.message() },
    });
    let group = world.sagemaker.clusters.get(&errand.arn).map(super::Cluster::log_group).unwrap_or_default();
    let stream = format!("SagemakerHealthMonitoringAgent/{}/{instance}", errand.node.group);
    logs::put(world, &errand.region, &group, &stream, at, &line.to_string());
}

/// What a health label that a person set asks for: the same as the API calls, if node recovery is Automatic.
pub fn request_by_label(world: &mut World, arn: &str, logical_id: &str, label: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get(arn).filter(|cluster| cluster.recovers()) else { return };
    if cluster.nodes.get(logical_id).is_none_or(|node| node.stage != Stage::Alive) {
        return;
    }
    match label {
        "UnschedulablePendingReboot" => reboot(world, arn, logical_id, at),
        "UnschedulablePendingReplacement" => departure::begin(world, arn, logical_id, true, at),
        _ => {}
    }
}

/// Restarts a node: its id, name and disks stay, the kubelet is silent for a while (p5 and its like 5 to 10 minutes,
/// others 1 to 3).
pub(super) fn reboot(world: &mut World, arn: &str, logical_id: &str, at: Timestamp) {
    let Some(node) = node_mut(world, arn, logical_id) else { return };
    node.stage = Stage::Rebooting;
    node.status = NodeStatus::Pending;
    let (group, instance, instance_type) = (node.group.clone(), node.instance_id.clone(), node.instance_type.clone());
    record(
        world,
        arn,
        at,
        Level::Info,
        About::instance(&group, instance.as_deref()),
        "Instance reboot is in progress.",
    );
    let large = world_access::hardware(&instance_type).is_some_and(|it| it.efa_interfaces >= 4);
    let wait = world.draw(&format!("reboot:{arn}:{logical_id}:{at}"), if large { 300..600 } else { 60..180 });
    come_back(world, arn, logical_id, at, wait, NodeWork::Reboot);
}

/// A restart ends; what a restart mends is mended, and anything else shows again.
pub(super) fn rebooted(world: &mut World, arn: &str, logical_id: &str, attempt: u32, at: Timestamp) {
    let Some(errand) = Errand::of(world, arn, logical_id, attempt) else { return };
    if errand.node.stage != Stage::Rebooting {
        return;
    }
    let Some(node) = errand.node_mut(world) else { return };
    node.stage = Stage::Alive;
    node.status = NodeStatus::Running;
    match node.fault.as_mut() {
        Some(fault) if fault.kind.remedy() == Remedy::Replace => fault.detected = false,
        _ => node.fault = None,
    }
    let still = node.fault.is_some();
    let about = About::instance(&errand.node.group, errand.node.instance_id.as_deref());
    record(world, arn, at, Level::Info, about, "Instance operation completed. The instance was rebooted.");
    if still {
        come_back(world, arn, logical_id, at, SignedDuration::from_secs(30), NodeWork::Recovery);
    }
}

/// Comes back to a living node after `after`.
pub(super) fn come_back(
    world: &mut World,
    arn: &str,
    logical_id: &str,
    at: Timestamp,
    after: SignedDuration,
    what: NodeWork,
) {
    let Some(attempt) = node_mut(world, arn, logical_id).map(|node| node.attempt) else { return };
    let event = Event::NodeDone { cluster: arn.to_owned(), node: logical_id.to_owned(), attempt, what };
    world.schedule(at, after, crate::life::Event::SageMaker(event));
}

fn node_mut<'a>(world: &'a mut World, arn: &str, logical_id: &str) -> Option<&'a mut Node> {
    world.sagemaker.clusters.get_mut(arn)?.nodes.get_mut(logical_id)
}
