//! What to do, from the decisions and the world as seen. Pure.

use crate::{change::Change, observe::Observed, role};
use addons::Verdict;
use cloud::{iam::foreign_role, is_owned, s3::Bucket};
use domain::{
    codes::ErrorCode,
    failure::Failure,
    naming::{STORAGE_CLAIM, STORAGE_VOLUME},
    states::WaitingOn,
};
use engine::{
    plan::{End, Plan, Step, Wait},
    reconciler::Scene,
};
use inside::{FILE, Reading};
use jiff::SignedDuration;
use kubernetes::Ownership;
use serde_json::{Value, json};

/// How long HyperPod nodes that are wanted may be missing here: the hyperpod stage has seen them all before.
const NODES: SignedDuration = SignedDuration::from_mins(30);

/// The whole plan of the stage.
pub(crate) fn plan(scene: Scene<'_>, observed: &Observed) -> Plan<Change> {
    if let Some(failure) = in_the_way(scene, observed) {
        return Plan::failed(failure);
    }
    let mut steps: Vec<Step<Change>> = Vec::new();
    steps.extend(bucket(scene, observed).into_iter().map(Step::Change));
    let borrowed = is_borrowed(scene, observed);
    if !borrowed {
        steps.extend(identity(scene, observed).into_iter().map(Step::Change));
    }
    let mut driver_wait = None;
    match addons::judge(scene, &observed.driver, observed.ground) {
        Verdict::Change(change) => steps.push(Step::Change(Change::Addon(change))),
        Verdict::Wait(wait) => driver_wait = Some(wait),
        Verdict::Failed(failure) => return Plan { steps, end: End::Failed(failure) },
        Verdict::Well | Verdict::Foreign | Verdict::AwaitingNodes => {}
    }
    let missing = observed.objects.iter().filter(|object| object.owner != Ownership::Foreign && !object.as_wanted);
    steps.extend(missing.map(|object| Step::Change(Change::Apply(object.title.clone()))));
    if steps.is_empty() && !is_bound(observed) {
        let reason = format!("claim {STORAGE_CLAIM} is not Bound yet");
        steps.push(Step::Wait(Wait::new(WaitingOn::Aws, reason).of("claim")));
    }
    read(scene, observed, steps, driver_wait)
}

/// The last part: a pod reads the bucket, if there is a node for it.
fn read(scene: Scene<'_>, observed: &Observed, mut steps: Vec<Step<Change>>, driver: Option<Wait>) -> Plan<Change> {
    let outcome = |read: Value| End::Done(outcome(observed, &read));
    if observed.hyperpod_nodes == 0 {
        if observed.wanted_nodes.unwrap_or_default() == 0 {
            return Plan { steps, end: outcome(json!({ "status": "noNodeYet", "detail": "no node yet" })) };
        }
        steps.push(Step::Wait(nodes_missing(observed)));
        return Plan { steps, end: outcome(Value::Null) };
    }
    steps.extend(driver.map(Step::Wait));
    match inside::judge(scene, &observed.probe, Change::access_since(scene.ledger)) {
        Reading::Change(change) => steps.push(Step::Change(Change::Read(change))),
        Reading::Wait(wait) => steps.push(Step::Wait(wait)),
        Reading::Failed(failure) => return Plan { steps, end: End::Failed(failure) },
        Reading::Read(node) => {
            return Plan { steps, end: outcome(json!({ "status": "pass", "node": node })) };
        }
    }
    Plan { steps, end: outcome(Value::Null) }
}

