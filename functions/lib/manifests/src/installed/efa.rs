//! The EFA device plugin.

use super::{
    Part,
    daemon::{container, daemon_set, host_path, plugin_folder, resources},
};
use crate::{
    labels::Owner,
    placement::{on_types, tolerate, tolerate_checks},
};
use k8s_openapi::api::core::v1::{Container, PodSpec, SecurityContext};
use kubernetes::Object;

const NAME: &str = "aws-efa-k8s-device-plugin";

/// The registry that the EKS chart names; other Regions pull from it too.
const IMAGE: &str = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.8";

pub(super) fn objects(owner: &Owner) -> Vec<Object> {
    let (folder, folder_mount) = plugin_folder();
    let (devices, devices_mount) = host_path("infiniband-volume", "/dev/infiniband", false);
    let container = Container {
        resources: Some(resources("10m", "20Mi", false)),
        // Neuron nodes hand out their EFA devices only to a privileged plugin.
        security_context: Some(SecurityContext {
            allow_privilege_escalation: Some(true),
            privileged: Some(true),
            run_as_non_root: Some(false),
            run_as_user: Some(0),
            ..SecurityContext::default()
        }),
        volume_mounts: Some(vec![folder_mount, devices_mount]),
        ..container(NAME, IMAGE)
    };
    let tolerations = vec![
        tolerate("CriticalAddonsOnly", None),
        tolerate("aws.amazon.com/efa", Some("NoSchedule")),
        tolerate("nvidia.com/gpu", Some("NoSchedule")),
        tolerate("aws.amazon.com/neuron", Some("NoSchedule")),
        tolerate_checks(),
    ];
    let pod = PodSpec {
        affinity: Some(on_types(|hardware| hardware.efa_interfaces > 0)),
        containers: vec![container],
        host_network: Some(true),
        priority_class_name: Some("system-node-critical".to_owned()),
        tolerations: Some(tolerations),
        volumes: Some(vec![folder, devices]),
        ..PodSpec::default()
    };
    vec![daemon_set(owner, Part::AwsEfaK8sDevicePlugin, ("kube-system", NAME), ("name", NAME), pod)]
}
