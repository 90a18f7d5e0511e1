//! How a cluster keeps itself at what was asked for: missing nodes are begun, surplus ones leave, groups and clusters
//! that are to go disappear when they are empty. It may run at any time and any number of times.

use super::{
    Event,
    cluster::{Cluster, ClusterStatus, GroupStatus, Node, Stage},
    cluster_events::{About, Level, publish_state, record},
    departure, plans,
};
use crate::world::World;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

/// Brings one cluster a step nearer to its wanted state.
pub(super) fn run(world: &mut World, arn: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get(arn) else { return };
    if cluster.status == ClusterStatus::Creating && cluster.continuous {
        return;
    }
    let groups: Vec<String> = cluster.groups.keys().cloned().collect();
    for group in groups {
        run_group(world, arn, &group, at);
    }
    finish(world, arn, at);
}

fn run_group(world: &mut World, arn: &str, group: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get(arn) else { return };
    let Some(settings) = cluster.groups.get(group) else { return };
    let goes = settings.status == GroupStatus::Deleting
        || matches!(cluster.status, ClusterStatus::Deleting | ClusterStatus::Failed);
    let target = if goes || !plans::may_run(world, &settings.kind()) { 0 } else { settings.target() };
    let staying: Vec<&Node> = cluster.staying(group).collect();
    if staying.len() < target {
        let missing = target - staying.len();
        for _ in 0..missing {
            add_node(world, arn, group, &[], at);
        }
    } else {
        for victim in victims(world, &staying, staying.len() - target) {
            departure::begin(world, arn, &victim, false, at);
        }
    }
    settle_group(world, arn, group, at);
}

/// Begins one node of a group and answers its logical id.
pub(super) fn add_node(world: &mut World, arn: &str, group: &str, zones: &[String], at: Timestamp) -> String {
    let logical_id = format!("hyperpod-node-{:012x}", world.next_number("node") & 0xffff_ffff_ffff);
    let node = Node { zones: zones.to_vec(), ..Node::wanted(logical_id.clone(), group, at) };
    if let Some(cluster) = world.sagemaker.clusters.get_mut(arn) {
        cluster.nodes.insert(logical_id.clone(), node);
    }
    let about = About::instance(group, None).with("Instance", json!({ "NodeLogicalId": logical_id }));
    record(world, arn, at, Level::Info, about, "Instance operation started.");
    let event = Event::Step { cluster: arn.to_owned(), node: logical_id.clone(), attempt: 0 };
    let wait = world.draw(&format!("begin:{arn}:{logical_id}"), 5..20);
    world.schedule(at, wait, crate::life::Event::SageMaker(event));
    logical_id
}

/// Who leaves when a group shrinks: places without an instance first, then whom the draw hits.
fn victims(world: &World, staying: &[&Node], surplus: usize) -> Vec<String> {
    let mut order: Vec<_> = staying
        .iter()
        .map(|node| {
            (node.instance_id.is_some(), world.hash(&format!("victim:{}", node.logical_id)), node.logical_id.clone())
        })
        .collect();
    order.sort();
    order.into_iter().take(surplus).map(|(_, _, id)| id).collect()
}

/// Moves a group's status on when its counts allow it.
fn settle_group(world: &mut World, arn: &str, group: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get_mut(arn) else { return };
    let current = cluster.current(group);
    let empty = !cluster.nodes.values().any(|node| node.group == group);
    let continuous = cluster.continuous;
    let leaving = cluster.nodes.values().any(|node| node.group == group && matches!(node.stage, Stage::Leaving { .. }));
    let Some(settings) = cluster.groups.get_mut(group) else { return };
    match settings.status {
        GroupStatus::Deleting if empty => {
            cluster.groups.remove(group);
            record(
                world,
                arn,
                at,
                Level::Info,
                About::group(group),
                "Instance group operation completed. The instance group was deleted.",
            );
        }
        GroupStatus::Creating | GroupStatus::Updating => {
            let wanted = if continuous { settings.minimum().unwrap_or_default() } else { settings.target() };
            if current >= wanted && (continuous || (current == wanted && !leaving)) {
                settings.status = GroupStatus::InService;
                let counts = json!({ "InstanceCount": current, "TargetCount": settings.target(), "MinCount": settings.minimum().unwrap_or_default() });
                let about = About::group(group).with("InstanceGroupScaling", counts);
                record(world, arn, at, Level::Info, about, "Instance group operation completed.");
            }
        }
        _ => {}
    }
}

