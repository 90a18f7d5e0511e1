//! What the objects of all add-ons have in common.

use super::Setting;
use serde_json::{Value, json};

/// A Deployment or DaemonSet with one container.
pub(super) struct Workload<'a> {
    kind: &'static str,
    name: &'a str,
    account: &'a str,
    image: String,
    replicas: Option<i64>,
    labels: Vec<(&'a str, &'a str)>,
    pod: Value,
    container: Value,
}

impl<'a> Workload<'a> {
    pub(super) fn deployment(name: &'a str, account: &'a str, image: String, replicas: i64) -> Self {
        Self { replicas: Some(replicas), ..Self::bare("Deployment", name, account, image) }
    }

    pub(super) fn daemon_set(name: &'a str, account: &'a str, image: String) -> Self {
        Self::bare("DaemonSet", name, account, image)
    }

    fn bare(kind: &'static str, name: &'a str, account: &'a str, image: String) -> Self {
        let labels = vec![("app.kubernetes.io/name", name)];
        Self { kind, name, account, image, replicas: None, labels, pod: json!({}), container: json!({}) }
    }

    /// Label that also selects the pods, in place of the usual name label.
    pub(super) fn labelled(mut self, key: &'a str, value: &'a str) -> Self {
        self.labels = vec![(key, value)];
        self
    }

    /// A further member of the pod's spec.
    pub(super) fn pod(mut self, member: &str, value: Value) -> Self {
        self.pod[member] = value;
        self
    }

    /// A further member of the container.
    pub(super) fn container(mut self, member: &str, value: Value) -> Self {
        self.container[member] = value;
        self
    }

    /// Runs on every node, whatever its taints.
    pub(super) fn everywhere(self) -> Self {
        self.pod("tolerations", json!([{ "operator": "Exists" }]))
            .pod("priorityClassName", "system-node-critical".into())
    }

    /// Tolerates what EKS's own controllers tolerate: the taint for critical add-ons, not the taints of new nodes.
    pub(super) fn critical(self) -> Self {
        self.pod("tolerations", json!([{ "key": "CriticalAddonsOnly", "operator": "Exists" }]))
            .pod("priorityClassName", "system-cluster-critical".into())
    }

    pub(super) fn object(self, setting: &Setting<'_>) -> Value {
        let selector: serde_json::Map<_, _> =
            self.labels.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect();
        let mut container = json!({ "name": self.name, "image": self.image });
        merge(&mut container, self.container);
        let mut pod = json!({ "serviceAccountName": self.account, "containers": [container] });
        merge(&mut pod, self.pod);
        let mut metadata = named(self.name, setting);
        metadata["namespace"] = setting.namespace.into();
        merge(&mut metadata["labels"], Value::Object(selector.clone()));
        let mut spec = json!({
            "selector": { "matchLabels": selector },
            "template": { "metadata": { "labels": selector }, "spec": pod },
        });
        if let Some(replicas) = self.replicas {
            spec["replicas"] = replicas.into();
        }
        json!({ "apiVersion": "apps/v1", "kind": self.kind, "metadata": metadata, "spec": spec })
    }
}

fn merge(into: &mut Value, members: Value) {
    if let Value::Object(members) = members {
        for (name, value) in members {
            into[name] = value;
        }
    }
}

fn named(name: &str, setting: &Setting<'_>) -> Value {
    json!({
        "name": name,
        "labels": { "app.kubernetes.io/managed-by": "EKS", "app.kubernetes.io/version": setting.version },
    })
}

fn namespaced(name: &str, setting: &Setting<'_>) -> Value {
    let mut metadata = named(name, setting);
    metadata["namespace"] = setting.namespace.into();
    metadata
}

/// The add-on's namespace, where it is not one that every cluster has.
pub(super) fn namespace(setting: &Setting<'_>) -> Value {
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": setting.namespace } })
}

/// A service account without AWS permissions.
pub(super) fn account(name: &str, setting: &Setting<'_>) -> Value {
    json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": namespaced(name, setting) })
}

/// The service account that takes the add-on's role, if it was given one.
pub(super) fn identity_account(name: &str, setting: &Setting<'_>) -> Value {
    let mut account = account(name, setting);
    if let Some(role) = setting.role_arn {
        account["metadata"]["annotations"] = json!({ "eks.amazonaws.com/role-arn": role });
    }
    account
}

/// A cluster role and its binding to the service account of the same add-on.
pub(super) fn cluster_role(name: &str, account: &str, rules: Value, setting: &Setting<'_>) -> [Value; 2] {
    let group = "rbac.authorization.k8s.io";
    [
        json!({ "apiVersion": format!("{group}/v1"), "kind": "ClusterRole", "metadata": named(name, setting), "rules": rules }),
        json!({
            "apiVersion": format!("{group}/v1"),
            "kind": "ClusterRoleBinding",
            "metadata": named(name, setting),
            "roleRef": { "apiGroup": group, "kind": "ClusterRole", "name": name },
            "subjects": [{ "kind": "ServiceAccount", "name": account, "namespace": setting.namespace }],
        }),
    ]
}

/// A service for the pods with one label.
pub(super) fn service(name: &str, label: (&str, &str), ports: Value, setting: &Setting<'_>) -> Value {
    let selector: serde_json::Map<_, _> = [(label.0.to_owned(), Value::from(label.1))].into_iter().collect();
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": namespaced(name, setting),
        "spec": { "selector": selector, "ports": ports },
    })
}

/// A config map.
pub(super) fn config_map(name: &str, data: Value, setting: &Setting<'_>) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": namespaced(name, setting), "data": data })
}

/// A CSI driver.
pub(super) fn driver(name: &str, spec: Value, setting: &Setting<'_>) -> Value {
    json!({ "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": named(name, setting), "spec": spec })
}

/// A custom resource definition whose objects are not checked beyond being objects.
pub(super) fn definition(kind: &str, plural: &str, group: &str, version: &str, scope: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.{group}") },
        "spec": {
            "group": group,
            "scope": scope,
            "names": { "kind": kind, "plural": plural, "singular": kind.to_ascii_lowercase(), "listKind": format!("{kind}List") },
            "versions": [{
                "name": version,
                "served": true,
                "storage": true,
                "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    })
}

/// A fail-closed webhook: while its service has no endpoint, what it catches is refused.
pub(super) fn webhook(kind: &str, name: &str, hook: &str, service: &str, rules: Value, setting: &Setting<'_>) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": named(name, setting),
        "webhooks": [{
            "name": hook,
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "failurePolicy": "Fail",
            "timeoutSeconds": 10,
            "clientConfig": { "service": { "name": service, "namespace": setting.namespace, "path": "/mutate", "port": 443 } },
            "rules": rules,
        }],
    })
}
