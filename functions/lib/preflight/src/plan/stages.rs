//! What each stage would do, how long it takes, and what stays if it fails.

use super::{control_plane, hyperpod};
use crate::{
    request::{Purpose, Request},
    scene::Seen,
};
use contract::plan::{PlannedChange, StagePlan};
use domain::states::Stage;

/// The stages of the request, in order; those that wait for a decision are left out.
pub(super) fn of(request: &Request<'_>, seen: &Seen, version: &str, stages: Option<(Stage, Stage)>) -> Vec<StagePlan> {
    let Some((first, last)) = stages else { return Vec::new() };
    let decided = request.cluster.decisions.hyperpod.is_some() || seen.attached().is_some();
    let runs = |stage: &&Stage| (first..=last).contains(*stage) && (decided || **stage <= Stage::Dependencies);
    Stage::ALL.iter().filter(runs).map(|stage| plan(request, seen, version, *stage)).collect()
}

fn plan(request: &Request<'_>, seen: &Seen, version: &str, stage: Stage) -> StagePlan {
    let (changes, unknown) = changes(request, seen, version, stage);
    let (minutes_from, minutes_to) = minutes(request, stage);
    StagePlan {
        stage,
        changes,
        waits: waits(request, seen, stage),
        unknown,
        minutes_from,
        minutes_to,
        after_failure: after_failure(request, stage).to_owned(),
    }
}

/// One planned change.
pub(super) fn change(key: impl Into<String>, title: impl Into<String>) -> PlannedChange {
    PlannedChange { change: key.into(), title: title.into() }
}

fn changes(request: &Request<'_>, seen: &Seen, version: &str, stage: Stage) -> (Vec<PlannedChange>, Option<String>) {
    let later = |text: &str| (Vec::new(), Some(text.to_owned()));
    match (stage, request.purpose) {
        (Stage::ControlPlane, Purpose::Create) => (control_plane::made(request, seen, version), None),
        (Stage::ControlPlane, Purpose::Import) => (control_plane::mended(request, seen), None),
        (Stage::ControlPlane, Purpose::Capacity | Purpose::Again) => {
            later("the stage looks at what is there and makes only what is missing")
        }
        (Stage::Selection, _) => (Vec::new(), None),
        (Stage::Dependencies, _) => later(
            "planned once the cluster answers: the HyperPod dependency set (health-monitoring agent, device plugins, \
             patching, job restart, their access) as far as it is not there",
        ),
        (Stage::HyperPod, Purpose::Again) => {
            later("the stage compares the groups with what is there and makes the rest")
        }
        (Stage::HyperPod, _) => hyperpod::changes(request, seen),
        (Stage::Storage, _) => later(
            "planned once nodes are there: the role of the S3 driver, the Mountpoint for S3 driver, volume s3-pv, claim \
             s3-claim and a pod that reads through it",
        ),
        (Stage::Verification, _) => later("checks only; a probe pod runs and is removed"),
    }
}

fn waits(request: &Request<'_>, seen: &Seen, stage: Stage) -> Vec<String> {
    let text = |text: &str| vec![text.to_owned()];
    match stage {
        Stage::ControlPlane if request.purpose == Purpose::Create => {
            let mut waits = text("EKS makes the control plane (8 to 12 minutes at AWS's pace)");
            if request.makes_network() {
                waits.insert(0, "the NAT gateway comes up (usually 1 to 2 minutes)".to_owned());
            }
            waits
        }
        Stage::ControlPlane => Vec::new(),
        Stage::Selection => text("the cluster is ACTIVE and its Kubernetes API answers us"),
        Stage::Dependencies => text("add-ons that need a node stay installed, waiting for nodes"),
        Stage::HyperPod => hyperpod::waits(request, seen),
        Stage::Storage => text("a pod on a node has read the bucket through the claim"),
        Stage::Verification => text("every check has its figure"),
    }
}

/// Expected minutes: AWS's usual durations and ours.
fn minutes(request: &Request<'_>, stage: Stage) -> (u32, u32) {
    match (stage, request.purpose) {
        (Stage::ControlPlane, Purpose::Create) => (10, 16),
        (Stage::ControlPlane, _) => (1, 16),
        (Stage::Selection, _) => (1, 2),
        (Stage::Dependencies, _) => (2, 8),
        (Stage::HyperPod, _) if request.groups().iter().all(|group| group.count == 0) => (5, 12),
        (Stage::HyperPod, _) => (12, 35),
        (Stage::Storage, _) => (2, 6),
        (Stage::Verification, _) => (1, 5),
    }
}

fn after_failure(request: &Request<'_>, stage: Stage) -> &'static str {
    match stage {
        Stage::ControlPlane if request.makes_network() => {
            "What was made of VPC, NAT gateway and EKS cluster stays and is used by the next run. NAT gateway and EKS \
             control plane are billed by the hour from their creation on."
        }
        Stage::ControlPlane => "What was made or mended stays. An EKS control plane is billed from its creation on.",
        Stage::Selection => "Nothing is made here. The ground under it stays and is billed.",
        Stage::Dependencies => "What was installed stays; it is not billed by itself. The ground under it is.",
        Stage::HyperPod => {
            "Role, bucket, scripts and subnets stay. Nodes that run are billed by the hour, and AWS goes on trying to \
             launch those that are missing: stop_spending ends that. A failed HyperPod cluster keeps its name until the \
             stage is run again, which deletes it."
        }
        Stage::Storage => "Driver, role, volume and claim stay. The nodes run and are billed.",
        Stage::Verification => "Nothing is made here but a probe pod. The nodes run and are billed.",
    }
}
