//! What the API machinery knows of each built-in kind beyond its published schema: defaults, and rules that span fields.

mod defaults;
mod immutable;
mod names;
mod pods;
mod rules;

pub(super) use defaults::fill as fill_defaults;
pub(super) use immutable::check as check_unchanged;
pub(super) use rules::check;

use super::resource::Resource;

/// Whether `metadata.generation` counts changes of this kind.
pub(super) fn has_generation(resource: &Resource) -> bool {
    resource.custom.is_some()
        || matches!(
            resource.plural.as_str(),
            "deployments"
                | "replicasets"
                | "daemonsets"
                | "statefulsets"
                | "jobs"
                | "cronjobs"
                | "pods"
                | "poddisruptionbudgets"
                | "customresourcedefinitions"
                | "mutatingwebhookconfigurations"
                | "validatingwebhookconfigurations"
                | "priorityclasses"
                | "ingresses"
                | "ingressclasses"
                | "networkpolicies"
                | "endpointslices"
        )
}
