//! Who a cluster's service accounts are for STS (IRSA).

use crate::{
    eks::{
        cluster::{Cluster, cluster_by_arn},
        world_access,
    },
    world::World,
};
use jiff::Timestamp;

/// The issuer of the cluster's service account tokens, with `https://`; none before the cluster is served.
pub fn issuer(world: &World, cluster_arn: &str) -> Option<String> {
    cluster_by_arn(world, cluster_arn).filter(|cluster| !cluster.endpoint.is_empty()).map(Cluster::issuer)
}

/// A token with which a pod of this service account calls `AssumeRoleWithWebIdentity`; none before the cluster is served.
pub fn web_identity(
    world: &World,
    cluster_arn: &str,
    namespace: &str,
    service_account: &str,
    now: Timestamp,
) -> Option<String> {
    let subject = format!("system:serviceaccount:{namespace}:{service_account}");
    Some(world_access::mint_web_identity(world, &issuer(world, cluster_arn)?, &subject, now))
}
