//! The journal: what an operation set out to change, and what came of it, an item each.

use domain::failure::Failure;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What came of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Written down and perhaps sent; no answer is known.
    Intended,
    /// The service answered with success.
    Applied,
    /// The service refused; nothing was changed.
    Refused,
    /// The answer was lost; whether it happened is found out by looking.
    Uncertain,
    /// The answer was lost, and a later look found that it is so.
    Observed,
}

/// One change of one operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntry {
    /// Schema version of this item.
    #[schemars(with = "i64")]
    pub schema: u32,
    /// Place in the operation's journal, from 1.
    #[schemars(with = "i64")]
    pub sequence: u32,
    /// The attempt that made it, from 1.
    #[schemars(with = "i64")]
    pub attempt: u32,
    /// The stage that made it; absent for an operation beside the stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub stage: Option<String>,
    /// The change's key: `create-subnet/public-1`.
    pub change: String,
    /// One line for people.
    pub title: String,
    /// What came of it.
    pub fate: Fate,
    /// When it was written down, RFC 3339 UTC.
    #[schemars(with = "String")]
    #[schema(value_type = String, format = DateTime)]
    pub intended_at: Timestamp,
    /// When its fate was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub answered_at: Option<Timestamp>,
    /// Ids of what it made.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub made: BTreeMap<String, String>,
    /// The refusal or the loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Failure")]
    pub failure: Option<Failure>,
    /// How often it was refused; absent if it never was. A change that is sent again keeps its entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Refusals")]
    pub refusals: Option<Refusals>,
}

/// How often a change was refused before it was done, or up to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refusals {
    /// How many times.
    #[schemars(with = "i64")]
    pub count: u32,
    /// When it was refused first, RFC 3339 UTC.
    #[schemars(with = "String")]
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
}

/// Part of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalPage {
    /// Entries in order.
    pub items: Vec<JournalEntry>,
    /// Records that this release cannot show, a line each: which, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
    /// Where the next page starts; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub next_cursor: Option<String>,
}
