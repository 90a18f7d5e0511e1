//! What a HyperPod cluster is: its groups, its nodes, their states. Nothing here acts.

use super::{cluster_events::ClusterEvent, world_access::Hardware};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// `ClusterStatus` of the service model, as far as EKS-orchestrated clusters reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClusterStatus {
    /// Cluster-level resources are being made.
    Creating,
    /// Accepts updates.
    InService,
    /// A change of groups is under way.
    Updating,
    /// Images are being replaced.
    SystemUpdating,
    /// An all-or-nothing update failed and is being undone.
    RollingBack,
    /// Creation failed; the name stays taken until the cluster is deleted.
    Failed,
    /// Nodes are leaving, then the cluster goes.
    Deleting,
}

/// `InstanceGroupStatus` of the service model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupStatus {
    /// Made together with the cluster, or below its minimum count for the first time.
    Creating,
    /// Settled, or (Continuous) still on its way to its target.
    InService,
    /// Below the minimum count of an update.
    Updating,
    /// Images are being replaced.
    SystemUpdating,
    /// An all-or-nothing creation failed.
    Failed,
    /// Nodes are leaving, then the group goes.
    Deleting,
}

/// `ClusterInstanceStatus` of the service model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeStatus {
    /// On its way, or restarting.
    Pending,
    /// Provisioned, and known to Kubernetes.
    Running,
    /// The last attempt failed, or the node is about to be replaced.
    Failure,
    /// Leaving.
    ShuttingDown,
    /// Its root volume is being replaced.
    SystemUpdating,
    /// Deep health checks run on it.
    DeepHealthCheckInProgress,
}

/// Where a node is in its life; finer than [`NodeStatus`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Looks for capacity, then for addresses.
    Seeking,
    /// The instance boots.
    Provisioning,
    /// EFA is tried between the node's own interfaces.
    CheckingEfa,
    /// The lifecycle script runs; billing has begun.
    RunningScript,
    /// The kubelet registers.
    Joining,
    /// Part of the Kubernetes cluster, before its first health verdict.
    BasicChecks,
    /// Part of the Kubernetes cluster.
    Alive,
    /// Restarting: the kubelet is silent.
    Rebooting,
    /// Shutting down; afterwards it is gone or, if it `returns`, a new instance takes its place.
    Leaving {
        /// Whether the service puts a new instance in its place.
        returns: bool,
    },
}

/// From where a group takes its instances.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CapacityKind {
    /// The on-demand pool of a zone.
    OnDemand,
    /// The Spot pool of a zone.
    Spot,
    /// The training plan with this ARN.
    Plan(String),
}

/// One HyperPod cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// ARN; ends with [`Self::id`], not with the name.
    pub arn: String,
    /// Twelve characters; log groups and provider ids carry it.
    pub id: String,
    /// Name, unique per region until the cluster is deleted.
    pub name: String,
    /// Region.
    pub region: String,
    /// Where the cluster is in its life.
    pub status: ClusterStatus,
    /// When it was asked for.
    pub created: Timestamp,
    /// `FailureMessage` of `DescribeCluster`.
    pub failure: Option<String>,
    /// Whether `NodeProvisioningMode` is Continuous.
    pub continuous: bool,
    /// ARN of the EKS cluster that orchestrates it.
    pub eks_arn: String,
    /// Cluster-wide members (`VpcConfig`, `NodeRecovery`, `AutoScaling` …) under their model names.
    pub settings: Map<String, Value>,
    /// Groups by name.
    pub groups: BTreeMap<String, Group>,
    /// Nodes by logical id.
    pub nodes: BTreeMap<String, Node>,
    /// Everything that `ListClusterEvents` shows, oldest first.
    pub events: Vec<ClusterEvent>,
    /// The operation that present events belong to.
    pub operation: String,
    /// What an all-or-nothing update returns to if it fails.
    pub before_update: Option<BTreeMap<String, Group>>,
}

