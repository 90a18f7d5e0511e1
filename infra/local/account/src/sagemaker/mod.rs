//! Amazon SageMaker, as far as HyperPod on EKS needs it: clusters, nodes, their events, and training plans.
//!
//! Calls change what is wanted; what follows from it happens by itself through [`Event`]s ([`converge`] keeps counts,
//! [`birth`] and [`departure`] are a node's two ends). What HyperPod puts into Kubernetes lives in
//! [`crate::hyperpod_nodes`]; everything that is asked of other services goes through [`world_access`].

mod batches;
mod birth;
mod checks;
mod cluster;
mod cluster_events;
mod converge;
mod create;
mod deep_checks;
mod delete;
mod departure;
mod describe;
mod health;
mod nodes;
mod offerings;
mod paging;
mod placement;
mod plans;
mod quota;
mod script;
mod software;
mod tags;
mod update;
pub mod world_access;

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::ground as tests_ground;

pub use cluster::{CapacityKind, Cluster, ClusterStatus, Group, GroupStatus, Node, NodeStatus, Place, Stage};
pub use health::{Fault, FaultKind, Remedy, break_node, request_by_label};
pub(crate) use nodes::hostname;
pub use offerings::add_plan;
pub use plans::{Block, Plan};
pub use software::Patch;

use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use cluster_events::About;
pub use cluster_events::{ClusterEvent, Level};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything that SageMaker knows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// HyperPod clusters by ARN; a failed one stays until it is deleted.
    pub clusters: BTreeMap<String, Cluster>,
    /// Training plans by ARN.
    pub plans: BTreeMap<String, Plan>,
    /// What the last searches offered, by offering id.
    pub offerings: BTreeMap<String, Plan>,
    /// Tags by ARN.
    pub tags: BTreeMap<String, BTreeMap<String, String>>,
    /// The last events that went to EventBridge, in its envelope, oldest first.
    pub bus: Vec<Value>,
    /// Answers to client tokens, with the time of the call and a fingerprint of its input.
    pub tokens: BTreeMap<String, (Timestamp, String, Value)>,
}

/// What happens in SageMaker by itself. Each names its thing and does nothing if that has moved on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// Cluster-level resources are ready.
    Ready {
        /// ARN.
        cluster: String,
    },
    /// A node's present step of birth ends.
    Step {
        /// ARN.
        cluster: String,
        /// Logical id.
        node: String,
        /// The attempt that it is about.
        attempt: u32,
    },
    /// The second event of one provisioning fault.
    CreationFailed {
        /// ARN.
        cluster: String,
        /// Group.
        group: String,
        /// Instance, if there was one.
        instance: Option<String>,
        /// What went wrong.
        text: String,
    },
    /// An instance that was leaving is gone.
    Left {
        /// ARN.
        cluster: String,
        /// Logical id.
        node: String,
        /// The attempt that it is about.
        attempt: u32,
    },
    /// Something that takes a while on a living node ends.
    NodeDone {
        /// ARN.
        cluster: String,
        /// Logical id.
        node: String,
        /// The attempt that it is about.
        attempt: u32,
        /// What ends.
        what: NodeWork,
    },
    /// A minimum count's three hours are over.
    MinimumMissed {
        /// ARN.
        cluster: String,
        /// Group.
        group: String,
        /// The operation that set it.
        operation: String,
    },
    /// A deleted cluster disappears.
    Gone {
        /// ARN.
        cluster: String,
    },
    /// A block of a training plan begins or ends.
    PlanTurns {
        /// ARN.
        plan: String,
    },
}

/// What is done with a living node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeWork {
    /// A restart.
    Reboot,
    /// Deep health checks.
    DeepChecks,
    /// A new root volume.
    Software,
    /// Node recovery looks at a fault.
    Recovery,
}

