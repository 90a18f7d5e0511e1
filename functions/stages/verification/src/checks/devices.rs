//! What nodes offer to pods, compared with the catalogue: a check for each kind of device that their types have.

use super::{Check, Status, hardware, is_empty, no_node_yet};
use crate::observe::Observed;
use domain::catalogue::Hardware;
use kubernetes::Node;

/// One kind of device.
struct Device {
    name: &'static str,
    resource: &'static str,
    /// How many a type has.
    of: fn(&Hardware) -> u32,
    /// The part that announces it.
    plugin: &'static str,
}

const DEVICES: [Device; 3] = [
    Device { name: "gpus", resource: "nvidia.com/gpu", of: Hardware::gpus, plugin: "nvidia-device-plugin" },
    Device {
        name: "efaInterfaces",
        resource: "vpc.amazonaws.com/efa",
        of: |hardware| hardware.efa_interfaces,
        plugin: "aws-efa-k8s-device-plugin",
    },
    Device {
        name: "neuronCores",
        resource: "aws.amazon.com/neuroncore",
        of: Hardware::logical_neuron_cores,
        plugin: "neuron-device-plugin",
    },
];

/// By how much allocatable CPU may fall short of a type's vCPUs: what the AMI keeps for itself.
const RESERVED_MILLICORES: u64 = 1000;

/// All of them; types that the catalogue does not know make them unknown.
pub(super) fn all(observed: &Observed) -> Vec<Check> {
    let mut checks: Vec<Check> = DEVICES.iter().map(|device| check(observed, device)).collect();
    checks.push(vcpus(observed));
    checks
}

fn check(observed: &Observed, device: &Device) -> Check {
    if is_empty(observed) {
        return no_node_yet(device.name);
    }
    if let Some(node) = observed.nodes.iter().find(|node| hardware(node).is_none()) {
        return unknown_type(device.name, node);
    }
    let expected = |node: &Node| hardware(node).map_or(0, |hardware| u64::from((device.of)(hardware)));
    let offered = |node: &Node| node.count(device.resource).unwrap_or_default();
    let wanted: u64 = observed.nodes.iter().map(expected).sum();
    if wanted == 0 {
        return Check::new(device.name, Status::Pass, "not required: no node has any", "");
    }
    let found: u64 = observed.nodes.iter().map(offered).sum();
    let short: Vec<String> = observed
        .nodes
        .iter()
        .filter(|node| offered(node) != expected(node))
        .map(|node| format!("{} in {} has {} of {}", node.name, group(node), offered(node), expected(node)))
        .collect();
    let figure = format!("{found} of {wanted} {} allocatable", device.resource);
    if short.is_empty() {
        return Check::new(device.name, Status::Pass, figure, "");
    }
    let fix = format!("Run the dependencies stage again ({} announces them), or replace these nodes.", device.plugin);
    Check::new(device.name, Status::Fail, format!("{figure}: {}", short.join(", ")), &fix)
}

/// The instance group of a node.
fn group(node: &Node) -> &str {
    node.labels.get("sagemaker.amazonaws.com/instance-group-name").map_or("no group", String::as_str)
}

/// vCPUs: all of them, or half where a group sets ThreadsPerCore 1; less means that cores are missing.
fn vcpus(observed: &Observed) -> Check {
    let name = "vcpus";
    if is_empty(observed) {
        return no_node_yet(name);
    }
    let mut short = Vec::new();
    let mut threads = Vec::new();
    for node in &observed.nodes {
        let Some(hardware) = hardware(node) else { return unknown_type(name, node) };
        let offered = millicores(node.allocatable.get("cpu").map_or("", String::as_str));
        let fits = |per_core: u8| {
            let all = u64::from(hardware.vcpus_at(per_core)) * 1000;
            offered <= all && offered + RESERVED_MILLICORES.max(all / 20) >= all
        };
        match [2, 1].into_iter().find(|per_core| fits(*per_core)) {
            Some(per_core) => threads.push(per_core),
            None => short.push(format!("{} offers {offered}m of {} vCPUs", node.name, hardware.vcpus)),
        }
    }
    if short.is_empty() {
        let halved = threads.iter().filter(|per_core| **per_core == 1).count();
        let figure = format!("{} nodes as their types, {halved} of them with one thread per core", threads.len());
        return Check::new(name, Status::Pass, figure, "");
    }
    Check::new(name, Status::Fail, short.join(", "), "Replace these nodes.")
}

/// `191450m`, `192`.
fn millicores(quantity: &str) -> u64 {
    match quantity.strip_suffix('m') {
        Some(millis) => millis.parse().unwrap_or_default(),
        None => quantity.parse::<u64>().unwrap_or_default() * 1000,
    }
}

fn unknown_type(name: &str, node: &Node) -> Check {
    let kind = node.instance_type().unwrap_or("no type");
    Check::new(name, Status::Unknown, format!("{} is of {kind}, whose hardware we do not know", node.name), "")
}