/// One instance group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// `ClusterInstanceGroupSpecification` as last accepted.
    pub spec: Value,
    /// Where the group is in its life.
    pub status: GroupStatus,
    /// Release of the image that new nodes start from.
    pub image_release: String,
    /// `SoftwareUpdateStatus`, once an update was asked for.
    pub software: Option<String>,
    /// The software update that is under way.
    pub patch: Option<super::software::Patch>,
}

/// One node: a place in a group, and the instance that fills it at present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// `NodeLogicalId`: stays when the instance is replaced.
    pub logical_id: String,
    /// Its group.
    pub group: String,
    /// Instance id, once there is an instance.
    pub instance_id: Option<String>,
    /// The type that it has or (flexible group) tries now.
    pub instance_type: String,
    /// Status as the API shows it.
    pub status: NodeStatus,
    /// `InstanceStatus.Message`; sticky, as in AWS: it may speak of an earlier attempt.
    pub message: Option<String>,
    /// Where it is in its life.
    pub stage: Stage,
    /// Counts instances, so that an event for an earlier one finds that it is late.
    pub attempt: u32,
    /// `LaunchTime` of the present instance, or when the node was asked for.
    pub launched: Timestamp,
    /// Zones that `BatchAddClusterNodes` restricted it to; empty means any.
    pub zones: Vec<String>,
    /// Where the instance stands, once it has capacity.
    pub place: Option<Place>,
    /// What was found wrong with it and not yet mended.
    pub fault: Option<super::health::Fault>,
    /// Deep health checks of the present instance: `InProgress`, `Passed` or `Failed`.
    pub deep_checks: Option<String>,
    /// Release of the image on its root volume.
    pub image_release: String,
    /// When its root volume was last replaced.
    pub updated: Option<Timestamp>,
    /// SHA-256 (hex) of the lifecycle script that the present instance ran.
    pub script: Option<String>,
}

/// Capacity and network that an instance holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Subnet of its interfaces.
    pub subnet: String,
    /// Zone name in this account.
    pub zone: String,
    /// Zone id, the same for everyone.
    pub zone_id: String,
    /// Its network interfaces in the customer's account, the primary one first.
    pub interfaces: Vec<String>,
    /// Primary private address.
    pub address: String,
    /// From where the capacity came, and goes back to.
    pub kind: CapacityKind,
}

impl Group {
    /// Text member of the specification.
    pub fn text(&self, name: &str) -> &str {
        self.spec.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// `InstanceCount`: how many nodes the group is to have.
    pub fn target(&self) -> usize {
        count(&self.spec, "InstanceCount").unwrap_or_default()
    }

    /// `MinInstanceCount`, if one was given.
    pub fn minimum(&self) -> Option<usize> {
        count(&self.spec, "MinInstanceCount")
    }

    /// The types that the group accepts, most wanted first.
    pub fn instance_types(&self) -> Vec<&str> {
        match self.spec.get("InstanceType").and_then(Value::as_str) {
            Some(one) => vec![one],
            None => texts(&self.spec["InstanceRequirements"]["InstanceTypes"]),
        }
    }

    /// From where the group's instances come.
    pub fn kind(&self) -> CapacityKind {
        capacity_kind(&self.spec)
    }

    /// Whether nodes are checked deeply before their first use.
    pub fn deep_checks(&self) -> bool {
        self.spec.get("OnStartDeepHealthChecks").is_some()
    }
}

impl Cluster {
    /// Subnets of `group`: its own, or the cluster's.
    pub fn subnets(&self, group: &Group) -> Vec<String> {
        self.network(group, "Subnets")
    }

    /// Security groups of `group`: its own, or the cluster's.
    pub fn security_groups(&self, group: &Group) -> Vec<String> {
        self.network(group, "SecurityGroupIds")
    }

