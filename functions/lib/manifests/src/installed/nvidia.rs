//! NVIDIA's device plugin, without the GPU operator.

use super::{
    Part,
    daemon::{container, daemon_set, plugin_folder, variable},
};
use crate::{
    labels::Owner,
    placement::{on_types, tolerate, tolerate_checks},
};
use k8s_openapi::api::core::v1::{Capabilities, Container, PodSpec, SecurityContext};
use kubernetes::Object;

const NAME: &str = "nvidia-device-plugin";
const IMAGE: &str = "nvcr.io/nvidia/k8s-device-plugin:v0.16.1";

pub(super) fn objects(owner: &Owner) -> Vec<Object> {
    let (folder, mount) = plugin_folder();
    let container = Container {
        // A node whose driver is not up yet must not end the plugin: it would back off for minutes.
        env: Some(vec![variable("FAIL_ON_INIT_ERROR", "false"), variable("MPS_ROOT", "/run/nvidia/mps")]),
        security_context: Some(SecurityContext {
            allow_privilege_escalation: Some(false),
            capabilities: Some(Capabilities { drop: Some(vec!["ALL".to_owned()]), ..Capabilities::default() }),
            ..SecurityContext::default()
        }),
        volume_mounts: Some(vec![mount]),
        ..container("nvidia-device-plugin-ctr", IMAGE)
    };
    let pod = PodSpec {
        affinity: Some(on_types(|hardware| hardware.gpus() > 0)),
        containers: vec![container],
        priority_class_name: Some("system-node-critical".to_owned()),
        tolerations: Some(vec![tolerate("nvidia.com/gpu", Some("NoSchedule")), tolerate_checks()]),
        volumes: Some(vec![folder]),
        ..PodSpec::default()
    };
    vec![daemon_set(owner, Part::NvidiaDevicePlugin, ("kube-system", NAME), ("app.kubernetes.io/name", NAME), pod)]
}
