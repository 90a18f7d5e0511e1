//! What several stages look at, each in the one way: where pods could run, add-ons, the HyperPod cluster.

use crate::Inside;
use addons::{Ground, Runs, Seen, Wanted};
use domain::failure::Trouble;
use kubernetes::{Node, Workload};
#[cfg(feature = "hyperpod")]
use {
    crate::Context,
    cloud::{
        Who,
        sagemaker::{Attached, HyperPod},
    },
    domain::{codes::ErrorCode, failure::Failure, naming::Names},
    engine::reconciler::Scene,
};

/// The storage driver's add-on: made by storage, judged again by verification. Its node part tolerates every taint: a node
/// that is reserved for GPUs mounts the bucket too.
pub const DRIVER: Wanted = Wanted {
    name: "aws-mountpoint-s3-csi-driver",
    runs: Runs::Somewhere,
    workload: ("kube-system", "s3-csi-node"),
    required_for: "S3 buckets in pods",
    configuration: Some(r#"{"node":{"tolerateAllTaints":true}}"#),
};

/// Where pods could run.
pub fn ground(nodes: &[Node]) -> Ground {
    Ground { nodes: nodes.len(), open: nodes.iter().filter(|node| node.is_open()).count() }
}

/// Looks at one add-on. `workloads` are those of the cluster, as far as the add-on's own could be among them.
///
/// # Errors
/// The read was refused or lost.
pub async fn addon(inside: &Inside, wanted: Wanted, workloads: &[Workload]) -> Result<Seen, Trouble> {
    let is_its = |workload: &Workload| (workload.namespace.as_str(), workload.name.as_str()) == wanted.workload;
    addons::look(&inside.eks, &inside.cluster, wanted, workloads.iter().any(is_its)).await
}

/// The scene's HyperPod cluster as SageMaker has it; none if there is none on this EKS cluster.
///
/// # Errors
/// The read was refused or lost.
#[cfg(feature = "hyperpod")]
pub async fn hyperpod(context: &Context, inside: &Inside, scene: Scene<'_>) -> Result<Option<Attached>, Trouble> {
    let name = Names::of(&scene.cluster.tag, scene.cluster.id).hyperpod_cluster();
    let name = name.map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
    let hyperpod = HyperPod::new(&context.cloud, &scene.cluster.target, &Who::operation(scene.operation)).await;
    let (found, _) = hyperpod.find(name.as_str(), &inside.cluster.arn).await?;
    Ok(found)
}
