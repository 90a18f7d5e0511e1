//! Admission webhooks. Nothing runs behind them here, so what is decided is only whether the call could be made: a
//! webhook whose Service has a ready endpoint lets the write through unchanged, one that has none refuses it or not by
//! its `failurePolicy`.

use crate::kubernetes::{
    Cluster, object,
    refusal::Refusal,
    resource::{Resource, known},
    selector::LabelSelector,
};
use serde_json::{Value, json};

const GROUP: &str = "admissionregistration.k8s.io";

pub(super) fn ask(cluster: &Cluster, resource: &Resource, value: &Value, operation: &str) -> Result<(), Refusal> {
    // Webhook configurations are never sent to webhooks: a broken one must be removable.
    if resource.group == GROUP {
        return Ok(());
    }
    for plural in ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"] {
        for configuration in cluster.store.list(known(GROUP, plural), "") {
            for hook in object::list(configuration, "/webhooks") {
                if matches(cluster, hook, resource, value, operation) && hook["failurePolicy"] != "Ignore" {
                    reach(cluster, hook)?;
                }
            }
        }
    }
    Ok(())
}

fn matches(cluster: &Cluster, hook: &Value, resource: &Resource, value: &Value, operation: &str) -> bool {
    let rule = |rule: &Value| {
        let has = |part: &str, wanted: &str| object::list(rule, part).iter().any(|one| one == "*" || one == wanted);
        let scope = match rule["scope"].as_str() {
            Some("Cluster") => !resource.namespaced,
            Some("Namespaced") => resource.namespaced,
            _ => true,
        };
        scope
            && has("/operations", operation)
            && has("/apiGroups", &resource.group)
            && (has("/apiVersions", &resource.version) || hook["matchPolicy"] != "Exact")
            && (has("/resources", &resource.plural) || has("/resources", "*/*"))
    };
    if !object::list(hook, "/rules").iter().any(rule) {
        return false;
    }
    let selected = |selector: &Value, labels: &Value| {
        LabelSelector::from_object(selector).is_none_or(|selector| selector.matches(labels))
    };
    if !selected(&hook["objectSelector"], object::labels(value)) {
        return false;
    }
    let namespaces = known("", "namespaces");
    let namespace = if resource.plural == "namespaces" && resource.group.is_empty() {
        return selected(&hook["namespaceSelector"], object::labels(value));
    } else {
        cluster.store.get(namespaces, "", object::namespace(value))
    };
    namespace.is_none_or(|namespace| selected(&hook["namespaceSelector"], object::labels(namespace)))
}

/// The refusal that the API server answers when the webhook cannot be called.
fn reach(cluster: &Cluster, hook: &Value) -> Result<(), Refusal> {
    let service = &hook["clientConfig"]["service"];
    if !service.is_object() {
        return Ok(());
    }
    let (namespace, name) = (object::text(service, "/namespace"), object::text(service, "/name"));
    let failed = |why: String| {
        let hook = object::text(hook, "/name");
        let message = format!("failed calling webhook {hook:?}: failed to call webhook: {why}");
        let mut refusal = Refusal::new(500, "InternalError", format!("Internal error occurred: {message}"));
        refusal.details = json!({"causes": [{"message": message}]});
        refusal
    };
    let (path, port) = (object::text(service, "/path"), object::number(service, "/port").unwrap_or(443));
    let timeout = object::number(hook, "/timeoutSeconds").unwrap_or(10);
    let url = format!("https://{name}.{namespace}.svc:{port}{path}?timeout={timeout}s");
    let services = known("", "services");
    if cluster.store.get(services, namespace, name).is_none() {
        return Err(failed(format!("Post {url:?}: service {name:?} not found")));
    }
    if !cluster.has_ready_endpoint(namespace, name) {
        return Err(failed(format!("Post {url:?}: no endpoints available for service {name:?}")));
    }
    Ok(())
}

impl Cluster {
    /// Whether a ready pod stands behind a Service.
    pub(in crate::kubernetes) fn has_ready_endpoint(&self, namespace: &str, service: &str) -> bool {
        let slices = self.store.list(known("discovery.k8s.io", "endpointslices"), namespace);
        slices.into_iter().any(|slice| {
            object::labels(slice)["kubernetes.io/service-name"] == service
                && object::list(slice, "/endpoints").iter().any(|one| one["conditions"]["ready"] == true)
        })
    }
}
