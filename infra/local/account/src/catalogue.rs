//! What is known of each instance type that HyperPod can use: a committed table of EC2's metadata.
//!
//! Names carry the prefix `ml.`; EC2 knows the same types without it.

use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Accelerators of a type.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Accelerator {
    /// `gpu` or `neuron`.
    pub kind: String,
    /// `H100`, `Trainium2` …
    pub name: String,
    /// How many there are.
    pub count: u32,
    /// Memory of each.
    pub memory_mib_each: u64,
    /// Cores of each Neuron device.
    #[serde(default)]
    pub cores_each: Option<u32>,
}

/// An instance type.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct InstanceType {
    /// Name with `ml.`.
    #[serde(rename = "type")]
    pub name: String,
    /// Virtual CPUs.
    pub vcpus: u32,
    /// Main memory.
    pub memory_mib: u64,
    /// `x86_64` or `arm64`.
    pub arch: String,
    /// Accelerators, if it has any.
    pub accelerator: Option<Accelerator>,
    /// Most EFA interfaces.
    pub efa_interfaces: u32,
    /// Network cards.
    pub network_cards: u32,
    /// Most network interfaces.
    pub max_enis: u32,
    /// IPv4 addresses of an interface.
    pub ipv4_per_eni: u32,
    /// Addresses that a node under EKS takes from its subnet.
    pub node_ips: u32,
    /// Pods that a node can hold.
    pub max_pods: u32,
    /// Local disks in all; none if unknown.
    pub nvme_gb: Option<u64>,
    /// Whether training plans sell it.
    pub training_plan: bool,
}

static TYPES: LazyLock<Vec<InstanceType>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../data/instance-types.json")).unwrap_or_default());

/// All types.
pub fn instance_types() -> &'static [InstanceType] {
    &TYPES
}

/// The type with this name, with or without `ml.`.
pub fn instance_type(name: &str) -> Option<&'static InstanceType> {
    let bare = name.trim_start_matches("ml.");
    TYPES.iter().find(|known| known.bare() == bare)
}

impl InstanceType {
    /// Its name in EC2: `p5.48xlarge`.
    pub fn bare(&self) -> &str {
        self.name.trim_start_matches("ml.")
    }

    /// The type as `DescribeInstanceTypes` lists it.
    pub fn row(&self) -> Value {
        let threads = if self.arch == "arm64" || self.vcpus < 2 { 1 } else { 2 };
        let mut network = json!({
            "MaximumNetworkInterfaces": self.max_enis,
            "MaximumNetworkCards": self.network_cards,
            "DefaultNetworkCardIndex": 0,
            "Ipv4AddressesPerInterface": self.ipv4_per_eni,
            "Ipv6AddressesPerInterface": self.ipv4_per_eni,
            "Ipv6Supported": true,
            "EnaSupport": "required",
            "EfaSupported": self.efa_interfaces > 0,
        });
        if self.efa_interfaces > 0 {
            network["EfaInfo"] = json!({ "MaximumEfaInterfaces": self.efa_interfaces });
        }
        let mut row = json!({
            "InstanceType": self.bare(),
            "CurrentGeneration": true,
            "FreeTierEligible": false,
            "SupportedUsageClasses": ["on-demand", "spot"],
            "SupportedRootDeviceTypes": ["ebs"],
            "SupportedVirtualizationTypes": ["hvm"],
            "BareMetal": false,
            "Hypervisor": "nitro",
            "ProcessorInfo": { "SupportedArchitectures": [self.arch] },
            "VCpuInfo": {
                "DefaultVCpus": self.vcpus, "DefaultCores": self.vcpus / threads, "DefaultThreadsPerCore": threads,
            },
            "MemoryInfo": { "SizeInMiB": self.memory_mib },
            "InstanceStorageSupported": self.nvme_gb.is_some_and(|size| size > 0),
            "NetworkInfo": network,
        });
        if let Some(size) = self.nvme_gb.filter(|size| *size > 0) {
            row["InstanceStorageInfo"] = json!({ "TotalSizeInGB": size, "NvmeSupport": "required" });
        }
        if let Some(accelerator) = &self.accelerator {
            let (member, info) = accelerator.row();
            row[member] = info;
        }
        row
    }
}

impl Accelerator {
    fn row(&self) -> (&'static str, Value) {
        let total = self.memory_mib_each * u64::from(self.count);
        let memory = json!({ "SizeInMiB": self.memory_mib_each });
        if self.kind == "gpu" {
            let gpu = json!({ "Name": self.name, "Manufacturer": "NVIDIA", "Count": self.count, "MemoryInfo": memory });
            return ("GpuInfo", json!({ "Gpus": [gpu], "TotalGpuMemoryInMiB": total }));
        }
        let cores = json!({ "Count": self.cores_each.unwrap_or(2), "Version": 2 });
        let device = json!({ "Name": self.name, "Count": self.count, "CoreInfo": cores, "MemoryInfo": memory });
        ("NeuronInfo", json!({ "NeuronDevices": [device], "TotalNeuronDeviceMemoryInMiB": total }))
    }
}

#[cfg(test)]
mod tests {
    use super::{instance_type, instance_types};

    #[test]
    fn the_table_holds_every_type_of_the_hyperpod_api() {
        assert_eq!(instance_types().len(), 209);
        assert_eq!(instance_types().iter().filter(|known| known.accelerator.is_some()).count(), 57);
    }

    #[test]
    fn a_type_is_found_with_and_without_its_prefix() {
        let with = instance_type("ml.p5.48xlarge").expect("a type");
        assert_eq!(Some(with), instance_type("p5.48xlarge"));
        assert_eq!((with.node_ips, with.efa_interfaces), (81, 32));
        assert_eq!(with.row()["GpuInfo"]["Gpus"][0]["Count"], 8);
        assert!(instance_type("ml.p9.large").is_none());
    }
}
