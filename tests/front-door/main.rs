//! The front door over the account's table and state machines: what each request does to the records, and what is
//! answered. The surfaces in front of it have their own tests.

mod approvals;
mod choices;
mod commands;
mod lists;
mod plan;
mod preflight;
mod requests;
mod rights;

use harness::house::{House, person};
use serde_json::{Value, json};

/// Input of a creation with nothing decided but where.
pub(crate) fn cluster(tag: &str) -> Value {
    json!({ "tag": tag, "region": "us-west-2" })
}

/// One on-demand node.
pub(crate) fn groups() -> Value {
    json!({ "workers": { "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 1 } })
}
