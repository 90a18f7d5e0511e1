//! What can be chosen in this account, with what is valid.

use crate::plan::Finding;
use domain::ids::{Region, ZoneId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Input of `list_regions`: nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRegions {}

/// A Region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegionView {
    /// Its name.
    pub region: Region,
    /// Whether this account has it switched on.
    pub enabled: bool,
}

/// The Regions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegionList {
    /// By name.
    pub items: Vec<RegionView>,
}

/// Input of a query about a Region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InRegion {
    /// The Region.
    pub region: Region,
}

/// Input of `list_zones`.
pub type ListZones = InRegion;
/// Input of `list_training_plans`.
pub type ListTrainingPlans = InRegion;
/// Input of `list_importable_clusters`.
pub type ListImportableClusters = InRegion;

/// A zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZoneView {
    /// Its id: the same place in every account; what decisions take.
    pub zone_id: ZoneId,
    /// This account's name for it.
    pub zone_name: String,
    /// Whether EKS takes it for a control plane.
    pub eks_accepts: bool,
}

/// The zones of a Region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZoneList {
    /// By id.
    pub items: Vec<ZoneView>,
}

/// Input of `list_instance_types`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListInstanceTypes {
    /// The Region.
    pub region: Region,
    /// Only types offered in this zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ZoneId")]
    pub zone_id: Option<ZoneId>,
    /// Only types with (true) or without (false) accelerators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub accelerated: Option<bool>,
    /// Most items; default 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", range(min = 1, max = 100))]
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// Earlier page's nextCursor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 512))]
    #[schema(min_length = 1, max_length = 512)]
    pub cursor: Option<String>,
}

/// A quota as this account has it. A quota is a permission, not capacity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaView {
    /// Its name in Service Quotas.
    pub name: String,
    /// The value; absent if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<u32>,
    /// In use by HyperPod clusters of this account; absent if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub used: Option<u32>,
    /// What is left, never below 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub free: Option<u32>,
    /// `applied`, `default`, or `unknown` with the reason in `note`.
    pub source: String,
    /// A remark, for instance why it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
}

/// An instance type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceTypeView {
    /// With its prefix: `ml.g6.4xlarge`.
    pub instance_type: String,
    /// `8 × NVIDIA H100`; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub accelerators: Option<String>,
    /// How many of them.
    #[schemars(with = "i64")]
    pub accelerator_count: u32,
    /// Virtual CPUs.
    #[schemars(with = "i64")]
    pub vcpus: u32,
    /// Memory, GiB.
    #[schemars(with = "i64")]
    pub memory_gib: u32,
    /// EFA interfaces.
    #[schemars(with = "i64")]
    pub efa_interfaces: u32,
    /// Addresses that a node takes from its subnet.
    #[schemars(with = "i64")]
    pub addresses_per_node: u32,
    /// Ids of the zones that offer it.
    pub zone_ids: Vec<String>,
    /// The quota for HyperPod clusters.
    pub quota: QuotaView,
    /// Whether training plans are sold for it.
    pub training_plans: bool,
    /// On-demand price by hour in US dollars; absent is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub hourly_usd: Option<f64>,
}

/// Instance types.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceTypeList {
    /// By name.
    pub items: Vec<InstanceTypeView>,
    /// Where the next page starts; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub next_cursor: Option<String>,
}

/// A training plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrainingPlanView {
    /// Its ARN; what decisions take.
    pub arn: String,
    /// Its name.
    pub name: String,
    /// SageMaker's status, as it is; `Scheduled` is also the gap between two blocks.
    pub status: String,
    /// The type that it holds.
    pub instance_type: String,
    /// Zone id of its capacity; absent if it could not be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub zone_id: Option<String>,
    /// Instances in all.
    #[schemars(with = "i64")]
    pub total: u32,
    /// Instances that no group uses.
    #[schemars(with = "i64")]
    pub free: u32,
    /// When it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub starts_at: Option<Timestamp>,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ends_at: Option<Timestamp>,
    /// Whether an instance group can use it, now or from its start.
    pub usable: bool,
    /// Why not, or from when.
    pub note: String,
}

/// Training plans.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrainingPlanList {
    /// By start.
    pub items: Vec<TrainingPlanView>,
}

/// An EKS cluster that is not managed here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportableClusterView {
    /// Its name.
    pub eks_cluster_name: String,
    /// Its ARN.
    pub arn: String,
    /// Its status, as EKS tells it.
    pub status: String,
    /// Its Kubernetes version.
    pub version: String,
    /// Its VPC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub vpc_id: Option<String>,
    /// Name of the HyperPod cluster attached to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub hyperpod_cluster_name: Option<String>,
    /// That cluster's status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub hyperpod_status: Option<String>,
    /// Nodes that run there.
    #[schemars(with = "i64")]
    pub nodes: u32,
    /// What it lacks, each with its fix.
    pub findings: Vec<Finding>,
}

/// EKS clusters that are not managed here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportableClusterList {
    /// By name.
    pub items: Vec<ImportableClusterView>,
}
