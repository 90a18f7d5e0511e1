//! `CreateCluster`.

use super::{
    Event,
    checks::{self, Ground},
    cluster::{Cluster, ClusterStatus, Group, GroupStatus},
    cluster_events::{About, Level, publish_state, record, uuid},
    converge, invalid, quota, tags, world_access,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Release of the HyperPod image that a new group starts from when none is asked for.
pub(super) const LATEST_RELEASE: &str = "1.4.0";

/// Members of the request that describe the cluster as a whole.
pub(super) const SETTINGS: [&str; 6] =
    ["VpcConfig", "Orchestrator", "NodeRecovery", "TieredStorageConfig", "ClusterRole", "AutoScaling"];

/// `CreateCluster`: checks everything that can be known at once and answers the ARN; the rest happens by itself.
pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let eks_arn = orchestrator(world, call)?;
    name_is_free(world, call)?;
    let vpc = eks(world, call, &eks_arn)?;
    let network = call
        .input
        .get("VpcConfig")
        .ok_or_else(|| invalid("VpcConfig must be specified for clusters with the EKS orchestrator"))?;
    checks::network(world, call, network, &vpc)?;
    let continuous = call.text("NodeProvisioningMode") == Some("Continuous");
    let ground = Ground { vpc: &vpc, continuous };
    let groups = call.list("InstanceGroups");
    if groups.is_empty() {
        return Err(invalid("At least one instance group must be specified"));
    }
    checks::groups(world, call, &ground, groups)?;
    autoscaling(world, call, continuous)?;
    quota::check(world, call, None, groups)?;
    access_entries(world, call, &eks_arn, groups);
    let arn = insert(world, call, eks_arn, continuous);
    announce(world, call, &arn);
    Ok(json!({ "ClusterArn": arn }))
}

fn orchestrator(_world: &World, call: &Call) -> Result<String, AwsError> {
    if !call.list("RestrictedInstanceGroups").is_empty() {
        return Err(invalid("RestrictedInstanceGroups are not available in this account"));
    }
    let orchestrator = call.input.get("Orchestrator").unwrap_or(&Value::Null);
    let arn = orchestrator["Eks"]["ClusterArn"].as_str();
    match (arn, orchestrator.get("Slurm")) {
        (Some(arn), None) => Ok(arn.to_owned()),
        (Some(_), Some(_)) => Err(invalid("Exactly one of Eks and Slurm must be specified in Orchestrator")),
        (None, _) => {
            Err(invalid("Only clusters with Orchestrator.Eks can be made in this account; Slurm is not available"))
        }
    }
}

fn name_is_free(world: &World, call: &Call) -> Result<(), AwsError> {
    let name = call.required("ClusterName");
    let taken = world.sagemaker.clusters.values().find(|cluster| cluster.name == name && cluster.region == call.region);
    taken.map_or(Ok(()), |cluster| {
        Err(AwsError::new("ResourceInUse", format!("Resource Already Exists: {}", cluster.arn)))
    })
}

/// The EKS cluster's VPC, if it can orchestrate a HyperPod cluster.
fn eks(world: &World, call: &Call, arn: &str) -> Result<String, AwsError> {
    if arn.split(':').nth(3) != Some(call.region.as_str()) {
        return Err(invalid(format!("The EKS cluster {arn} must be in the Region of the request ({})", call.region)));
    }
    let eks =
        world_access::eks_cluster(world, arn).ok_or_else(|| invalid(format!("EKS cluster {arn} does not exist")))?;
    if eks.status != "ACTIVE" {
        return Err(invalid(format!("EKS cluster {arn} must be in ACTIVE status. Current status: {}", eks.status)));
    }
    if eks.authentication_mode == "CONFIG_MAP" {
        return Err(invalid(format!(
            "EKS cluster {arn} must use authentication mode API or API_AND_CONFIG_MAP. Current mode: CONFIG_MAP"
        )));
    }
    match world.sagemaker.clusters.values().find(|cluster| cluster.eks_arn == arn) {
        Some(other) => {
            Err(AwsError::new("ResourceInUse", format!("EKS cluster {arn} is already used by cluster {}", other.arn)))
        }
        None => Ok(eks.vpc),
    }
}

/// Karpenter needs Continuous provisioning and a role that HyperPod can assume.
pub(super) fn autoscaling(world: &World, call: &Call, continuous: bool) -> Result<(), AwsError> {
    if call.input["AutoScaling"]["Mode"].as_str() != Some("Enable") {
        return Ok(());
    }
    if !continuous {
        return Err(invalid("AutoScaling requires NodeProvisioningMode to be Continuous"));
    }
    let role =
        call.text("ClusterRole").ok_or_else(|| invalid("ClusterRole must be specified when AutoScaling is enabled"))?;
    checks::role(world, call, role, "hyperpod.sagemaker.amazonaws.com")
}

