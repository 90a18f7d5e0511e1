//! What the state of an add-on means, given where its pods could run. Pure.

use crate::{AddonChange, Runs, Seen, change};
use domain::{codes::ErrorCode, failure::Failure, states::WaitingOn, status::AddonStatus};
use engine::{ledger::Sent, plan::Wait, reconciler::Scene};
use jiff::SignedDuration;

/// The issue of an add-on whose replicas have nowhere to run.
const NO_REPLICAS: &str = "InsufficientNumberOfReplicas";

/// How long a failed creation may take to heal by itself once there are nodes; EKS notices within three minutes.
const HEALING: SignedDuration = SignedDuration::from_mins(6);

/// How long an add-on may be on its way where its pods have somewhere to run: EKS itself gives up after 20 minutes.
const PATIENCE: SignedDuration = SignedDuration::from_mins(30);

/// Where pods could run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ground {
    /// Nodes in the cluster.
    pub nodes: usize,
    /// Of these, Ready, not cordoned and without a taint: where an add-on's Deployment can run.
    pub open: usize,
}

/// What to do about an add-on.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// ACTIVE.
    Well,
    /// In the cluster, and not managed by EKS: somebody else's, respected.
    Foreign,
    /// Installed; nothing of it can run before there is an untainted node. Settled for now, whatever its status.
    AwaitingNodes,
    /// On its way.
    Wait(Wait),
    /// To be made, or to be made again.
    Change(AddonChange),
    /// Does not heal by itself.
    Failed(Failure),
}

/// Judges one add-on.
pub fn judge(scene: Scene<'_>, seen: &Seen, ground: Ground) -> Verdict {
    let name = seen.wanted.name;
    let Some(addon) = &seen.addon else { return absent(scene, seen) };
    if addon.status == AddonStatus::Active {
        return Verdict::Well;
    }
    if addon.status == AddonStatus::Deleting {
        return Verdict::Wait(
            Wait::new(WaitingOn::Aws, format!("add-on {name} is being deleted")).of(format!("addon-deletion/{name}")),
        );
    }
    // Nothing is deleted and made anew while there is nowhere to run: it would fail again (SPEC C4).
    if seen.wanted.runs == Runs::Somewhere && ground.open == 0 {
        return Verdict::AwaitingNodes;
    }
    match &addon.status {
        AddonStatus::CreateFailed => failed_creation(scene, seen),
        AddonStatus::DeleteFailed | AddonStatus::UpdateFailed => Verdict::Failed(failure(seen)),
        _ => Verdict::Wait(Wait {
            deadline: Some(PATIENCE),
            failure: Some(failure(seen)),
            ..Wait::new(WaitingOn::Aws, on_its_way(seen)).of(format!("addon/{name}"))
        }),
    }
}

/// EKS does not manage it: somebody else's, or to be made.
fn absent(scene: Scene<'_>, seen: &Seen) -> Verdict {
    let name = seen.wanted.name;
    if seen.has_workload && !released(scene, name) {
        return Verdict::Foreign;
    }
    match &seen.default_version {
        Some(version) => Verdict::Change(AddonChange::Create {
            name: name.to_owned(),
            version: version.clone(),
            configuration: seen.wanted.configuration.map(str::to_owned),
        }),
        None => Verdict::Failed(
            Failure::new(
                ErrorCode::DependencyMissing,
                format!("EKS offers no version of add-on {name} for the cluster's Kubernetes version"),
            )
            .with_action("Update the cluster to a Kubernetes version for which EKS offers the add-on."),
        ),
    }
}

/// Time to heal by itself, then one cycle, then the truth.
fn failed_creation(scene: Scene<'_>, seen: &Seen) -> Verdict {
    let name = seen.wanted.name;
    if cycled(scene, name) {
        return Verdict::Failed(failure(seen));
    }
    let heals = seen.addon.iter().flat_map(|addon| &addon.issues).all(|issue| issue.code == NO_REPLICAS);
    let waiting = scene.operation.waiting.as_ref().filter(|waiting| waiting.on == WaitingOn::Nodes);
    let waited = waiting.map(|waiting| scene.now.duration_since(waiting.since)).unwrap_or_default();
    if heals && waited < HEALING {
        let text = format!("add-on {name} is CREATE_FAILED and heals by itself when its pods run");
        return Verdict::Wait(Wait::new(WaitingOn::Nodes, text).of(format!("addon-healing/{name}")));
    }
    Verdict::Change(AddonChange::Release { name: name.to_owned() })
}

/// Whether this operation has released it: then one cycle was made.
fn cycled(scene: Scene<'_>, name: &str) -> bool {
    let entry = scene.ledger.get(&change::release_key(name));
    entry.is_some_and(|entry| entry.sent != Sent::Refused && entry.journal.0 == scene.operation.id)
}

/// Whether we released it and have not made it again: what is in the cluster is what the release kept.
fn released(scene: Scene<'_>, name: &str) -> bool {
    let Some(release) = scene.ledger.get(&change::release_key(name)) else { return false };
    let made_since = scene
        .ledger
        .get(&change::create_key(name))
        .is_some_and(|made| made.sent == Sent::Applied && made.at > release.at);
    release.sent != Sent::Refused && !made_since
}

fn on_its_way(seen: &Seen) -> String {
    let status = seen.status().map(ToString::to_string).unwrap_or_default();
    let issues = seen.issues();
    let more = if issues.is_empty() { String::new() } else { format!(" ({issues})") };
    format!("add-on {} is {status}{more}", seen.wanted.name)
}

fn failure(seen: &Seen) -> Failure {
    Failure::new(ErrorCode::DependencyNotReady, on_its_way(seen)).with_action(format!(
        "Look at the pods of {} in namespace {} and at the add-on's issues, then run the stage again.",
        seen.wanted.workload.1, seen.wanted.workload.0
    ))
}
