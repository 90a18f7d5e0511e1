//! What device plugins add to a node's capacity: nothing until the plugin's own pod runs on that node.

use crate::sagemaker::world_access::{AcceleratorKind, Hardware};
use serde_json::{Map, Value, json};

/// Images of the pods that run on a node.
pub(super) fn running_images(pods: &[Value], node: &str) -> Vec<String> {
    let here = |pod: &&Value| {
        pod["spec"]["nodeName"].as_str() == Some(node) && pod["status"]["phase"].as_str() == Some("Running")
    };
    let images = |pod: &Value| -> Vec<String> {
        let containers = pod["spec"]["containers"].as_array().map_or(&[][..], Vec::as_slice);
        containers.iter().filter_map(|container| container["image"].as_str()).map(str::to_owned).collect()
    };
    pods.iter().filter(here).flat_map(images).collect()
}

/// Extended resources that the plugins among `images` announce on this hardware.
pub(super) fn extended_resources(hardware: &Hardware, images: &[String]) -> Map<String, Value> {
    let runs = |part: &str| images.iter().any(|image| image.contains(part));
    let mut resources = Map::new();
    let mut put = |name: &str, count: u32| {
        if count > 0 {
            resources.insert(name.to_owned(), json!(count.to_string()));
        }
    };
    if runs("nvidia/k8s-device-plugin") || runs("nvidia-device-plugin") {
        put("nvidia.com/gpu", hardware.gpus());
    }
    if runs("aws-efa-k8s-device-plugin") {
        put("vpc.amazonaws.com/efa", hardware.efa_interfaces);
    }
    let neuron = hardware.accelerator.as_ref().is_some_and(|it| it.kind == AcceleratorKind::Neuron);
    if neuron && runs("neuron-device-plugin") {
        put("aws.amazon.com/neurondevice", hardware.neuron_devices());
        put("aws.amazon.com/neuron", hardware.neuron_devices());
        put("aws.amazon.com/neuroncore", hardware.logical_neuron_cores());
    }
    resources
}
