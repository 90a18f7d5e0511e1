//! Stages: the view, and whether one was left out on purpose.

use contract::stages::StageView;
use domain::states::{Stage, StageState};
use engine::record::{Cluster, StageRecord};
use serde_json::Value;

/// Lines of what a stage made; its operations' journals have them all.
const MADE_LINES: usize = 100;

/// A stage of `cluster`.
pub(crate) fn view(cluster: &Cluster, record: &StageRecord) -> StageView {
    StageView {
        stage: record.stage,
        number: record.stage.number().into(),
        state: record.state,
        attempts: record.attempts,
        operation_id: record.operation_id,
        started_at: record.started_at,
        finished_at: record.finished_at,
        summary: summary(cluster, record),
        next: next(cluster, record),
        waiting: record.waiting.clone(),
        remaining: record.remaining.clone(),
        failure: record.failure.clone(),
        made: record
            .ledger
            .all_made()
            .map(|(change, name, id)| format!("{name} {id} ({change})"))
            .take(MADE_LINES)
            .collect(),
        observed: object(&record.observed),
        outcome: object(&record.outcome),
    }
}

/// A stage within its cluster: where it is, and what it made if that is known here. What it saw and came to is long, and
/// left to `get_stage`.
pub(crate) fn short(cluster: &Cluster, record: &StageRecord) -> StageView {
    StageView { observed: Value::Null, outcome: Value::Null, ..view(cluster, record) }
}

/// Whether the stage was never run because the cluster was imported and nothing was to be mended.
pub(crate) fn is_left_out(cluster: &Cluster, record: &StageRecord) -> bool {
    cluster.import.is_some() && record.stage == Stage::ControlPlane && record.attempts == 0
}

/// What surfaces promise is an object; a value of another form is put into one.
fn object(value: &Value) -> Value {
    match value {
        Value::Null | Value::Object(_) => value.clone(),
        other => serde_json::json!({ "value": other }),
    }
}

/// One sentence about how the stage is.
pub(crate) fn summary(cluster: &Cluster, record: &StageRecord) -> String {
    let told = record.failure.as_ref().map_or("no cause was recorded", |failure| failure.message.as_str());
    match record.state {
        StageState::Pending if is_left_out(cluster, record) => {
            "Not run: the cluster was imported, and nothing was asked to be mended.".to_owned()
        }
        StageState::Pending => "Not run yet.".to_owned(),
        StageState::Running => match &record.waiting {
            Some(waiting) => waiting.reason.clone(),
            None => format!("Runs; {} changes to go.", record.remaining.len()),
        },
        StageState::AwaitingDecision => "Waits for the capacity to be decided.".to_owned(),
        StageState::Succeeded => "Done, as seen in the world.".to_owned(),
        StageState::Failed => format!("Failed: {told}"),
        StageState::Cancelled => format!("Cancelled: {told}"),
    }
}

fn next(cluster: &Cluster, record: &StageRecord) -> String {
    let (tag, stage) = (&cluster.tag, record.stage);
    match (record.state, record.operation_id) {
        (StageState::Running, Some(id)) => format!("Call wait_for_operation with {id} until done is true."),
        (StageState::AwaitingDecision, _) => format!("Decide the capacity: create_hyperpod with {tag}."),
        (StageState::Failed, _) => {
            let mend = record.failure.as_ref().map(|failure| failure.action.as_str()).unwrap_or_default();
            format!("{mend} Then call run_stage with {tag} and {stage}.").trim().to_owned()
        }
        (StageState::Cancelled, _) => format!("run_stage with {tag} and {stage} goes on."),
        (StageState::Pending | StageState::Running | StageState::Succeeded, _) => String::new(),
    }
}
