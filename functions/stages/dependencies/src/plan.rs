//! What to do, from the world as seen. Pure.

use crate::{
    administrators,
    change::{Change, apply_key},
    observe::{Observed, PartSeen},
};
use addons::{Seen, Verdict};
use domain::{codes::ErrorCode, failure::Failure, states::WaitingOn};
use engine::{
    ledger::{MOST_SUCCESSES, Sent},
    plan::{End, Plan, Step},
    reconciler::Scene,
};
use jiff::SignedDuration;
use kubernetes::Ownership;
use manifests::Part;
use serde_json::{Value, json};

/// How long a webhook may refuse in a cluster that has nowhere to run its pods: some run where we cannot see it (Fargate).
const WEBHOOK: SignedDuration = SignedDuration::from_mins(5);

/// What becomes of a part.
enum Fate {
    /// These objects are to be applied.
    Apply(Vec<String>),
    /// It is as it should be.
    Installed,
    /// Somebody else does its work.
    Respected(String),
    /// AWS has none for this Region.
    Unavailable,
}

/// The whole plan of the stage.
pub(crate) fn plan(scene: Scene<'_>, observed: &Observed) -> Plan<Change> {
    if let Some(failure) = unheard_webhook(scene, observed) {
        return Plan { steps: Vec::new(), end: End::Failed(failure) };
    }
    let mut steps = Vec::new();
    let mut failed = None;
    for seen in &observed.parts {
        if let Fate::Apply(objects) = fate(seen, observed) {
            if keeps_changing(scene, seen.part) {
                failed = failed.or(Some(contested(seen.part, &objects)));
            } else {
                steps.push(Step::Change(Change::Apply { part: seen.part, objects }));
            }
        }
    }
    // Waits stand behind every change: one add-on that is on its way must not keep another from being made.
    let mut waits = Vec::new();
    for seen in &observed.addons {
        match addons::judge(scene, seen, observed.ground) {
            Verdict::Change(change) => steps.push(Step::Change(Change::Addon(change))),
            Verdict::Wait(wait) => waits.push(Step::Wait(wait)),
            Verdict::Failed(failure) => failed = failed.or(Some(failure)),
            Verdict::Well | Verdict::Foreign | Verdict::AwaitingNodes => {}
        }
    }
    waits.extend(administrators::wait(scene, &observed.administrators).map(Step::Wait));
    if failed.is_none() {
        steps.extend(waits);
    }
    let end = failed.map_or_else(|| End::Done(outcome(scene, observed)), End::Failed);
    Plan { steps, end }
}

/// A webhook that has refused what we apply for a while, in a cluster without a node on which its pods could run: it would
/// refuse for ever (field report BR-032).
fn unheard_webhook(scene: Scene<'_>, observed: &Observed) -> Option<Failure> {
    let waiting = scene.operation.waiting.as_ref().filter(|waiting| waiting.on == WaitingOn::Nodes)?;
    let refused = |part: &PartSeen| {
        let entry = scene.ledger.get(&apply_key(part.part));
        entry.is_some_and(|entry| entry.sent == Sent::Refused && entry.journal.0 == scene.operation.id)
    };
    let lasts = scene.now.duration_since(waiting.since) >= WEBHOOK;
    if observed.ground.open > 0 || !lasts || !observed.parts.iter().any(refused) {
        return None;
    }
    let text = format!("{}; no node of the cluster takes the pods that would answer it", waiting.reason);
    let action = "Add a node without taints, or remove the webhook's configuration or let it pass over these objects; then \
                  run the stage again.";
    Some(Failure::new(ErrorCode::DependencyNotReady, text).with_action(action))
}

