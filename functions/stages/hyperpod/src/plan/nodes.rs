//! Which wait it is while nodes are missing: the plan's start, launches, capacity, failing launches, deep checks, or
//! Kubernetes' verdict. Each says what goes on by itself and what is billed.

use super::{
    Steps,
    causes::{Cause, rounds},
    outcome::GroupState,
};
use crate::{
    desired::Wanted,
    observe::{Cluster, GroupTrouble, Observed},
};
use domain::{codes::ErrorCode, failure::Failure, states::WaitingOn};
use engine::{
    plan::{Step, Wait},
    reconciler::Scene,
};
use jiff::{SignedDuration, Timestamp};

/// After so many rounds of the same failure that trying again does not mend, the stage fails.
const ROUNDS: usize = 3;

/// Most instances that are named.
const INSTANCES: usize = 5;

/// A failure older than this says nothing about now: the service tries again every few minutes.
const RECENT: SignedDuration = SignedDuration::from_mins(60);

/// What keeps one group from being complete; the gravest of all groups names the wait.
#[derive(Debug, Clone, PartialEq)]
struct Verdict {
    kind: Kind,
    text: String,
    /// The known date of its end.
    until: Option<Timestamp>,
}

/// Kinds of wait, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Failing,
    Capacity,
    Launching,
    DeepChecks,
    Joining,
    PlanPending,
    PlanStart,
}

impl Kind {
    fn waiting_on(self) -> WaitingOn {
        match self {
            Self::Failing | Self::Launching | Self::Joining => WaitingOn::Nodes,
            Self::Capacity => WaitingOn::Capacity,
            Self::DeepChecks => WaitingOn::DeepChecks,
            Self::PlanPending => WaitingOn::Aws,
            Self::PlanStart => WaitingOn::PlanStart,
        }
    }

    /// What is waited for, as a key. Launches that fail and are tried again are one wait.
    fn subject(self) -> &'static str {
        match self {
            Self::Failing | Self::Launching => "nodes/launching",
            Self::Joining => "nodes/joining",
            Self::Capacity => "nodes/capacity",
            Self::DeepChecks => "nodes/deep-checks",
            Self::PlanPending => "training-plan/payment",
            Self::PlanStart => "training-plan/start",
        }
    }

    /// Seconds between the first looks: a node that runs has joined Kubernetes within a minute or two; all else takes
    /// minutes or hours.
    fn seconds(self) -> u32 {
        match self {
            Self::Joining => 5,
            Self::Failing | Self::Launching => 10,
            Self::Capacity | Self::PlanPending | Self::PlanStart => 15,
            Self::DeepChecks => 30,
        }
    }
}

/// Adds the wait for nodes, if any are missing.
///
/// # Errors
/// A failure that the service's own trying does not mend, after several rounds of it; a plan that is over.
pub(super) fn steps(scene: Scene<'_>, seen: &Observed, wanted: &[Wanted], steps: &mut Steps) -> Result<(), Failure> {
    let Some(cluster) = &seen.cluster else { return Ok(()) };
    let mut verdicts = Vec::new();
    for state in GroupState::of_all(cluster, wanted) {
        if !state.is_complete() {
            verdicts.push(verdict(scene, seen, cluster, &state)?);
        }
    }
    let Some(gravest) = verdicts.iter().map(|verdict| verdict.kind).min() else { return Ok(()) };
    verdicts.sort_by_key(|verdict| verdict.kind);
    let texts: Vec<&str> = verdicts.iter().map(|verdict| verdict.text.as_str()).collect();
    let mut wait = Wait::new(gravest.waiting_on(), texts.join("; ")).of(gravest.subject());
    wait.seconds = gravest.seconds();
    match gravest {
        Kind::PlanStart => wait.until = verdicts.iter().filter_map(|verdict| verdict.until).min(),
        Kind::Capacity => wait.failure = Some(no_capacity(&wait.reason)),
        _ => {}
    }
    steps.push(Step::Wait(wait));
    Ok(())
}

