//! `DeleteCluster`, and what goes with a cluster.

use super::{
    cluster::{Status, named, named_mut},
    life::Event,
    refusals::{in_use, refused},
    world_access,
};
use crate::{
    call::{Answer, Call},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

/// How often EKS looks whether its interfaces are gone.
const INTERFACES_LINGER: SignedDuration = SignedDuration::from_secs(15);

/// `DeleteCluster`. Add-ons, access entries and associations go with the cluster.
pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let cluster = named(world, call)?;
    if cluster.deletion_protection {
        let message = "Cluster cannot be deleted while deletion protection is enabled. Disable deletion \
             protection and try again.";
        return Err(refused(message).with("clusterName", cluster.name.as_str()));
    }
    match cluster.status {
        Status::Creating | Status::Updating => {
            let doing = if cluster.status == Status::Creating { "creation" } else { "update" };
            let message = format!("Cannot delete because cluster {} currently has {doing} in progress", cluster.name);
            return Err(in_use(message).with("clusterName", cluster.name.as_str()));
        }
        Status::Deleting => return Ok(json!({ "cluster": cluster.described() })),
        Status::Active | Status::Failed => {}
    }
    let event = Event::ClusterGone { arn: cluster.arn.clone(), id: cluster.id.clone() };
    let after = world.draw(&format!("deletion of {}", cluster.id), 120..300);
    world.schedule(call.now, after, event.into());
    let cluster = named_mut(world, call)?;
    cluster.status = Status::Deleting;
    let (region, interfaces) = (cluster.region.clone(), cluster.network.interfaces.clone());
    for interface in interfaces {
        world_access::release_interface(world, &region, &interface, call.now);
    }
    let cluster = named(world, call)?;
    Ok(json!({ "cluster": cluster.described() }))
}

/// The end of a deletion, as soon as the control plane's interfaces are gone: the cluster security group and the API
/// server go, then the record. A group that something else holds (a node's interface) stays behind, as in AWS.
pub(super) fn finish(world: &mut World, arn: &str, now: Timestamp) {
    let Some(cluster) = world.eks.clusters.get(arn) else { return };
    let lingers = |id: &String| world_access::interface_exists(world, &cluster.region, id);
    if cluster.network.interfaces.iter().any(lingers) {
        let again = Event::ClusterGone { arn: arn.to_owned(), id: cluster.id.clone() };
        world.schedule(now, INTERFACES_LINGER, again.into());
        return;
    }
    let Some(cluster) = world.eks.clusters.remove(arn) else { return };
    if !cluster.network.cluster_security_group_id.is_empty() {
        let group = &cluster.network.cluster_security_group_id;
        world_access::remove_cluster_security_group(world, &cluster.region, group, now);
    }
    world_access::stop_kubernetes(world, arn);
    world.eks.tokens.gone(&cluster.id, &cluster.described());
}
