//! Rules of `CreateCluster` and `UpdateCluster` that no single field's shape can say: what excludes what, what must exist,
//! who must be able to assume what.

use super::{cluster::texts, invalid, plans, script::split, world_access};
use crate::{
    call::{AwsError, Call},
    world::World,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// Prefixes of label and taint keys that HyperPod keeps for itself and others.
const RESERVED: [&str; 6] =
    ["kubernetes.io/", "k8s.io/", "sagemaker.amazonaws.com/", "eks.amazonaws.com/", "k8s.aws/", "karpenter.sh/"];

/// What group rules need to know about the cluster.
pub(super) struct Ground<'a> {
    /// VPC of the EKS cluster.
    pub(super) vpc: &'a str,
    /// Whether provisioning is Continuous.
    pub(super) continuous: bool,
}

/// Checks all groups of a request together and each alone.
pub(super) fn groups(world: &World, call: &Call, ground: &Ground<'_>, groups: &[Value]) -> Result<(), AwsError> {
    let mut names = BTreeSet::new();
    for group in groups {
        let name = group["InstanceGroupName"].as_str().unwrap_or_default();
        if !names.insert(name) {
            return Err(invalid(format!(
                "Instance group names must be unique within a cluster. Duplicate name: {name}"
            )));
        }
        exclusions(group, name, ground.continuous)?;
        hardware(group, name)?;
        storage(group, name)?;
        kubernetes(group, name)?;
        lifecycle(group, name)?;
        role(world, call, group["ExecutionRole"].as_str().unwrap_or_default(), "sagemaker.amazonaws.com")?;
        if let Some(own) = group.get("OverrideVpcConfig") {
            network(world, call, own, ground.vpc)?;
        }
        plans::check_group(world, call, group, name)?;
    }
    Ok(())
}

fn exclusions(group: &Value, name: &str, continuous: bool) -> Result<(), AwsError> {
    let has = |member: &str| group.get(member).is_some();
    let spot = group["CapacityRequirements"].get("Spot").is_some();
    let rules = [
        (
            has("InstanceType") == has("InstanceRequirements"),
            "Exactly one of InstanceType and InstanceRequirements must be specified",
        ),
        (
            spot && group["CapacityRequirements"].get("OnDemand").is_some(),
            "Only one of Spot and OnDemand can be specified in CapacityRequirements",
        ),
        (spot && has("TrainingPlanArn"), "TrainingPlanArn cannot be specified together with Spot capacity"),
        (
            has("InstanceRequirements") && has("TrainingPlanArn"),
            "TrainingPlanArn cannot be specified together with InstanceRequirements",
        ),
        (spot && !continuous, "Spot capacity requires NodeProvisioningMode to be Continuous"),
        (
            has("InstanceRequirements") && !continuous,
            "InstanceRequirements requires NodeProvisioningMode to be Continuous",
        ),
        (has("MinInstanceCount") && !continuous, "MinInstanceCount requires NodeProvisioningMode to be Continuous"),
        (
            group["MinInstanceCount"].as_u64() > group["InstanceCount"].as_u64(),
            "MinInstanceCount cannot be greater than InstanceCount",
        ),
        (has("SlurmConfig"), "SlurmConfig can only be specified for clusters with the Slurm orchestrator"),
        (
            has("OnStartDeepHealthChecks") && !texts_of(group, "Taints").is_empty(),
            "Custom taints cannot be specified for an instance group with OnStartDeepHealthChecks",
        ),
        (
            has("ScheduledUpdateConfig") && has("AutoPatchConfig"),
            "Only one of ScheduledUpdateConfig and AutoPatchConfig can be specified",
        ),
        (repeats(&group["InstanceRequirements"]["InstanceTypes"]), "InstanceTypes must not contain duplicates"),
    ];
    match rules.into_iter().find(|(broken, _)| *broken) {
        Some((_, text)) => Err(invalid(format!("{text}. Instance group: {name}"))),
        None => Ok(()),
    }
}

fn texts_of<'a>(group: &'a Value, member: &str) -> &'a [Value] {
    group["KubernetesConfig"][member].as_array().map_or(&[], Vec::as_slice)
}

fn repeats(list: &Value) -> bool {
    let all = texts(list);
    all.iter().collect::<BTreeSet<_>>().len() != all.len()
}

fn hardware(group: &Value, name: &str) -> Result<(), AwsError> {
    let single = group["InstanceType"].as_str();
    let types = single.map_or_else(|| texts(&group["InstanceRequirements"]["InstanceTypes"]), |one| vec![one]);
    for instance_type in types {
        let Some(hardware) = world_access::hardware(instance_type) else {
            return Err(invalid(format!(
                "Instance type {instance_type} is not supported for clusters. Instance group: {name}"
            )));
        };
        if group["NetworkInterface"].get("InterfaceType").is_some() && hardware.efa_interfaces == 0 {
            return Err(invalid(format!(
                "Instance type {instance_type} does not support Elastic Fabric Adapter. Instance group: {name}"
            )));
        }
        if group.get("OnStartDeepHealthChecks").is_some() && hardware.accelerator.is_none() {
            return Err(invalid(format!(
                "Deep health checks are not supported for instance type {instance_type}. Instance group: {name}"
            )));
        }
    }
    Ok(())
}

