//! What the service may do to restart training jobs on healthy nodes.

use super::Part;
use crate::{
    labels::{NAMESPACE, Owner},
    rbac::{Bound, account, bound_role, rule},
};
use kubernetes::Object;

/// The Kubernetes user of HyperPod's service-linked role.
pub(super) const SERVICE_USER: &str = "hyperpod-service-linked-role";

const NAME: &str = "job-auto-restart";

pub(super) fn objects(owner: &Owner) -> Vec<Object> {
    let part = Part::JobAutoRestart.as_str();
    let rules = vec![
        rule(&[""], &["nodes", "pods"], &["get", "list", "watch"]),
        rule(&[""], &["pods"], &["delete", "deletecollection"]),
        rule(&[""], &["nodes"], &["patch"]),
        rule(&[""], &["events"], &["create"]),
        rule(&["kubeflow.org"], &["pytorchjobs"], &["get", "list", "watch", "delete", "patch", "update"]),
        rule(&["coordination.k8s.io"], &["leases"], &["get", "create", "update"]),
    ];
    let [role, binding] = bound_role(owner, part, (NAME, NAME), rules, &Bound::User(SERVICE_USER));
    vec![account(owner, part, NAMESPACE, NAME), role, binding]
}
