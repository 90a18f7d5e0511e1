//! The health-monitoring agent: one DaemonSet for NVIDIA nodes, one for Neuron nodes, none for CPU nodes.

use super::{
    Part,
    daemon::{container, daemon_set, field, host_path, resources, variable},
};
use crate::{
    labels::{NAMESPACE, Owner},
    placement::{on_types, tolerate_all},
    rbac::{Bound, account, bound_role, rule},
};
use domain::catalogue::Hardware;
use k8s_openapi::api::core::v1::{Container, PodSpec, SecurityContext};
use kubernetes::Object;

const NAME: &str = "health-monitoring-agent";
const NON_NVIDIA: &str = "health-monitoring-agent-non-nvidia";
const TAG: &str = "1.0.1892.0_1.0.424.0";

/// The registry accounts of the agent's image, by Region. A Region that is not here has no agent.
pub const AGENT_IMAGES: [(&str, &str); 17] = [
    ("us-east-1", "767398015722"),
    ("us-east-2", "851725546812"),
    ("us-west-1", "011528288828"),
    ("us-west-2", "905418368575"),
    ("ca-central-1", "843976229209"),
    ("sa-east-1", "025066253954"),
    ("eu-central-1", "211125453373"),
    ("eu-north-1", "654654141839"),
    ("eu-west-1", "533267293120"),
    ("eu-west-2", "011528288831"),
    ("eu-south-2", "626887787726"),
    ("ap-northeast-1", "533267052152"),
    ("ap-south-1", "011528288864"),
    ("ap-southeast-1", "905418428165"),
    ("ap-southeast-2", "851725636348"),
    ("ap-southeast-3", "971422672635"),
    ("ap-southeast-4", "084375568333"),
];

/// The agent's image in a Region; none where AWS publishes none.
pub fn agent_image(region: &str) -> Option<String> {
    let (_, account) = AGENT_IMAGES.iter().find(|(name, _)| *name == region)?;
    Some(format!("{account}.dkr.ecr.{region}.amazonaws.com/hyperpod-health-monitoring-agent:{TAG}"))
}

pub(super) fn objects(owner: &Owner, region: &str) -> Vec<Object> {
    let Some(image) = agent_image(region) else { return Vec::new() };
    let part = Part::HealthMonitoringAgent.as_str();
    let rules = vec![
        rule(&[""], &["nodes"], &["get"]),
        rule(&[""], &["nodes", "nodes/status"], &["patch"]),
        rule(&["", "events.k8s.io"], &["events"], &["create", "patch", "update"]),
    ];
    let [role, binding] = bound_role(owner, part, (NAME, NAME), rules, &Bound::Account(NAMESPACE, NAME));
    let nvidia = agent(owner, NAME, container(NAME, &image), |hardware| hardware.gpus() > 0);
    let mut other = container(NON_NVIDIA, &image);
    other.args = Some(vec![
        "--enable-k8s-exporter=false".to_owned(),
        "--config.system-log-monitor=/config/system-message-monitor.json".to_owned(),
    ]);
    other.env = Some(vec![variable("NVIDIA_VISIBLE_DEVICES", "void"), variable("NVIDIA_DRIVER_CAPABILITIES", "")]);
    let other = agent(owner, NON_NVIDIA, other, |hardware| hardware.neuron_devices() > 0);
    vec![account(owner, part, NAMESPACE, NAME), role, binding, nvidia, other]
}

fn agent(owner: &Owner, name: &str, mut container: Container, fits: impl Fn(&Hardware) -> bool) -> Object {
    let (log, log_mount) = host_path("log", "/var/log", false);
    let (kernel, kernel_mount) = host_path("kmsg", "/dev/kmsg", true);
    let (time, time_mount) = host_path("localtime", "/etc/localtime", true);
    let mut variables = vec![field("NODE_NAME", "spec.nodeName"), field("NODE_IP", "status.hostIP")];
    variables.extend(container.env.take().unwrap_or_default());
    let container = Container {
        env: Some(variables),
        resources: Some(resources("500m", "512Mi", true)),
        security_context: Some(SecurityContext {
            run_as_user: Some(1000),
            run_as_group: Some(2000),
            ..SecurityContext::default()
        }),
        volume_mounts: Some(vec![log_mount, kernel_mount, time_mount]),
        ..container
    };
    let pod = PodSpec {
        affinity: Some(on_types(fits)),
        containers: vec![container],
        service_account_name: Some(NAME.to_owned()),
        // The agent watches a node most of all when work is kept away from it.
        tolerations: Some(tolerate_all()),
        volumes: Some(vec![log, kernel, time]),
        ..PodSpec::default()
    };
    daemon_set(owner, Part::HealthMonitoringAgent, (NAMESPACE, name), ("app", name), pod)
}
