//! What HyperPod adds to Kubernetes: its nodes, as an ordinary client of the cluster's API server.
//!
//! [`reconcile`] is level-triggered: it looks at the nodes that SageMaker has and at those that Kubernetes has, and makes
//! the second follow the first. Node objects are composed in [`node`], what device plugins add in [`devices`], how a
//! node's health shows in [`condition`], and what a kubelet meets when it mounts a volume in [`mounts`].

mod condition;
mod devices;
pub mod mounts;
mod node;

#[cfg(test)]
mod tests;

use crate::{
    life,
    sagemaker::{Cluster, Node, request_by_label, world_access},
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// What HyperPod remembers about what it wrote.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The part of each Kubernetes node that is ours, as last written, by EKS cluster ARN and node name.
    written: BTreeMap<String, BTreeMap<String, Value>>,
    /// What was looked at last, by the ARN of the HyperPod cluster: revision of Kubernetes, fingerprint of SageMaker.
    seen: BTreeMap<String, (u64, u64)>,
    /// When the controllers want to be woken next.
    wake: Option<Timestamp>,
}

/// How many turns in a row there may be; more would be a node and a controller undoing each other.
const TURNS: usize = 20;

/// The controllers of the Kubernetes clusters have something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wake;

/// Makes Kubernetes follow SageMaker, lets the clusters' controllers act, and puts their next deed on the agenda.
///
/// It is called after every event and every request that changes something; with nothing to do it only looks. What the
/// controllers start can change a node (a device plugin runs), and that what they do: both take turns until it is quiet.
pub fn reconcile(world: &mut World, now: Timestamp) {
    let mut next = None;
    for turn in 0..TURNS {
        if !follow_all(world, now) && turn > 0 {
            break;
        }
        next = world_access::run_controllers(world, now);
    }
    let Some(next) = next else { return };
    let pending = world.hyperpod_nodes.wake.filter(|wake| *wake > now);
    if pending.is_none_or(|pending| next < pending) {
        world.hyperpod_nodes.wake = Some(next);
        world.agenda.add(next, life::Event::Kubernetes(Wake));
    }
}

/// Makes the nodes of all clusters that have changed what they should be; false if none had.
fn follow_all(world: &mut World, now: Timestamp) -> bool {
    world.hyperpod_nodes.seen.retain(|arn, _| world.sagemaker.clusters.contains_key(arn));
    let clusters: Vec<Cluster> = world.sagemaker.clusters.values_mut().map(without_events).collect();
    let mut followed = false;
    for cluster in &clusters {
        let print = fingerprint(cluster);
        let revision = |world: &World| world.kubernetes.get(&cluster.eks_arn).map(|cluster| cluster.revision());
        let current = (revision(world).unwrap_or_default(), print);
        if world.hyperpod_nodes.seen.get(&cluster.arn) != Some(&current) {
            follow(world, cluster, now);
            let after = (revision(world).unwrap_or_default(), print);
            world.hyperpod_nodes.seen.insert(cluster.arn.clone(), after);
            followed = true;
        }
    }
    followed
}

