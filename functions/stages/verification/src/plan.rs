//! What to do, from the checks. Pure.

use crate::{
    change::Change,
    checks::{Check, Status},
    observe::Observed,
};
use addons::Verdict;
use domain::{codes::ErrorCode, failure::Failure, states::WaitingOn};
use engine::{
    plan::{End, Plan, Step, Wait},
    reconciler::Scene,
};
use inside::Reading;
use jiff::SignedDuration;
use serde_json::json;

/// How long what is red may take to turn: plugins start, add-ons heal, agents label.
const PATIENCE: SignedDuration = SignedDuration::from_mins(20);

/// The whole plan of the stage.
pub(crate) fn plan(scene: Scene<'_>, observed: &Observed) -> Plan<Change> {
    let mut steps = Vec::new();
    let mut hopeless = false;
    for seen in &observed.addons {
        match addons::judge(scene, seen, observed.ground) {
            Verdict::Change(change) => steps.push(Step::Change(Change::Addon(change))),
            Verdict::Failed(_) => hopeless = true,
            Verdict::Well | Verdict::Foreign | Verdict::AwaitingNodes | Verdict::Wait(_) => {}
        }
    }
    if observed.claim_bound == Some(true) && !observed.nodes.is_empty() {
        match inside::judge(scene, &observed.probe, None) {
            Reading::Change(change) => steps.push(Step::Change(Change::Read(change))),
            Reading::Failed(_) => hopeless = true,
            Reading::Read(_) | Reading::Wait(_) => {}
        }
    }
    let red: Vec<&Check> = observed.checks.iter().filter(|check| is_open(check)).collect();
    if red.is_empty() {
        return Plan { steps, end: End::Done(json!({ "checks": observed.checks })) };
    }
    let failure = failure(&red);
    if hopeless || observed.claim_bound.is_none() {
        return Plan { steps, end: End::Failed(failure) };
    }
    let names: Vec<_> = red.iter().map(|check| format!("{} ({})", check.name, check.figure)).collect();
    let wait = Wait::new(WaitingOn::Nodes, format!("not yet: {}", names.join("; ")));
    steps.push(Step::Wait(Wait { deadline: Some(PATIENCE), failure: Some(failure), ..wait }));
    Plan { steps, end: End::Done(json!({ "checks": observed.checks })) }
}

/// Red; or unknown where it must be known. Hardware that is not in the catalogue stays unknown for ever.
fn is_open(check: &Check) -> bool {
    check.status == Status::Fail || (check.status == Status::Unknown && check.name == "healthLabels")
}

/// Every red check with its fix.
fn failure(red: &[&Check]) -> Failure {
    let what: Vec<_> = red.iter().map(|check| format!("{}: {}", check.name, check.figure)).collect();
    let mut fixes: Vec<&str> = red.iter().map(|check| check.fix.as_str()).filter(|fix| !fix.is_empty()).collect();
    fixes.dedup();
    Failure::new(ErrorCode::DependencyNotReady, format!("not verified: {}", what.join("; ")))
        .with_action(fixes.join(" "))
}
