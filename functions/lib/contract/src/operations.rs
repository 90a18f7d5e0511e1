//! Operations as surfaces show them, and the commands on them.

use domain::{
    failure::Failure,
    ids::{ClusterTag, OperationId},
    states::{OperationState, Stage, WaitingOn},
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// What a stage or operation is waiting for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// For machines.
    pub on: WaitingOn,
    /// For people, with figures and dates.
    pub reason: String,
    /// Since when it waits for this.
    #[schemars(with = "String")]
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// When the wait becomes a failure.
    #[schemars(with = "String")]
    #[schema(value_type = String, format = DateTime)]
    pub deadline: Timestamp,
    /// When it is looked at next.
    #[schemars(with = "String")]
    #[schema(value_type = String, format = DateTime)]
    pub next_look_at: Timestamp,
    /// How often it was looked at without change.
    #[schemars(with = "i64")]
    pub looks: u32,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationView {
    /// Its id.
    pub operation_id: OperationId,
    /// What it is: `create_cluster`, `run_stage` …
    pub kind: String,
    /// The cluster that it is about.
    pub cluster_tag: ClusterTag,
    /// Where it is.
    pub state: OperationState,
    /// Whether it has ended; poll until this is true.
    pub done: bool,
    /// Counts runs, from 1.
    #[schemars(with = "i64")]
    pub attempt: u32,
    /// The stage that it is at, or ended at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Stage")]
    pub stage: Option<Stage>,
    /// One sentence for people: what it is doing or how it ended.
    pub summary: String,
    /// What to do next, one sentence; names a tool or route where one fits.
    pub next: String,
    /// What it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Waiting")]
    pub waiting: Option<Waiting>,
    /// How many changes it made or tried so far, each an entry of its journal; what they were is there.
    #[schemars(with = "i64")]
    pub changes: u32,
    /// Changes that remain, as last planned.
    #[schemars(with = "i64")]
    pub remaining: u32,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Failure")]
    pub failure: Option<Failure>,
    /// What it left behind when it ended without success, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
    /// What came of it; its form depends on the kind.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schemars(with = "serde_json::Map<String, Value>")]
    #[schema(value_type = Object)]
    pub outcome: Value,
    /// Who asked.
    pub principal: String,
    /// When it was accepted.
    #[schemars(with = "String")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it changed last.
    #[schemars(with = "String")]
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// A remark on this answer, for instance that a time-out was cut to the longest wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
}

/// The answer to every request that changes something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationAccepted {
    /// The operation's id; terminal states never vanish.
    pub operation_id: OperationId,
    /// What it is.
    pub kind: String,
    /// The cluster that it is about.
    pub cluster_tag: ClusterTag,
    /// Where it is.
    pub state: OperationState,
    /// Whether the same request was recorded before and this is its operation, which goes on. `state` says how one stands
    /// that has ended.
    pub already_running: bool,
    /// The tool that shows completion.
    pub completion_tool: String,
    /// Seconds after which a look is worthwhile.
    #[schemars(with = "i64")]
    pub retry_after_seconds: u32,
    /// Findings that do not block, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What to do next, one sentence.
    pub next: String,
}

/// Operations, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationList {
    /// The operations.
    pub items: Vec<OperationView>,
    /// Records that this release cannot show, a line each: which, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
    /// Where the next page starts; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub next_cursor: Option<String>,
}

/// Input of `list_operations`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListOperations {
    /// Only of this cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ClusterTag")]
    pub cluster_tag: Option<ClusterTag>,
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

/// Input of `get_operation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetOperation {
    /// The operation.
    pub operation_id: OperationId,
}

/// Input of `wait_for_operation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WaitForOperation {
    /// The operation.
    pub operation_id: OperationId,
    /// Longest wait, 25 if left out; more than 25 is cut to 25 and said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", range(min = 0, max = 86_400))]
    #[schema(minimum = 0, maximum = 86_400)]
    pub timeout_seconds: Option<u32>,
}

/// Input of `get_journal`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetJournal {
    /// The operation.
    pub operation_id: OperationId,
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

/// Input of `retry_operation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetryOperation {
    /// The failed or cancelled operation.
    pub operation_id: OperationId,
}

/// Input of `cancel_operation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelOperation {
    /// The operation to stop.
    pub operation_id: OperationId,
}
