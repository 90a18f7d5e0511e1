//! Deep health checks: on a node's start, or asked for. About two hours, during which the node is tainted and the cluster
//! refuses updates.

use super::{
    NodeWork,
    birth::Errand,
    cluster::{NodeStatus, Stage, texts},
    cluster_events::{About, Level, record},
    departure, find, health, invalid, world_access,
};
use crate::{
    call::{Answer, Call},
    logs,
    world::World,
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// `StartClusterHealthCheck`.
pub(super) fn start(world: &mut World, call: &Call) -> Answer {
    let cluster = find(world, call)?.clone();
    let mut chosen = Vec::new();
    for entry in call.list("DeepHealthCheckConfigurations") {
        let name = entry["InstanceGroupName"].as_str().unwrap_or_default();
        let group = cluster.groups.get(name).ok_or_else(|| invalid(format!("Instance group {name} not found")))?;
        for instance_type in group.instance_types() {
            if world_access::hardware(instance_type).is_none_or(|it| it.accelerator.is_none()) {
                return Err(invalid(format!("Deep health checks are not supported for instance type {instance_type}")));
            }
        }
        chosen.extend(chosen_nodes(&cluster, name, entry)?);
    }
    for logical_id in chosen {
        begin(world, &cluster.arn, &logical_id, call.now);
    }
    Ok(json!({ "ClusterArn": cluster.arn }))
}

fn chosen_nodes(cluster: &super::Cluster, group: &str, entry: &Value) -> Result<Vec<String>, crate::call::AwsError> {
    let ids = texts(&entry["InstanceIds"]);
    for id in &ids {
        let node = cluster.by_instance(id).filter(|node| node.group == group);
        let node = node.ok_or_else(|| invalid(format!("Instance {id} not found in instance group {group}")))?;
        if node.status != NodeStatus::Running {
            return Err(invalid(format!("Instance {id} must be Running")));
        }
    }
    let named = |id: Option<&str>| ids.is_empty() || id.is_some_and(|id| ids.contains(&id));
    let nodes =
        cluster.staying(group).filter(|node| node.status == NodeStatus::Running && named(node.instance_id.as_deref()));
    Ok(nodes.map(|node| node.logical_id.clone()).collect())
}

/// Begins the checks on one node.
pub(super) fn begin(world: &mut World, arn: &str, logical_id: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get_mut(arn) else { return };
    let Some(node) = cluster.nodes.get_mut(logical_id) else { return };
    node.status = NodeStatus::DeepHealthCheckInProgress;
    node.deep_checks = Some("InProgress".to_owned());
    let about = About::instance(&node.group.clone(), node.instance_id.clone().as_deref());
    record(world, arn, at, Level::Info, about, "Deep health checks started on the instance.");
    let wait = world.draw(&format!("deep:{arn}:{logical_id}:{at}"), 6_300..8_100);
    health::come_back(world, arn, logical_id, at, wait, NodeWork::DeepChecks);
}

/// Ends the checks on one node: a faulty one fails, and node recovery takes over.
pub(super) fn end(world: &mut World, arn: &str, logical_id: &str, attempt: u32, at: Timestamp) {
    let Some(errand) = Errand::of(world, arn, logical_id, attempt) else { return };
    if errand.node.status != NodeStatus::DeepHealthCheckInProgress || errand.node.stage != Stage::Alive {
        return;
    }
    let passed = errand.node.fault.is_none();
    if let Some(node) = errand.node_mut(world) {
        node.status = NodeStatus::Running;
        node.deep_checks = Some(if passed { "Passed" } else { "Failed" }.to_owned());
    }
    let instance = errand.node.instance_id.clone().unwrap_or_default();
    let group = world.sagemaker.clusters.get(arn).map(super::Cluster::log_group).unwrap_or_default();
    let line = json!({ "instance": instance, "checks": errand.group.spec["OnStartDeepHealthChecks"], "result": if passed { "PASS" } else { "FAIL" } });
    logs::put(world, &errand.region, &group, &format!("DeepHealthCheckResults/{instance}"), at, &line.to_string());
    let about = About::instance(&errand.node.group, Some(&instance));
    if passed {
        return record(world, arn, at, Level::Info, about, "Deep health checks passed on the instance.");
    }
    record(world, arn, at, Level::Error, about, "Deep health checks failed on the instance.");
    if world.sagemaker.clusters.get(arn).is_some_and(super::Cluster::recovers) {
        departure::begin(world, arn, logical_id, true, at);
    }
}
