//! What there is: wanted instances, nodes, who runs on them, add-ons, claim, probe.

use crate::{Clients, checks::Check};
use addons::{Ground, Runs, Seen, Wanted};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming::{Names, STORAGE_CLAIM},
};
use engine::reconciler::Scene;
use inside::{NAMESPACE, Probed};
use kubernetes::{Node, Pod, Workload};
use manifests::Part;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Add-ons whose workloads tell what they run as: a Deployment waits for nodes.
const RUNS_SOMEWHERE: [&str; 2] = ["coredns", "aws-mountpoint-s3-csi-driver"];

/// The add-ons that a cluster needs.
const ADDONS: [(&str, (&str, &str), &str); 5] = [
    ("vpc-cni", ("kube-system", "aws-node"), "pod networking"),
    ("kube-proxy", ("kube-system", "kube-proxy"), "service networking"),
    ("eks-pod-identity-agent", ("kube-system", "eks-pod-identity-agent"), "AWS permissions of pods"),
    ("coredns", ("kube-system", "coredns"), "names in the cluster"),
    ("aws-mountpoint-s3-csi-driver", ("kube-system", "s3-csi-node"), "S3 buckets in pods"),
];

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

pub(crate) async fn observe(clients: &Clients, scene: Scene<'_>) -> Result<Observed, Trouble> {
    let (kubernetes, eks) = (&clients.inside.kubernetes, &clients.inside.cluster);
    let (nodes, pods, daemon_sets, deployments) = tokio::try_join!(
        kubernetes.nodes(""),
        kubernetes.pods(None, ""),
        kubernetes.daemon_sets(None, ""),
        kubernetes.deployments(None, ""),
    )?;
    let ground = Ground { nodes: nodes.len(), open: nodes.iter().filter(|node| node.is_open()).count() };
    let workloads: Vec<Workload> = daemon_sets.into_iter().chain(deployments).collect();
    let claim = kubernetes.claim(NAMESPACE, STORAGE_CLAIM).await?;
    let mut observed = Observed {
        checks: Vec::new(),
        wanted: wanted(clients, scene).await?,
        nodes: nodes.into_iter().filter(Node::is_hyperpod).collect(),
        ground,
        running: running(&pods, &workloads),
        agent_available: manifests::agent_image(scene.cluster.target.region.as_str()).is_some(),
        addons: addons(clients, &eks.name, &eks.version, &workloads).await?,
        claim_bound: claim.map(|claim| claim.phase == "Bound"),
        probe: inside::look(kubernetes, scene, "verification").await?,
    };
    observed.checks = crate::checks::all(scene, &observed);
    Ok(observed)
}

/// How many instances each group is to have, as SageMaker knows it. Groups that are decided and whose cluster is not there
/// are no cluster without groups: nothing of it could be verified.
async fn wanted(clients: &Clients, scene: Scene<'_>) -> Result<BTreeMap<String, u32>, Trouble> {
    let name = Names::of(&scene.cluster.tag, scene.cluster.id).hyperpod_cluster();
    let name = name.map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
    let (found, _) = clients.hyperpod.find(name.as_str(), &clients.inside.cluster.arn).await?;
    if found.is_none() && scene.cluster.decisions.hyperpod.is_some() {
        let text = format!("there is no HyperPod cluster {name}, though its instance groups are decided");
        let failure = Failure::new(ErrorCode::DependencyMissing, text);
        return Err(failure.with_action("Run the hyperpod stage: it makes the cluster again.").into());
    }
    let groups = found.map(|cluster| cluster.groups).unwrap_or_default();
    Ok(groups.into_iter().map(|group| (group.name, group.target)).collect())
}

/// Where each part runs, whoever installed it: pods are known by the names of the workloads whose images are the part's.
fn running(pods: &[Pod], workloads: &[Workload]) -> BTreeMap<Part, BTreeSet<String>> {
    let does_its_work = |part: Part, workload: &Workload| {
        workload.images.iter().any(|image| part.image_marks().iter().any(|mark| image.contains(mark)))
    };
    let is_of = |pod: &Pod, workload: &Workload| {
        pod.namespace == workload.namespace && pod.name.starts_with(&format!("{}-", workload.name))
    };
    let nodes = |part: Part| {
        let sets: Vec<&Workload> = workloads.iter().filter(|workload| does_its_work(part, workload)).collect();
        let ready = pods.iter().filter(|pod| pod.ready && sets.iter().any(|set| is_of(pod, set)));
        ready.filter_map(|pod| pod.node.clone()).collect()
    };
    Part::ALL.into_iter().map(|part| (part, nodes(part))).collect()
}

async fn addons(
    clients: &Clients,
    cluster: &str,
    kubernetes: &str,
    workloads: &[Workload],
) -> Result<Vec<Seen>, Trouble> {
    let mut seen = Vec::new();
    for (name, workload, required_for) in ADDONS {
        let runs = if RUNS_SOMEWHERE.contains(&name) { Runs::Somewhere } else { Runs::OnEveryNode };
        let wanted = Wanted { name, runs, workload, required_for, configuration: None };
        let has_workload = workloads.iter().any(|it| (it.namespace.as_str(), it.name.as_str()) == workload);
        seen.push(addons::look(&clients.inside.eks, cluster, kubernetes, wanted, has_workload).await?);
    }
    Ok(seen)
}
