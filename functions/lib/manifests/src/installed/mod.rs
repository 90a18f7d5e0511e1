//! The HyperPod dependency set, in the order in which it is applied.

mod daemon;
mod deep_health_check;
mod efa;
mod health_monitoring;
mod job_auto_restart;
mod namespaces;
mod neuron;
mod nvidia;
mod patching;

#[cfg(test)]
mod tests;

pub use health_monitoring::{AGENT_IMAGES, agent_image};

use crate::labels::Owner;
use kubernetes::{Object, Workload};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A part of the dependency set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The namespace of what HyperPod runs.
    Namespaces,
    /// Identity of the service's deep health checks.
    DeepHealthCheck,
    /// Rights of the service to restart jobs on healthy nodes.
    JobAutoRestart,
    /// Rights of the service to drain nodes when it updates their software.
    HyperpodPatching,
    /// The agent that finds hardware faults.
    HealthMonitoringAgent,
    /// Offers GPUs to pods.
    NvidiaDevicePlugin,
    /// Offers EFA interfaces to pods.
    AwsEfaK8sDevicePlugin,
    /// Offers Neuron devices and cores to pods.
    NeuronDevicePlugin,
}

impl Part {
    /// Every part, in the order in which they are applied.
    pub const ALL: [Self; 8] = [
        Self::Namespaces,
        Self::DeepHealthCheck,
        Self::JobAutoRestart,
        Self::HyperpodPatching,
        Self::HealthMonitoringAgent,
        Self::NvidiaDevicePlugin,
        Self::AwsEfaK8sDevicePlugin,
        Self::NeuronDevicePlugin,
    ];

    /// Its name, also the value of the component label.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::DeepHealthCheck => "deep-health-check",
            Self::JobAutoRestart => "job-auto-restart",
            Self::HyperpodPatching => "hyperpod-patching",
            Self::HealthMonitoringAgent => "health-monitoring-agent",
            Self::NvidiaDevicePlugin => "nvidia-device-plugin",
            Self::AwsEfaK8sDevicePlugin => "aws-efa-k8s-device-plugin",
            Self::NeuronDevicePlugin => "neuron-device-plugin",
        }
    }

    /// What does not work without it, for people (field report BR-037).
    pub const fn required_for(self) -> &'static str {
        match self {
            Self::Namespaces => "everything that HyperPod runs in the cluster",
            Self::DeepHealthCheck => "deep health checks",
            Self::JobAutoRestart => "automatic resumption of training jobs",
            Self::HyperpodPatching => "software updates of instance groups",
            Self::HealthMonitoringAgent => "finding hardware faults and automatic node recovery",
            Self::NvidiaDevicePlugin => "GPUs in pods",
            Self::AwsEfaK8sDevicePlugin => "EFA networking in pods",
            Self::NeuronDevicePlugin => "Trainium and Inferentia in pods",
        }
    }

    /// What the images of its containers have in their names, whoever installed it; none for a part that runs nothing.
    pub const fn image_marks(self) -> &'static [&'static str] {
        match self {
            Self::Namespaces | Self::DeepHealthCheck | Self::JobAutoRestart | Self::HyperpodPatching => &[],
            Self::HealthMonitoringAgent => &["hyperpod-health-monitoring-agent"],
            Self::NvidiaDevicePlugin => &["nvidia/k8s-device-plugin", "nvidia-device-plugin"],
            Self::AwsEfaK8sDevicePlugin => &["aws-efa-k8s-device-plugin"],
            Self::NeuronDevicePlugin => &["neuron-device-plugin"],
        }
    }

    /// Whether a workload does the part's work, whoever installed it: a container of it has the part's image.
    pub fn is_done_by(self, workload: &Workload) -> bool {
        workload.images.iter().any(|image| self.image_marks().iter().any(|mark| image.contains(mark)))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A part with its objects, in the order in which they are applied.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Component {
    /// Which part.
    pub part: Part,
    /// Its objects: accounts and rights before what uses them. Empty if the part cannot be had in this Region.
    pub objects: Vec<Object>,
}

/// The whole set for a cluster in `region`.
pub fn dependencies(owner: &Owner, region: &str) -> Vec<Component> {
    Part::ALL.into_iter().map(|part| Component { part, objects: objects(part, owner, region) }).collect()
}

fn objects(part: Part, owner: &Owner, region: &str) -> Vec<Object> {
    match part {
        Part::Namespaces => namespaces::objects(owner),
        Part::DeepHealthCheck => deep_health_check::objects(owner),
        Part::JobAutoRestart => job_auto_restart::objects(owner),
        Part::HyperpodPatching => patching::objects(owner),
        Part::HealthMonitoringAgent => health_monitoring::objects(owner, region),
        Part::NvidiaDevicePlugin => nvidia::objects(owner),
        Part::AwsEfaK8sDevicePlugin => efa::objects(owner),
        Part::NeuronDevicePlugin => neuron::objects(owner),
    }
}
