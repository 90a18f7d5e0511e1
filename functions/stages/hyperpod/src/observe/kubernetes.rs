//! Kubernetes' side of the nodes: whether they take pods.

use crate::Context;
use cloud::{Who, eks::EksCluster};
use domain::{failure::Trouble, naming::KubernetesRole};
use engine::reconciler::Scene;
use kubernetes::{Endpoint, Identity, Kubernetes, Node};

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
    /// Whether somebody cordoned it.
    pub(crate) cordoned: bool,
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
            _ if self.cordoned => Some("cordoned".to_owned()),
            Some("Schedulable") => None,
            Some(other) => Some(other.to_owned()),
            None if judged => Some("no health verdict yet".to_owned()),
            None => None,
        }
    }

    fn of(node: Node) -> Self {
        let hyperpods = node.taints.iter().filter(|taint| taint.key.starts_with(HYPERPOD));
        Self {
            ready: node.ready,
            cordoned: node.unschedulable,
            health: node.labels.get(HEALTH).cloned(),
            taints: hyperpods.map(|taint| format!("{}={}:{}", taint.key, taint.value, taint.effect)).collect(),
            name: node.name,
        }
    }
}

/// The nodes that HyperPod made, as the cluster's API server shows them.
pub(crate) async fn nodes_in_kubernetes(
    context: &Context,
    scene: Scene<'_>,
    eks: &EksCluster,
) -> Result<Vec<KubernetesNode>, Trouble> {
    let endpoint = Endpoint::of_eks(&eks.endpoint, &eks.certificate_authority)?;
    let (target, who) = (&scene.cluster.target, Who::operation(scene.operation));
    let identity = Identity {
        cluster: eks.name.clone(),
        region: target.region.to_string(),
        credentials: context.cloud.kubernetes_identity(target, &who, KubernetesRole::Reader).await?,
        time: context.cloud.time.clone(),
        access_since: None,
    };
    let client = Kubernetes::new(&context.reach, &endpoint, identity);
    let nodes = client.nodes("sagemaker.amazonaws.com/compute-type=hyperpod").await?;
    Ok(nodes.into_iter().map(KubernetesNode::of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(health: Option<&str>) -> KubernetesNode {
        KubernetesNode { ready: true, health: health.map(str::to_owned), ..KubernetesNode::default() }
    }

    #[test]
    fn a_missing_verdict_is_unknown_where_the_agent_runs_and_no_complaint_where_it_does_not() {
        assert_eq!(node(None).complaint(true).as_deref(), Some("no health verdict yet"));
        assert_eq!(node(None).complaint(false), None);
        assert_eq!(node(Some("Schedulable")).complaint(true), None);
        assert_eq!(node(Some("Unschedulable")).complaint(false).as_deref(), Some("Unschedulable"));
    }

    #[test]
    fn taints_of_hyperpod_keep_a_node_from_counting() {
        let tainted = KubernetesNode { taints: vec!["a=b:NoSchedule".to_owned()], ..node(Some("Schedulable")) };
        assert_eq!(tainted.complaint(true).as_deref(), Some("tainted a=b:NoSchedule"));
        assert_eq!(
            KubernetesNode { cordoned: true, ..node(Some("Schedulable")) }.complaint(true).as_deref(),
            Some("cordoned")
        );
        assert_eq!(
            KubernetesNode { ready: false, ..node(Some("Schedulable")) }.complaint(true).as_deref(),
            Some("not Ready")
        );
    }
}
