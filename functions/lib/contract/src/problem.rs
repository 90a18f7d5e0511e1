//! What REST answers instead of a result (RFC 9457), and MCP in the text of an error.

use domain::{ErrorCode, ids::OperationId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One field that is not right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProblemField {
    /// JSON pointer into the input, in which path, query and body fields are one object; `#/headers/NAME` for a header,
    /// empty for the request as a whole.
    pub pointer: String,
    /// What is wrong and what would be right.
    pub detail: String,
}

/// A problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// `about:blank#CODE`: the code as a URI.
    #[serde(rename = "type")]
    pub kind: String,
    /// A few words, the same for every problem of this code.
    pub title: String,
    /// HTTP status.
    #[schemars(with = "i64")]
    pub status: u16,
    /// What happened here.
    pub detail: String,
    /// Our stable code.
    pub code: ErrorCode,
    /// Id of this request.
    pub request_id: String,
    /// What the user can do, one sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// Fields that are not right, all together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ProblemField>,
    /// The operation that is in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OperationId")]
    pub operation_id: Option<OperationId>,
    /// Scopes that would be needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_scope: Vec<String>,
    /// The upstream service's code, if one refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub upstream_code: Option<String>,
    /// The upstream service's request id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub upstream_request_id: Option<String>,
}
