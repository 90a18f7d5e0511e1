//! The Neuron device plugin.

use super::{
    Part,
    daemon::{container, daemon_set, field, host_path, plugin_folder, variable},
};
use crate::{
    labels::Owner,
    placement::{on_types, tolerate, tolerate_checks},
    rbac::{Bound, account, bound_role, rule},
};
use k8s_openapi::api::core::v1::{Capabilities, Container, PodSpec, SecurityContext};
use kubernetes::Object;

const NAME: &str = "neuron-device-plugin";
const DAEMON_SET: &str = "neuron-device-plugin-daemonset";
const IMAGE: &str = "public.ecr.aws/neuron/neuron-device-plugin:2.19.16.0";

pub(super) fn objects(owner: &Owner) -> Vec<Object> {
    let part = Part::NeuronDevicePlugin;
    let rules = vec![
        rule(&[""], &["nodes"], &["get", "list", "watch"]),
        rule(&[""], &["events"], &["create", "patch"]),
        rule(&[""], &["pods"], &["update", "patch", "get", "list", "watch"]),
        rule(&[""], &["nodes/status"], &["patch", "update"]),
    ];
    let system = "kube-system";
    let [role, binding] = bound_role(owner, part.as_str(), (NAME, NAME), rules, &Bound::Account(system, NAME));
    let (folder, folder_mount) = plugin_folder();
    let (map, map_mount) = host_path("infa-map", "/run", false);
    let container = Container {
        env: Some(vec![variable("KUBECONFIG", "/etc/kubernetes/kubelet.conf"), field("NODE_NAME", "spec.nodeName")]),
        security_context: Some(SecurityContext {
            allow_privilege_escalation: Some(false),
            capabilities: Some(Capabilities { drop: Some(vec!["ALL".to_owned()]), ..Capabilities::default() }),
            ..SecurityContext::default()
        }),
        volume_mounts: Some(vec![folder_mount, map_mount]),
        ..container("k8s-neuron-device-plugin-ctr", IMAGE)
    };
    let pod = PodSpec {
        affinity: Some(on_types(|hardware| hardware.neuron_devices() > 0)),
        containers: vec![container],
        priority_class_name: Some("system-node-critical".to_owned()),
        service_account_name: Some(NAME.to_owned()),
        tolerations: Some(vec![
            tolerate("CriticalAddonsOnly", None),
            tolerate("aws.amazon.com/neuron", Some("NoSchedule")),
            tolerate_checks(),
        ]),
        volumes: Some(vec![folder, map]),
        ..PodSpec::default()
    };
    let set = daemon_set(owner, part, (system, DAEMON_SET), ("name", "neuron-device-plugin-ds"), pod);
    vec![account(owner, part.as_str(), system, NAME), role, binding, set]
}
