//! CloudWatch's and HyperPod's collectors.

use super::{
    Setting,
    builder::{Workload, account, cluster_role, identity_account, namespace},
};
use serde_json::{Value, json};

fn reading_rules() -> Value {
    json!([{ "apiGroups": [""], "resources": ["pods", "nodes", "nodes/metrics", "services", "endpoints", "namespaces"], "verbs": ["get", "list", "watch"] }])
}

/// The CloudWatch agent, Fluent Bit, and the operator that looks after them.
pub(super) fn cloudwatch(setting: &Setting<'_>) -> Vec<Value> {
    let operator = "amazon-cloudwatch-observability-controller-manager";
    let mut objects =
        vec![namespace(setting), identity_account("cloudwatch-agent", setting), account(operator, setting)];
    objects.extend(cluster_role(
        "amazon-cloudwatch-observability-agent-role",
        "cloudwatch-agent",
        reading_rules(),
        setting,
    ));
    objects.push(
        Workload::deployment(operator, operator, setting.image("eks/observability/cloudwatch-agent-operator"), 1)
            .object(setting),
    );
    for name in ["cloudwatch-agent", "fluent-bit"] {
        let image = setting.image(&format!("eks/observability/{name}"));
        objects.push(Workload::daemon_set(name, "cloudwatch-agent", image).everywhere().object(setting));
    }
    objects
}

/// HyperPod's observability operator and its central collector.
pub(super) fn hyperpod(setting: &Setting<'_>) -> Vec<Value> {
    let (operator, collector) = ("hyperpod-observability-controller-manager", "hyperpod-otel-collector");
    let collector_account = "hyperpod-observability-operator-otel-collector";
    let mut objects =
        vec![namespace(setting), account(operator, setting), identity_account(collector_account, setting)];
    objects.extend(cluster_role(collector_account, collector_account, reading_rules(), setting));
    objects.push(
        Workload::deployment(operator, operator, setting.image("eks/hyperpod-observability-operator"), 1)
            .object(setting),
    );
    objects.push(
        Workload::deployment(collector, collector_account, setting.image("eks/hyperpod-otel-collector"), 1)
            .object(setting),
    );
    objects
}
