//! What the stages of a cluster that is there, or an operation beside them, would do, planned by their own functions.

use crate::Api;
use contract::plan::{Finding, PlanView, Severity, StagePlan};
use domain::{ErrorCode, failure::Failure, limits::PLAN_WAIT_SECONDS};
use engine::{
    planned::{Ending, Part, PlanRecord},
    submit::Submission,
};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often the plan record is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// The plan of `submission`, as far as it could be made in the time that there is; none if not even a beginning.
pub(crate) async fn planned(api: &Api, submission: &Submission) -> Option<PlanRecord> {
    let until = Instant::now() + Duration::from_secs(u64::try_from(PLAN_WAIT_SECONDS).unwrap_or(u64::MAX));
    let desk = api.desk();
    let asked = desk.preview(submission).await;
    let id = asked.inspect_err(|trouble| tracing::warn!(error = %trouble, "the stages were not asked")).ok()?;
    loop {
        let seen = desk.planned(id).await.ok().flatten();
        if Instant::now() >= until || seen.as_ref().is_some_and(PlanRecord::is_complete) {
            return seen.filter(|record| !record.parts.is_empty());
        }
        sleep(LOOK).await;
    }
}

/// `view` with what the stages themselves say in the place of what was guessed.
pub(crate) fn told(mut view: PlanView, record: &PlanRecord) -> PlanView {
    let mut ground_is_as_seen = true;
    for stage in &mut view.stages {
        let Some(part) = record.part(Some(stage.stage)) else {
            stage.unknown = Some("its plan was not made in time: ask again".to_owned());
            ground_is_as_seen = false;
            continue;
        };
        if let (Ending::Failed(failure), true) = (&part.end, ground_is_as_seen) {
            view.findings.insert(0, blocking(stage, failure));
            view.ready = false;
        }
        fill(stage, part, ground_is_as_seen);
        // What comes after a stage that has something to do stands on other ground than what was seen.
        ground_is_as_seen &= part.changes.is_empty() && part.waits.is_empty() && part.end == Ending::Done;
    }
    if let Some(part) = record.part(None) {
        beside_the_stages(&mut view, part);
    }
    view.hash = record.hash();
    view
}

/// An operation that runs no stage.
fn beside_the_stages(view: &mut PlanView, part: &Part) {
    view.changes.clone_from(&part.changes);
    view.waits.clone_from(&part.waits);
    let told = |severity: Severity, code: ErrorCode, message: String, action: &str| Finding {
        severity,
        code,
        pointer: None,
        message,
        action: action.to_owned(),
    };
    match &part.end {
        Ending::Failed(failure) => {
            let text = format!("it cannot be done as things are: {}", failure.message);
            view.findings.insert(0, told(Severity::Blocking, failure.code, text, &failure.action));
            view.ready = false;
        }
        Ending::Unknown(why) => {
            let text = format!("the world could not be seen: {}", why.message);
            view.findings.push(told(Severity::Unchecked, why.code, text, &why.action));
        }
        Ending::Done | Ending::Undecided(_) => {}
    }
    if part.left_out > 0 {
        view.waits.push(format!("{} more steps, for which there is no room here", part.left_out));
    }
}

/// The operation's function did not plan in the time that there was.
pub(crate) fn not_in_time() -> Finding {
    Finding {
        severity: Severity::Unchecked,
        code: ErrorCode::UpstreamUnavailable,
        pointer: None,
        message: "what it would change was not planned in time".to_owned(),
        action: "Ask again; the operation looks before it changes anything.".to_owned(),
    }
}

fn fill(stage: &mut StagePlan, part: &Part, ground_is_as_seen: bool) {
    stage.changes.clone_from(&part.changes);
    stage.waits.clone_from(&part.waits);
    stage.unknown = match &part.end {
        Ending::Unknown(why) => Some(format!("the world could not be seen: {why}")),
        Ending::Failed(failure) if ground_is_as_seen => Some(format!("it cannot be done as things are: {failure}")),
        Ending::Failed(failure) => Some(format!("not known before the stages before it have run (now: {failure})")),
        Ending::Done | Ending::Undecided(_) if part.left_out > 0 => {
            Some(format!("{} more steps follow, for which there is no room here", part.left_out))
        }
        Ending::Done | Ending::Undecided(_) if !ground_is_as_seen => {
            Some("as things are now; the stages before it may change that".to_owned())
        }
        Ending::Done | Ending::Undecided(_) => None,
    };
}

fn blocking(stage: &StagePlan, failure: &Failure) -> Finding {
    Finding {
        severity: Severity::Blocking,
        code: failure.code,
        pointer: None,
        message: format!("the stage {} cannot be done as things are: {}", stage.stage, failure.message),
        action: failure.action.clone(),
    }
}