fn no_capacity(reason: &str) -> Failure {
    let text = format!("no capacity came in a day: {reason}");
    Failure::new(ErrorCode::CapacityUnavailable, text).with_action(
        "SageMaker goes on trying until the count is lowered. Try another zone, type or capacity type, or buy a training \
         plan; stop spending sets every group to zero.",
    )
}

fn verdict(scene: Scene<'_>, seen: &Observed, cluster: &Cluster, state: &GroupState<'_>) -> Result<Verdict, Failure> {
    if let Some(verdict) = plan_verdict(scene, seen, state)? {
        return Ok(verdict);
    }
    let (name, target) = (&state.group.name, state.group.target);
    if state.running + state.deep_checking < target {
        let trouble = cluster.troubles.get(name).filter(|trouble| is_recent(trouble, scene.now));
        return match trouble {
            Some(trouble) => short(scene, state, trouble),
            None => Ok(launching(state)),
        };
    }
    if state.deep_checking > 0 {
        let text = format!(
            "{name}: deep health checks run on {} of {target} nodes (about two hours; billed meanwhile)",
            state.deep_checking
        );
        return Ok(Verdict { kind: Kind::DeepChecks, text, until: None });
    }
    let complaints = state.complaints.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    let text = format!("{name}: {} of {target} nodes take pods ({complaints})", state.ready);
    Ok(Verdict { kind: Kind::Joining, text, until: None })
}

fn is_recent(trouble: &GroupTrouble, now: Timestamp) -> bool {
    trouble.failures.first().is_some_and(|failure| now.duration_since(failure.at) <= RECENT)
}

fn launching(state: &GroupState<'_>) -> Verdict {
    let text = format!(
        "{}: {} of {} nodes run, {} launch (8 to 25 minutes each; billed from their lifecycle script on)",
        state.group.name,
        state.running,
        state.group.target,
        state.group.target.saturating_sub(state.running)
    );
    Verdict { kind: Kind::Launching, text, until: None }
}

/// A group whose launches fail: by lack of capacity, which heals, or by something that stays.
fn short(scene: Scene<'_>, state: &GroupState<'_>, trouble: &GroupTrouble) -> Result<Verdict, Failure> {
    let (name, target) = (&state.group.name, state.group.target);
    let cause = Cause::of(&trouble.newest);
    if cause == Cause::Capacity || cause == Cause::Other {
        // Every node has an instance again: what failed before does not keep them any more.
        if state.with_instance >= target {
            return Ok(launching(state));
        }
        let partial = format!("{name}: {} of {target} nodes run; {}", state.running, trouble.newest);
        let text = format!("{partial} (SageMaker goes on trying by itself; running nodes are billed)");
        let kind = if cause == Cause::Capacity { Kind::Capacity } else { Kind::Failing };
        return Ok(Verdict { kind, text, until: None });
    }
    let cause_text = explained(trouble, cause);
    // What failed before this run was perhaps mended.
    let rounds = rounds(&trouble.failures, cause, scene.began_at);
    if cause.stays() && rounds >= ROUNDS {
        return Err(stays(state, trouble, cause, (rounds, &cause_text)));
    }
    let text = format!(
        "{name}: launches fail, {} of {target} nodes run; {cause_text} (SageMaker goes on trying by itself; each try is \
         billed from its lifecycle script on)",
        state.running
    );
    Ok(Verdict { kind: Kind::Failing, text, until: None })
}

/// The cause with what was found out about it, the likeliest first (field report BR-040).
fn explained(trouble: &GroupTrouble, cause: Cause) -> String {
    let mut parts = Vec::new();
    if let Some(place) = &trouble.missing_script {
        parts.push(format!("script object missing: {place}"));
    }
    if let Some(line) = &trouble.log_line {
        parts.push(format!("last line of the lifecycle log: {line}"));
    } else if cause == Cause::Script && trouble.missing_script.is_none() {
        parts.push("its lifecycle log is empty, so the node died before the script, not in it".to_owned());
    }
    parts.push(trouble.newest.clone());
    parts.extend(trouble.log_place.clone());
    let instances = failed_instances(trouble, cause);
    if !instances.is_empty() {
        parts.push(format!("on {}", instances.join(", ")));
    }
    parts.join("; ")
}