/// A number that changes when anything about a cluster does.
fn fingerprint(cluster: &Cluster) -> u64 {
    let text = serde_json::to_vec(cluster).unwrap_or_default();
    Sha256::digest(text).iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A copy of a cluster without its events, which may be many and are of no use here.
fn without_events(cluster: &mut Cluster) -> Cluster {
    let events = std::mem::take(&mut cluster.events);
    let copy = cluster.clone();
    cluster.events = events;
    copy
}

/// Whether the health-monitoring agent runs on a node.
pub fn has_health_agent(world: &mut World, cluster_arn: &str, node: &Node, now: Timestamp) -> bool {
    let Some(eks_arn) = world.sagemaker.clusters.get(cluster_arn).map(|cluster| cluster.eks_arn.clone()) else {
        return false;
    };
    let pods = list(world, &eks_arn, "/api/v1/pods", now);
    let name = node.kubernetes_name().unwrap_or_default();
    devices::running_images(&pods, &name).iter().any(|image| image.contains("health-monitoring-agent"))
}

/// Makes the nodes of one HyperPod cluster what they should be.
fn follow(world: &mut World, cluster: &Cluster, now: Timestamp) {
    let eks_arn = &cluster.eks_arn;
    let known = world.hyperpod_nodes.written.get(eks_arn).is_some_and(|nodes| !nodes.is_empty());
    let up = cluster.nodes.values().any(Node::is_in_kubernetes);
    if !known && !up {
        return;
    }
    let Some(eks) = world_access::eks_cluster(world, eks_arn).filter(|eks| eks.serving) else { return };
    let pods = list(world, eks_arn, "/api/v1/pods", now);
    let present: BTreeMap<String, Value> =
        list(world, eks_arn, "/api/v1/nodes", now).into_iter().map(|node| (name_of(&node).to_owned(), node)).collect();
    let network = world_access::has_network_plugin(world, eks_arn, now);
    let mut wanted = BTreeSet::new();
    for it in cluster.nodes.values().filter(|node| node.is_in_kubernetes()) {
        let Some(name) = it.kubernetes_name() else { continue };
        let images = devices::running_images(&pods, &name);
        let surroundings = node::Surroundings { cluster, kubernetes: &eks.version, images: &images, network };
        if let Some(object) = node::compose(world, it, &surroundings) {
            write(world, eks_arn, &name, object, present.get(&name), now);
        }
        if let Some(current) = present.get(&name) {
            asked_by_label(world, cluster, it, current, now);
        }
        wanted.insert(name);
    }
    remove_others(world, cluster, &present, &wanted, now);
}

/// Kubernetes nodes of this cluster whose instances are gone, or are on their way out, are deleted.
fn remove_others(
    world: &mut World,
    cluster: &Cluster,
    present: &BTreeMap<String, Value>,
    wanted: &BTreeSet<String>,
    now: Timestamp,
) {
    for (name, node) in present {
        let ours = node["metadata"]["labels"]["sagemaker.amazonaws.com/cluster-name"].as_str() == Some(&cluster.name);
        if ours && !wanted.contains(name) {
            world_access::kubernetes(world, &cluster.eks_arn, "DELETE", &format!("/api/v1/nodes/{name}"), None, now);
        }
    }
    if let Some(written) = world.hyperpod_nodes.written.get_mut(&cluster.eks_arn) {
        written.retain(|name, _| wanted.contains(name));
    }
}

/// Writes a node unless it is already as we want it; what others put on it stays.
fn write(world: &mut World, eks_arn: &str, name: &str, object: Value, present: Option<&Value>, now: Timestamp) {
    let before = world.hyperpod_nodes.written.get(eks_arn).and_then(|nodes| nodes.get(name)).cloned();
    let path = format!("/api/v1/nodes/{name}");
    match present {
        Some(_) if before.as_ref() == Some(&object) => return,
        Some(current) => {
            let patch = node::patch(before.as_ref().unwrap_or(&Value::Null), &object, current);
            world_access::kubernetes(world, eks_arn, "PATCH", &path, Some(&patch), now);
        }
        None => {
            world_access::kubernetes(world, eks_arn, "POST", "/api/v1/nodes", Some(&object), now);
        }
    }
    let conditions = condition::with_times(&object["status"]["conditions"], present, now);
    let mut status = object["status"].clone();
    status["conditions"] = conditions;
    let body = json!({ "status": status });
    world_access::kubernetes(world, eks_arn, "PATCH", &format!("{path}/status"), Some(&body), now);
    if let Some(event) = condition::fault_event(name, before.as_ref(), &object, now) {
        world_access::kubernetes(world, eks_arn, "POST", "/api/v1/namespaces/default/events", Some(&event), now);
    }
    world.hyperpod_nodes.written.entry(eks_arn.to_owned()).or_default().insert(name.to_owned(), object);
}

/// A health label that somebody else set to a pending reboot or replacement asks HyperPod for it.
fn asked_by_label(world: &mut World, cluster: &Cluster, node: &Node, current: &Value, now: Timestamp) {
    let label = current["metadata"]["labels"][condition::HEALTH].as_str();
    let ours = world.hyperpod_nodes.written.get(&cluster.eks_arn).and_then(|nodes| nodes.get(name_of(current)));
    if ours.is_some_and(|ours| ours["metadata"]["labels"][condition::HEALTH].as_str() != label)
        && let Some(label) = label
    {
        request_by_label(world, &cluster.arn, &node.logical_id, label, now);
    }
}

fn list(world: &mut World, eks_arn: &str, path: &str, now: Timestamp) -> Vec<Value> {
    let answer = world_access::kubernetes(world, eks_arn, "GET", path, None, now);
    match answer {
        Some((200, mut body)) => body["items"].as_array_mut().map(std::mem::take).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn name_of(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}
