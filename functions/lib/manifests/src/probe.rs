//! A pod that reads the project bucket through its claim and ends.

use crate::{
    labels::{Owner, PURPOSE_LABEL},
    placement::{on_hyperpod, tolerate},
};
use domain::naming::STORAGE_CLAIM;
use k8s_openapi::{
    api::core::v1::{
        Capabilities, Container, PersistentVolumeClaimVolumeSource, Pod, PodSpec, ResourceRequirements,
        SecurityContext, Volume, VolumeMount,
    },
    apimachinery::pkg::api::resource::Quantity,
};
use kubernetes::Object;
use std::collections::BTreeMap;

/// Where the bucket is mounted in the probe.
pub const PROBE_MOUNT: &str = "/s3";

const IMAGE: &str = "public.ecr.aws/docker/library/busybox:1.37.0";

/// What is read, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The pod's name.
    pub name: String,
    /// The stage that it proves something for, as a label tells it.
    pub purpose: String,
    /// The namespace of the claim.
    pub namespace: String,
    /// A file below the mount whose content is written to the log; the folder is listed before it.
    pub file: String,
}

/// The pod. CPU alone, on any HyperPod node that takes work: a node that is checked or faulty proves nothing.
pub fn probe(owner: &Owner, probe: &Probe) -> Object {
    let amounts = BTreeMap::from([
        ("cpu".to_owned(), Quantity("50m".to_owned())),
        ("memory".to_owned(), Quantity("64Mi".to_owned())),
    ]);
    let script = format!("ls {PROBE_MOUNT} && cat {PROBE_MOUNT}/{}", probe.file);
    let container = Container {
        name: "read".to_owned(),
        image: Some(IMAGE.to_owned()),
        command: Some(vec!["sh".to_owned(), "-c".to_owned(), script]),
        resources: Some(ResourceRequirements {
            requests: Some(amounts.clone()),
            limits: Some(amounts),
            ..ResourceRequirements::default()
        }),
        security_context: Some(SecurityContext {
            allow_privilege_escalation: Some(false),
            capabilities: Some(Capabilities { drop: Some(vec!["ALL".to_owned()]), ..Capabilities::default() }),
            run_as_non_root: Some(true),
            run_as_user: Some(1000),
            ..SecurityContext::default()
        }),
        volume_mounts: Some(vec![VolumeMount {
            name: "bucket".to_owned(),
            mount_path: PROBE_MOUNT.to_owned(),
            ..VolumeMount::default()
        }]),
        ..Container::default()
    };
    let claim = PersistentVolumeClaimVolumeSource {
        claim_name: STORAGE_CLAIM.to_owned(),
        ..PersistentVolumeClaimVolumeSource::default()
    };
    let mut metadata = owner.within("probe", &probe.namespace, &probe.name);
    metadata.labels.get_or_insert_default().insert(PURPOSE_LABEL.to_owned(), probe.purpose.clone());
    let pod = Pod {
        metadata,
        spec: Some(PodSpec {
            affinity: Some(on_hyperpod()),
            automount_service_account_token: Some(false),
            containers: vec![container],
            restart_policy: Some("Never".to_owned()),
            tolerations: Some(vec![
                tolerate("nvidia.com/gpu", Some("NoSchedule")),
                tolerate("aws.amazon.com/neuron", Some("NoSchedule")),
            ]),
            volumes: Some(vec![Volume {
                name: "bucket".to_owned(),
                persistent_volume_claim: Some(claim),
                ..Volume::default()
            }]),
            ..PodSpec::default()
        }),
        ..Pod::default()
    };
    Object::of(&pod)
}
