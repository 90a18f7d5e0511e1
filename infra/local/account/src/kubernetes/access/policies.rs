//! EKS access policies as RBAC rules ("Review access policy permissions" in the Amazon EKS user guide).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An access policy that EKS offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are EKS's own, without the prefix Amazon")]
pub enum AccessPolicy {
    EksClusterAdmin,
    EksAdmin,
    EksAdminView,
    EksEdit,
    EksView,
    EksSecretReader,
    SagemakerHyperpodCluster,
    SagemakerHyperpodController,
    SagemakerHyperpodSystemNamespace,
    SagemakerHyperpodSpace,
    SagemakerHyperpodSpaceTemplate,
    SagemakerHyperpodUserCluster,
    SagemakerHyperpodInferenceMonitoring,
}

use AccessPolicy as P;

const NAMES: &[(AccessPolicy, &str)] = &[
    (P::EksClusterAdmin, "AmazonEKSClusterAdminPolicy"),
    (P::EksAdmin, "AmazonEKSAdminPolicy"),
    (P::EksAdminView, "AmazonEKSAdminViewPolicy"),
    (P::EksEdit, "AmazonEKSEditPolicy"),
    (P::EksView, "AmazonEKSViewPolicy"),
    (P::EksSecretReader, "AmazonEKSSecretReaderPolicy"),
    (P::SagemakerHyperpodCluster, "AmazonSagemakerHyperpodClusterPolicy"),
    (P::SagemakerHyperpodController, "AmazonSagemakerHyperpodControllerPolicy"),
    (P::SagemakerHyperpodSystemNamespace, "AmazonSagemakerHyperpodSystemNamespacePolicy"),
    (P::SagemakerHyperpodSpace, "AmazonSagemakerHyperpodSpacePolicy"),
    (P::SagemakerHyperpodSpaceTemplate, "AmazonSagemakerHyperpodSpaceTemplatePolicy"),
    (P::SagemakerHyperpodUserCluster, "AmazonSagemakerHyperpodUserClusterPolicy"),
    (P::SagemakerHyperpodInferenceMonitoring, "AmazonSagemakerHyperpodInferenceMonitoringPolicy"),
];

impl AccessPolicy {
    /// Every policy, in the order in which EKS lists them.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(policy, _)| *policy)
    }

    /// The policy of an ARN or a bare name, whatever the partition.
    pub fn from_arn(arn: &str) -> Option<Self> {
        let name = arn.rsplit('/').next()?;
        NAMES.iter().find(|(_, known)| *known == name).map(|(policy, _)| *policy)
    }

    /// The policy's name: `AmazonEKSViewPolicy`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(policy, _)| *policy == self).map_or("", |(_, name)| name)
    }

    /// The policy's ARN in the standard partition.
    pub fn arn(self) -> String {
        format!("arn:aws:eks::aws:cluster-access-policy/{}", self.name())
    }

    /// The user-facing ClusterRole that says the same, where Kubernetes has one.
    pub(super) fn role(self) -> Option<&'static str> {
        match self {
            P::EksClusterAdmin => Some("cluster-admin"),
            P::EksAdmin => Some("admin"),
            P::EksEdit => Some("edit"),
            P::EksView => Some("view"),
            _ => None,
        }
    }

    /// The rules of the other policies.
    pub(super) fn rules(self) -> Vec<Value> {
        const READ: &[&str] = &["get", "list", "watch"];
        let rule = |groups: &[&str], resources: &[&str], verbs: &[&str]| json!({"apiGroups": groups, "resources": resources, "verbs": verbs});
        match self {
            P::EksClusterAdmin | P::EksAdmin | P::EksEdit | P::EksView => Vec::new(),
            P::EksAdminView => vec![rule(&["*"], &["*"], READ)],
            P::EksSecretReader => vec![rule(&[""], &["secrets"], READ)],
            P::SagemakerHyperpodCluster => vec![
                rule(&[""], &["nodes"], &["get", "list", "watch", "patch", "update", "delete"]),
                rule(&[""], &["nodes/status"], &["patch", "update"]),
                rule(&[""], &["pods"], &["get", "list", "watch", "delete"]),
                rule(&[""], &["pods/eviction"], &["create"]),
                rule(&["", "events.k8s.io"], &["events"], &["create", "patch", "update"]),
                rule(&["apps"], &["daemonsets", "deployments", "replicasets", "statefulsets"], READ),
            ],
            P::SagemakerHyperpodController => vec![
                rule(&[""], &["nodes", "pods", "events", "namespaces"], READ),
                rule(&["sagemaker.amazonaws.com"], &["*"], &["*"]),
            ],
            P::SagemakerHyperpodSystemNamespace => vec![
                rule(&[""], &["configmaps", "secrets", "pods", "services"], READ),
                rule(&["apps"], &["deployments", "daemonsets"], READ),
            ],
            P::SagemakerHyperpodSpace => vec![rule(&["workspace.jupyter.org"], &["workspaces"], &["*"])],
            P::SagemakerHyperpodSpaceTemplate => {
                vec![rule(&["workspace.jupyter.org"], &["workspacetemplates"], &["*"])]
            }
            P::SagemakerHyperpodUserCluster => {
                vec![rule(&[""], &["nodes", "namespaces"], &["get", "list"]), rule(&[""], &["pods"], &["list"])]
            }
            P::SagemakerHyperpodInferenceMonitoring => vec![
                rule(&["inference.sagemaker.aws.amazon.com"], &["*"], READ),
                rule(&[""], &["pods", "services"], READ),
            ],
        }
    }
}