/// Instances that failed for `cause`, each once, the newest first.
fn failed_instances(trouble: &GroupTrouble, cause: Cause) -> Vec<&str> {
    let of_cause = trouble.failures.iter().filter(|failure| Cause::of(&failure.text) == cause);
    let mut instances: Vec<&str> = Vec::new();
    for instance in of_cause.filter_map(|failure| failure.instance_id.as_deref()) {
        if !instances.contains(&instance) && instances.len() < INSTANCES {
            instances.push(instance);
        }
    }
    instances
}

fn stays(state: &GroupState<'_>, trouble: &GroupTrouble, cause: Cause, (rounds, cause_text): (usize, &str)) -> Failure {
    let (name, target) = (&state.group.name, state.group.target);
    let text = format!(
        "instance group {name}: {} of {target} nodes run, launches failed {rounds} times for the same cause: {cause_text}",
        state.running
    );
    let (code, action) = match cause {
        Cause::Script => (
            script_code(trouble),
            "Mend what the log line names, then run the stage again. SageMaker goes on trying, and bills each try: stop \
             spending ends that.",
        ),
        Cause::Efa => (
            ErrorCode::DependencyMissing,
            "Give every security group of the nodes rules for all traffic from and to itself, then run the stage again.",
        ),
        Cause::Addresses => (
            ErrorCode::SubnetCapacity,
            "Free addresses in the subnet, or decide the group anew under another name: a larger subnet is made then.",
        ),
        Cause::Permission => (
            ErrorCode::PermissionDenied,
            "Allow the execution role what the message names (a boundary or a service control policy may deny it), then \
             run the stage again.",
        ),
        Cause::Placement => {
            (ErrorCode::Conflict, "Decide a new group in the zone of the training plan under another name.")
        }
        Cause::Capacity | Cause::Other => (ErrorCode::CapacityUnavailable, "Run the stage again."),
    };
    Failure::new(code, text).with_action(action)
}

/// What a failed script means: its object is gone, the role may not read it, or it is wrong itself.
fn script_code(trouble: &GroupTrouble) -> ErrorCode {
    // As S3's error is written by the AWS CLI: a bare number may be a part of an instance's id.
    let denied = |text: &str| text.contains("(403)") || text.contains("AccessDenied");
    let told = trouble.log_line.as_deref().unwrap_or_default();
    match () {
        () if trouble.missing_script.is_some() => ErrorCode::DependencyMissing,
        () if denied(told) || denied(&trouble.newest) => ErrorCode::PermissionDenied,
        () => ErrorCode::Internal,
    }
}

/// A group on a training plan that has no nodes to give now: before its start, between two blocks, or after its end.
fn plan_verdict(scene: Scene<'_>, seen: &Observed, state: &GroupState<'_>) -> Result<Option<Verdict>, Failure> {
    let Some(plan) = state.group.training_plan.as_ref().and_then(|arn| seen.plans.get(arn)) else { return Ok(None) };
    let (name, target) = (&state.group.name, state.group.target);
    if matches!(plan.status.as_str(), "Expired" | "Failed") {
        let text = format!("instance group {name}: training plan {} is {}", plan.name, plan.status);
        let action = "Decide a new group with another plan or capacity type under another name.";
        return Err(Failure::new(ErrorCode::CapacityUnavailable, text).with_action(action));
    }
    if plan.block_at(scene.now).is_some() && plan.status != "Pending" {
        return Ok(None);
    }
    if plan.status == "Pending" {
        let text = format!("{name}: training plan {} is not paid yet (Pending)", plan.name);
        return Ok(Some(Verdict { kind: Kind::PlanPending, text, until: None }));
    }
    let Some(start) = plan.next_start(scene.now) else { return Ok(None) };
    let text = format!(
        "{name}: training plan {} starts at {start}; its {target} nodes are launched then by SageMaker itself, and \
         nothing runs for it until then",
        plan.name
    );
    Ok(Some(Verdict { kind: Kind::PlanStart, text, until: Some(start) }))
}
