//! Service accounts, cluster roles and their bindings.

use crate::labels::Owner;
use k8s_openapi::api::{
    core::v1::ServiceAccount,
    rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, RoleRef, Subject},
};
use kubernetes::Object;

const GROUP: &str = "rbac.authorization.k8s.io";

/// Who is bound to a role.
pub(crate) enum Bound<'a> {
    /// A service account: namespace and name.
    Account(&'a str, &'a str),
    /// A user, by name.
    User(&'a str),
}

/// Verbs on resources of API groups.
pub(crate) fn rule(groups: &[&str], resources: &[&str], verbs: &[&str]) -> PolicyRule {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    PolicyRule {
        api_groups: Some(owned(groups)),
        resources: Some(owned(resources)),
        verbs: owned(verbs),
        ..PolicyRule::default()
    }
}

/// A service account.
pub(crate) fn account(owner: &Owner, component: &str, namespace: &str, name: &str) -> Object {
    let metadata = owner.within(component, namespace, name);
    Object::of(&ServiceAccount { metadata, ..ServiceAccount::default() })
}

/// A cluster role and the binding of somebody to it.
pub(crate) fn bound_role(
    owner: &Owner,
    component: &str,
    (role, binding): (&str, &str),
    rules: Vec<PolicyRule>,
    bound: &Bound<'_>,
) -> [Object; 2] {
    let metadata = owner.everywhere(component, role);
    let cluster_role = ClusterRole { metadata, rules: Some(rules), ..ClusterRole::default() };
    let subject = match bound {
        Bound::Account(namespace, name) => Subject {
            kind: "ServiceAccount".to_owned(),
            name: (*name).to_owned(),
            namespace: Some((*namespace).to_owned()),
            ..Subject::default()
        },
        Bound::User(name) => Subject {
            kind: "User".to_owned(),
            name: (*name).to_owned(),
            api_group: Some(GROUP.to_owned()),
            ..Subject::default()
        },
    };
    let role_ref = RoleRef { api_group: GROUP.to_owned(), kind: "ClusterRole".to_owned(), name: role.to_owned() };
    let binding =
        ClusterRoleBinding { metadata: owner.everywhere(component, binding), role_ref, subjects: Some(vec![subject]) };
    [Object::of(&cluster_role), Object::of(&binding)]
}
