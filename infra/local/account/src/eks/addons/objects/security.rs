//! The pod identity agent and cert-manager.

use super::{
    Setting,
    builder::{Workload, account, cluster_role, definition, namespace, service, webhook},
};
use serde_json::{Value, json};

/// `eks-pod-identity-agent`: hands pods the credentials of their associated roles.
pub(super) fn pod_identity_agent(setting: &Setting<'_>) -> Vec<Value> {
    let name = "eks-pod-identity-agent";
    let daemon = Workload::daemon_set(name, name, setting.image("eks/eks-pod-identity-agent"))
        .everywhere()
        .pod("hostNetwork", true.into())
        .container(
            "ports",
            json!([{ "containerPort": 80, "protocol": "TCP" }, { "containerPort": 2703, "protocol": "TCP" }]),
        );
    vec![account(name, setting), daemon.object(setting)]
}

/// cert-manager: three Deployments, and webhooks that refuse certificates while the third is not there.
pub(super) fn cert_manager(setting: &Setting<'_>) -> Vec<Value> {
    let group = "cert-manager.io";
    let mut objects = vec![namespace(setting)];
    for (kind, plural, scope) in [
        ("Certificate", "certificates", "Namespaced"),
        ("CertificateRequest", "certificaterequests", "Namespaced"),
        ("Issuer", "issuers", "Namespaced"),
        ("ClusterIssuer", "clusterissuers", "Cluster"),
    ] {
        objects.push(definition(kind, plural, group, "v1", scope));
    }
    for (kind, plural) in [("Challenge", "challenges"), ("Order", "orders")] {
        objects.push(definition(kind, plural, "acme.cert-manager.io", "v1", "Namespaced"));
    }
    let rules = json!([
        { "apiGroups": [group, "acme.cert-manager.io"], "resources": ["*"], "verbs": ["*"] },
        { "apiGroups": [""], "resources": ["secrets", "events", "configmaps"], "verbs": ["*"] },
        { "apiGroups": ["admissionregistration.k8s.io", "apiextensions.k8s.io"], "resources": ["*"], "verbs": ["get", "list", "watch", "update", "patch"] },
    ]);
    let parts = [
        ("cert-manager", "/replicaCount"),
        ("cert-manager-cainjector", "/cainjector/replicaCount"),
        ("cert-manager-webhook", "/webhook/replicaCount"),
    ];
    for (name, replicas) in parts {
        objects.push(account(name, setting));
        objects.extend(cluster_role(name, name, rules.clone(), setting));
        let image = setting.image(&format!("eks/{}", name.replace("cert-manager-", "cert-manager/")));
        objects.push(Workload::deployment(name, name, image, setting.count(replicas, 1)).object(setting));
    }
    let ports = json!([{ "name": "https", "port": 443, "protocol": "TCP", "targetPort": 10250 }]);
    let hook = "cert-manager-webhook";
    objects.push(service(hook, ("app.kubernetes.io/name", hook), ports, setting));
    let caught = json!([{ "apiGroups": [group, "acme.cert-manager.io"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["*/*"], "scope": "*" }]);
    for kind in ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] {
        objects.push(webhook(kind, hook, "webhook.cert-manager.io", hook, caught.clone(), setting));
    }
    objects
}
