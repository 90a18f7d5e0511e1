//! Clusters: their inputs and how surfaces show them.

use crate::{operations::Waiting, stages::StageView};
use domain::{
    decisions::{CreateCluster, GroupDecision, StorageDecision, SystemGroupDecision},
    failure::Failure,
    ids::{ClusterId, ClusterTag, InstanceGroupName, OperationId, Region},
    states::{Condition, Stage, StageState},
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Input of `create_cluster` and `plan_cluster`: the decisions, flat.
pub type CreateInput = CreateCluster;

/// Input of `create_hyperpod`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateHyperPod {
    /// The cluster that waits for it.
    pub tag: ClusterTag,
    /// The instance groups by name.
    pub instance_groups: BTreeMap<InstanceGroupName, GroupDecision>,
    /// A small on-demand CPU group `system` for what the cluster itself runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SystemGroupDecision")]
    pub system_group: Option<SystemGroupDecision>,
    /// What of the project bucket the claim shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StorageDecision")]
    pub storage: Option<StorageDecision>,
}

/// Input of `stop_spending`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopSpending {
    /// The cluster.
    pub tag: ClusterTag,
}

/// Input of `list_clusters`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListClusters {
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

/// Input of `get_cluster`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetCluster {
    /// The cluster.
    pub tag: ClusterTag,
}

/// A cluster in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterSummary {
    /// Its tag.
    pub tag: ClusterTag,
    /// Its id.
    pub cluster_id: ClusterId,
    /// Where it is.
    pub region: Region,
    /// `created` or `imported`.
    pub origin: String,
    /// One word for people.
    pub phase: String,
    /// The stage that is running, failed or awaits a decision; absent when all are done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Stage")]
    pub stage: Option<Stage>,
    /// That stage's state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StageState")]
    pub stage_state: Option<StageState>,
    /// What it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Waiting")]
    pub waiting: Option<Waiting>,
    /// Instance groups by decision, and those that an imported cluster had.
    #[schemars(with = "i64")]
    pub instance_groups: u32,
    /// Nodes wanted in those.
    #[schemars(with = "i64")]
    pub nodes_wanted: u32,
    /// Accelerators wanted by decision.
    #[schemars(with = "i64")]
    pub accelerators_wanted: u32,
    /// When it was asked for.
    #[schemars(with = "String")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// Clusters by tag.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterList {
    /// The clusters.
    pub items: Vec<ClusterSummary>,
    /// Records that this release cannot show, a line each: which, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
    /// Where the next page starts; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub next_cursor: Option<String>,
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterView {
    /// Its tag.
    pub tag: ClusterTag,
    /// Its id; another cluster may have the tag later.
    pub cluster_id: ClusterId,
    /// Twelve digits.
    pub account: String,
    /// Where it is.
    pub region: Region,
    /// `created` or `imported`.
    pub origin: String,
    /// Name of its EKS cluster.
    pub eks_cluster_name: String,
    /// Counts changes of the decisions; what `If-Match` compares.
    #[schemars(with = "i64")]
    pub generation: u64,
    /// One word for people; derived from the stages.
    pub phase: String,
    /// What to do next, one sentence; empty if nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub next: String,
    /// The decisions so far.
    pub decisions: CreateCluster,
    /// The six stages, in order.
    pub stages: Vec<StageView>,
    /// Aspects of it.
    pub conditions: Vec<Condition>,
    /// The operation that holds it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OperationId")]
    pub current_operation: Option<OperationId>,
    /// Why the last operation failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Failure")]
    pub failure: Option<Failure>,
    /// When it was asked for.
    #[schemars(with = "String")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Who asked for it.
    pub created_by: String,
}
