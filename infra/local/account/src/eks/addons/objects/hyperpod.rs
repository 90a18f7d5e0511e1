//! SageMaker HyperPod's training operator, task governance and inference operator.

use super::{
    Setting,
    builder::{Workload, account, cluster_role, definition, identity_account, namespace, service, webhook},
};
use serde_json::{Value, json};

fn everything_rules(groups: Value) -> Value {
    json!([
        { "apiGroups": groups, "resources": ["*"], "verbs": ["*"] },
        { "apiGroups": [""], "resources": ["pods", "nodes", "services", "events", "configmaps"], "verbs": ["*"] },
    ])
}

/// HyperPodPyTorchJob and its controller.
pub(super) fn training_operator(setting: &Setting<'_>) -> Vec<Value> {
    let name = "hp-training-operator-controller-manager";
    let group = "sagemaker.amazonaws.com";
    let mut objects = vec![
        namespace(setting),
        definition("HyperPodPyTorchJob", "hyperpodpytorchjobs", group, "v1", "Namespaced"),
        identity_account(name, setting),
    ];
    objects.extend(cluster_role("hp-training-operator-manager-role", name, everything_rules(json!([group])), setting));
    let resources = setting.values.pointer("/hpTrainingControllerManager/manager/resources").cloned();
    let usual = json!({ "requests": { "cpu": "1", "memory": "2Gi" }, "limits": { "cpu": "2", "memory": "4Gi" } });
    let deployment = Workload::deployment(name, name, setting.image("eks/hyperpod-training-operator"), 1)
        .container("resources", resources.unwrap_or(usual))
        .pod("nodeSelector", json!({ "sagemaker.amazonaws.com/compute-type": "hyperpod" }));
    objects.push(deployment.object(setting));
    objects
}

/// Kueue as HyperPod's task governance installs it.
pub(super) fn task_governance(setting: &Setting<'_>) -> Vec<Value> {
    let (name, group) = ("kueue-controller-manager", "kueue.x-k8s.io");
    let mut objects = vec![namespace(setting)];
    for (kind, plural, scope) in [
        ("ClusterQueue", "clusterqueues", "Cluster"),
        ("LocalQueue", "localqueues", "Namespaced"),
        ("ResourceFlavor", "resourceflavors", "Cluster"),
        ("Workload", "workloads", "Namespaced"),
        ("WorkloadPriorityClass", "workloadpriorityclasses", "Cluster"),
        ("Topology", "topologies", "Cluster"),
    ] {
        objects.push(definition(kind, plural, group, "v1beta1", scope));
    }
    objects.push(account(name, setting));
    objects.extend(cluster_role("kueue-manager-role", name, everything_rules(json!([group])), setting));
    objects.push(Workload::deployment(name, name, setting.image("eks/kueue"), 1).object(setting));
    let hook = "kueue-webhook-service";
    let ports = json!([{ "port": 443, "protocol": "TCP", "targetPort": 9443 }]);
    objects.push(service(hook, ("app.kubernetes.io/name", name), ports, setting));
    let caught =
        json!([{ "apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["jobs"] }]);
    objects.push(webhook(
        "MutatingWebhookConfiguration",
        "kueue-mutating-webhook-configuration",
        "mjob.kb.io",
        hook,
        caught,
        setting,
    ));
    objects
}

/// The inference operator with the load-balancer controller and KEDA that it brings along.
pub(super) fn inference(setting: &Setting<'_>) -> Vec<Value> {
    let (name, group) = ("hyperpod-inference-controller-manager", "inference.sagemaker.aws.amazon.com");
    let mut objects = vec![namespace(setting)];
    for (kind, plural) in [
        ("InferenceEndpointConfig", "inferenceendpointconfigs"),
        ("JumpStartModel", "jumpstartmodels"),
        ("SageMakerEndpointRegistration", "sagemakerendpointregistrations"),
    ] {
        objects.push(definition(kind, plural, group, "v1", "Namespaced"));
    }
    objects.push(account_with_role(name, "/executionRoleArn", setting));
    objects.extend(cluster_role("hyperpod-inference-manager-role", name, everything_rules(json!([group])), setting));
    objects.push(Workload::deployment(name, name, setting.image("eks/hyperpod-inference-operator"), 1).object(setting));
    let bundled = [
        ("alb", "aws-load-balancer-controller", "/alb/serviceAccount/roleArn"),
        ("keda", "keda-operator", "/keda/auth/aws/irsa/roleArn"),
    ];
    for (part, name, role) in bundled {
        if setting.values.pointer(&format!("/{part}/enabled")) != Some(&Value::Bool(false)) {
            objects.push(account_with_role(name, role, setting));
            objects.push(Workload::deployment(name, name, setting.image(&format!("eks/{name}")), 1).object(setting));
        }
    }
    objects
}

/// A service account with the role that stands at `path` in the configuration values.
fn account_with_role(name: &str, path: &str, setting: &Setting<'_>) -> Value {
    let mut account = account(name, setting);
    if let Some(role) = setting.values.pointer(path).and_then(Value::as_str) {
        account["metadata"]["annotations"] = json!({ "eks.amazonaws.com/role-arn": role });
    }
    account
}
