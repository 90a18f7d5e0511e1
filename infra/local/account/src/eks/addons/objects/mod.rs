//! The Kubernetes objects of each add-on: a file for a family, typed builders for what they have in common.
//!
//! They carry what a user, an operator or a controller looks for: names, labels, images, replicas, service accounts,
//! tolerations, drivers, webhooks. Container flags and the like, which nothing reads here, are left out.

mod builder;
mod compute;
mod csi;
mod hyperpod;
mod networking;
mod observability;
mod security;

use serde_json::Value;

/// What an add-on's objects depend on.
pub(super) struct Setting<'a> {
    pub(super) addon: &'a str,
    /// Add-on version, `v1.20.4-eksbuild.2`.
    pub(super) version: &'a str,
    pub(super) namespace: &'a str,
    pub(super) region: &'a str,
    pub(super) service_cidr: &'a str,
    /// Role for the add-on's service account (IRSA).
    pub(super) role_arn: Option<&'a str>,
    /// Checked configuration values.
    pub(super) values: Value,
}

impl Setting<'_> {
    /// An image in EKS's registry.
    fn image(&self, name: &str) -> String {
        format!("602401143452.dkr.ecr.{}.amazonaws.com/{name}:{}", self.region, self.version)
    }

    /// A positive whole number among the configuration values.
    fn count(&self, path: &str, otherwise: i64) -> i64 {
        self.values.pointer(path).and_then(Value::as_i64).unwrap_or(otherwise)
    }
}

/// The objects of an add-on, in the order in which they are written.
pub(super) fn of(setting: &Setting<'_>) -> Vec<Value> {
    match setting.addon {
        "vpc-cni" => networking::vpc_cni(setting),
        "kube-proxy" => networking::kube_proxy(setting),
        "coredns" => networking::coredns(setting),
        "eks-pod-identity-agent" => security::pod_identity_agent(setting),
        "cert-manager" => security::cert_manager(setting),
        "metrics-server" => compute::metrics_server(setting),
        "aws-ebs-csi-driver" => csi::ebs(setting),
        "aws-mountpoint-s3-csi-driver" => csi::mountpoint_s3(setting),
        "aws-fsx-csi-driver" => csi::fsx(setting),
        "amazon-cloudwatch-observability" => observability::cloudwatch(setting),
        "amazon-sagemaker-hyperpod-observability" => observability::hyperpod(setting),
        "amazon-sagemaker-hyperpod-training-operator" => hyperpod::training_operator(setting),
        "amazon-sagemaker-hyperpod-taskgovernance" => hyperpod::task_governance(setting),
        "amazon-sagemaker-hyperpod-inference" => hyperpod::inference(setting),
        _ => Vec::new(),
    }
}

/// Where the API server keeps an object.
pub(super) fn path(object: &Value) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let version = text("/apiVersion");
    let root = if version.contains('/') { format!("/apis/{version}") } else { format!("/api/{version}") };
    let place = match text("/metadata/namespace") {
        "" => root,
        namespace => format!("{root}/namespaces/{namespace}"),
    };
    format!("{place}/{}/{}", plural(text("/kind")), text("/metadata/name"))
}

fn plural(kind: &str) -> String {
    let lower = kind.to_ascii_lowercase();
    if lower.ends_with("class") {
        format!("{lower}es")
    } else if lower.ends_with("cy") || lower.ends_with("ry") {
        format!("{}ies", lower.trim_end_matches('y'))
    } else {
        format!("{lower}s")
    }
}
