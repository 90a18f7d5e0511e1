//! What the service may do to drain nodes when it updates their software.
//!
//! The chart grants pods and evictions alone; an update also cordons nodes, and fails without these verbs (field report
//! BR-038).

use super::{Part, job_auto_restart::SERVICE_USER};
use crate::{
    labels::Owner,
    rbac::{Bound, bound_role, rule},
};
use kubernetes::Object;

const NAME: &str = "hyperpod-patching";

pub(super) fn objects(owner: &Owner) -> Vec<Object> {
    let rules = vec![
        rule(&[""], &["pods"], &["list"]),
        rule(&[""], &["pods/eviction"], &["create"]),
        rule(&[""], &["nodes"], &["get", "list", "patch"]),
    ];
    bound_role(owner, Part::HyperpodPatching.as_str(), (NAME, NAME), rules, &Bound::User(SERVICE_USER)).into()
}
