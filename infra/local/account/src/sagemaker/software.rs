//! `UpdateClusterSoftware`: root volumes are replaced, lifecycle scripts run again; instance ids stay.

use super::{
    NodeWork,
    birth::Errand,
    cluster::{Cluster, ClusterStatus, GroupStatus, NodeStatus, Stage},
    cluster_events::{About, Level, publish_state, record},
    create::LATEST_RELEASE,
    find, health, invalid,
    script::{self, Outcome},
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// `UpdateClusterSoftware`. With a rolling policy nodes go batch after batch, without one all at once.
pub(super) fn update(world: &mut World, call: &Call) -> Answer {
    let cluster = find(world, call)?.clone();
    if cluster.status != ClusterStatus::InService {
        return Err(AwsError::new("ConflictException", format!("Cluster {} must be InService", cluster.name)));
    }
    let mut groups = Vec::new();
    for entry in call.list("InstanceGroups") {
        let name = entry["InstanceGroupName"].as_str().unwrap_or_default();
        let group = cluster.groups.get(name).ok_or_else(|| invalid(format!("Instance group {name} not found")))?;
        if group.status != GroupStatus::InService {
            return Err(AwsError::new("ConflictException", format!("Instance group {name} must be InService")));
        }
        let release = entry["ImageReleaseVersion"].as_str().unwrap_or(LATEST_RELEASE);
        groups.push((name.to_owned(), release.to_owned()));
    }
    if groups.is_empty() {
        groups = cluster.groups.keys().map(|name| (name.clone(), LATEST_RELEASE.to_owned())).collect();
    }
    if let Some(cluster) = world.sagemaker.clusters.get_mut(&cluster.arn) {
        cluster.status = ClusterStatus::SystemUpdating;
    }
    for (name, release) in groups {
        begin_group(world, &cluster.arn, &name, &release, &call.input["DeploymentConfig"], call.now);
    }
    publish_state(world, &cluster.arn, call.now);
    finish(world, &cluster.arn, call.now);
    Ok(json!({ "ClusterArn": cluster.arn }))
}

fn begin_group(world: &mut World, arn: &str, name: &str, release: &str, deployment: &Value, at: Timestamp) {
    let Some(group) = world.sagemaker.clusters.get_mut(arn).and_then(|cluster| cluster.groups.get_mut(name)) else {
        return;
    };
    group.status = GroupStatus::SystemUpdating;
    group.software = Some("InProgress".to_owned());
    group.image_release = release.to_owned();
    group.patch = Some(Patch { since: at, deployment: deployment.clone(), failed: false });
    record(world, arn, at, Level::Info, About::group(name), "Patching started for the instance group.");
    next_batch(world, arn, name, at);
}

/// A software update of a group that is under way.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Patch {
    /// When it was asked for; nodes updated before that still need it.
    pub since: Timestamp,
    /// `DeploymentConfiguration`, or null.
    pub deployment: Value,
    /// Whether a node's lifecycle script failed on the new volume.
    pub failed: bool,
}

fn next_batch(world: &mut World, arn: &str, name: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get_mut(arn) else { return };
    let Some(patch) = cluster.groups.get(name).and_then(|group| group.patch.clone()) else { return };
    let needs = |cluster: &Cluster| -> Vec<String> {
        let nodes = cluster
            .staying(name)
            .filter(|node| node.stage == Stage::Alive && node.updated.is_none_or(|it| it < patch.since));
        nodes.map(|node| node.logical_id.clone()).collect()
    };
    let waiting = needs(cluster);
    let busy = cluster.nodes.values().any(|node| node.group == name && node.status == NodeStatus::SystemUpdating);
    if busy {
        return;
    }
    if waiting.is_empty() || patch.failed {
        return end_group(world, arn, name, at);
    }
    let all = cluster.staying(name).count();
    for logical_id in waiting.into_iter().take(batch(&patch.deployment, all)) {
        let Some(node) = world.sagemaker.clusters.get_mut(arn).and_then(|cluster| cluster.nodes.get_mut(&logical_id))
        else {
            continue;
        };
        node.stage = Stage::Rebooting;
        node.status = NodeStatus::SystemUpdating;
        let wait = world.draw(&format!("patch:{arn}:{logical_id}:{at}"), 1_200..2_400);
        health::come_back(world, arn, &logical_id, at, wait, NodeWork::Software);
    }
}

fn batch(deployment: &Value, all: usize) -> usize {
    let size = &deployment["RollingUpdatePolicy"]["MaximumBatchSize"];
    let value = super::cluster::count(size, "Value").unwrap_or(all);
    let nodes = if size["Type"] == "CAPACITY_PERCENTAGE" { all * value / 100 } else { value };
    nodes.max(1)
}

/// One node has its new root volume: the lifecycle script runs on it.
pub(super) fn patched(world: &mut World, arn: &str, logical_id: &str, attempt: u32, at: Timestamp) {
    let Some(errand) = Errand::of(world, arn, logical_id, attempt) else { return };
    if errand.node.status != NodeStatus::SystemUpdating {
        return;
    }
    let outcome = script::run(world, &errand, at);
    let about = About::instance(&errand.node.group, errand.node.instance_id.as_deref());
    let Some(node) = errand.node_mut(world) else { return };
    node.stage = Stage::Alive;
    node.updated = Some(at);
    match outcome {
        Outcome::Succeeded { digest } => {
            node.status = NodeStatus::Running;
            node.script = digest;
            node.image_release = errand.group.image_release.clone();
            record(world, arn, at, Level::Info, about, "Instance patching succeeded.");
        }
        Outcome::Failed { text } => {
            node.status = NodeStatus::Failure;
            node.message = Some(text.clone());
            let group =
                world.sagemaker.clusters.get_mut(arn).and_then(|cluster| cluster.groups.get_mut(&errand.node.group));
            if let Some(patch) = group.and_then(|group| group.patch.as_mut()) {
                patch.failed = true;
            }
            let about = about.with("Instance", json!({ "FailureMessage": text }));
            record(world, arn, at, Level::Error, about, format!("Instance patching failed. {text}"));
        }
    }
    next_batch(world, arn, &errand.node.group, at);
    finish(world, arn, at);
}

fn end_group(world: &mut World, arn: &str, name: &str, at: Timestamp) {
    let Some(group) = world.sagemaker.clusters.get_mut(arn).and_then(|cluster| cluster.groups.get_mut(name)) else {
        return;
    };
    let failed = group.patch.take().is_some_and(|patch| patch.failed);
    group.status = GroupStatus::InService;
    group.software = Some(if failed { "Failed" } else { "Succeeded" }.to_owned());
    let (level, text) = if failed {
        (Level::Error, "Patching failed for the instance group.")
    } else {
        (Level::Info, "Patching completed for the instance group.")
    };
    record(world, arn, at, level, About::group(name), text);
}

fn finish(world: &mut World, arn: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get_mut(arn) else { return };
    let busy = cluster.groups.values().any(|group| group.patch.is_some());
    if cluster.status == ClusterStatus::SystemUpdating && !busy {
        cluster.status = ClusterStatus::InService;
        publish_state(world, arn, at);
        super::converge::run(world, arn, at);
    }
}
