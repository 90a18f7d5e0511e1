//! Nodes as far as placement and acceptance look at them.

use crate::client::Kubernetes;
use domain::failure::Trouble;
use k8s_openapi::api::core::v1;
use kube::{Api, api::ListParams};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A taint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Taint {
    /// `sagemaker.amazonaws.com/node-health-status`.
    pub key: String,
    /// Its value; empty if it has none.
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: String,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// `hyperpod-i-0123…`.
    pub name: String,
    /// All labels.
    pub labels: BTreeMap<String, String>,
    /// All taints.
    pub taints: Vec<Taint>,
    /// Quantities as the server writes them: `{"nvidia.com/gpu": "8"}`.
    pub allocatable: BTreeMap<String, String>,
    /// Condition `Ready` is `True`.
    pub ready: bool,
    /// Cordoned.
    pub unschedulable: bool,
    /// How old the kubelet is: `v1.34.2-eks-…`.
    pub kubelet_version: String,
}

impl Node {
    /// Ready, not cordoned, and without a taint that keeps ordinary pods away: where a Deployment without tolerations can
    /// run.
    pub fn is_open(&self) -> bool {
        self.ready && !self.unschedulable && !self.taints.iter().any(|taint| taint.effect != "PreferNoSchedule")
    }

    /// A whole number of an allocatable resource; none if the node does not have it.
    pub fn count(&self, resource: &str) -> Option<u64> {
        self.allocatable.get(resource)?.parse().ok()
    }

    /// Its instance type, with `ml.` where SageMaker set it.
    pub fn instance_type(&self) -> Option<&str> {
        self.labels.get("node.kubernetes.io/instance-type").map(String::as_str)
    }

    /// Whether SageMaker HyperPod manages it.
    pub fn is_hyperpod(&self) -> bool {
        self.labels.get("sagemaker.amazonaws.com/compute-type").is_some_and(|kind| kind == "hyperpod")
    }
}

impl Kubernetes {
    /// Nodes that a label selector picks; all of them for an empty one.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn nodes(&self, selector: &str) -> Result<Vec<Node>, Trouble> {
        let api: Api<v1::Node> = Api::all(self.client.clone());
        let nodes = self.all("list nodes", &api, &ListParams::default().labels(selector)).await?;
        Ok(nodes.into_iter().map(node).collect())
    }

    /// One node.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn node(&self, name: &str) -> Result<Option<Node>, Trouble> {
        let api: Api<v1::Node> = Api::all(self.client.clone());
        Ok(self.maybe("get node", api.get(name)).await?.map(node))
    }
}

fn node(node: v1::Node) -> Node {
    let spec = node.spec.unwrap_or_default();
    let status = node.status.unwrap_or_default();
    let conditions = status.conditions.unwrap_or_default();
    let quantities = status.allocatable.unwrap_or_default();
    Node {
        name: node.metadata.name.unwrap_or_default(),
        labels: node.metadata.labels.unwrap_or_default(),
        taints: spec.taints.unwrap_or_default().into_iter().map(taint).collect(),
        allocatable: quantities.into_iter().map(|(name, quantity)| (name, quantity.0)).collect(),
        ready: conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True"),
        unschedulable: spec.unschedulable.unwrap_or_default(),
        kubelet_version: status.node_info.map(|info| info.kubelet_version).unwrap_or_default(),
    }
}

fn taint(taint: v1::Taint) -> Taint {
    Taint { key: taint.key, value: taint.value.unwrap_or_default(), effect: taint.effect }
}
