//! What there is: wanted instances, nodes, who runs on them, add-ons, claim, probe.

use crate::{Context, checks::Check};
use addons::{Ground, Seen};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming::STORAGE_CLAIM,
    states::Stage,
};
use engine::reconciler::Scene;
use inside::{DRIVER, Inside, NAMESPACE, Probed};
use kubernetes::{Kubernetes, Node, Pod, ReplicaSet, Workload, WorkloadKind};
use manifests::Part;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The world as far as this stage is concerned.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// The checks, drawn up from all below.
    pub checks: Vec<Check>,
    /// Instances that HyperPod is to have, by group; empty without a HyperPod cluster.
    pub wanted: BTreeMap<String, u32>,
    /// HyperPod nodes in Kubernetes.
    #[serde(skip)]
    pub nodes: Vec<Node>,
    /// Where pods could run.
    pub ground: Ground,
    /// Nodes on which a pod of each part runs and is ready.
    #[serde(skip)]
    pub running: BTreeMap<Part, BTreeSet<String>>,
    /// Whether the health-monitoring agent can be had in the Region.
    pub agent_available: bool,
    /// The add-ons.
    #[serde(skip)]
    pub addons: Vec<Seen>,
    /// Whether the claim is Bound; none if there is no claim.
    pub claim_bound: Option<bool>,
    /// The probe of this attempt.
    pub probe: Probed,
}

pub(crate) async fn observe(context: &Context, inside: &Inside, scene: Scene<'_>) -> Result<Observed, Trouble> {
    let kubernetes = &inside.kubernetes;
    let (nodes, pods, daemon_sets, deployments) = tokio::try_join!(
        kubernetes.nodes(""),
        kubernetes.pods(None, ""),
        kubernetes.daemon_sets(None, ""),
        kubernetes.deployments(None, ""),
    )?;
    let ground = inside::ground(&nodes);
    let workloads: Vec<Workload> = daemon_sets.into_iter().chain(deployments).collect();
    let replica_sets = replica_sets(kubernetes, &workloads).await?;
    let claim = kubernetes.claim(NAMESPACE, STORAGE_CLAIM).await?;
    let mut observed = Observed {
        checks: Vec::new(),
        wanted: wanted(context, inside, scene).await?,
        nodes: nodes.into_iter().filter(Node::is_hyperpod).collect(),
        ground,
        running: running(&pods, &workloads, &replica_sets),
        agent_available: manifests::agent_image(scene.cluster.target.region.as_str()).is_some(),
        addons: addons(inside, &workloads).await?,
        claim_bound: claim.map(|claim| claim.phase == "Bound"),
        probe: inside::look(kubernetes, scene, Stage::Verification).await?,
    };
    observed.checks = crate::checks::all(scene, &observed);
    Ok(observed)
}

/// How many instances each group is to have, as SageMaker knows it. Groups that are decided and whose cluster is not there
/// are no cluster without groups: nothing of it could be verified.
async fn wanted(context: &Context, inside: &Inside, scene: Scene<'_>) -> Result<BTreeMap<String, u32>, Trouble> {
    let found = inside::hyperpod(context, inside, scene).await?;
    if found.is_none() && scene.cluster.decisions.hyperpod.is_some() {
        let eks = &inside.cluster.name;
        let text = format!("there is no HyperPod cluster on EKS cluster {eks}, though its instance groups are decided");
        let failure = Failure::new(ErrorCode::DependencyMissing, text);
        return Err(failure.with_action("Run the hyperpod stage: it makes the cluster again.").into());
    }
    let groups = found.map(|cluster| cluster.groups).unwrap_or_default();
    Ok(groups.into_iter().map(|group| (group.name, group.target)).collect())
}

/// What stands between Deployments and their pods: read only where a Deployment does the work of a part, since every
/// rollout of every Deployment leaves one behind.
async fn replica_sets(kubernetes: &Kubernetes, workloads: &[Workload]) -> Result<Vec<ReplicaSet>, Trouble> {
    let does_work = |one: &Workload| Part::ALL.into_iter().any(|part| part.is_done_by(one));
    if !workloads.iter().any(|one| one.kind == WorkloadKind::Deployment && does_work(one)) {
        return Ok(Vec::new());
    }
    kubernetes.replica_sets(None, "").await
}

/// Where each part runs, whoever installed it: on the nodes of the ready pods of the workloads that do its work.
fn running(pods: &[Pod], workloads: &[Workload], replica_sets: &[ReplicaSet]) -> BTreeMap<Part, BTreeSet<String>> {
    let nodes = |part: Part| {
        let sets: Vec<&Workload> = workloads.iter().filter(|workload| part.is_done_by(workload)).collect();
        let ready = pods.iter().filter(|pod| pod.ready && sets.iter().any(|set| set.controls(pod, replica_sets)));
        ready.filter_map(|pod| pod.node.clone()).collect()
    };
    Part::ALL.into_iter().map(|part| (part, nodes(part))).collect()
}

/// The base add-ons, and the storage driver's.
async fn addons(inside: &Inside, workloads: &[Workload]) -> Result<Vec<Seen>, Trouble> {
    let mut seen = Vec::new();
    for wanted in addons::BASE.into_iter().chain([DRIVER]) {
        seen.push(inside::addon(inside, wanted, workloads).await?);
    }
    Ok(seen)
}

#[cfg(test)]
#[path = "observe_tests.rs"]
mod tests;
