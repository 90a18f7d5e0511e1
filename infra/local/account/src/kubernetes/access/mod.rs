//! Who may do what: role-based access control over the roles in the store, EKS access policies beside it, and reviews.

mod policies;
pub(super) mod reviews;

pub use policies::AccessPolicy;

use super::{
    Cluster, User, object,
    refusal::Refusal,
    resource::{Resource, known},
    route::Route,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where an access policy holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// Everywhere in the cluster.
    Cluster,
    /// In these namespaces; a trailing `*` stands for any end.
    Namespaces(Vec<String>),
}

/// An access policy associated with a user's access entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Grant {
    /// A name, or the form of names: `{{SessionName}}` stands for any session.
    user: String,
    policy: AccessPolicy,
    scope: Scope,
}

/// What a request wants to do, in RBAC's terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) verb: String,
    pub(super) group: String,
    /// Plural name, with `/subresource` if there is one.
    pub(super) resource: String,
    pub(super) namespace: String,
    pub(super) name: String,
    /// A path outside the resource API; empty for resources.
    pub(super) path: String,
}

impl Attributes {
    pub(super) fn of_route(verb: &str, route: &Route) -> Self {
        let resource = match route.subresource.split('/').next().unwrap_or_default() {
            "" => route.plural.clone(),
            subresource => format!("{}/{subresource}", route.plural),
        };
        // A namespace is itself in its namespace: a Role there may allow it to be read.
        let namespace = if route.plural == "namespaces" { &route.name } else { &route.namespace };
        Self {
            verb: verb.to_owned(),
            group: route.group.clone(),
            resource,
            namespace: namespace.clone(),
            name: route.name.clone(),
            path: String::new(),
        }
    }

    pub(super) fn of_path(verb: &str, path: &str) -> Self {
        Self { verb: verb.to_owned(), path: path.to_owned(), ..Self::default() }
    }
}

impl Cluster {
    /// Lets `user` do what `policy` allows within `scope`; the same policy again replaces its scope. A name that holds
    /// `{{SessionName}}` is that of every session of a role.
    pub fn grant(&mut self, user: &str, policy: AccessPolicy, scope: Scope) {
        self.revoke(user, policy);
        self.grants.push(Grant { user: user.to_owned(), policy, scope });
    }

    /// Takes `policy` from `user` again; nothing happens if it was not granted.
    pub fn revoke(&mut self, user: &str, policy: AccessPolicy) {
        self.grants.retain(|grant| grant.user != user || grant.policy != policy);
    }

    /// Takes every policy from `user`, as the deletion of an access entry does.
    pub fn revoke_all(&mut self, user: &str) {
        self.grants.retain(|grant| grant.user != user);
    }

    /// Whether RBAC or an access policy allows this; if so, why.
    pub(super) fn allows(&self, user: &User, wanted: &Attributes) -> Option<String> {
        if user.groups.iter().any(|group| group == "system:masters") {
            return Some(String::new());
        }
        let mut found = None;
        self.visit_rules(user, &wanted.namespace, &mut |rule, why| {
            if found.is_none() && covers(rule, wanted) {
                found = Some(why.to_owned());
            }
        });
        found
    }

    /// Shows every rule that holds for `user` in `namespace` (and at cluster scope), with the reason.
    pub(super) fn visit_rules(&self, user: &User, namespace: &str, visit: &mut dyn FnMut(&Value, &str)) {
        const GROUP: &str = "rbac.authorization.k8s.io";
        for binding in self.store.list(known(GROUP, "clusterrolebindings"), "") {
            if let Some(subject) = subject_of(binding, user) {
                let role = object::text(binding, "/roleRef/name");
                let why = format!(
                    "RBAC: allowed by ClusterRoleBinding {:?} of ClusterRole {role:?} to {subject}",
                    object::name(binding)
                );
                self.visit_role("clusterroles", "", role, &why, visit);
            }
        }
        if !namespace.is_empty() {
            for binding in self.store.list(known(GROUP, "rolebindings"), namespace) {
                if let Some(subject) = subject_of(binding, user) {
                    let (kind, role) = (object::text(binding, "/roleRef/kind"), object::text(binding, "/roleRef/name"));
                    let plural = if kind == "Role" { "roles" } else { "clusterroles" };
                    let within = if kind == "Role" { namespace } else { "" };
                    let path = format!("{}/{namespace}", object::name(binding));
                    let why = format!("RBAC: allowed by RoleBinding {path:?} of {kind} {role:?} to {subject}");
                    self.visit_role(plural, within, role, &why, visit);
                }
            }
        }
        for grant in self.grants.iter().filter(|grant| grant.is_of(&user.name) && grant.holds_in(namespace)) {
            let why = format!("EKS Access Policy: allowed by {}", grant.policy.arn());
            match grant.policy.role() {
                Some(role) => self.visit_role("clusterroles", "", role, &why, visit),
                None => grant.policy.rules().iter().for_each(|rule| visit(rule, &why)),
            }
        }
    }

