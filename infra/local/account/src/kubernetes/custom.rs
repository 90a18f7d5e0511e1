//! Custom resources: what the definitions in the store add to the resources served.

use super::{
    Cluster, object,
    resource::{Resource, built_in, known},
    store::Shared,
};
use serde_json::Value;

impl Cluster {
    /// The resource at a path, if it is served.
    pub(super) fn resource(&self, group: &str, version: &str, plural: &str) -> Option<Resource> {
        let built_in =
            built_in().iter().find(|one| one.group == group && one.version == version && one.plural == plural);
        if let Some(found) = built_in {
            return Some(found.clone());
        }
        let definition = self.store.get(
            known("apiextensions.k8s.io", "customresourcedefinitions"),
            "",
            &format!("{plural}.{group}"),
        )?;
        versions(definition).into_iter().find(|one| one.version == version)
    }

    /// Every resource served, built-in ones first.
    pub(super) fn resources(&self) -> Vec<Resource> {
        let mut all = built_in().to_vec();
        let definitions = known("apiextensions.k8s.io", "customresourcedefinitions");
        for definition in self.store.list(definitions, "") {
            all.extend(versions(definition));
        }
        all
    }

    /// The resource of an object, by its `apiVersion` and `kind`.
    pub(super) fn resource_of_kind(&self, api_version: &str, kind: &str) -> Option<Resource> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let matches = |one: &&Resource| one.group == group && one.version == version && one.kind == kind && one.stored;
        if let Some(found) = built_in().iter().find(matches) {
            return Some(found.clone());
        }
        let definitions = known("apiextensions.k8s.io", "customresourcedefinitions");
        let definition = self.store.list(definitions, "").find(|definition| {
            object::text(definition, "/spec/group") == group && object::text(definition, "/spec/names/kind") == kind
        })?;
        versions(definition).into_iter().find(|one| one.version == version)
    }
}

/// The served versions of an established definition.
pub(super) fn versions(definition: &Shared) -> Vec<Resource> {
    if !object::has_condition(definition, "Established") {
        return Vec::new();
    }
    let words = |pointer: &str| -> Vec<String> {
        object::list(definition, pointer).iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let versions = object::list(definition, "/spec/versions");
    let served = versions.iter().enumerate().filter(|(_, version)| version["served"] == true);
    served
        .map(|(at, version)| Resource {
            group: object::text(definition, "/spec/group").to_owned(),
            version: object::text(version, "/name").to_owned(),
            plural: object::text(definition, "/spec/names/plural").to_owned(),
            kind: object::text(definition, "/spec/names/kind").to_owned(),
            singular: object::text(definition, "/spec/names/singular").to_owned(),
            short: words("/spec/names/shortNames"),
            categories: words("/spec/names/categories"),
            namespaced: definition["spec"]["scope"] == "Namespaced",
            stored: true,
            subresources: ["status", "scale"]
                .into_iter()
                .filter(|name| version["subresources"][*name].is_object())
                .map(str::to_owned)
                .collect(),
            definition: String::new(),
            custom: Some((definition.clone(), at)),
        })
        .collect()
}
