//! The Kubernetes node of a HyperPod instance: the part of it that kubelet and HyperPod write.

use super::{condition, devices};
use crate::{
    sagemaker::{Cluster, Node, Place, hostname, world_access, world_access::Hardware},
    world::World,
};
use serde_json::{Map, Value, json};

/// What a node's object depends on besides the node.
pub(super) struct Surroundings<'a> {
    pub(super) cluster: &'a Cluster,
    /// Kubernetes minor version of the control plane.
    pub(super) kubernetes: &'a str,
    /// Images of the pods that run on the node.
    pub(super) images: &'a [String],
    /// Whether a network plugin is installed.
    pub(super) network: bool,
}

/// The node as we want it; none if it has no place or is of no known type.
pub(super) fn compose(world: &World, node: &Node, around: &Surroundings<'_>) -> Option<Value> {
    let hardware = world_access::hardware(&node.instance_type)?;
    let (place, instance, name) = (node.place.as_ref()?, node.instance_id.as_ref()?, node.kubernetes_name()?);
    let cluster = around.cluster;
    let capacity = capacity(cluster, node, hardware, around.images);
    let mut spec = json!({
        "providerID": format!("aws:///{}/sagemaker/cluster/hyperpod-{}-{instance}", place.zone_id, cluster.id),
    });
    spec["taints"] = json!(condition::taints(cluster, node, around.network));
    Some(json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": labels(world, cluster, node, hardware, place),
            "annotations": condition::annotations(node),
        },
        "spec": spec,
        "status": {
            "capacity": capacity,
            "allocatable": allocatable(&capacity, hardware),
            "conditions": condition::conditions(node, around.network),
            "addresses": [
                { "type": "InternalIP", "address": place.address },
                { "type": "InternalDNS", "address": hostname(&cluster.region, &place.address) },
                { "type": "Hostname", "address": hostname(&cluster.region, &place.address) },
            ],
            "nodeInfo": info(node, hardware, around.kubernetes),
        },
    }))
}

fn labels(world: &World, cluster: &Cluster, node: &Node, hardware: &Hardware, place: &Place) -> Map<String, Value> {
    let mut labels = Map::new();
    let asked = cluster.groups.get(&node.group).and_then(|group| group.spec["KubernetesConfig"]["Labels"].as_object());
    labels.extend(asked.into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())));
    let fixed = [
        ("kubernetes.io/hostname", node.kubernetes_name().unwrap_or_default()),
        ("kubernetes.io/os", "linux".to_owned()),
        ("kubernetes.io/arch", architecture(hardware).to_owned()),
        ("node.kubernetes.io/instance-type", node.instance_type.clone()),
        ("topology.kubernetes.io/region", cluster.region.clone()),
        ("topology.kubernetes.io/zone", place.zone.clone()),
        ("topology.k8s.aws/zone-id", place.zone_id.clone()),
        ("sagemaker.amazonaws.com/compute-type", "hyperpod".to_owned()),
        ("sagemaker.amazonaws.com/cluster-name", cluster.name.clone()),
        ("sagemaker.amazonaws.com/instance-group-name", node.group.clone()),
    ];
    labels.extend(fixed.into_iter().map(|(key, value)| (key.to_owned(), json!(value))));
    if hardware.efa_interfaces >= 4 {
        for layer in 1..=3 {
            // The first layers are shared by all nodes of a zone, the third by about four.
            let neighbours = if layer == 3 { world.hash(&node.logical_id) % 4 } else { 0 };
            let id = world.hash(&format!("network-layer:{}:{layer}:{neighbours}", place.zone_id));
            labels.insert(format!("topology.k8s.aws/network-node-layer-{layer}"), json!(format!("nn-0{id:016x}")));
        }
    }
    condition::labels(node, &mut labels);
    labels
}

fn architecture(hardware: &Hardware) -> &'static str {
    match hardware.arch {
        world_access::Arch::X86 => "amd64",
        world_access::Arch::Arm64 => "arm64",
    }
}