/// Ends cluster-wide changes whose groups have settled, and deletion when nothing is left.
fn finish(world: &mut World, arn: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get_mut(arn) else { return };
    let settled = cluster.groups.values().all(|group| group.status == GroupStatus::InService);
    match cluster.status {
        ClusterStatus::Creating | ClusterStatus::Updating | ClusterStatus::RollingBack if settled => {
            cluster.status = ClusterStatus::InService;
            cluster.before_update = None;
            record(world, arn, at, Level::Info, About::cluster(), "Cluster operation completed.");
            publish_state(world, arn, at);
        }
        ClusterStatus::Deleting if cluster.nodes.is_empty() => {
            let event = Event::Gone { cluster: arn.to_owned() };
            let wait = world.draw(&format!("gone:{arn}"), 30..90);
            world.schedule(at, wait, crate::life::Event::SageMaker(event));
        }
        _ => {}
    }
}

/// The end of a request without Continuous provisioning when one node of it failed: everything that the request made
/// goes again.
pub(super) fn fail_all(world: &mut World, arn: &str, text: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get_mut(arn) else { return };
    cluster.failure = Some(text.to_owned());
    if let Some(before) = cluster.before_update.take() {
        cluster.status = ClusterStatus::RollingBack;
        for (name, group) in &mut cluster.groups {
            match before.get(name) {
                Some(old) => *group = old.clone(),
                None => group.status = GroupStatus::Deleting,
            }
        }
    } else if cluster.status != ClusterStatus::Deleting {
        cluster.status = ClusterStatus::Failed;
        cluster.groups.values_mut().for_each(|group| group.status = GroupStatus::Failed);
    }
    let about = About::cluster().with("Cluster", json!({ "FailureMessage": text }));
    record(world, arn, at, Level::Error, about, format!("Cluster operation failed. {text}"));
    publish_state(world, arn, at);
    give_up_unfinished(world, arn, at);
    run(world, arn, at);
}

/// Nodes of a failed request that never came up have no second try.
fn give_up_unfinished(world: &mut World, arn: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get(arn) else { return };
    let unfinished = |node: &&Node| !node.is_up() && node.stage != Stage::Leaving { returns: false };
    let ids: Vec<String> = cluster.nodes.values().filter(unfinished).map(|node| node.logical_id.clone()).collect();
    for id in ids {
        departure::begin(world, arn, &id, false, at);
    }
}

/// A minimum count was not met in time (three hours): a new group goes back to no nodes, an old one to what it was.
pub(super) fn minimum_missed(world: &mut World, arn: &str, group: &str, operation: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get_mut(arn).filter(|cluster| cluster.operation == operation) else {
        return;
    };
    let current = cluster.current(group);
    let before = cluster.before_update.as_ref().and_then(|groups| groups.get(group)).cloned();
    let Some(settings) = cluster.groups.get_mut(group) else { return };
    if !matches!(settings.status, GroupStatus::Creating | GroupStatus::Updating) {
        return;
    }
    let text = format!("The minimum instance count was not reached within 3 hours: {current} instances are available.");
    match before {
        Some(old) => *settings = old,
        None => {
            settings.spec["InstanceCount"] = json!(0);
            settings.spec["MinInstanceCount"] = json!(0);
            settings.status = GroupStatus::InService;
        }
    }
    let about =
        About::group(group).with("InstanceGroupScaling", json!({ "FailureMessage": text, "InstanceCount": current }));
    record(world, arn, at, Level::Error, about, format!("Instance group operation failed. {text}"));
    run(world, arn, at);
}

/// Puts the end of a minimum count's patience on the agenda.
pub(super) fn watch_minimum(world: &mut World, cluster: &Cluster, group: &str, at: Timestamp) {
    let event = Event::MinimumMissed {
        cluster: cluster.arn.clone(),
        group: group.to_owned(),
        operation: cluster.operation.clone(),
    };
    world.schedule(at, SignedDuration::from_hours(3), crate::life::Event::SageMaker(event));
}
