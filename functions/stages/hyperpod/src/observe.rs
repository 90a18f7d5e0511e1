//! What there is: the ground that the HyperPod cluster stands on, the cluster, and how its nodes come along.

pub(crate) mod cluster;
pub(crate) mod foundation;
pub(crate) mod kubernetes;

pub(crate) use cluster::{Cluster, Trouble as GroupTrouble};
pub(crate) use foundation::Foundation;
pub(crate) use kubernetes::KubernetesNode;

use crate::{Clients, Context, desired};
use cloud::{eks::EksCluster, sagemaker::TrainingPlan};
use domain::failure::Trouble;
use engine::reconciler::Scene;
use serde::Serialize;
use std::collections::BTreeMap;

/// The world as far as this stage is concerned.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// The EKS cluster.
    pub(crate) eks: Option<EksCluster>,
    /// The HyperPod cluster on it, with its nodes.
    pub(crate) cluster: Option<Cluster>,
    /// ARN of a HyperPod cluster that has our name and is on another EKS cluster, or on none.
    pub(crate) name_taken_by: Option<String>,
    /// Training plans that the decisions or the groups name, by ARN.
    pub(crate) plans: BTreeMap<String, TrainingPlan>,
    /// What groups are made on; absent when nothing was decided.
    pub(crate) foundation: Option<Foundation>,
}

/// Looks at the world.
pub(crate) async fn observe(context: &Context, clients: &Clients, scene: Scene<'_>) -> Result<Observed, Trouble> {
    let Some(eks) = clients.eks.cluster(scene.cluster.eks_name()).await? else { return Ok(Observed::default()) };
    let (cluster, name_taken_by) = cluster::observe(context, clients, scene, &eks).await?;
    let decided = scene.cluster.decisions.hyperpod.as_ref().map(desired::groups).unwrap_or_default();
    let mut plans = BTreeMap::new();
    let of_decisions = decided.iter().filter_map(|group| match &group.capacity {
        cloud::sagemaker::Capacity::Plan(arn) => Some(arn.to_string()),
        _ => None,
    });
    let attached = cluster.iter().flat_map(|cluster| &cluster.attached.groups);
    for arn in of_decisions.chain(attached.filter_map(|group| group.training_plan.clone())) {
        if !plans.contains_key(&arn)
            && let Some(plan) = clients.hyperpod.training_plan(&arn).await?
        {
            plans.insert(arn, plan);
        }
    }
    let foundation = match decided.is_empty() {
        true => None,
        false => Some(foundation::observe(context, clients, scene, &eks, cluster.as_ref(), &decided).await?),
    };
    Ok(Observed { eks: Some(eks), cluster, name_taken_by, plans, foundation })
}
