//! The rules of the decisions that a type cannot hold: bounds, what excludes what, what belongs together.

use std::collections::BTreeSet;
use std::fmt::Display;

use super::{CapacityType, CreateCluster, GroupDecision, HyperPodDecision, NetworkDecision, SystemGroupDecision};
use crate::catalogue::hardware;
use crate::cidr::{carve_eks_subnets, read_vpc_cidr};
use crate::codes::FieldError;
use crate::ids::{Region, ZoneId};
use crate::limits;
use crate::naming::SYSTEM_GROUP;
use crate::versions::{NEWEST, OLDEST};

/// The smallest pod limit that a system group's nodes may have: what we install needs about twenty places.
const SYSTEM_PODS: u32 = 29;

pub(super) fn create_cluster(decisions: &CreateCluster) -> Vec<FieldError> {
    let mut found = Vec::new();
    if let Some(version) = decisions.kubernetes_version.filter(|version| !version.is_supported_by_hyperpod()) {
        let detail = format!("HyperPod takes Kubernetes {OLDEST} to {NEWEST}, not {version}");
        found.push(FieldError::new("/kubernetesVersion", detail));
    }
    if let Some(cidr) = &decisions.vpc_cidr {
        found.extend(vpc_cidr(cidr).map(|detail| FieldError::new("/vpcCidr", detail)));
        if decisions.network.is_some() {
            let detail = "subnets that exist lie in a VPC that exists: give either vpcCidr or network";
            found.push(FieldError::new("/vpcCidr", detail));
        }
    }
    found.extend(administrators(decisions));
    found.extend(decisions.network.iter().flat_map(network));
    if let Some(capacity) = &decisions.hyperpod {
        found.extend(hyperpod(capacity, &decisions.region, "/hyperpod"));
    }
    if let Some(prefix) = decisions.storage.as_ref().and_then(|storage| storage.prefix.as_deref()) {
        found.extend(storage_prefix(prefix).map(|detail| FieldError::new("/storage/prefix", detail)));
    }
    found
}

fn vpc_cidr(text: &str) -> Option<String> {
    match read_vpc_cidr(text) {
        Err(error) => Some(error.to_string()),
        Ok(vpc) if carve_eks_subnets(vpc).is_none() => {
            Some(format!("{vpc} has no room for nodes beside the EKS subnets: expected /16 to /24"))
        }
        Ok(_) => None,
    }
}

fn administrators(decisions: &CreateCluster) -> Vec<FieldError> {
    let mut found = repeated("/administrators", &decisions.administrators);
    let count = decisions.administrators.len();
    if count > limits::ADMINISTRATORS {
        let detail = format!("at most {} administrators, not {count}", limits::ADMINISTRATORS);
        found.push(FieldError::new("/administrators", detail));
    }
    found
}

fn network(network: &NetworkDecision) -> Vec<FieldError> {
    let mut found = repeated("/network/subnetIds", &network.subnet_ids);
    let count = network.subnet_ids.len();
    if !(2..=limits::GIVEN_SUBNETS).contains(&count) {
        let detail = format!("EKS needs 2 to {} subnets in two zones or more, not {count}", limits::GIVEN_SUBNETS);
        found.push(FieldError::new("/network/subnetIds", detail));
    }
    found
}

/// A finding for each entry that stands in the list before.
fn repeated<T: Ord + Display>(at: &str, list: &[T]) -> Vec<FieldError> {
    let mut seen = BTreeSet::new();
    let again = list.iter().enumerate().filter(|(_, entry)| !seen.insert(*entry));
    again.map(|(index, entry)| FieldError::new(format!("{at}/{index}"), format!("{entry} is given twice"))).collect()
}

pub(super) fn hyperpod(capacity: &HyperPodDecision, region: &Region, at: &str) -> Vec<FieldError> {
    let mut found = Vec::new();
    let groups = &capacity.instance_groups;
    let count = groups.len() + usize::from(capacity.system_group.is_some());
    if count == 0 {
        let detail =
            "a HyperPod cluster has at least one instance group: name one, or leave hyperpod out to decide later";
        found.push(FieldError::new(format!("{at}/instanceGroups"), detail));
    }
    if count > limits::HYPERPOD_GROUPS {
        let detail = format!("at most {} instance groups, not {count}", limits::HYPERPOD_GROUPS);
        found.push(FieldError::new(format!("{at}/instanceGroups"), detail));
    }
    for (name, decision) in groups {
        found.extend(group(decision, region, &format!("{at}/instanceGroups/{name}")));
    }
    if let Some(system) = &capacity.system_group {
        if groups.keys().any(|name| name.as_str() == SYSTEM_GROUP) {
            let detail = format!("systemGroup makes a group named {SYSTEM_GROUP}: expected another name here");
            found.push(FieldError::new(format!("{at}/instanceGroups/{SYSTEM_GROUP}"), detail));
        }
        found.extend(system_group(system, region, &format!("{at}/systemGroup")));
    }
    found
}

