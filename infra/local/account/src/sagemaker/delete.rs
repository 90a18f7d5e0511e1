//! `DeleteCluster`: nodes leave, then the cluster and its name are gone. The EKS cluster stays.

use super::{
    cluster::{ClusterStatus, GroupStatus},
    cluster_events::{About, Level, publish_state, record},
    converge, find,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde_json::json;

/// `DeleteCluster`.
pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let cluster = find(world, call)?;
    let arn = cluster.arn.clone();
    match cluster.status {
        ClusterStatus::Deleting => return Ok(json!({ "ClusterArn": arn })),
        ClusterStatus::Updating | ClusterStatus::SystemUpdating | ClusterStatus::RollingBack => {
            let message = format!("Cluster {} cannot be deleted while an operation on it is in progress", cluster.name);
            return Err(AwsError::new("ConflictException", message));
        }
        ClusterStatus::Creating | ClusterStatus::InService | ClusterStatus::Failed => {}
    }
    if let Some(cluster) = world.sagemaker.clusters.get_mut(&arn) {
        cluster.status = ClusterStatus::Deleting;
        cluster.groups.values_mut().for_each(|group| group.status = GroupStatus::Deleting);
    }
    record(
        world,
        &arn,
        call.now,
        Level::Info,
        About::cluster(),
        "Cluster operation started. The cluster is being deleted.",
    );
    publish_state(world, &arn, call.now);
    converge::run(world, &arn, call.now);
    Ok(json!({ "ClusterArn": arn }))
}

/// The deleted cluster disappears.
pub(super) fn gone(world: &mut World, arn: &str) {
    let empty = |cluster: &super::Cluster| cluster.status == ClusterStatus::Deleting && cluster.nodes.is_empty();
    if world.sagemaker.clusters.get(arn).is_some_and(empty) {
        world.sagemaker.clusters.remove(arn);
        world.sagemaker.tags.remove(arn);
    }
}