fn fate(seen: &PartSeen, observed: &Observed) -> Fate {
    let operator = observed.neighbours.iter().find(|neighbour| neighbour.starts_with("NVIDIA GPU operator"));
    if let Some(operator) = operator.filter(|_| seen.part == Part::NvidiaDevicePlugin) {
        return Fate::Respected(operator.clone());
    }
    if !seen.foreign.is_empty() {
        return Fate::Respected(seen.foreign.join(", "));
    }
    if seen.objects.is_empty() {
        return Fate::Unavailable;
    }
    let to_apply: Vec<String> = seen
        .objects
        .iter()
        .filter(|object| object.owner != Ownership::Foreign && !object.as_wanted)
        .map(|object| object.title.clone())
        .collect();
    if !to_apply.is_empty() {
        return Fate::Apply(to_apply);
    }
    let foreign: Vec<_> = seen
        .objects
        .iter()
        .filter(|object| object.owner == Ownership::Foreign)
        .map(|object| object.title.clone())
        .collect();
    if foreign.is_empty() { Fate::Installed } else { Fate::Respected(foreign.join(", ")) }
}

/// Whether this run has applied a part so often that somebody must be changing it back: the engine would not send it again.
fn keeps_changing(scene: Scene<'_>, part: Part) -> bool {
    scene.ledger.is_spent(&apply_key(part), scene.began_at)
}

fn contested(part: Part, objects: &[String]) -> Failure {
    Failure::new(
        ErrorCode::Conflict,
        format!("{part} was applied {MOST_SUCCESSES} times and is changed back each time: {}", objects.join(", ")),
    )
    .with_action("Find what else manages these objects (an admission webhook, a GitOps controller), then run it again.")
}

/// Each component with its state and what it is for (field report BR-037).
fn outcome(scene: Scene<'_>, observed: &Observed) -> Value {
    let parts: Vec<Value> = observed.parts.iter().map(|seen| component(seen, observed)).collect();
    let addons: Vec<Value> = observed.addons.iter().map(|seen| addon(scene, seen, observed)).collect();
    json!({
        "components": parts,
        "addons": addons,
        "respected": observed.neighbours,
        "nodes": { "all": observed.ground.nodes, "open": observed.ground.open },
        "administrators": administrators::outcome(&observed.administrators),
    })
}

fn component(seen: &PartSeen, observed: &Observed) -> Value {
    let (state, detail) = match fate(seen, observed) {
        Fate::Installed | Fate::Apply(_) => ("installed", pods(seen)),
        Fate::Respected(whose) if seen.lacking.is_empty() => ("respected", format!("not ours: {whose}")),
        Fate::Respected(whose) => ("respected", format!("not ours: {whose}; {}", lack(seen))),
        Fate::Unavailable => ("unavailable", "AWS publishes no image of it for this Region".to_owned()),
    };
    json!({ "name": seen.part, "state": state, "requiredFor": seen.part.required_for(), "detail": detail })
}

/// What does not work since HyperPod's service may not do it.
fn lack(seen: &PartSeen) -> String {
    format!("HyperPod's service may not {}, which it needs for {}", seen.lacking.join(", "), seen.part.required_for())
}

fn pods(seen: &PartSeen) -> String {
    match seen.readiness {
        Some(readiness) if readiness.wanted == 0 => "no node yet".to_owned(),
        Some(readiness) => format!("{} of {} pods ready", readiness.ready, readiness.wanted),
        None => String::new(),
    }
}

fn addon(scene: Scene<'_>, seen: &Seen, observed: &Observed) -> Value {
    let state = match addons::judge(scene, seen, observed.ground) {
        Verdict::Well => "active",
        Verdict::Foreign => "respected",
        Verdict::AwaitingNodes => "waitingForNodes",
        Verdict::Wait(_) | Verdict::Change(_) | Verdict::Failed(_) => "notReady",
    };
    let detail = match state {
        "respected" => "in the cluster, not managed by EKS".to_owned(),
        "waitingForNodes" => "installed, waiting for nodes".to_owned(),
        _ => seen.issues(),
    };
    json!({
        "name": seen.wanted.name,
        "state": state,
        "status": seen.status().map(ToString::to_string),
        "version": seen.addon.as_ref().map(|addon| addon.version.clone()),
        "requiredFor": seen.wanted.required_for,
        "detail": detail,
    })
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
