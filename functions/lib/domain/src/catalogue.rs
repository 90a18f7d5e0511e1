//! The instance types that HyperPod offers, with their hardware: the committed facts of `instance-types.json`.
//!
//! Hardware only. Which zone sells a type, which quota an account has and what it costs are asked of AWS. A type that is
//! not in the catalogue is legal: it passes through as unknown, and what rests on its hardware is reported as unknown.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::ids::InstanceType;

/// What one type is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Hardware {
    /// SageMaker's name, with `ml.`.
    #[serde(rename = "type")]
    pub instance_type: InstanceType,
    /// Virtual CPUs with two threads to a core, where the type has two.
    pub vcpus: u32,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Processor architecture.
    pub arch: Arch,
    /// GPUs or Neuron chips; none on a CPU type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accelerator: Option<Accelerator>,
    /// EFA interfaces of a full node: allocatable `vpc.amazonaws.com/efa`.
    pub efa_interfaces: u32,
    /// Network cards, one network interface each.
    pub network_cards: u32,
    /// IPv4 addresses of one network interface.
    pub ipv4_per_eni: u32,
    /// Addresses that a HyperPod node takes from its subnet.
    pub node_ips: u32,
    /// Pods that a HyperPod node holds.
    pub max_pods: u32,
    /// Local NVMe in GB; zero means none.
    #[serde(default)]
    pub nvme_gb: u32,
    /// Whether training plans sell the type.
    #[serde(default)]
    pub training_plan: bool,
    /// MIG profiles of its GPUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mig_profiles: Vec<String>,
    /// Names of fields above that are computed or not confirmed by AWS.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unverified: Vec<String>,
}

/// Processor architecture, in the words of EC2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arch {
    /// x86-64.
    #[serde(rename = "x86_64")]
    X86,
    /// Arm, 64 bits.
    Arm64,
}

/// The accelerators of one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Accelerator {
    /// GPU or Neuron.
    pub kind: AcceleratorKind,
    /// The chip's name (`H100`, `Trainium2`).
    pub name: String,
    /// Chips in a node: allocatable `nvidia.com/gpu` or `aws.amazon.com/neurondevice`.
    pub count: u32,
    /// Neuron cores of one chip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores_each: Option<u32>,
    /// Memory of one chip in MiB, as EC2 reports it.
    pub memory_mib_each: u64,
}

/// The two kinds of accelerator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AcceleratorKind {
    /// NVIDIA GPU.
    Gpu,
    /// AWS Trainium.
    Neuron,
}

/// A committed table that does not parse is a build fault; an empty one makes every type unknown, and a test fails.
static TYPES: LazyLock<BTreeMap<InstanceType, Hardware>> = LazyLock::new(|| {
    let all: Vec<Hardware> = serde_json::from_str(include_str!("instance-types.json")).unwrap_or_default();
    all.into_iter().map(|hardware| (hardware.instance_type.clone(), hardware)).collect()
});

/// The hardware of a type; none if we do not know it.
pub fn hardware(instance_type: &InstanceType) -> Option<&'static Hardware> {
    TYPES.get(instance_type)
}

/// Every known type, by name.
pub fn all() -> impl Iterator<Item = &'static Hardware> {
    TYPES.values()
}

impl Hardware {
    /// Allocatable vCPUs of a node whose group sets ThreadsPerCore; 1 halves them where a core has two threads.
    /// Cores of Graviton and of AMD's eighth generation have one thread.
    pub fn vcpus_at(&self, threads_per_core: u8) -> u32 {
        let one_thread = self.arch == Arch::Arm64 || ["ml.c8a.", "ml.m8a."].iter().any(|family| self.is_of(family));
        if threads_per_core == 1 && !one_thread { self.vcpus / 2 } else { self.vcpus }
    }

    /// GPUs of a node.
    pub fn gpus(&self) -> u32 {
        self.chips(AcceleratorKind::Gpu)
    }

    /// Neuron chips of a node.
    pub fn neuron_devices(&self) -> u32 {
        self.chips(AcceleratorKind::Neuron)
    }

    /// Physical Neuron cores of a node.
    pub fn neuron_cores(&self) -> u32 {
        self.accelerator.as_ref().and_then(|chip| Some(chip.count * chip.cores_each?)).unwrap_or(0)
    }

    /// Logical Neuron cores of a node: what Kubernetes offers as `aws.amazon.com/neuroncore`. Trainium2 groups two
    /// physical cores to a logical one unless told otherwise (Neuron's logical NeuronCore configuration, LNC = 2).
    pub fn logical_neuron_cores(&self) -> u32 {
        let trainium2 = self.accelerator.as_ref().is_some_and(|chip| chip.name == "Trainium2");
        if trainium2 { self.neuron_cores() / 2 } else { self.neuron_cores() }
    }

    /// Whether the health-monitoring agent and deep health checks exist for the type: they do for accelerated types.
    pub fn is_accelerated(&self) -> bool {
        self.accelerator.is_some()
    }

    /// Whether a fact of this name is confirmed.
    pub fn is_verified(&self, field: &str) -> bool {
        !self.unverified.iter().any(|name| name == field)
    }

    fn is_of(&self, family: &str) -> bool {
        self.instance_type.as_str().starts_with(family)
    }

    fn chips(&self, kind: AcceleratorKind) -> u32 {
        self.accelerator.as_ref().filter(|chip| chip.kind == kind).map_or(0, |chip| chip.count)
    }
}

