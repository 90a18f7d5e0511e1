//! Amazon EKS: clusters, their updates, add-ons, access entries and pod identity associations.
//!
//! The Kubernetes API server of a cluster lives elsewhere; what EKS does inside a cluster it does as a client of that
//! API, and what it needs from EC2, IAM and STS it asks through [`world_access`]. Managed node groups, Fargate and Auto
//! Mode are not offered: HyperPod clusters do without them, so their lists are empty and their creation is not an action.

mod access;
mod addons;
mod cluster;
mod create_cluster;
mod create_network;
mod delete_cluster;
mod identity;
mod life;
mod paging;
mod refusals;
mod tags;
#[cfg(test)]
pub(crate) mod tests;
mod tokens;
mod update_cluster;
mod updates;
mod versions;
mod wire;
mod world_access;

pub use access::{admits, authenticate, bearer, grant_service_access};
pub use addons::{AddonOutcome, addon_tags};
pub use cluster::{Cluster, arn, cluster, cluster_at, cluster_by_arn, clusters, ports, reachable};
pub use create_cluster::CreationFailure;
pub use identity::{issuer, pod_role, web_identity};
pub use life::Event;

use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What EKS knows, and the switches by which a test or an operator decides what would otherwise be drawn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Clusters by ARN, deleted ones excluded.
    clusters: BTreeMap<String, Cluster>,
    tokens: tokens::Tokens,
    /// How a Deployment add-on ends that found no untainted node for 20 minutes; drawn if not set.
    pub addon_outcome: Option<AddonOutcome>,
    /// Taken by the next cluster that would become ACTIVE: it becomes FAILED with this health issue instead.
    pub creation_failure: Option<CreationFailure>,
    /// First loopback port for the endpoints of new clusters. Without one, endpoints have AWS's own host names, which
    /// only a client that is wired to this account can reach.
    pub first_port: Option<u16>,
}

/// Answers one EKS action. The input was checked against the service model; what depends on the account's state, or on
/// several members at once, is checked here.
///
/// # Errors
/// EKS's own exceptions; `UnknownOperationException` for an action that is not offered.
pub fn handle(world: &mut World, call: &Call) -> Answer {
    match call.action.as_str() {
        "CreateCluster" => create_cluster::create(world, call),
        "DescribeCluster" => cluster::describe(world, call),
        "ListClusters" => cluster::list(world, call),
        "DeleteCluster" => delete_cluster::delete(world, call),
        "UpdateClusterConfig" => update_cluster::configuration(world, call),
        "UpdateClusterVersion" => update_cluster::version(world, call),
        "DescribeUpdate" => updates::describe(world, call),
        "ListUpdates" => updates::list(world, call),
        "DescribeClusterVersions" => versions::describe(call),
        "TagResource" => tags::tag(world, call),
        "UntagResource" => tags::untag(world, call),
        "ListTagsForResource" => tags::list(world, call),
        "ListInsights" => cluster::nothing(world, call, "insights"),
        "ListNodegroups" => cluster::nothing(world, call, "nodegroups"),
        "ListFargateProfiles" => cluster::nothing(world, call, "fargateProfileNames"),
        "ListIdentityProviderConfigs" => cluster::nothing(world, call, "identityProviderConfigs"),
        "DescribeInsight" => cluster::no_insight(world, call),
        "DescribeNodegroup" => cluster::no_node_group(world, call),
        "DescribeFargateProfile" => cluster::no_fargate_profile(world, call),
        action if action.contains("Addon") => addons::handle(world, call),
        action if action.contains("Access") => access::handle(world, call),
        action if action.contains("PodIdentity") => identity::handle(world, call),
        action => Err(AwsError::new("UnknownOperationException", format!("{action} is not offered by this account"))),
    }
}
