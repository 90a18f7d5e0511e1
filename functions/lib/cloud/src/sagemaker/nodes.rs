//! Nodes as SageMaker knows them; Kubernetes' side is read elsewhere.

use super::{HyperPod, reading, time};
use domain::{failure::Trouble, status::NodeStatus};
use jiff::Timestamp;
use serde::Serialize;

/// A node, or the attempt at one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Its group.
    pub group: String,
    /// What it is called for life, before there is an instance too; none on clusters that do not provision continuously.
    pub logical_id: Option<String>,
    /// Its instance; none before there is one.
    pub instance_id: Option<String>,
    /// Its type.
    pub instance_type: String,
    /// Its status.
    pub status: NodeStatus,
    /// What is said about it; may be of an earlier state.
    pub message: String,
    /// When it was launched.
    pub launched_at: Option<Timestamp>,
}

impl Node {
    /// What tells it from every other node of its cluster, from its first day to its last: the logical id, which only
    /// clusters with continuous provisioning give, or the instance, which nodes of all others have from the beginning.
    pub fn id(&self) -> &str {
        self.logical_id.as_deref().or(self.instance_id.as_deref()).unwrap_or_default()
    }

    /// Its name in Kubernetes, once it has an instance.
    pub fn kubernetes_name(&self) -> Option<String> {
        self.instance_id.as_ref().map(|id| format!("hyperpod-{id}"))
    }
}

impl HyperPod {
    /// Nodes of a cluster, those without an instance too; all pages.
    pub async fn nodes(&self, cluster: &str) -> Result<Vec<Node>, Trouble> {
        let mut nodes = Vec::new();
        let mut token = None;
        loop {
            let call = self.read.list_cluster_nodes().cluster_name(cluster).max_results(100);
            let page = call.include_node_logical_ids(true).set_next_token(token.take()).send().await;
            let page = page.map_err(|error| reading("ListClusterNodes", &error))?;
            nodes.extend(page.cluster_node_summaries().iter().map(|seen| {
                let status = seen.instance_status();
                Node {
                    group: seen.instance_group_name().unwrap_or_default().to_owned(),
                    logical_id: seen.node_logical_id().filter(|id| !id.is_empty()).map(str::to_owned),
                    instance_id: seen.instance_id().filter(|id| !id.is_empty()).map(str::to_owned),
                    instance_type: seen.instance_type().map(|kind| kind.as_str().to_owned()).unwrap_or_default(),
                    status: NodeStatus::read(status.and_then(|it| it.status()).map_or("", |word| word.as_str())),
                    message: status.and_then(|it| it.message()).unwrap_or_default().to_owned(),
                    launched_at: time(seen.launch_time()),
                }
            }));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(nodes);
            }
        }
    }
}