/// Lets the nodes and HyperPod itself into the EKS cluster; whether the caller may do that was asked with the call.
pub(super) fn access_entries(world: &mut World, call: &Call, eks_arn: &str, groups: &[Value]) {
    for group in groups {
        let role = group["ExecutionRole"].as_str().unwrap_or_default();
        world_access::admit_nodes(world, eks_arn, role, call.now);
    }
    let own = world_access::own_role(world, call.now);
    world_access::admit_itself(world, eks_arn, &own, call.now);
}

fn insert(world: &mut World, call: &Call, eks_arn: String, continuous: bool) -> String {
    let id = short_id(world);
    let arn = format!("arn:aws:sagemaker:{}:{ACCOUNT_ID}:cluster/{id}", call.region);
    let mut settings = Map::new();
    for member in SETTINGS {
        if let Some(value) = call.input.get(member) {
            settings.insert(member.to_owned(), value.clone());
        }
    }
    settings.entry("NodeRecovery").or_insert_with(|| json!("Automatic"));
    let groups = call.list("InstanceGroups").iter().map(new_group).collect();
    let cluster = Cluster {
        arn: arn.clone(),
        id,
        name: call.required("ClusterName").to_owned(),
        region: call.region.clone(),
        status: ClusterStatus::Creating,
        created: call.now,
        failure: None,
        continuous,
        eks_arn,
        settings,
        groups,
        nodes: BTreeMap::new(),
        events: Vec::new(),
        operation: uuid(world),
        before_update: None,
    };
    world.sagemaker.tags.insert(arn.clone(), tags::read(call.list("Tags")));
    world.sagemaker.clusters.insert(arn.clone(), cluster);
    arn
}

/// A group as it begins, under its name.
pub(super) fn new_group(spec: &Value) -> (String, Group) {
    let release = spec["ImageReleaseVersion"].as_str().unwrap_or(LATEST_RELEASE).to_owned();
    let name = spec["InstanceGroupName"].as_str().unwrap_or_default().to_owned();
    (
        name,
        Group {
            spec: spec.clone(),
            status: GroupStatus::Creating,
            image_release: release,
            software: None,
            patch: None,
        },
    )
}

fn announce(world: &mut World, call: &Call, arn: &str) {
    record(
        world,
        arn,
        call.now,
        Level::Info,
        About::cluster(),
        "Cluster operation started. The cluster is being created.",
    );
    publish_state(world, arn, call.now);
    let wait = world.draw(&format!("ready:{arn}"), 60..180);
    let event = Event::Ready { cluster: arn.to_owned() };
    world.schedule(call.now, wait, crate::life::Event::SageMaker(event));
}

/// Cluster-level resources are ready: a Continuous cluster is InService from now on, and nodes begin.
pub(super) fn ready(world: &mut World, arn: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get_mut(arn) else { return };
    if cluster.status != ClusterStatus::Creating {
        return;
    }
    let roles: Vec<String> = cluster.groups.values().map(|group| group.text("ExecutionRole").to_owned()).collect();
    let continuous = cluster.continuous;
    if continuous {
        cluster.status = ClusterStatus::InService;
    }
    let slr = json!({ "SlrAccessEntry": world_access::own_role(world, at) });
    record(
        world,
        arn,
        at,
        Level::Info,
        About::cluster().with("Cluster", slr),
        "Successfully created the access entry for the service-linked role.",
    );
    let entries = json!({ "EksRoleAccessEntries": roles });
    record(
        world,
        arn,
        at,
        Level::Info,
        About::cluster().with("Cluster", entries),
        "Successfully created the EKS access entries for the execution roles.",
    );
    if continuous {
        record(world, arn, at, Level::Info, About::cluster(), "Cluster operation completed.");
        publish_state(world, arn, at);
    }
    watch_minimums(world, arn, at);
    converge::run(world, arn, at);
}

/// Puts the patience of every group that has a minimum count on the agenda.
pub(super) fn watch_minimums(world: &mut World, arn: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get(arn).cloned() else { return };
    for (name, group) in &cluster.groups {
        if group.status != GroupStatus::InService && group.minimum().is_some_and(|minimum| minimum > 0) {
            converge::watch_minimum(world, &cluster, name, at);
        }
    }
}

/// Twelve lower-case letters and digits.
fn short_id(world: &mut World) -> String {
    const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut number = world.next_number("hyperpod-cluster");
    let mut id = String::new();
    for _ in 0..12 {
        id.push(char::from(ALPHABET[usize::try_from(number % 36).unwrap_or_default()]));
        number /= 36;
    }
    id
}