/// What cannot be changed and must not be used.
fn in_the_way(scene: Scene<'_>, observed: &Observed) -> Option<Failure> {
    let place = &observed.place;
    match &place.state {
        Bucket::Elsewhere(region) => {
            let elsewhere = region.as_deref().unwrap_or("another Region");
            let text =
                format!("bucket {} is in {elsewhere}, the cluster in {}", place.bucket, scene.cluster.target.region);
            return Some(Failure::new(ErrorCode::Conflict, text).with_action("Choose another bucket prefix."));
        }
        Bucket::Closed => {
            let text = format!("bucket {} cannot be looked at: it is another account's, or closed to us", place.bucket);
            return Some(Failure::new(ErrorCode::PermissionDenied, text).with_action("Choose another bucket prefix."));
        }
        Bucket::Free | Bucket::Ours => {}
    }
    if observed.role.as_ref().is_some_and(|role| !role.ours) && !is_borrowed(scene, observed) {
        return Some(foreign_role(&role::name(scene.cluster)));
    }
    if let Some(twin) = &observed.twin {
        let text = format!("volume {twin} has the handle of volume {STORAGE_VOLUME}: the driver takes them for one");
        return Some(Failure::new(ErrorCode::Conflict, text).with_action(format!("Remove volume {twin}.")));
    }
    let foreign: Vec<_> = observed.objects.iter().filter(|object| object.owner == Ownership::Foreign).collect();
    if foreign.is_empty() || shows_the_bucket(observed) {
        return None;
    }
    let titles: Vec<_> = foreign.iter().map(|object| object.title.as_str()).collect();
    let text = format!("{} is not ours and does not show bucket {}", titles.join(" and "), place.bucket);
    Some(Failure::new(ErrorCode::Conflict, text).with_action("Rename or remove it, then run the stage again."))
}

/// Whether the volume behind the claim shows the project bucket, whoever made it.
fn shows_the_bucket(observed: &Observed) -> bool {
    let claimed = observed.claim.as_ref().and_then(|claim| claim.volume.as_deref());
    let volume = observed.volume.as_ref().filter(|volume| claimed == Some(volume.name.as_str()));
    volume.is_some_and(|volume| volume.attributes.get("bucketName") == Some(&observed.place.bucket))
}

fn is_bound(observed: &Observed) -> bool {
    observed.claim.as_ref().is_some_and(|claim| claim.phase == "Bound")
}

/// Whether the driver has an identity that is not ours: it was there before us, and other mounts rest on it.
fn is_borrowed(scene: Scene<'_>, observed: &Observed) -> bool {
    scene.cluster.import.is_some()
        && observed.association.as_ref().is_some_and(|association| !is_owned(&association.tags, scene.cluster.id))
}

/// The bucket with the file that probes read.
fn bucket(scene: Scene<'_>, observed: &Observed) -> Vec<Change> {
    let place = &observed.place;
    let mut changes = Vec::new();
    if place.state == Bucket::Free {
        changes.push(Change::CreateBucket(place.bucket.clone()));
    }
    if !place.has_probe_file {
        changes.push(Change::PutProbeFile {
            bucket: place.bucket.clone(),
            key: format!("{}{FILE}", place.prefix),
            content: inside::content(scene),
        });
    }
    changes
}

/// Role, policy and association: before the driver's pods, which get their role when they are made.
fn identity(scene: Scene<'_>, observed: &Observed) -> Vec<Change> {
    let (place, name, role_arn) = (&observed.place, role::name(scene.cluster), role::arn(scene.cluster));
    let mut changes = Vec::new();
    if observed.role.is_none() {
        changes.push(Change::CreateRole(name.clone()));
    }
    let policy = role::policy(scene.cluster.target.region.partition(), &place.bucket, &place.prefix);
    if observed.role.as_ref().and_then(|role| role.policy.as_ref()) != Some(&policy) {
        changes.push(Change::SetPolicy { role: name, bucket: place.bucket.clone(), prefix: place.prefix.clone() });
    }
    match &observed.association {
        None => changes.push(Change::CreateAssociation { role_arn }),
        Some(association) if association.role_arn != role_arn => {
            changes.push(Change::SetAssociationRole { id: association.id.clone(), role_arn });
        }
        Some(_) => {}
    }
    changes
}

fn nodes_missing(observed: &Observed) -> Wait {
    let wanted = observed.wanted_nodes.unwrap_or_default();
    let text = format!("none of {wanted} HyperPod nodes takes pods");
    let failure = Failure::new(ErrorCode::DependencyNotReady, text.clone())
        .with_action("Look at the hyperpod stage, then run the stage again.");
    Wait { deadline: Some(NODES), failure: Some(failure), ..Wait::new(WaitingOn::Nodes, text) }
}

fn outcome(observed: &Observed, read: &Value) -> Value {
    let place = &observed.place;
    json!({
        "claim": STORAGE_CLAIM,
        "claimPhase": observed.claim.as_ref().map(|claim| claim.phase.clone()),
        "bucket": place.bucket,
        "prefix": place.prefix,
        "driver": {
            "name": observed.driver.wanted.name,
            "version": observed.driver.addon.as_ref().map(|addon| addon.version.clone()),
            "status": observed.driver.status().map(ToString::to_string),
        },
        "read": read,
    })
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
