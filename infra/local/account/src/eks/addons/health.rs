//! The state of add-ons, judged by what their workloads say in the cluster.
//!
//! EKS looks again and again. A Deployment add-on waits up to 20 minutes for its replicas; without them it ends DEGRADED
//! or CREATE_FAILED, and becomes ACTIVE by itself once they are there. A DaemonSet is well on a cluster without nodes.

use super::{
    Status, by_arn,
    install::{self, Obstacles},
    objects,
};
use crate::{
    eks::{life::Event, world_access},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How long an add-on may be CREATING or UPDATING.
const PATIENCE: SignedDuration = SignedDuration::from_mins(20);

/// How often EKS looks at an add-on that is on its way, and at one that has settled.
const SOON: SignedDuration = SignedDuration::from_secs(10);
const LATER: SignedDuration = SignedDuration::from_mins(2);

/// How a Deployment add-on ends that never had its replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AddonOutcome {
    /// DEGRADED, and ACTIVE when the replicas come.
    Degraded,
    /// CREATE_FAILED, and ACTIVE when the replicas come.
    CreateFailed,
    /// CREATE_FAILED until it is deleted and made again.
    CreateFailedForGood,
}

/// What EKS remembers from look to look.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::eks) struct Watch {
    since: Timestamp,
    /// The update that ends with this watch.
    update: Option<String>,
    /// Since when all replicas have been there.
    well_since: Option<Timestamp>,
    /// It stays as it is, whatever its workloads say.
    is_final: bool,
}

impl Watch {
    pub(super) fn starting(now: Timestamp) -> Self {
        Self { since: now, update: None, well_since: None, is_final: false }
    }

    pub(super) fn updating(now: Timestamp, update: &str) -> Self {
        Self { update: Some(update.to_owned()), ..Self::starting(now) }
    }
}

/// What an add-on's workloads look like.
struct Workloads {
    has_deployments: bool,
    /// Names of Deployments with fewer ready replicas than wanted, and of DaemonSets with fewer than scheduled.
    short: Vec<String>,
}

/// Begins to look after an add-on whose objects were just written, or ends it at once if they could not be.
pub(super) fn start(world: &mut World, cluster: &str, addon: &str, obstacles: &Obstacles, now: Timestamp) {
    let (code, message) = if let Some(denial) = obstacles.denials.first() {
        ("AdmissionRequestDenied", denial.clone())
    } else if obstacles.conflicts.is_empty() {
        look_again(world, cluster, addon, SOON, now);
        return;
    } else {
        let start = "Conflicts found when trying to apply. Will not continue due to resolve conflicts mode. Conflicts:";
        ("ConfigurationConflict", format!("{start}\n{}", obstacles.conflicts.join("\n")))
    };
    let Some(found) = by_arn(world, cluster, addon) else { return };
    found.status = if found.watch.update.is_some() { Status::UpdateFailed } else { Status::CreateFailed };
    found.issues = vec![issue(code, &message, &[])];
    found.watch.is_final = true;
    end_update(world, cluster, addon, Some((code, &message)));
}

/// One look.
pub(in crate::eks) fn look(world: &mut World, cluster: &str, addon: &str, now: Timestamp) {
    let Some(found) = by_arn(world, cluster, addon) else { return };
    if found.status == Status::Deleting || found.watch.is_final {
        return;
    }
    let name = found.name.clone();
    let workloads = workloads(world, cluster, &name, now);
    if workloads.short.is_empty() {
        look_at_well(world, cluster, addon, &workloads, now);
    } else {
        look_at_short(world, cluster, addon, &workloads, now);
    }
}

/// All replicas are there: ACTIVE, when EKS has noticed.
fn look_at_well(world: &mut World, cluster: &str, addon: &str, workloads: &Workloads, now: Timestamp) {
    let (noticed, label) = if workloads.has_deployments { (50..170, "replicas") } else { (10..40, "daemons") };
    let Some(found) = by_arn(world, cluster, addon) else { return };
    let since = *found.watch.well_since.get_or_insert(now);
    if found.status == Status::Active {
        look_again(world, cluster, addon, LATER, now);
        return;
    }
    // A DaemonSet is well from the start; what counts is when its add-on was made.
    let since = if workloads.has_deployments { since } else { found.watch.since };
    let notice = world.paced(world.draw(&format!("{label} of {addon} {since}"), noticed));
    if now.duration_since(since) < notice {
        look_again(world, cluster, addon, SOON, now);
        return;
    }
    if let Some(found) = by_arn(world, cluster, addon) {
        found.status = Status::Active;
        found.issues.clear();
        found.modified_at = now;
    }
    end_update(world, cluster, addon, None);
    look_again(world, cluster, addon, LATER, now);
}

