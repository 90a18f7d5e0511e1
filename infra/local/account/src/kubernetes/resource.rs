//! What the server can serve: built-in resources from the data file; custom ones are made by `custom`.

use super::schema::Schema;
use super::store::Shared;
use serde::Deserialize;
use serde_json::Value;
use std::sync::LazyLock;

/// A resource of one group and version.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Resource {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) plural: String,
    pub(super) kind: String,
    pub(super) singular: String,
    #[serde(default)]
    pub(super) short: Vec<String>,
    #[serde(default)]
    pub(super) categories: Vec<String>,
    pub(super) namespaced: bool,
    /// Whether objects are kept; reviews and bindings are only answered.
    pub(super) stored: bool,
    #[serde(default)]
    pub(super) subresources: Vec<String>,
    /// Name of the published definition; empty for custom resources.
    #[serde(default)]
    pub(super) definition: String,
    /// The definition of a custom resource and the index of the version served.
    #[serde(skip)]
    pub(super) custom: Option<(Shared, usize)>,
}

#[derive(Deserialize)]
struct Data {
    resources: Vec<Resource>,
    definitions: Value,
    policy: Vec<Value>,
}

static DATA: LazyLock<Data> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is compiled in, and every test reads it")]
    serde_json::from_str(include_str!("../../data/kubernetes.json")).expect("the committed data file is readable")
});

/// Every built-in resource, in discovery's order.
pub(super) fn built_in() -> &'static [Resource] {
    &DATA.resources
}

/// A published definition by its full name.
pub(super) fn definition(name: &str) -> Option<&'static Value> {
    DATA.definitions.get(name)
}

/// The default roles and bindings that a fresh API server writes.
pub(super) fn default_policy() -> &'static [Value] {
    &DATA.policy
}

/// The built-in resource of this group and plural name, which must be one of the committed list.
pub(super) fn known(group: &str, plural: &str) -> &'static Resource {
    let found = DATA.resources.iter().find(|one| one.group == group && one.plural == plural);
    #[expect(clippy::expect_used, reason = "called with names of the committed list only")]
    found.expect("a resource of the committed list")
}

impl Resource {
    /// `deployments.apps`, or `pods` for the core group: how errors name a resource.
    pub(super) fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }

    /// `apps/v1`, or `v1` for the core group.
    pub(super) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// Under which name objects are kept; events of both groups are the same objects.
    pub(super) fn key(&self) -> String {
        let group = if self.group == "events.k8s.io" { "" } else { &self.group };
        format!("{group}/{}", self.plural)
    }

    /// Whether this is a view on core events in the newer form.
    pub(super) fn is_newer_event(&self) -> bool {
        self.group == "events.k8s.io" && self.plural == "events"
    }

    pub(super) fn has(&self, subresource: &str) -> bool {
        self.subresources.iter().any(|one| one == subresource)
    }

    /// The schema of the whole object.
    pub(super) fn schema(&self) -> Schema<'_> {
        match &self.custom {
            None => Schema::definition(&self.definition),
            Some((crd, version)) => Schema::custom(
                crd.pointer(&format!("/spec/versions/{version}/schema/openAPIV3Schema")).unwrap_or(&Value::Null),
            ),
        }
    }
}