fn storage(group: &Value, name: &str) -> Result<(), AwsError> {
    let volumes = group["InstanceStorageConfigs"].as_array().map_or(&[][..], Vec::as_slice);
    for volume in volumes.iter().filter_map(|config| config.get("EbsVolumeConfig")) {
        let root = volume["RootVolume"].as_bool() == Some(true);
        let (sized, keyed) = (volume.get("VolumeSizeInGB").is_some(), volume.get("VolumeKmsKeyId").is_some());
        let text = match (root, sized, keyed) {
            (true, true, _) => "VolumeSizeInGB cannot be specified when RootVolume is true",
            (true, false, false) => "VolumeKmsKeyId must be specified when RootVolume is true",
            (false, false, _) => "VolumeSizeInGB must be specified for a secondary EBS volume",
            _ => continue,
        };
        return Err(invalid(format!("{text}. Instance group: {name}")));
    }
    Ok(())
}

fn kubernetes(group: &Value, name: &str) -> Result<(), AwsError> {
    let labels = group["KubernetesConfig"]["Labels"].as_object();
    let keys = labels.into_iter().flat_map(|labels| labels.keys().map(String::as_str));
    let taints = texts_of(group, "Taints").iter().filter_map(|taint| taint["Key"].as_str());
    for key in keys.chain(taints) {
        if let Some(prefix) = RESERVED.iter().find(|prefix| is_reserved(key, prefix)) {
            return Err(invalid(format!(
                "KubernetesConfig key '{key}' uses the reserved prefix '{prefix}'. Instance group: {name}"
            )));
        }
    }
    Ok(())
}

/// A reserved domain covers its subdomains: `node.kubernetes.io/…` too.
fn is_reserved(key: &str, prefix: &str) -> bool {
    let Some((domain, _)) = key.split_once('/') else { return false };
    let reserved = prefix.trim_end_matches('/');
    domain == reserved || domain.strip_suffix(reserved).is_some_and(|rest| rest.ends_with('.'))
}

fn lifecycle(group: &Value, name: &str) -> Result<(), AwsError> {
    let Some(config) = group.get("LifeCycleConfig") else { return Ok(()) };
    let (uri, create) = (config["SourceS3Uri"].as_str(), config["OnCreate"].as_str());
    let complete = config["OnInitComplete"].as_str();
    let text = match (uri, create, complete) {
        (_, Some(_), Some(_)) => {
            "Only one of OnCreate and OnInitComplete can be specified in LifeCycleConfig".to_owned()
        }
        (Some(_), None, None) => "OnCreate must be specified together with SourceS3Uri in LifeCycleConfig".to_owned(),
        (None, Some(_), _) | (None, _, Some(_)) => "SourceS3Uri must be specified in LifeCycleConfig".to_owned(),
        (Some(uri), ..) if split(uri).is_none_or(|(bucket, _)| bucket.is_empty()) => {
            format!("SourceS3Uri {uri} is not a valid Amazon S3 URI")
        }
        _ => return Ok(()),
    };
    Err(invalid(format!("{text}. Instance group: {name}")))
}

/// The service must be able to assume the role; whether the caller may pass it was asked with the call.
pub(super) fn role(world: &World, call: &Call, role: &str, service: &str) -> Result<(), AwsError> {
    if !world_access::can_assume(world, role, service, call.now) {
        return Err(invalid(format!(
            "Could not assume role {role}. Please ensure that the role exists and allows principal '{service}' to assume the role."
        )));
    }
    Ok(())
}

/// Subnets and security groups exist, and lie in the EKS cluster's VPC.
pub(super) fn network(world: &World, call: &Call, config: &Value, vpc: &str) -> Result<(), AwsError> {
    for id in texts(&config["Subnets"]) {
        match world_access::subnet(world, &call.region, id) {
            None => return Err(invalid(format!("The subnet ID '{id}' does not exist"))),
            Some(subnet) if subnet.vpc != vpc => return Err(elsewhere("Subnet", id, vpc)),
            Some(_) => {}
        }
    }
    for id in texts(&config["SecurityGroupIds"]) {
        match world_access::security_group_vpc(world, &call.region, id) {
            None => return Err(invalid(format!("The security group '{id}' does not exist"))),
            Some(other) if other != vpc => return Err(elsewhere("Security group", id, vpc)),
            Some(_) => {}
        }
    }
    Ok(())
}

fn elsewhere(kind: &str, id: &str, vpc: &str) -> AwsError {
    invalid(format!("{kind} {id} is not in the VPC of the EKS cluster ({vpc})"))
}
