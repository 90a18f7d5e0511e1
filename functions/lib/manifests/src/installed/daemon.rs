//! What all DaemonSets of the set have in common.

use crate::{installed::Part, labels::Owner};
use k8s_openapi::{
    api::{
        apps::v1::{DaemonSet, DaemonSetSpec},
        core::v1::{
            Container, EnvVar, EnvVarSource, HostPathVolumeSource, ObjectFieldSelector, PodSpec, PodTemplateSpec,
            ResourceRequirements, Volume, VolumeMount,
        },
    },
    apimachinery::pkg::{
        api::resource::Quantity,
        apis::meta::v1::{LabelSelector, ObjectMeta},
    },
};
use kubernetes::Object;
use std::collections::BTreeMap;

/// Where kubelets take registrations of device plugins.
const PLUGIN_FOLDER: &str = "/var/lib/kubelet/device-plugins";

/// A DaemonSet whose pods carry `label` besides our own.
pub(super) fn daemon_set(
    owner: &Owner,
    part: Part,
    (namespace, name): (&str, &str),
    label: (&str, &str),
    pod: PodSpec,
) -> Object {
    let chosen = BTreeMap::from([(label.0.to_owned(), label.1.to_owned())]);
    let mut labels = owner.labels(part.as_str());
    labels.extend(chosen.clone());
    let set = DaemonSet {
        metadata: owner.within(part.as_str(), namespace, name),
        spec: Some(DaemonSetSpec {
            selector: LabelSelector { match_labels: Some(chosen), ..LabelSelector::default() },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta { labels: Some(labels), ..ObjectMeta::default() }),
                spec: Some(pod),
            },
            ..DaemonSetSpec::default()
        }),
        ..DaemonSet::default()
    };
    Object::of(&set)
}

/// A folder or file of the node, and where a container sees it.
pub(super) fn host_path(name: &str, path: &str, read_only: bool) -> (Volume, VolumeMount) {
    let source = HostPathVolumeSource { path: path.to_owned(), ..HostPathVolumeSource::default() };
    let volume = Volume { name: name.to_owned(), host_path: Some(source), ..Volume::default() };
    let mount = VolumeMount {
        name: name.to_owned(),
        mount_path: path.to_owned(),
        read_only: read_only.then_some(true),
        ..VolumeMount::default()
    };
    (volume, mount)
}

/// The folder in which a device plugin registers.
pub(super) fn plugin_folder() -> (Volume, VolumeMount) {
    host_path("device-plugin", PLUGIN_FOLDER, false)
}

/// A variable with a fixed value.
pub(super) fn variable(name: &str, value: &str) -> EnvVar {
    EnvVar { name: name.to_owned(), value: Some(value.to_owned()), ..EnvVar::default() }
}

/// A variable with a field of the pod.
pub(super) fn field(name: &str, path: &str) -> EnvVar {
    let selector = ObjectFieldSelector { field_path: path.to_owned(), ..ObjectFieldSelector::default() };
    let source = EnvVarSource { field_ref: Some(selector), ..EnvVarSource::default() };
    EnvVar { name: name.to_owned(), value_from: Some(source), ..EnvVar::default() }
}

/// Requests, and limits if they are the same.
pub(super) fn resources(cpu: &str, memory: &str, limited: bool) -> ResourceRequirements {
    let amounts = BTreeMap::from([
        ("cpu".to_owned(), Quantity(cpu.to_owned())),
        ("memory".to_owned(), Quantity(memory.to_owned())),
    ]);
    ResourceRequirements {
        limits: limited.then(|| amounts.clone()),
        requests: Some(amounts),
        ..ResourceRequirements::default()
    }
}

/// A container of this name and image.
pub(super) fn container(name: &str, image: &str) -> Container {
    Container {
        name: name.to_owned(),
        image: Some(image.to_owned()),
        image_pull_policy: Some("IfNotPresent".to_owned()),
        ..Container::default()
    }
}
