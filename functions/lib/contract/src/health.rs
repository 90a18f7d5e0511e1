//! Whether the control plane itself works.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Input of `get_health`: nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GetHealth {}

/// How the control plane is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthView {
    /// `ok`, or `degraded` if a check failed.
    pub status: String,
    /// Release.
    pub version: String,
    /// The control plane's time, RFC 3339 UTC.
    #[schemars(with = "String")]
    #[schema(value_type = String, format = DateTime)]
    pub time: Timestamp,
    /// What was looked at.
    pub checks: Vec<HealthCheck>,
}

/// One thing looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthCheck {
    /// `table`, `stateMachines` …
    pub name: String,
    /// Whether it works.
    pub ok: bool,
    /// A sentence for people.
    pub detail: String,
}
