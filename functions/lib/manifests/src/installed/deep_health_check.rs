//! The identity as which the service runs deep health checks.

use super::Part;
use crate::{
    labels::{NAMESPACE, Owner},
    rbac::{Bound, account, bound_role, rule},
};
use kubernetes::Object;

const ACCOUNT: &str = "deep-health-check-service-account";
const ROLE: &str = "deep-health-check-service-account-role";
const BINDING: &str = "deep-health-check-service-account-role-binding";

pub(super) fn objects(owner: &Owner) -> Vec<Object> {
    let part = Part::DeepHealthCheck.as_str();
    let rules = vec![rule(&[""], &["nodes"], &["get", "list"]), rule(&[""], &["pods"], &["get", "list", "patch"])];
    let [role, binding] = bound_role(owner, part, (ROLE, BINDING), rules, &Bound::Account(NAMESPACE, ACCOUNT));
    vec![account(owner, part, NAMESPACE, ACCOUNT), role, binding]
}