    fn network(&self, group: &Group, member: &str) -> Vec<String> {
        let own = group.spec.get("OverrideVpcConfig");
        let config = own.or_else(|| self.settings.get("VpcConfig")).unwrap_or(&Value::Null);
        texts(&config[member]).into_iter().map(str::to_owned).collect()
    }

    /// The nodes of a group that are not leaving for good.
    pub fn staying<'a>(&'a self, group: &'a str) -> impl Iterator<Item = &'a Node> {
        self.nodes.values().filter(move |node| node.group == group && node.stage != Stage::Leaving { returns: false })
    }

    /// `CurrentCount` of a group: instances that are up.
    pub fn current(&self, group: &str) -> usize {
        self.nodes.values().filter(|node| node.group == group && node.is_up()).count()
    }

    /// Whether the service repairs nodes by itself.
    pub fn recovers(&self) -> bool {
        self.settings.get("NodeRecovery").and_then(Value::as_str) != Some("None")
    }

    /// The CloudWatch log group of the cluster.
    pub fn log_group(&self) -> String {
        format!("/aws/sagemaker/Clusters/{}/{}", self.name, self.id)
    }

    /// Whether a node with deep checks under way is among the nodes.
    pub fn is_deep_checking(&self) -> bool {
        self.nodes.values().any(|node| node.status == NodeStatus::DeepHealthCheckInProgress)
    }

    /// The logical id of the node whose present instance is `instance_id`.
    pub fn by_instance(&self, instance_id: &str) -> Option<&Node> {
        self.nodes.values().find(|node| node.instance_id.as_deref() == Some(instance_id))
    }
}

impl Node {
    /// A place in a group that nothing fills yet.
    pub fn wanted(logical_id: String, group: &str, now: Timestamp) -> Self {
        Self {
            logical_id,
            group: group.to_owned(),
            instance_id: None,
            instance_type: String::new(),
            status: NodeStatus::Pending,
            message: None,
            stage: Stage::Seeking,
            attempt: 0,
            launched: now,
            zones: Vec::new(),
            place: None,
            fault: None,
            deep_checks: None,
            image_release: String::new(),
            updated: None,
            script: None,
        }
    }

    /// Whether the node counts as one of the group's current nodes.
    pub fn is_up(&self) -> bool {
        matches!(self.stage, Stage::BasicChecks | Stage::Alive | Stage::Rebooting)
    }

    /// Whether the kubelet of the present instance has registered and has not been removed.
    pub fn is_in_kubernetes(&self) -> bool {
        self.is_up()
    }

    /// Name of the Kubernetes node.
    pub fn kubernetes_name(&self) -> Option<String> {
        self.instance_id.as_ref().map(|id| format!("hyperpod-{id}"))
    }
}

/// From where instances of a group specification come.
pub(super) fn capacity_kind(spec: &Value) -> CapacityKind {
    match spec.get("TrainingPlanArn").and_then(Value::as_str) {
        Some(arn) => CapacityKind::Plan(arn.to_owned()),
        None if spec["CapacityRequirements"].get("Spot").is_some() => CapacityKind::Spot,
        None => CapacityKind::OnDemand,
    }
}

/// Addresses that one node takes from its subnet (facts: one full interface, one address for every further card, none
/// for cards without IP).
pub(super) fn addresses(hardware: &Hardware, spec: &Value) -> u32 {
    match spec["NetworkInterface"]["InterfaceType"].as_str() {
        Some("efa-only") => hardware.ipv4_per_eni,
        _ => hardware.node_ips,
    }
}

/// The strings of a list value.
pub(super) fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A whole number that is not negative.
pub(super) fn count(value: &Value, member: &str) -> Option<usize> {
    value.get(member).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

/// A time as the JSON protocols write it: seconds since 1970, to the millisecond.
pub(super) fn seconds(at: Timestamp) -> Value {
    let milliseconds = at.as_millisecond();
    if milliseconds % 1000 == 0 { json!(milliseconds / 1000) } else { json!(milliseconds as f64 / 1000.0) }
}
