//! The decisions that make a cluster: what a person or program chooses, and nothing that we compute.
//!
//! `validate` checks what can be known from the request alone, and returns every finding. Whether zones, types, quotas,
//! plans and subnets exist is for preflight.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::codes::{FieldError, worded_enum};
use crate::ids::{
    ClusterTag, InstanceGroupName, InstanceType, PrincipalArn, Region, SubnetId, TrainingPlanArn, ZoneId,
};
use crate::versions::KubernetesMinor;

mod check;

/// Everything that can be decided when a cluster is made. Only tag and Region must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateCluster {
    /// The cluster's name in the product and in EKS, unique in this deployment. Cannot be changed later.
    pub tag: ClusterTag,
    /// The AWS Region. Cannot be changed later.
    pub region: Region,
    /// The Kubernetes minor version; when absent, one that HyperPod and every add-on take.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "KubernetesMinor")]
    #[schema(value_type = KubernetesMinor)]
    pub kubernetes_version: Option<KubernetesMinor>,
    /// The VPC's IPv4 block, /16 to /24, private; when absent, a /16 that overlaps no VPC of the Region. Not together
    /// with `network`. Cannot be changed later.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(
        with = "String",
        length(min = 9, max = 18),
        regex(pattern = r"^[0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}$")
    )]
    #[schema(value_type = String, min_length = 9, max_length = 18, pattern = r"^[0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}$")]
    pub vpc_cidr: Option<String>,
    /// IAM roles and users that become cluster administrators in Kubernetes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50))]
    #[schema(max_items = 50)]
    pub administrators: Vec<PrincipalArn>,
    /// Subnets that exist and are to be used for EKS instead of a new VPC.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "NetworkDecision")]
    #[schema(value_type = NetworkDecision)]
    pub network: Option<NetworkDecision>,
    /// The accelerator capacity; when absent it is decided later.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "HyperPodDecision")]
    #[schema(value_type = HyperPodDecision)]
    pub hyperpod: Option<HyperPodDecision>,
    /// The part of the project bucket that the cluster mounts; when absent, the cluster's own.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "StorageDecision")]
    #[schema(value_type = StorageDecision)]
    pub storage: Option<StorageDecision>,
}

/// Subnets given by those who must give them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkDecision {
    /// Two or more subnets of one VPC, in two or more zones that EKS accepts.
    #[schemars(length(min = 2, max = 16))]
    #[schema(min_items = 2, max_items = 16)]
    pub subnet_ids: Vec<SubnetId>,
}

/// The HyperPod cluster's first instance groups.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HyperPodDecision {
    /// Instance groups by name.
    #[serde(default)]
    pub instance_groups: BTreeMap<InstanceGroupName, GroupDecision>,
    /// A small on-demand CPU group `system` for what the cluster itself runs.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "SystemGroupDecision")]
    #[schema(value_type = SystemGroupDecision)]
    pub system_group: Option<SystemGroupDecision>,
}

/// One instance group. Zone, type and capacity type cannot be changed later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GroupDecision {
    /// The zone, by id.
    pub zone_id: ZoneId,
    /// The instance type, with `ml.`.
    pub instance_type: InstanceType,
    /// How many instances; 0 makes an empty group.
    #[schemars(with = "i64", range(min = 0, max = 6758))]
    #[schema(value_type = i64, minimum = 0, maximum = 6758)]
    pub instance_count: u32,
    /// Where the instances come from.
    #[serde(default)]
    pub capacity_type: CapacityType,
    /// The training plan; with `training-plan` and only with it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "TrainingPlanArn")]
    #[schema(value_type = TrainingPlanArn)]
    pub training_plan_arn: Option<TrainingPlanArn>,
    /// Extra EBS volume of each node, at /opt/sagemaker; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(with = "i64", range(min = 1, max = 16384))]
    #[schema(value_type = i64, minimum = 1, maximum = 16384)]
    pub volume_size_gib: Option<u32>,
}

/// The group for what the cluster itself runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SystemGroupDecision {
    /// The zone, by id.
    pub zone_id: ZoneId,
    /// A CPU instance type that holds the cluster's own pods (at least 29 each).
    pub instance_type: InstanceType,
    /// How many instances.
    #[schemars(with = "i64", range(min = 1, max = 100))]
    #[schema(value_type = i64, minimum = 1, maximum = 100)]
    pub instance_count: u32,
}

/// The part of the project bucket that a cluster mounts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StorageDecision {
    /// A key prefix: letters, digits, `-`, `_`, `.`, `=` and `/` between names.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[schemars(
        with = "String",
        length(min = 1, max = 512),
        regex(pattern = r"^[A-Za-z0-9_.=-]+(/[A-Za-z0-9_.=-]+)*/?$")
    )]
    #[schema(value_type = String, min_length = 1, max_length = 512, pattern = r"^[A-Za-z0-9_.=-]+(/[A-Za-z0-9_.=-]+)*/?$")]
    pub prefix: Option<String>,
}

worded_enum! {
    /// Where a group's instances come from. For the group's life.
    #[derive(Default)]
    pub enum CapacityType {
        /// On-demand instances, within the quota for cluster usage.
        #[default]
        OnDemand = "on-demand",
        /// Spot instances: cheaper, taken back at two minutes' notice.
        Spot = "spot",
        /// Instances of a training plan that was bought before.
        TrainingPlan = "training-plan",
    }
}

impl CreateCluster {
    /// Every finding about the request that can be known from it alone; empty if there is none.
    pub fn validate(&self) -> Vec<FieldError> {
        check::create_cluster(self)
    }

    /// The given VPC block, if one is given and well formed (`validate` reports one that is not).
    pub fn vpc_net(&self) -> Option<ipnet::Ipv4Net> {
        crate::cidr::read_vpc_cidr(self.vpc_cidr.as_deref()?).ok()
    }
}

impl HyperPodDecision {
    /// Every finding about the groups that can be known from them alone, with pointers below `at`.
    pub fn validate(&self, region: &Region, at: &str) -> Vec<FieldError> {
        check::hyperpod(self, region, at)
    }
}

impl GroupDecision {
    /// Every finding about one group, with pointers below `at`: what an added group is held to as well.
    pub fn validate(&self, region: &Region, at: &str) -> Vec<FieldError> {
        check::group(self, region, at)
    }
}

/// A member that is there has a value: `null` is refused, as the schema says, and does not read as absent.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
#[path = "decisions/tests.rs"]
mod tests;