impl Event {
    /// Lets the event happen.
    pub fn happen(self, world: &mut World, at: Timestamp) {
        match self {
            Self::Ready { cluster } => create::ready(world, &cluster, at),
            Self::Step { cluster, node, attempt } => birth::step(world, &cluster, &node, attempt, at),
            Self::CreationFailed { cluster, group, instance, text } => {
                let about = About::instance(&group, instance.as_deref());
                let about = about.with("Instance", serde_json::json!({ "FailureMessage": text }));
                cluster_events::record(
                    world,
                    &cluster,
                    at,
                    Level::Error,
                    about,
                    format!("Instance creation failed. {text}"),
                );
            }
            Self::Left { cluster, node, attempt } => departure::left(world, &cluster, &node, attempt, at),
            Self::NodeDone { cluster, node, attempt, what } => match what {
                NodeWork::Reboot => health::rebooted(world, &cluster, &node, attempt, at),
                NodeWork::DeepChecks => deep_checks::end(world, &cluster, &node, attempt, at),
                NodeWork::Software => software::patched(world, &cluster, &node, attempt, at),
                NodeWork::Recovery => health::recover(world, &cluster, &node, attempt, at),
            },
            Self::MinimumMissed { cluster, group, operation } => {
                converge::minimum_missed(world, &cluster, &group, &operation, at);
            }
            Self::Gone { cluster } => delete::gone(world, &cluster),
            Self::PlanTurns { plan } => plans::turn(world, &plan, at),
        }
    }
}

/// Answers one call.
///
/// # Errors
/// The service's own: `ValidationException`, `ResourceNotFound`, `ResourceInUse`, `ResourceLimitExceeded`,
/// `ConflictException`.
pub fn handle(world: &mut World, call: &Call) -> Answer {
    match call.action.as_str() {
        "CreateCluster" => create::create(world, call),
        "UpdateCluster" => update::update(world, call),
        "DescribeCluster" => find(world, call).map(|cluster| describe::cluster(world, cluster)),
        "ListClusters" => describe::list(world, call),
        "DeleteCluster" => delete::delete(world, call),
        "ListClusterNodes" => nodes::list(world, call),
        "DescribeClusterNode" => nodes::describe(world, call),
        "BatchAddClusterNodes" => batches::add(world, call),
        "BatchDeleteClusterNodes" => batches::delete(world, call),
        "BatchRebootClusterNodes" => batches::reboot(world, call),
        "BatchReplaceClusterNodes" => batches::replace(world, call),
        "UpdateClusterSoftware" => software::update(world, call),
        "StartClusterHealthCheck" => deep_checks::start(world, call),
        "ListClusterEvents" => cluster_events::list(world, call),
        "DescribeClusterEvent" => cluster_events::describe(world, call),
        "AddTags" => tags::add(world, call),
        "ListTags" => tags::list(world, call),
        "DeleteTags" => tags::delete(world, call),
        "ListTrainingPlans" => plans::list(world, call),
        "DescribeTrainingPlan" => plans::describe(world, call),
        "DescribeReservedCapacity" => plans::describe_reserved(world, call),
        "SearchTrainingPlanOfferings" => offerings::search(world, call),
        "CreateTrainingPlan" => offerings::create(world, call),
        other => Err(AwsError::new("UnknownOperationException", format!("The operation {other} is not known"))),
    }
}

/// The cluster that `ClusterName` (a name or an ARN) means in the call's region.
pub(crate) fn find<'a>(world: &'a World, call: &Call) -> Result<&'a Cluster, AwsError> {
    let name = call.required("ClusterName");
    let found = world
        .sagemaker
        .clusters
        .values()
        .find(|cluster| cluster.region == call.region && (cluster.arn == name || cluster.name == name));
    found.ok_or_else(|| AwsError::new("ResourceNotFound", format!("Cluster with name {name} not found")))
}

/// A refusal of what was asked, in SageMaker's form.
pub(crate) fn invalid(message: impl Into<String>) -> AwsError {
    AwsError::new("ValidationException", message)
}
