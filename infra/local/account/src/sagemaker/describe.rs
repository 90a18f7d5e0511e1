//! `DescribeCluster` and `ListClusters`.

use super::{
    cluster::{Cluster, Group, GroupStatus, Stage, seconds},
    create::LATEST_RELEASE,
    paging::{is_between, is_descending, page},
    plans,
};
use crate::{
    call::{Answer, Call},
    world::World,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Members of a group that are shown as they were given.
const ECHOED: [&str; 11] = [
    "InstanceGroupName",
    "InstanceType",
    "LifeCycleConfig",
    "ExecutionRole",
    "InstanceStorageConfigs",
    "OnStartDeepHealthChecks",
    "TrainingPlanArn",
    "OverrideVpcConfig",
    "ScheduledUpdateConfig",
    "CapacityRequirements",
    "NetworkInterface",
];

/// `ThreadsPerCore` of a group for which nothing else was asked.
pub(super) const THREADS_PER_CORE: u32 = 2;

/// The answer of `DescribeCluster`.
pub(super) fn cluster(world: &World, cluster: &Cluster) -> Value {
    let mut shown = json!({
        "ClusterArn": cluster.arn,
        "ClusterName": cluster.name,
        "ClusterStatus": cluster.status,
        "CreationTime": seconds(cluster.created),
        "InstanceGroups": cluster.groups.values().map(|it| group(world, cluster, it)).collect::<Vec<_>>(),
    });
    if let Some(failure) = &cluster.failure {
        shown["FailureMessage"] = json!(failure);
    }
    if cluster.continuous {
        shown["NodeProvisioningMode"] = json!("Continuous");
    }
    for (member, value) in &cluster.settings {
        shown[member.as_str()] = if member == "AutoScaling" { autoscaling(value) } else { value.clone() };
    }
    shown
}

fn autoscaling(asked: &Value) -> Value {
    let mut shown = asked.clone();
    // Switching Karpenter on or off takes no time here: nothing observes the moments between.
    shown["Status"] = json!("InService");
    shown
}

fn group(world: &World, cluster: &Cluster, group: &Group) -> Value {
    let name = group.text("InstanceGroupName");
    let mut shown = Map::new();
    for member in ECHOED {
        if let Some(value) = group.spec.get(member) {
            shown.insert(member.to_owned(), value.clone());
        }
    }
    let target = if group.status == GroupStatus::Deleting { 0 } else { group.target() };
    let current = cluster.current(name);
    let image = group.spec.get("ImageId").cloned().unwrap_or_else(|| json!("default"));
    let mut put = |member: &str, value: Value| shown.insert(member.to_owned(), value);
    put("Status", json!(group.status));
    put("CurrentCount", json!(current));
    put("TargetCount", json!(target));
    put(
        "TargetStateCount",
        json!(cluster.nodes.values().filter(|node| node.group == name && node.stage == Stage::Alive).count()),
    );
    put("ThreadsPerCore", group.spec.get("ThreadsPerCore").cloned().unwrap_or_else(|| json!(THREADS_PER_CORE)));
    put("TrainingPlanStatus", json!(plans::status_word(world, &group.kind())));
    put("CurrentImageId", image.clone());
    put("DesiredImageId", image);
    put("CurrentImageReleaseVersion", json!(group.image_release));
    put("DesiredImageReleaseVersion", json!(group.image_release));
    put("ImageVersionStatus", json!(image_status(&group.image_release)));
    if let Some(minimum) = group.minimum() {
        put("MinCount", json!(minimum));
    }
    if let Some(software) = &group.software {
        put("SoftwareUpdateStatus", json!(software));
    }
    if current != target && cluster.continuous {
        put("ActiveOperations", json!({ "Scaling": 1 }));
    }
    if let Some(config) = group.spec.get("KubernetesConfig") {
        put("KubernetesConfig", kubernetes(config));
    }
    if let Some(requirements) = group.spec.get("InstanceRequirements") {
        let types = &requirements["InstanceTypes"];
        put("InstanceRequirements", json!({ "CurrentInstanceTypes": types, "DesiredInstanceTypes": types }));
        put("InstanceTypeDetails", type_details(cluster, group));
    }
    if let Some(patching) = group.spec.get("AutoPatchConfig") {
        put("AutoPatchConfig", patch_details(patching));
    }
    Value::Object(shown)
}

fn type_details(cluster: &Cluster, group: &Group) -> Value {
    let name = group.text("InstanceGroupName");
    let up = |instance_type: &str| {
        cluster
            .nodes
            .values()
            .filter(|node| node.group == name && node.is_up() && node.instance_type == instance_type)
            .count()
    };
    let types = group.instance_types();
    types.into_iter().map(|it| json!({ "InstanceType": it, "CurrentCount": up(it) })).collect()
}

fn patch_details(asked: &Value) -> Value {
    let mut shown = asked.clone();
    if let Some(details) = shown.as_object_mut()
        && let Some(schedule) = details.remove("PatchSchedule")
    {
        details.insert("CurrentPatchSchedule".to_owned(), schedule.clone());
        details.insert("DesiredPatchSchedule".to_owned(), schedule);
    }
    shown
}

/// Labels and taints as groups and nodes show them; they are in force as soon as they are asked for.
pub(super) fn kubernetes(config: &Value) -> Value {
    let labels = config.get("Labels").cloned().unwrap_or_else(|| json!({}));
    let taints = config.get("Taints").cloned().unwrap_or_else(|| json!([]));
    json!({ "CurrentLabels": labels, "DesiredLabels": labels, "CurrentTaints": taints, "DesiredTaints": taints })
}

/// `ImageVersionStatus` of a release.
pub(super) fn image_status(release: &str) -> &'static str {
    if release == LATEST_RELEASE { "UpToDate" } else { "UpdateAvailable" }
}

/// `ListClusters`.
pub(super) fn list(world: &World, call: &Call) -> Answer {
    let mut found: Vec<&Cluster> = world
        .sagemaker
        .clusters
        .values()
        .filter(|cluster| cluster.region == call.region)
        .filter(|cluster| call.text("NameContains").is_none_or(|part| cluster.name.contains(part)))
        .filter(|cluster| is_between(call, "CreationTimeAfter", "CreationTimeBefore", cluster.created))
        .filter(|cluster| call.text("TrainingPlanArn").is_none_or(|plan| plan_arns(cluster).contains(plan)))
        .collect();
    let by_name = call.text("SortBy") == Some("NAME");
    found.sort_by(|a, b| if by_name { a.name.cmp(&b.name) } else { (a.created, &a.name).cmp(&(b.created, &b.name)) });
    if is_descending(call, false) {
        found.reverse();
    }
    page(call, "ClusterSummaries", found.into_iter().map(summary).collect())
}

fn plan_arns(cluster: &Cluster) -> BTreeSet<&str> {
    cluster.groups.values().filter_map(|group| group.spec["TrainingPlanArn"].as_str()).collect()
}

fn summary(cluster: &Cluster) -> Value {
    let current = cluster.groups.values().all(|group| group.image_release == LATEST_RELEASE);
    json!({
        "ClusterArn": cluster.arn,
        "ClusterName": cluster.name,
        "CreationTime": seconds(cluster.created),
        "ClusterStatus": cluster.status,
        "TrainingPlanArns": plan_arns(cluster),
        "ImageVersionStatus": if current { "UpToDate" } else { "UpdateAvailable" },
    })
}