/// Replicas are missing: patience, then an unhealthy end that the next looks can still turn.
fn look_at_short(world: &mut World, cluster: &str, addon: &str, workloads: &Workloads, now: Timestamp) {
    let patience = world.paced(PATIENCE);
    let outcome = outcome(world, addon);
    let Some(found) = by_arn(world, cluster, addon) else { return };
    found.watch.well_since = None;
    let message = "The add-on is unhealthy because it doesn't have the desired number of replicas.";
    let issues = vec![issue("InsufficientNumberOfReplicas", message, &workloads.short)];
    let waited_out = now.duration_since(found.watch.since) >= patience;
    match found.status {
        Status::Creating if waited_out => {
            found.status = if outcome == AddonOutcome::Degraded { Status::Degraded } else { Status::CreateFailed };
            found.watch.is_final = outcome == AddonOutcome::CreateFailedForGood;
            found.issues = issues;
        }
        Status::Updating if waited_out => {
            found.status = Status::UpdateFailed;
            found.issues = issues;
            end_update(world, cluster, addon, Some(("InsufficientNumberOfReplicas", message)));
        }
        Status::Active => {
            found.status = Status::Degraded;
            found.issues = issues;
        }
        _ => {}
    }
    let on_its_way = !waited_out;
    look_again(world, cluster, addon, if on_its_way { SOON } else { SOON * 3 }, now);
}

fn outcome(world: &World, addon: &str) -> AddonOutcome {
    world.eks.addon_outcome.unwrap_or_else(|| match world.hash(&format!("outcome of {addon}")) % 2 {
        0 => AddonOutcome::Degraded,
        _ => AddonOutcome::CreateFailed,
    })
}

fn issue(code: &str, message: &str, resources: &[String]) -> Value {
    json!({ "code": code, "message": message, "resourceIds": resources })
}

fn look_again(world: &mut World, cluster: &str, addon: &str, after: SignedDuration, now: Timestamp) {
    world.schedule(now, after, Event::AddonLook { arn: cluster.to_owned(), addon: addon.to_owned() }.into());
}

/// Ends the update that an add-on was in, well or with an error.
fn end_update(world: &mut World, cluster: &str, addon: &str, error: Option<(&str, &str)>) {
    let Some(id) = by_arn(world, cluster, addon).and_then(|found| found.watch.update.take()) else { return };
    let Some(cluster) = world.eks.clusters.get_mut(cluster) else { return };
    let Some(update) = cluster.updates.iter_mut().find(|update| update.id == id) else { return };
    if error.is_some() { "Failed" } else { "Successful" }.clone_into(&mut update.status);
    update.errors.extend(error.map(|(code, message)| json!({ "errorCode": code, "errorMessage": message })));
}

fn workloads(world: &mut World, cluster: &str, addon: &str, now: Timestamp) -> Workloads {
    let mut seen = Workloads { has_deployments: false, short: Vec::new() };
    for object in install::recorded(world, cluster, addon) {
        let kind = object["kind"].as_str().unwrap_or_default();
        if kind != "Deployment" && kind != "DaemonSet" {
            continue;
        }
        let living = world_access::get(world, cluster, &objects::path(&object), now).unwrap_or_default();
        let number = |path: &str| living.pointer(path).and_then(Value::as_i64).unwrap_or_default();
        let (wanted, ready) = if kind == "Deployment" {
            seen.has_deployments = true;
            (living.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(1), number("/status/readyReplicas"))
        } else {
            (number("/status/desiredNumberScheduled"), number("/status/numberReady"))
        };
        if ready < wanted || living.is_null() {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            seen.short.push(name.to_owned());
        }
    }
    seen
}
