//! Account limits that `CreateCluster` and `UpdateCluster` answer at once, unlike lack of capacity.

use super::{
    cluster::{CapacityKind, ClusterStatus, capacity_kind, count, texts},
    world_access,
};
use crate::{
    call::{AwsError, Call},
    world::World,
};
use serde_json::Value;
use std::collections::BTreeMap;

const PER_CLUSTER: &str = "Maximum number instances allowed per SageMaker HyperPod cluster";
const IN_ALL: &str = "Total number of instances allowed across SageMaker HyperPod clusters";
const SPOT_IN_ALL: &str = "Total number of Spot instances allowed across SageMaker HyperPod clusters";
const VOLUME: &str = "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance";

/// Refuses a set of groups (all that the cluster would then have) for which a limit is too small.
///
/// `arn` names the cluster if it exists: what it uses now is in use by itself. Only growth is refused.
pub(super) fn check(world: &World, call: &Call, arn: Option<&str>, wanted: &[Value]) -> Result<(), AwsError> {
    for volume in wanted.iter().flat_map(volumes) {
        let limit = world_access::quota(world, &call.region, VOLUME);
        if volume > limit {
            return Err(AwsError::new(
                "ResourceLimitExceeded",
                format!(
                    "The account-level service limit '{VOLUME}' is {limit} Gigabytes, with a requested volume size of {volume} \
                 Gigabytes. {REQUEST}"
                ),
            ));
        }
    }
    let others = usage(world, call, arn);
    let before = arn.and_then(|arn| world.sagemaker.clusters.get(arn)).map(|cluster| cluster.groups.values());
    let mut own = BTreeMap::new();
    before.into_iter().flatten().for_each(|group| tally(&mut own, &group.spec));
    let mut then = BTreeMap::new();
    wanted.iter().for_each(|group| tally(&mut then, group));
    for (name, wanted) in &then {
        let now = own.get(name).copied().unwrap_or_default();
        let elsewhere = if name == PER_CLUSTER { 0 } else { others.get(name).copied().unwrap_or_default() };
        let limit = world_access::quota(world, &call.region, name);
        if *wanted > now && elsewhere + wanted > limit {
            return Err(exceeded(name, limit, elsewhere + now, wanted - now));
        }
    }
    Ok(())
}

const REQUEST: &str = "Please use AWS Service Quotas to request an increase for this quota. If AWS Service Quotas is not \
                       available, contact AWS support to request an increase for this quota.";

fn exceeded(name: &str, limit: i64, used: i64, delta: i64) -> AwsError {
    AwsError::new(
        "ResourceLimitExceeded",
        format!(
            "The account-level service limit '{name}' is {limit} Instances, with current utilization of {used} Instances and a \
         request delta of {delta} Instances. {REQUEST}"
        ),
    )
}

fn volumes(group: &Value) -> Vec<i64> {
    let configs = group["InstanceStorageConfigs"].as_array().map_or(&[][..], Vec::as_slice);
    configs.iter().filter_map(|config| config["EbsVolumeConfig"]["VolumeSizeInGB"].as_i64()).collect()
}

/// What the other clusters of the region hold, by quota name.
fn usage(world: &World, call: &Call, but: Option<&str>) -> BTreeMap<String, i64> {
    let mut used = BTreeMap::new();
    let clusters = world.sagemaker.clusters.values().filter(|cluster| {
        cluster.region == call.region && Some(cluster.arn.as_str()) != but && cluster.status != ClusterStatus::Failed
    });
    clusters.flat_map(|cluster| cluster.groups.values()).for_each(|group| tally(&mut used, &group.spec));
    used
}

/// Adds a group's instances to every quota that they count against. Plan capacity has its own quota, bought with it.
fn tally(used: &mut BTreeMap<String, i64>, group: &Value) {
    let wanted = count(group, "InstanceCount").and_then(|count| i64::try_from(count).ok()).unwrap_or_default();
    let instance_type = group["InstanceType"].as_str();
    let instance_type =
        instance_type.or_else(|| texts(&group["InstanceRequirements"]["InstanceTypes"]).first().copied());
    let instance_type = instance_type.unwrap_or_default();
    let mut names = vec![PER_CLUSTER.to_owned(), IN_ALL.to_owned()];
    match capacity_kind(group) {
        CapacityKind::OnDemand => names.push(format!("{instance_type} for cluster usage")),
        CapacityKind::Spot => {
            names.extend([format!("{instance_type} for cluster spot instance usage"), SPOT_IN_ALL.to_owned()])
        }
        CapacityKind::Plan(_) => {}
    }
    for name in names {
        *used.entry(name).or_default() += wanted;
    }
}