fn capacity(cluster: &Cluster, node: &Node, hardware: &Hardware, images: &[String]) -> Map<String, Value> {
    let threads = cluster.groups.get(&node.group).and_then(|group| group.spec["ThreadsPerCore"].as_u64());
    let cpus = hardware.vcpus_at(if threads == Some(1) { 1 } else { 2 });
    let mut capacity = Map::new();
    capacity.insert("cpu".to_owned(), json!(cpus.to_string()));
    // About two percent of the memory is the kernel's and the firmware's.
    capacity.insert("memory".to_owned(), json!(format!("{}Ki", hardware.memory_mib * 1024 / 100 * 98)));
    capacity.insert("ephemeral-storage".to_owned(), json!("104779756Ki"));
    capacity.insert("pods".to_owned(), json!(hardware.max_pods.to_string()));
    capacity.extend(devices::extended_resources(hardware, images));
    capacity
}

/// Capacity without what the EKS AMI reserves: CPU by its staircase (6 %, 1 %, 0.5 %, 0.25 %), memory 255 MiB and 11 MiB a
/// pod, and 100 MiB before eviction.
fn allocatable(capacity: &Map<String, Value>, hardware: &Hardware) -> Map<String, Value> {
    let mut allocatable = capacity.clone();
    let cpus: u64 = capacity["cpu"].as_str().and_then(|cpus| cpus.parse().ok()).unwrap_or_default();
    let reserved =
        60 + if cpus > 1 { 10 } else { 0 } + 5 * cpus.saturating_sub(2).min(2) + cpus.saturating_sub(4) * 5 / 2;
    allocatable.insert("cpu".to_owned(), json!(format!("{}m", (cpus * 1000).saturating_sub(reserved))));
    let held = (255 + 11 * u64::from(hardware.max_pods) + 100) * 1024;
    let memory = (hardware.memory_mib * 1024 / 100 * 98).saturating_sub(held);
    allocatable.insert("memory".to_owned(), json!(format!("{memory}Ki")));
    allocatable.insert("ephemeral-storage".to_owned(), json!("95491281146"));
    allocatable
}

fn info(node: &Node, hardware: &Hardware, kubernetes: &str) -> Value {
    let id = node.instance_id.clone().unwrap_or_default();
    let arch = if architecture(hardware) == "amd64" { "x86_64" } else { "aarch64" };
    json!({
        "architecture": architecture(hardware),
        "bootID": id,
        "containerRuntimeVersion": "containerd://1.7.27",
        "kernelVersion": format!("6.1.148-173.267.amzn2023.{arch}"),
        "kubeProxyVersion": format!("v{kubernetes}.0-eks-0000000"),
        "kubeletVersion": format!("v{kubernetes}.0-eks-0000000"),
        "machineID": id,
        "operatingSystem": "linux",
        "osImage": "Amazon Linux 2023",
        "systemUUID": id,
    })
}

/// A merge patch from what we wrote before to what we want now, over a node on which others may have written too.
///
/// Labels and annotations that were ours and are not wanted any more go; taints that were never ours stay.
pub(super) fn patch(before: &Value, wanted: &Value, current: &Value) -> Value {
    let mut taints: Vec<Value> = wanted["spec"]["taints"].as_array().cloned().unwrap_or_default();
    let ours = before["spec"]["taints"].as_array();
    let foreign = current["spec"]["taints"].as_array().into_iter().flatten().filter(|taint| {
        let same = |other: &Value| other["key"] == taint["key"] && other["effect"] == taint["effect"];
        !ours.is_some_and(|ours| ours.iter().any(same)) && !taints.iter().any(same)
    });
    let foreign: Vec<Value> = foreign.cloned().collect();
    taints.extend(foreign);
    json!({
        "metadata": {
            "labels": changes(&before["metadata"]["labels"], &wanted["metadata"]["labels"]),
            "annotations": changes(&before["metadata"]["annotations"], &wanted["metadata"]["annotations"]),
        },
        "spec": { "taints": taints },
    })
}

fn changes(before: &Value, wanted: &Value) -> Value {
    let mut changes = wanted.as_object().cloned().unwrap_or_default();
    for key in before.as_object().into_iter().flat_map(Map::keys) {
        changes.entry(key.clone()).or_insert(Value::Null);
    }
    Value::Object(changes)
}
