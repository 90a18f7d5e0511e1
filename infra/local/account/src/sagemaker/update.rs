//! `UpdateCluster`: groups are declared anew one by one; what a group may not change is refused.

use super::{
    checks::{self, Ground},
    cluster::{CapacityKind, Cluster, ClusterStatus, Group, GroupStatus, capacity_kind, texts},
    cluster_events::{About, Level, publish_state, record, uuid},
    converge, create, describe, find, invalid, quota, world_access,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Members of a group that stay as they were made.
const FIXED: [&str; 4] = ["InstanceType", "ExecutionRole", "ThreadsPerCore", "NetworkInterface"];

/// `UpdateCluster`.
pub(super) fn update(world: &mut World, call: &Call) -> Answer {
    let cluster = find(world, call)?.clone();
    is_possible(&cluster)?;
    unchangeable(&cluster, call)?;
    let doomed: BTreeSet<&str> = call.texts("InstanceGroupsToDelete").into_iter().collect();
    let named = call.list("InstanceGroups");
    deletions(&cluster, &doomed, named)?;
    let vpc = world_access::eks_cluster(world, &cluster.eks_arn).map(|eks| eks.vpc).unwrap_or_default();
    checks::groups(world, call, &Ground { vpc: &vpc, continuous: cluster.continuous }, named)?;
    for spec in named {
        if let Some(group) = cluster.groups.get(spec["InstanceGroupName"].as_str().unwrap_or_default()) {
            same_where_fixed(&cluster, group, spec)?;
        }
    }
    autoscaling(world, call, &cluster)?;
    quota::check(world, call, Some(&cluster.arn), &then(&cluster, &doomed, named))?;
    create::access_entries(world, call, &cluster.eks_arn, named);
    apply(world, call, &cluster.arn, &doomed, named);
    Ok(json!({ "ClusterArn": cluster.arn }))
}

fn is_possible(cluster: &Cluster) -> Result<(), AwsError> {
    let name = &cluster.name;
    if cluster.is_deep_checking() {
        let message = format!("Cluster {name} cannot be updated while deep health checks are in progress");
        return Err(AwsError::new("ConflictException", message));
    }
    if cluster.status == ClusterStatus::InService {
        return Ok(());
    }
    let status = json!(cluster.status);
    let status = status.as_str().unwrap_or_default();
    Err(AwsError::new(
        "ConflictException",
        format!("Cluster {name} cannot be updated. Cluster status must be InService, but is {status}"),
    ))
}

fn unchangeable(cluster: &Cluster, call: &Call) -> Result<(), AwsError> {
    if let Some(arn) = call.input["Orchestrator"]["Eks"]["ClusterArn"].as_str()
        && arn != cluster.eks_arn
    {
        return Err(invalid("The EKS cluster of a cluster cannot be changed"));
    }
    if call.text("NodeProvisioningMode").is_some() && !cluster.continuous {
        return Err(invalid("NodeProvisioningMode cannot be changed after the cluster was created"));
    }
    Ok(())
}

fn deletions(cluster: &Cluster, doomed: &BTreeSet<&str>, named: &[Value]) -> Result<(), AwsError> {
    let names: BTreeSet<&str> = named.iter().filter_map(|spec| spec["InstanceGroupName"].as_str()).collect();
    for name in doomed {
        if names.contains(name) {
            return Err(invalid(format!(
                "Instance group {name} cannot be in both InstanceGroups and InstanceGroupsToDelete"
            )));
        }
        if !cluster.groups.contains_key(*name) {
            return Err(invalid(format!("Instance group {name} does not exist in cluster {}", cluster.name)));
        }
    }
    for name in &names {
        if cluster.groups.get(*name).is_some_and(|group| group.status == GroupStatus::Deleting) {
            return Err(AwsError::new("ConflictException", format!("Instance group {name} is being deleted")));
        }
    }
    let stay = cluster
        .groups
        .iter()
        .filter(|(name, group)| group.status != GroupStatus::Deleting && !doomed.contains(name.as_str()));
    if !doomed.is_empty() && stay.count() == 0 && names.is_empty() {
        return Err(invalid("At least one instance group must remain in the cluster"));
    }
    Ok(())
}

fn same_where_fixed(cluster: &Cluster, group: &Group, spec: &Value) -> Result<(), AwsError> {
    let name = group.text("InstanceGroupName");
    let refuse = |member: &str| {
        Err(invalid(format!("{member} of instance group {name} cannot be changed after it was created")))
    };
    for member in FIXED {
        if told(&group.spec, member) != told(spec, member) {
            return refuse(member);
        }
    }
    if sorted(group.spec.get("OverrideVpcConfig")) != sorted(spec.get("OverrideVpcConfig")) {
        return refuse("OverrideVpcConfig");
    }
    let spot = |spec: &Value| capacity_kind(spec) == CapacityKind::Spot;
    if spot(&group.spec) != spot(spec) {
        return refuse("CapacityRequirements");
    }
    if group.spec.get("InstanceRequirements").is_some() != spec.get("InstanceRequirements").is_some() {
        return refuse("InstanceRequirements");
    }
    if !cluster.continuous && group.status != GroupStatus::InService {
        return Err(AwsError::new("ConflictException", format!("Instance group {name} is being updated")));
    }
    Ok(())
}

/// A member as `DescribeCluster` tells it: to ask for what is told is to change nothing.
fn told(spec: &Value, member: &str) -> Option<Value> {
    let default = || (member == "ThreadsPerCore").then(|| json!(describe::THREADS_PER_CORE));
    spec.get(member).cloned().or_else(default)
}

fn sorted(network: Option<&Value>) -> Option<(BTreeSet<&str>, BTreeSet<&str>)> {
    network.map(|config| {
        (texts(&config["Subnets"]).into_iter().collect(), texts(&config["SecurityGroupIds"]).into_iter().collect())
    })
}

fn autoscaling(world: &World, call: &Call, cluster: &Cluster) -> Result<(), AwsError> {
    let enabled = cluster.settings.get("AutoScaling").is_some_and(|scaling| scaling["Mode"] == "Enable");
    let role = cluster.settings.get("ClusterRole").and_then(Value::as_str);
    if enabled && call.text("ClusterRole").is_some_and(|wanted| Some(wanted) != role) {
        return Err(invalid("ClusterRole cannot be changed while AutoScaling is enabled"));
    }
    if call.text("ClusterRole").is_none() && role.is_some() {
        return Ok(());
    }
    create::autoscaling(world, call, cluster.continuous)
}

/// All groups as they would then be.
fn then(cluster: &Cluster, doomed: &BTreeSet<&str>, named: &[Value]) -> Vec<Value> {
    let stay = cluster
        .groups
        .iter()
        .filter(|(name, group)| group.status != GroupStatus::Deleting && !doomed.contains(name.as_str()));
    let mut specs: BTreeMap<&str, &Value> = stay.map(|(name, group)| (name.as_str(), &group.spec)).collect();
    specs.extend(named.iter().map(|spec| (spec["InstanceGroupName"].as_str().unwrap_or_default(), spec)));
    specs.into_values().cloned().collect()
}

fn apply(world: &mut World, call: &Call, arn: &str, doomed: &BTreeSet<&str>, named: &[Value]) {
    let operation = uuid(world);
    let Some(cluster) = world.sagemaker.clusters.get_mut(arn) else { return };
    cluster.operation = operation;
    cluster.failure = None;
    cluster.before_update = Some(cluster.groups.clone());
    for member in ["NodeRecovery", "TieredStorageConfig", "ClusterRole", "AutoScaling"] {
        if let Some(value) = call.input.get(member) {
            cluster.settings.insert(member.to_owned(), value.clone());
        }
    }
    let continuous = cluster.continuous;
    for spec in named {
        let (name, fresh) = create::new_group(spec);
        match cluster.groups.get_mut(&name) {
            Some(group) => {
                group.status = GroupStatus::Updating;
                if spec.get("ImageReleaseVersion").is_some() {
                    group.image_release = fresh.image_release;
                }
                group.spec = fresh.spec;
            }
            None => {
                cluster.groups.insert(name, fresh);
            }
        }
    }
    for name in doomed {
        if let Some(group) = cluster.groups.get_mut(*name) {
            group.status = GroupStatus::Deleting;
        }
    }
    if !continuous {
        cluster.status = ClusterStatus::Updating;
    }
    record(
        world,
        arn,
        call.now,
        Level::Info,
        About::cluster(),
        "Cluster operation started. The cluster is being updated.",
    );
    publish_state(world, arn, call.now);
    create::watch_minimums(world, arn, call.now);
    converge::run(world, arn, call.now);
}
