//! The HyperPod cluster and what runs on it.

use cloud::sagemaker::{Attached, HyperPod, Node};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming::Names,
    status::{HyperPodClusterStatus, NodeStatus},
};
use engine::reconciler::Scene;
use serde::Serialize;

/// What runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// The HyperPod cluster; none if there is none on the EKS cluster.
    pub(crate) cluster: Option<Attached>,
    /// Nodes that have an instance.
    #[serde(skip)]
    pub(crate) running: Vec<Node>,
    /// Whether deep health checks run: AWS takes no change of groups meanwhile.
    pub(crate) deep_checking: bool,
}

pub(crate) async fn observe(hyperpod: &HyperPod, scene: Scene<'_>) -> Result<Observed, Trouble> {
    let cluster = scene.cluster;
    let name = Names::of(&cluster.tag, cluster.id).hyperpod_cluster();
    let name = name.map_err(|error| Trouble::Fatal(Failure::new(ErrorCode::Internal, error.to_string())))?;
    let (found, _) = hyperpod.find(name.as_str(), &cluster.target.eks_arn(cluster.eks_name())).await?;
    let Some(found) = found else { return Ok(Observed::default()) };
    let nodes = match found.status {
        // Its name may be gone between two calls.
        HyperPodClusterStatus::Deleting => Vec::new(),
        _ => hyperpod.nodes(&found.name).await?,
    };
    let deep_checking = nodes.iter().any(|node| node.status == NodeStatus::DeepHealthCheckInProgress);
    let running = nodes.into_iter().filter(|node| node.instance_id.is_some() && node.status != NodeStatus::NotFound);
    Ok(Observed { cluster: Some(found), running: running.collect(), deep_checking })
}
