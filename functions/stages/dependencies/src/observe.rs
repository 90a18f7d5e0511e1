//! What there is: nodes, the objects of the set, who else has installed what, add-ons.

use crate::{
    administrators::{self, Administrator},
    service,
};
use addons::{Ground, Seen};
use domain::failure::Trouble;
use engine::reconciler::Scene;
use futures::future::try_join_all;
use inside::Inside;
use kubernetes::{Kubernetes, Object, Ownership, Readiness, Workload};
use manifests::{Component, Owner, Part};
use serde::Serialize;

/// Things that other people's clusters run and that we respect: what to call them, and what gives them away.
const NEIGHBOURS: [(&str, &str); 5] = [
    ("NVIDIA GPU operator", "gpu-operator"),
    ("Kueue", "kueue"),
    ("cert-manager", "cert-manager"),
    ("Cilium", "cilium"),
    ("Calico", "calico"),
];

/// One object of the set as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectSeen {
    /// `DaemonSet kube-system/nvidia-device-plugin`.
    pub title: String,
    /// Whose it is.
    pub owner: Ownership,
    /// Whether every field that we write is so.
    pub as_wanted: bool,
}

/// One part of the set as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartSeen {
    /// Which.
    pub part: Part,
    /// Its objects, in order; empty if it cannot be had in this Region.
    pub objects: Vec<ObjectSeen>,
    /// DaemonSets of somebody else that do its work, `namespace/name`.
    pub foreign: Vec<String>,
    /// What HyperPod's service may not do though the part is for it: where somebody else's roles stand for ours.
    pub lacking: Vec<String>,
    /// How far our own DaemonSets have come, all together; none if there are none.
    pub readiness: Option<Readiness>,
}

/// The world as far as this stage is concerned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// Where pods could run.
    pub ground: Ground,
    /// The set.
    pub parts: Vec<PartSeen>,
    /// The base add-ons.
    pub addons: Vec<Seen>,
    /// What others have installed and we respect.
    pub neighbours: Vec<String>,
    /// Whether the administrators of the request get in.
    pub administrators: Vec<Administrator>,
}

/// The set for the scene's cluster.
pub(crate) fn components(scene: Scene<'_>) -> Vec<Component> {
    let owner = Owner { cluster_id: scene.cluster.id.to_string() };
    manifests::dependencies(&owner, scene.cluster.target.region.as_str())
}

pub(crate) async fn observe(clients: &Inside, scene: Scene<'_>) -> Result<Observed, Trouble> {
    let kubernetes = &clients.kubernetes;
    let (nodes, daemon_sets, deployments) =
        tokio::try_join!(kubernetes.nodes(""), kubernetes.daemon_sets(None, ""), kubernetes.deployments(None, ""),)?;
    let mut parts = Vec::new();
    for component in components(scene) {
        parts.push(part(kubernetes, component, &daemon_sets).await?);
    }
    let workloads: Vec<Workload> = daemon_sets.into_iter().chain(deployments).collect();
    let mut addons = Vec::new();
    for wanted in addons::BASE {
        addons.push(inside::addon(clients, wanted, &workloads).await?);
    }
    let administrators = administrators::look(clients, scene).await?;
    Ok(Observed { ground: inside::ground(&nodes), parts, addons, neighbours: neighbours(&workloads), administrators })
}

async fn part(kubernetes: &Kubernetes, component: Component, daemon_sets: &[Workload]) -> Result<PartSeen, Trouble> {
    let objects = try_join_all(component.objects.iter().map(|object| look(kubernetes, object))).await?;
    let ours = |workload: &Workload| {
        let place = format!("DaemonSet {}/{}", workload.namespace, workload.name);
        objects.iter().any(|object| object.title == place && object.owner == Ownership::Ours)
    };
    let foreign = daemon_sets.iter().filter(|set| !ours(set) && component.part.is_done_by(set));
    let foreign = foreign.map(|set| format!("{}/{}", set.namespace, set.name)).collect();
    let readiness = daemon_sets.iter().filter(|set| ours(set)).map(|set| set.readiness).reduce(together);
    let lacking = service::lacking(kubernetes, &component, &objects).await?;
    Ok(PartSeen { part: component.part, objects, foreign, lacking, readiness })
}

fn together(one: Readiness, other: Readiness) -> Readiness {
    Readiness {
        wanted: one.wanted + other.wanted,
        updated: one.updated + other.updated,
        ready: one.ready + other.ready,
        current: one.current && other.current,
    }
}

async fn look(kubernetes: &Kubernetes, object: &Object) -> Result<ObjectSeen, Trouble> {
    let seen = kubernetes.seen(object).await?;
    Ok(ObjectSeen {
        title: object.title(),
        owner: Ownership::of(seen.as_ref()),
        as_wanted: seen.is_some_and(|seen| object.is_within(&seen)),
    })
}

/// What others run, by the names of its workloads.
fn neighbours(workloads: &[Workload]) -> Vec<String> {
    let found = NEIGHBOURS.iter().filter_map(|(called, mark)| {
        let workload = workloads.iter().find(|workload| workload.name.contains(mark))?;
        Some(format!("{called} ({}/{})", workload.namespace, workload.name))
    });
    found.collect()
}
