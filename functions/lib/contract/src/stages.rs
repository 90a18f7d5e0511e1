//! The six stages as surfaces show them.

use crate::operations::Waiting;
use domain::{
    failure::Failure,
    ids::{ClusterTag, OperationId},
    states::{Stage, StageState},
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A stage of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StageView {
    /// Its name.
    pub stage: Stage,
    /// 1 to 6.
    #[schemars(with = "i64")]
    pub number: u32,
    /// Where it is.
    pub state: StageState,
    /// How often it was run.
    #[schemars(with = "i64")]
    pub attempts: u32,
    /// The operation that ran it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OperationId")]
    pub operation_id: Option<OperationId>,
    /// When the last run began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<Timestamp>,
    /// When the last run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// One sentence for people: what it is doing or how it ended.
    pub summary: String,
    /// What to do next, one sentence; empty if nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub next: String,
    /// What it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Waiting")]
    pub waiting: Option<Waiting>,
    /// What is still to be done, a line each, as last planned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remaining: Vec<String>,
    /// Why the last run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Failure")]
    pub failure: Option<Failure>,
    /// What it made so far: `name id (change)`, a line each. With `observed` and `outcome` told by `get_stage` alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<String>,
    /// What the last tick saw; its form depends on the stage.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schemars(with = "serde_json::Map<String, Value>")]
    #[schema(value_type = Object)]
    pub observed: Value,
    /// What came of the last successful run; its form depends on the stage.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schemars(with = "serde_json::Map<String, Value>")]
    #[schema(value_type = Object)]
    pub outcome: Value,
}

/// The six stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StageList {
    /// In order.
    pub items: Vec<StageView>,
}

/// Input of `list_stages`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListStages {
    /// The cluster.
    pub tag: ClusterTag,
}

/// Input of `get_stage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetStage {
    /// The cluster.
    pub tag: ClusterTag,
    /// The stage.
    pub stage: Stage,
}

/// Input of `run_stage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunStage {
    /// The cluster.
    pub tag: ClusterTag,
    /// The stage to run again.
    pub stage: Stage,
}