pub(super) fn group(group: &GroupDecision, region: &Region, at: &str) -> Vec<FieldError> {
    let mut found: Vec<FieldError> = zone(&group.zone_id, region, at).into_iter().collect();
    if group.instance_count as usize > limits::HYPERPOD_GROUP_INSTANCES {
        let detail =
            format!("at most {} instances in a group, not {}", limits::HYPERPOD_GROUP_INSTANCES, group.instance_count);
        found.push(FieldError::new(format!("{at}/instanceCount"), detail));
    }
    if let Some(size) =
        group.volume_size_gib.filter(|size| !(1..=limits::HYPERPOD_VOLUME_GIB).contains(&(*size as usize)))
    {
        let detail = format!("expected 1 to {} GiB, not {size}", limits::HYPERPOD_VOLUME_GIB);
        found.push(FieldError::new(format!("{at}/volumeSizeGib"), detail));
    }
    found.extend(capacity_source(group, region, at));
    found
}

/// A plan's ARN stands with the capacity type `training-plan` and with no other; Spot and a plan exclude each other.
fn capacity_source(group: &GroupDecision, region: &Region, at: &str) -> Vec<FieldError> {
    let arn_at = format!("{at}/trainingPlanArn");
    match (group.capacity_type, &group.training_plan_arn) {
        (CapacityType::TrainingPlan, None) => {
            vec![FieldError::new(arn_at, "capacityType training-plan needs the ARN of the plan")]
        }
        (CapacityType::OnDemand | CapacityType::Spot, Some(_)) => {
            let detail = format!(
                "a training plan excludes capacityType {}: expected training-plan there, or no ARN here",
                group.capacity_type
            );
            vec![FieldError::new(arn_at, detail)]
        }
        (CapacityType::TrainingPlan, Some(arn)) => {
            let mut found = Vec::new();
            if arn.region() != region.as_str() {
                let detail = format!("the plan is in {}, the cluster in {region}", arn.region());
                found.push(FieldError::new(arn_at, detail));
            }
            if hardware(&group.instance_type).is_some_and(|known| !known.training_plan) {
                let detail = format!("training plans do not sell {}", group.instance_type);
                found.push(FieldError::new(format!("{at}/instanceType"), detail));
            }
            found
        }
        (CapacityType::OnDemand | CapacityType::Spot, None) => Vec::new(),
    }
}

fn system_group(system: &SystemGroupDecision, region: &Region, at: &str) -> Vec<FieldError> {
    let mut found: Vec<FieldError> = zone(&system.zone_id, region, at).into_iter().collect();
    if !(1..=100).contains(&system.instance_count) {
        let detail = format!("expected 1 to 100 instances, not {}", system.instance_count);
        found.push(FieldError::new(format!("{at}/instanceCount"), detail));
    }
    let known = hardware(&system.instance_type);
    if known.is_some_and(|hardware| hardware.is_accelerated()) {
        let detail = format!(
            "{} has accelerators, which the cluster's own pods leave idle: expected a CPU type",
            system.instance_type
        );
        found.push(FieldError::new(format!("{at}/instanceType"), detail));
    }
    if let Some(small) = known.filter(|hardware| hardware.max_pods < SYSTEM_PODS) {
        let detail = format!(
            "{} holds {} pods; the cluster's own need a type with {SYSTEM_PODS} or more, such as ml.m5.4xlarge",
            system.instance_type, small.max_pods
        );
        found.push(FieldError::new(format!("{at}/instanceType"), detail));
    }
    found
}

fn zone(zone: &ZoneId, region: &Region, at: &str) -> Option<FieldError> {
    let detail = || format!("{zone} is not a zone of {region}: expected one such as {}-az1", region.zone_id_prefix());
    (!zone.is_in(region)).then(|| FieldError::new(format!("{at}/zoneId"), detail()))
}

/// Characters that S3 clients, mount options and checkpoint libraries all take; brackets and spaces are not among them.
fn storage_prefix(prefix: &str) -> Option<String> {
    let legal = |c: char| c.is_ascii_alphanumeric() || "-_.=/".contains(c);
    let bare = prefix.strip_suffix('/').unwrap_or(prefix);
    if prefix.chars().count() > limits::STORAGE_PREFIX {
        return Some(format!("at most {} characters", limits::STORAGE_PREFIX));
    }
    if let Some(bad) = prefix.chars().find(|c| !legal(*c)) {
        return Some(format!("{bad:?} is not allowed: expected letters, digits, -, _, ., = and / between names"));
    }
    if bare.split('/').any(|name| name.is_empty() || name == "." || name == "..") {
        return Some("expected names between the slashes, none of them empty, `.` or `..`".to_owned());
    }
    None
}