    fn visit_role(&self, plural: &str, namespace: &str, name: &str, why: &str, visit: &mut dyn FnMut(&Value, &str)) {
        let role = self.store.get(known("rbac.authorization.k8s.io", plural), namespace, name);
        for rule in role.map_or(&[][..], |role| object::list(role, "/rules")) {
            visit(rule, why);
        }
    }

    /// Refuses what `user` may not do, in the words of the API server.
    pub(super) fn authorize(&self, user: &User, wanted: &Attributes) -> Result<(), Refusal> {
        if self.allows(user, wanted).is_some() {
            return Ok(());
        }
        let Attributes { verb, group, resource, namespace, name, path } = wanted;
        if !path.is_empty() {
            let message = format!("forbidden: User {:?} cannot {verb} path {path:?}", user.name);
            let mut refusal = Refusal::new(403, "Forbidden", message);
            refusal.details = serde_json::json!({});
            return Err(refusal);
        }
        let place = if namespace.is_empty() || resource == "namespaces" {
            "at the cluster scope".to_owned()
        } else {
            format!("in the namespace {namespace:?}")
        };
        let detail = format!("User {:?} cannot {verb} resource {resource:?} in API group {group:?} {place}", user.name);
        let plain = Resource {
            group: group.clone(),
            plural: resource.split('/').next().unwrap_or_default().to_owned(),
            ..known("", "pods").clone()
        };
        Err(Refusal::forbidden(&plain, name, &detail))
    }
}

impl Grant {
    fn is_of(&self, user: &str) -> bool {
        let form = self.user.split_once("{{SessionName}}").or_else(|| self.user.split_once("{{SessionNameRaw}}"));
        let Some((head, tail)) = form else { return self.user == user };
        let session = user.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail));
        session.is_some_and(|session| !session.is_empty() && !session.contains('/'))
    }

    fn holds_in(&self, namespace: &str) -> bool {
        match &self.scope {
            Scope::Cluster => true,
            Scope::Namespaces(names) => names.iter().any(|name| match name.strip_suffix('*') {
                Some(prefix) => !namespace.is_empty() && namespace.starts_with(prefix),
                None => name == namespace,
            }),
        }
    }
}

/// The groups of a user with those that everyone is in.
pub(super) fn all_groups(user: &User) -> impl Iterator<Item = &str> {
    let everyone = if user.name == "system:anonymous" { "system:unauthenticated" } else { "system:authenticated" };
    user.groups.iter().map(String::as_str).chain([everyone])
}

fn subject_of(binding: &Value, user: &User) -> Option<String> {
    object::list(binding, "/subjects").iter().find_map(|subject| {
        let name = object::text(subject, "/name");
        let hit = match object::text(subject, "/kind") {
            "User" => name == user.name,
            "Group" => all_groups(user).any(|group| group == name),
            "ServiceAccount" => {
                user.name == format!("system:serviceaccount:{}:{name}", object::text(subject, "/namespace"))
            }
            _ => false,
        };
        hit.then(|| format!("{} {name:?}", object::text(subject, "/kind")))
    })
}

/// Whether a policy rule covers what is wanted.
fn covers(rule: &Value, wanted: &Attributes) -> bool {
    let has = |part: &str, wanted: &str| {
        object::list(rule, &format!("/{part}")).iter().filter_map(Value::as_str).any(|one| one == "*" || one == wanted)
    };
    if !has("verbs", &wanted.verb) {
        return false;
    }
    if !wanted.path.is_empty() {
        let paths = object::list(rule, "/nonResourceURLs").iter().filter_map(Value::as_str);
        return paths.into_iter().any(|path| match path.strip_suffix('*') {
            Some(prefix) => wanted.path.starts_with(prefix),
            None => path == wanted.path,
        });
    }
    let subresource = wanted.resource.split_once('/').map(|(_, subresource)| format!("*/{subresource}"));
    let named = object::list(rule, "/resourceNames");
    has("apiGroups", &wanted.group)
        && (has("resources", &wanted.resource) || subresource.is_some_and(|any| has("resources", &any)))
        && (named.is_empty() || named.iter().any(|name| *name == wanted.name.as_str()))
}
