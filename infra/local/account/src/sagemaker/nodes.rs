//! `ListClusterNodes` and `DescribeClusterNode`.

use super::{
    cluster::{CapacityKind, Cluster, Node, NodeStatus, seconds},
    describe, find, invalid,
    paging::{is_between, is_descending, page},
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde_json::{Value, json};

/// `ListClusterNodes`: nodes with an instance, and with `IncludeNodeLogicalIds` also those that wait for one.
pub(super) fn list(world: &World, call: &Call) -> Answer {
    let cluster = find(world, call)?;
    let all = call.flag("IncludeNodeLogicalIds") == Some(true);
    if all {
        only_continuous(cluster, "IncludeNodeLogicalIds")?;
    }
    let mut nodes: Vec<&Node> = cluster
        .nodes
        .values()
        .filter(|node| all || node.instance_id.is_some())
        .filter(|node| call.text("InstanceGroupNameContains").is_none_or(|part| node.group.contains(part)))
        .filter(|node| is_between(call, "CreationTimeAfter", "CreationTimeBefore", node.launched))
        .collect();
    let by_name = call.text("SortBy") == Some("NAME");
    nodes.sort_by(|a, b| {
        let (first, second) = ((a.launched, &a.logical_id), (b.launched, &b.logical_id));
        if by_name { a.instance_id.cmp(&b.instance_id).then(first.cmp(&second)) } else { first.cmp(&second) }
    });
    if is_descending(call, false) {
        nodes.reverse();
    }
    page(call, "ClusterNodeSummaries", nodes.into_iter().map(|node| summary(cluster, node)).collect())
}

fn summary(cluster: &Cluster, node: &Node) -> Value {
    let mut shown = json!({
        "InstanceGroupName": node.group,
        "InstanceId": node.instance_id.clone().unwrap_or_default(),
        "InstanceType": instance_type(cluster, node),
        "LaunchTime": seconds(node.launched),
        "InstanceStatus": status(node),
    });
    dress(cluster, node, &mut shown);
    shown
}

/// What summary and details have in common beyond the required members.
fn dress(cluster: &Cluster, node: &Node, shown: &mut Value) {
    if cluster.continuous {
        shown["NodeLogicalId"] = json!(node.logical_id);
    }
    if let Some(place) = &node.place {
        shown["PrivateDnsHostname"] = json!(hostname(&cluster.region, &place.address));
    }
    if node.instance_id.is_some() {
        shown["CurrentImageReleaseVersion"] = json!(node.image_release);
        shown["ImageVersionStatus"] = json!(describe::image_status(&node.image_release));
    }
    if let Some(at) = node.updated {
        shown["LastSoftwareUpdateTime"] = seconds(at);
    }
}

/// The name of an instance in its subnet's DNS.
pub(crate) fn hostname(region: &str, address: &str) -> String {
    let domain = if region == "us-east-1" { "ec2.internal".to_owned() } else { format!("{region}.compute.internal") };
    format!("ip-{}.{domain}", address.replace('.', "-"))
}

fn status(node: &Node) -> Value {
    match &node.message {
        Some(message) => json!({ "Status": node.status, "Message": message }),
        None => json!({ "Status": node.status }),
    }
}

/// The type that a node has, or that its group tries first.
fn instance_type<'a>(cluster: &'a Cluster, node: &'a Node) -> &'a str {
    if !node.instance_type.is_empty() {
        return &node.instance_type;
    }
    cluster.groups.get(&node.group).and_then(|group| group.instance_types().first().copied()).unwrap_or_default()
}

/// `DescribeClusterNode`, by instance id or logical id.
pub(super) fn describe(world: &World, call: &Call) -> Answer {
    let cluster = find(world, call)?;
    let node = match (call.text("NodeId"), call.text("NodeLogicalId")) {
        (Some(id), None) => cluster.by_instance(id),
        (None, Some(id)) => {
            only_continuous(cluster, "NodeLogicalId")?;
            cluster.nodes.get(id)
        }
        _ => return Err(invalid("Exactly one of NodeId and NodeLogicalId must be specified")),
    };
    let id = call.text("NodeId").or(call.text("NodeLogicalId")).unwrap_or_default();
    let missing = || AwsError::new("ResourceNotFound", format!("Node {id} not found in cluster {}", cluster.name));
    Ok(json!({ "NodeDetails": details(cluster, node.ok_or_else(missing)?) }))
}

fn only_continuous(cluster: &Cluster, member: &str) -> Result<(), AwsError> {
    if cluster.continuous {
        return Ok(());
    }
    Err(invalid(format!("{member} is only available for clusters with NodeProvisioningMode set to Continuous")))
}

fn details(cluster: &Cluster, node: &Node) -> Value {
    let mut shown = json!({
        "InstanceGroupName": node.group,
        "InstanceType": instance_type(cluster, node),
        "InstanceStatus": status(node),
        "LaunchTime": seconds(node.launched),
    });
    dress(cluster, node, &mut shown);
    if let Some(id) = &node.instance_id {
        shown["InstanceId"] = json!(id);
    }
    if let Some(place) = &node.place {
        shown["PrivatePrimaryIp"] = json!(place.address);
        shown["Placement"] = json!({ "AvailabilityZone": place.zone, "AvailabilityZoneId": place.zone_id });
    }
    if let Some(group) = cluster.groups.get(&node.group) {
        for member in ["LifeCycleConfig", "OverrideVpcConfig", "InstanceStorageConfigs", "NetworkInterface"] {
            if let Some(value) = group.spec.get(member) {
                shown[member] = value.clone();
            }
        }
        let image = group.spec.get("ImageId").cloned().unwrap_or_else(|| json!("default"));
        shown["CurrentImageId"] = image.clone();
        shown["DesiredImageId"] = image;
        shown["DesiredImageReleaseVersion"] = json!(group.image_release);
        shown["ThreadsPerCore"] =
            group.spec.get("ThreadsPerCore").cloned().unwrap_or_else(|| json!(super::describe::THREADS_PER_CORE));
        shown["CapacityType"] = json!(if group.kind() == CapacityKind::Spot { "Spot" } else { "OnDemand" });
        if let Some(config) = group.spec.get("KubernetesConfig") {
            shown["KubernetesConfig"] = describe::kubernetes(config);
        }
    }
    shown
}

/// Whether a node can be acted on: it runs, or is checked, or has failed.
pub(super) fn is_idle(node: &Node) -> bool {
    matches!(node.status, NodeStatus::Running | NodeStatus::DeepHealthCheckInProgress)
}
