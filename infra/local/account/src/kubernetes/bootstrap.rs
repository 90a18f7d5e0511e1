//! What a new cluster holds before anyone touches it.

use super::{
    Cluster, object,
    resource::{Resource, default_policy, known},
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Writes system namespaces, the `kubernetes` Service, default policy and EKS's storage class.
pub(super) fn fill(cluster: &mut Cluster, now: Timestamp) {
    for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
        let namespace = json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
        });
        put(cluster, known("", "namespaces"), namespace, now);
    }
    for policy in default_policy() {
        let plural = format!("{}s", object::text(policy, "/kind").to_lowercase());
        put(cluster, known("rbac.authorization.k8s.io", &plural), policy.clone(), now);
    }
    aggregate(cluster);
    for (name, value) in [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)] {
        let class = json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name, "generation": 1},
            "value": value, "preemptionPolicy": "PreemptLowerPriority",
            "description": "Used for system critical pods that must not be moved from their current node.",
        });
        put(cluster, known("scheduling.k8s.io", "priorityclasses"), class, now);
    }
    let service = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "kubernetes", "namespace": "default", "labels": {"component": "apiserver", "provider": "kubernetes"}},
        "spec": {
            "type": "ClusterIP", "clusterIP": "10.100.0.1", "clusterIPs": ["10.100.0.1"], "sessionAffinity": "None",
            "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "internalTrafficPolicy": "Cluster",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 443}],
        },
        "status": {"loadBalancer": {}},
    });
    put(cluster, known("", "services"), service, now);
    // EKS makes this class, not the default one since 1.30.
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "gp2"},
        "provisioner": "kubernetes.io/aws-ebs", "parameters": {"type": "gp2", "fsType": "ext4"},
        "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer",
    });
    put(cluster, known("storage.k8s.io", "storageclasses"), class, now);
}

fn put(cluster: &mut Cluster, resource: &Resource, mut value: Value, now: Timestamp) {
    value["metadata"]["uid"] = cluster.store.new_uid().into();
    value["metadata"]["creationTimestamp"] = object::time(now).into();
    cluster.store.put(resource, value);
}

/// Fills the rules of aggregated ClusterRoles from the roles that their selectors name.
pub(super) fn aggregate(cluster: &mut Cluster) {
    let roles = known("rbac.authorization.k8s.io", "clusterroles");
    let mut changed = Vec::new();
    for role in cluster.store.list(roles, "") {
        let selectors = object::list(role, "/aggregationRule/clusterRoleSelectors");
        if selectors.is_empty() {
            continue;
        }
        let selectors: Vec<_> = selectors.iter().filter_map(super::selector::LabelSelector::from_object).collect();
        let chosen = |other: &&super::store::Shared| {
            object::name(other) != object::name(role) && selectors.iter().any(|one| one.matches(object::labels(other)))
        };
        let mut rules: Vec<Value> = Vec::new();
        for other in cluster.store.list(roles, "").filter(chosen) {
            for rule in object::list(other, "/rules") {
                if !rules.contains(rule) {
                    rules.push(rule.clone());
                }
            }
        }
        if object::list(role, "/rules") != rules.as_slice() {
            let mut role = role.copy();
            role["rules"] = rules.into();
            changed.push(role);
        }
    }
    for role in changed {
        cluster.store.put(roles, role);
    }
}