/// The Service Quotas name of on-demand instances of a type in HyperPod clusters.
pub fn cluster_quota_name(instance_type: &InstanceType) -> String {
    format!("{instance_type} for cluster usage")
}

/// The Service Quotas name of Spot instances of a type in HyperPod clusters.
pub fn spot_quota_name(instance_type: &InstanceType) -> String {
    format!("{instance_type} for cluster spot instance usage")
}

/// The Service Quotas name of instances of a type in training plans.
pub fn training_plan_quota_name(instance_type: &InstanceType) -> String {
    format!("Number of {instance_type} instances in reserved capacity across training plans per Region")
}

/// The known type that somebody may have meant: the same name with `ml.`, or a name with few letters' difference.
/// None for a known type, and where nothing is near.
pub fn did_you_mean(text: &str) -> Option<&'static InstanceType> {
    let wanted: String = text.trim().to_lowercase().chars().take(64).collect();
    let wanted = if wanted.starts_with("ml.") { wanted } else { format!("ml.{wanted}") };
    // Compared as text: parsing a name that is no instance type asks here what was meant.
    if wanted == text && TYPES.keys().any(|known| known.as_str() == text) {
        return None;
    }
    let near = TYPES.keys().map(|known| (distance(&wanted, known.as_str()), known)).min()?;
    (near.0 <= 2).then_some(near.1)
}

/// Levenshtein's distance between two short ASCII names.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(b.bytes()) {
            let above = *cell;
            left = (diagonal + usize::from(x != y)).min(above + 1).min(left + 1);
            diagonal = above;
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> &'static Hardware {
        hardware(&name.parse().unwrap()).unwrap()
    }

    #[test]
    fn all_209_types_are_there_and_consistent() {
        let raw: Vec<Hardware> = serde_json::from_str(include_str!("instance-types.json")).unwrap();
        assert_eq!(raw.len(), 209);
        assert_eq!(all().count(), 209, "no type twice");
        assert_eq!(all().filter(|hardware| hardware.is_accelerated()).count(), 57);
        for hardware in all() {
            let name = &hardware.instance_type;
            assert!(hardware.vcpus > 0 && hardware.memory_mib >= 1024 && hardware.network_cards > 0, "{name}");
            assert_eq!(hardware.node_ips, hardware.ipv4_per_eni + hardware.network_cards - 1, "{name}");
            assert!(hardware.max_pods < hardware.ipv4_per_eni, "{name}");
            assert!(hardware.efa_interfaces <= hardware.network_cards, "{name}");
            assert_eq!(hardware.neuron_devices() > 0, hardware.neuron_cores() > 0, "{name}");
            assert!(!hardware.training_plan || hardware.is_accelerated(), "{name}");
        }
    }

    #[test]
    fn the_figures_that_verification_compares_are_right() {
        let p5 = of("ml.p5.48xlarge");
        assert_eq!((p5.gpus(), p5.efa_interfaces, p5.node_ips, p5.max_pods), (8, 32, 81, 49));
        assert_eq!((p5.vcpus_at(2), p5.vcpus_at(1)), (192, 96));
        assert!(p5.training_plan);
        let trn2 = of("ml.trn2.48xlarge");
        assert_eq!((trn2.neuron_devices(), trn2.neuron_cores(), trn2.logical_neuron_cores()), (16, 128, 64));
        let trn1 = of("ml.trn1.32xlarge");
        assert_eq!((trn1.neuron_cores(), trn1.logical_neuron_cores(), trn1.gpus()), (32, 32, 0));
        let graviton = of("ml.m7g.xlarge");
        assert_eq!((graviton.vcpus_at(1), graviton.arch), (4, Arch::Arm64));
        assert_eq!(of("ml.m8a.16xlarge").vcpus_at(1), 64);
        assert!(!of("ml.p6-b300.48xlarge").is_verified("nodeIps"));
        assert!(p5.is_verified("nodeIps"));
    }

    #[test]
    fn an_unknown_type_is_unknown_and_no_error() {
        assert_eq!(hardware(&"ml.p9.48xlarge".parse().unwrap()), None);
    }

    #[test]
    fn a_forgotten_prefix_or_a_slip_is_recognised() {
        let meant = |text| did_you_mean(text).map(|found| found.as_str());
        assert_eq!(meant("g5.xlarge"), Some("ml.g5.xlarge"));
        assert_eq!(meant("P5.48xlarge"), Some("ml.p5.48xlarge"));
        assert_eq!(meant("ml.p5.48xlrge"), Some("ml.p5.48xlarge"));
        assert_eq!(meant("ml.p5.48xlarge"), None, "nothing else is meant by a known type");
        assert_eq!(meant("banana"), None);
        assert_eq!(meant(&"x".repeat(100_000)), None);
    }

    #[test]
    fn quota_names_are_those_of_service_quotas() {
        let p5 = &of("ml.p5.48xlarge").instance_type;
        assert_eq!(cluster_quota_name(p5), "ml.p5.48xlarge for cluster usage");
        assert_eq!(spot_quota_name(p5), "ml.p5.48xlarge for cluster spot instance usage");
        assert_eq!(
            training_plan_quota_name(p5),
            "Number of ml.p5.48xlarge instances in reserved capacity across training plans per Region"
        );
    }
}
