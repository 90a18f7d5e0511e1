//! How an instance leaves: shut down, its capacity and its interfaces given back.

use super::{
    Event,
    birth::Errand,
    cluster::{Node, NodeStatus, Stage},
    cluster_events::{About, Level, record},
    converge, world_access,
};
use crate::world::World;
use jiff::{SignedDuration, Timestamp};

/// Makes a node leave; if it `returns`, a new instance takes its place afterwards.
///
/// A node without an instance just goes. Kubernetes loses the node within a minute, the instance itself lives on for 15
/// to 20 minutes, or 3 to 6 when it is replaced.
pub(super) fn begin(world: &mut World, arn: &str, logical_id: &str, returns: bool, at: Timestamp) {
    let Some(node) = node_mut(world, arn, logical_id) else { return };
    if node.stage == (Stage::Leaving { returns: false }) {
        return;
    }
    node.attempt += 1;
    if node.instance_id.is_none() && !returns {
        remove(world, arn, logical_id);
        return;
    }
    node.stage = Stage::Leaving { returns };
    node.status = if returns { NodeStatus::Failure } else { NodeStatus::ShuttingDown };
    node.message = returns.then(|| "Instance is being replaced.".to_owned());
    let about = About::instance(&node.group.clone(), node.instance_id.clone().as_deref());
    let text = if returns { "Instance replacement started." } else { "Instance termination is in progress." };
    record(world, arn, at, Level::Info, about, text);
    let range = if returns { 180..360 } else { 900..1_200 };
    let wait = world.draw(&format!("leave:{arn}:{logical_id}:{at}"), range);
    come_back_for(world, arn, logical_id, at, wait);
}

/// Comes back after `after` to see the instance gone.
pub(super) fn come_back_for(world: &mut World, arn: &str, logical_id: &str, at: Timestamp, after: SignedDuration) {
    let Some(attempt) = node_mut(world, arn, logical_id).map(|node| node.attempt) else { return };
    let event = Event::Left { cluster: arn.to_owned(), node: logical_id.to_owned(), attempt };
    world.schedule(at, after, crate::life::Event::SageMaker(event));
}

/// The instance is gone: the node goes too, or begins anew.
pub(super) fn left(world: &mut World, arn: &str, logical_id: &str, attempt: u32, at: Timestamp) {
    let Some(errand) = Errand::of(world, arn, logical_id, attempt) else { return };
    let Stage::Leaving { returns } = errand.node.stage else { return };
    release(world, arn, logical_id, at);
    if !returns {
        let about = About::instance(&errand.node.group, errand.node.instance_id.as_deref());
        record(world, arn, at, Level::Info, about, "Instance operation completed. The instance was terminated.");
        remove(world, arn, logical_id);
        return converge::run(world, arn, at);
    }
    let Some(node) = node_mut(world, arn, logical_id) else { return };
    let (group, zones, message) = (node.group.clone(), node.zones.clone(), node.message.clone());
    let attempt = node.attempt + 1;
    *node = Node { attempt, zones, message, ..Node::wanted(logical_id.to_owned(), &group, at) };
    let event = Event::Step { cluster: arn.to_owned(), node: logical_id.to_owned(), attempt };
    world.schedule(at, SignedDuration::from_secs(1), crate::life::Event::SageMaker(event));
}

/// Gives capacity and interfaces back; EC2 shows the interfaces for some minutes more.
pub(super) fn release(world: &mut World, arn: &str, logical_id: &str, at: Timestamp) {
    let Some(region) = world.sagemaker.clusters.get(arn).map(|cluster| cluster.region.clone()) else { return };
    let Some(node) = node_mut(world, arn, logical_id) else { return };
    let Some(place) = node.place.take() else { return };
    let instance_type = node.instance_type.clone();
    if !matches!(place.kind, super::cluster::CapacityKind::Plan(_)) {
        world_access::return_capacity(world, &place.zone_id, &instance_type, &place.kind);
    }
    for id in place.interfaces {
        world_access::release_interface(world, &region, &id, at);
    }
}

fn remove(world: &mut World, arn: &str, logical_id: &str) {
    if let Some(cluster) = world.sagemaker.clusters.get_mut(arn) {
        cluster.nodes.remove(logical_id);
    }
}

fn node_mut<'a>(world: &'a mut World, arn: &str, logical_id: &str) -> Option<&'a mut Node> {
    world.sagemaker.clusters.get_mut(arn)?.nodes.get_mut(logical_id)
}
