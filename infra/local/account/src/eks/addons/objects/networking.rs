//! The network plugin, kube-proxy and DNS.

use super::{
    Setting,
    builder::{Workload, account, cluster_role, config_map, definition, identity_account, service},
};
use serde_json::{Value, json};

/// CoreDNS's configuration as EKS writes it.
const COREFILE: &str = r".:53 {
    errors
    health {
        lameduck 5s
      }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
      pods insecure
      fallthrough in-addr.arpa ip6.arpa
    }
    prometheus :9153
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
}
";

/// `aws-node`: gives pods addresses of the VPC.
pub(super) fn vpc_cni(setting: &Setting<'_>) -> Vec<Value> {
    let rules = json!([
        { "apiGroups": ["crd.k8s.amazonaws.com"], "resources": ["eniconfigs"], "verbs": ["list", "watch", "get"] },
        { "apiGroups": [""], "resources": ["namespaces", "pods", "nodes"], "verbs": ["list", "watch", "get"] },
        { "apiGroups": ["", "events.k8s.io"], "resources": ["events"], "verbs": ["create", "patch", "list"] },
    ]);
    let settings = setting.values.get("env").and_then(Value::as_object);
    let env = settings.into_iter().flatten().map(|(name, value)| json!({ "name": name, "value": value }));
    let daemon = Workload::daemon_set("aws-node", "aws-node", setting.image("amazon-k8s-cni"))
        .labelled("k8s-app", "aws-node")
        .everywhere()
        .pod("hostNetwork", true.into())
        .container("env", env.collect())
        .container("resources", json!({ "requests": { "cpu": "25m" } }));
    let mut objects = vec![
        identity_account("aws-node", setting),
        definition("ENIConfig", "eniconfigs", "crd.k8s.amazonaws.com", "v1alpha1", "Cluster"),
        config_map("amazon-vpc-cni", json!({ "enable-windows-ipam": "false", "branch-eni-cooldown": "60" }), setting),
    ];
    objects.extend(cluster_role("aws-node", "aws-node", rules, setting));
    objects.push(daemon.object(setting));
    objects
}

/// `kube-proxy`: services on each node.
pub(super) fn kube_proxy(setting: &Setting<'_>) -> Vec<Value> {
    let mode = setting.values.get("mode").and_then(Value::as_str).unwrap_or("iptables");
    let config =
        format!("apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: \"{mode}\"\n");
    let daemon = Workload::daemon_set("kube-proxy", "kube-proxy", setting.image("eks/kube-proxy"))
        .labelled("k8s-app", "kube-proxy")
        .everywhere()
        .pod("hostNetwork", true.into())
        .container("resources", json!({ "requests": { "cpu": "100m" } }));
    vec![
        account("kube-proxy", setting),
        config_map("kube-proxy-config", json!({ "config": config }), setting),
        daemon.object(setting),
    ]
}

/// `coredns`, behind the service `kube-dns`.
pub(super) fn coredns(setting: &Setting<'_>) -> Vec<Value> {
    let rules = json!([
        { "apiGroups": [""], "resources": ["endpoints", "services", "pods", "namespaces"], "verbs": ["list", "watch"] },
        { "apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list", "watch"] },
    ]);
    let corefile = setting.values.get("corefile").and_then(Value::as_str).unwrap_or(COREFILE);
    let mut tolerations = vec![
        json!({ "key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule" }),
        json!({ "key": "CriticalAddonsOnly", "operator": "Exists" }),
    ];
    tolerations.extend(setting.values.get("tolerations").and_then(Value::as_array).into_iter().flatten().cloned());
    let deployment =
        Workload::deployment("coredns", "coredns", setting.image("eks/coredns"), setting.count("/replicaCount", 2))
            .labelled("k8s-app", "kube-dns")
            .critical()
            .pod("tolerations", tolerations.into())
            .container(
                "resources",
                json!({ "requests": { "cpu": "100m", "memory": "70Mi" }, "limits": { "memory": "170Mi" } }),
            );
    let ports = json!([
        { "name": "dns", "port": 53, "protocol": "UDP", "targetPort": 53 },
        { "name": "dns-tcp", "port": 53, "protocol": "TCP", "targetPort": 53 },
        { "name": "metrics", "port": 9153, "protocol": "TCP", "targetPort": 9153 },
    ]);
    let mut dns = service("kube-dns", ("k8s-app", "kube-dns"), ports, setting);
    dns["spec"]["clusterIP"] = dns_address(setting.service_cidr).into();
    let mut objects =
        vec![account("coredns", setting), config_map("coredns", json!({ "Corefile": corefile }), setting)];
    objects.extend(cluster_role("system:coredns", "coredns", rules, setting));
    objects.push(deployment.object(setting));
    objects.push(dns);
    objects
}

/// The tenth address of the service CIDR.
fn dns_address(service_cidr: &str) -> String {
    let base = service_cidr.split('/').next().unwrap_or_default();
    base.rsplit_once('.').map_or_else(String::new, |(start, _)| format!("{start}.10"))
}
