//! metrics-server.

use super::{
    Setting,
    builder::{Workload, account, cluster_role, service},
};
use serde_json::{Value, json};

/// metrics-server and its aggregated API.
pub(super) fn metrics_server(setting: &Setting<'_>) -> Vec<Value> {
    let name = "metrics-server";
    let rules = json!([
        { "apiGroups": [""], "resources": ["nodes/metrics"], "verbs": ["get"] },
        { "apiGroups": [""], "resources": ["pods", "nodes"], "verbs": ["get", "list", "watch"] },
    ]);
    let deployment =
        Workload::deployment(name, name, setting.image("eks/metrics-server"), setting.count("/replicas", 2)).critical();
    let ports = json!([{ "name": "https", "port": 443, "protocol": "TCP", "targetPort": 10251 }]);
    let mut objects = vec![account(name, setting)];
    objects.extend(cluster_role("system:metrics-server", name, rules, setting));
    objects.push(deployment.object(setting));
    objects.push(service(name, ("app.kubernetes.io/name", name), ports, setting));
    objects.push(json!({
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": { "name": "v1beta1.metrics.k8s.io" },
        "spec": {
            "group": "metrics.k8s.io",
            "version": "v1beta1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": true,
            "service": { "name": name, "namespace": setting.namespace },
        },
    }));
    objects
}
