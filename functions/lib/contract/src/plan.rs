//! The plan page: what would be done, before anything starts.

use domain::{ErrorCode, ids::ClusterTag, states::Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The request is refused.
    Blocking,
    /// It may be asked for all the same.
    Warning,
    /// It could not be checked; the message says why.
    Unchecked,
}

/// Something that a check found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// Our code.
    pub code: ErrorCode,
    /// JSON pointer to the input field that it is about; absent if it is about none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub pointer: Option<String>,
    /// What was found, with figures.
    pub message: String,
    /// What would be right, or what to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
}

/// One change that would be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedChange {
    /// Its key in the journal.
    pub change: String,
    /// One line for people; what is not known before it is made is said so.
    pub title: String,
}

/// What one stage would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StagePlan {
    /// The stage.
    pub stage: Stage,
    /// Its changes, in order.
    pub changes: Vec<PlannedChange>,
    /// What would be waited for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<String>,
    /// Why it could not be planned, if it could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub unknown: Option<String>,
    /// Expected minutes, from and to.
    #[schemars(with = "i64")]
    pub minutes_from: u32,
    /// Expected minutes at the most.
    #[schemars(with = "i64")]
    pub minutes_to: u32,
    /// What remains, and is billed, if it fails here.
    pub after_failure: String,
}

/// One line of the bill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostLine {
    /// What is billed.
    pub item: String,
    /// How many.
    #[schemars(with = "i64")]
    pub quantity: u32,
    /// US dollars by hour for all of them; absent is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub hourly_usd: Option<f64>,
    /// When billing starts, or why the price is unknown.
    pub note: String,
}

/// What it costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// The lines.
    pub lines: Vec<CostLine>,
    /// Sum of the known lines, US dollars by hour.
    pub known_hourly_usd: f64,
    /// Whether a line is unknown, so that the sum is a lower bound.
    pub incomplete: bool,
}

/// Where an instance group's nodes would come from, and whether they fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupPlan {
    /// The group.
    pub instance_group: String,
    /// Its type.
    pub instance_type: String,
    /// Its nodes.
    #[schemars(with = "i64")]
    pub count: u32,
    /// Zone id.
    pub zone_id: String,
    /// This account's name for the zone; absent if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub zone_name: Option<String>,
    /// Where the capacity comes from, with a plan's dates in UTC.
    pub capacity_source: String,
    /// The subnet: one that is there, or the CIDR of one to be made.
    pub subnet: String,
    /// Addresses that its nodes take.
    #[schemars(with = "i64")]
    pub addresses_needed: u32,
    /// Addresses that are free there.
    #[schemars(with = "i64")]
    pub addresses_free: u32,
    /// Nodes of this type that fit there.
    #[schemars(with = "i64")]
    pub nodes_at_most: u32,
}

/// Everything to be known before anything starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanView {
    /// The cluster.
    pub cluster_tag: ClusterTag,
    /// Digest of all changes; an approval binds it.
    pub hash: String,
    /// Whether nothing blocks.
    pub ready: bool,
    /// All findings together, blocking ones first.
    pub findings: Vec<Finding>,
    /// What each stage would do.
    pub stages: Vec<StagePlan>,
    /// What an operation beside the stages would change, in order; absent for a request that runs stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<PlannedChange>,
    /// What it would wait for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<String>,
    /// What it costs.
    pub cost: Cost,
    /// Where nodes come from.
    pub groups: Vec<GroupPlan>,
    /// Choices that cannot be changed later, a line each.
    pub unchangeable: Vec<String>,
    /// What is there and used: ids, a line each.
    pub reused: Vec<String>,
    /// What is there and in the way: ids, a line each.
    pub foreign: Vec<String>,
    /// Roles that are made or used.
    pub roles: Vec<String>,
    /// Digest of the lifecycle scripts.
    pub lifecycle_scripts: String,
    /// Node image: `latest`, or a release.
    pub image: String,
    /// Kubernetes version.
    pub kubernetes_version: String,
    /// End of that version's standard support, a date; absent if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub end_of_support: Option<String>,
}
