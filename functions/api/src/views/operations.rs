//! Operations: the view, and the answer to a request that made one.

use super::silence;
use contract::operations::{OperationAccepted, OperationView, Waiting};
use domain::states::OperationState;
use engine::{
    planned::{Ending, PlanRecord},
    record::Operation,
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The tool that shows completion.
const COMPLETION: &str = "wait_for_operation";

/// Seconds after which a first look is worthwhile.
const FIRST_LOOK: u32 = 2;

/// An operation, as it is told at `now`.
pub(crate) fn view(operation: &Operation, now: Timestamp) -> OperationView {
    let waiting = silence::waiting(operation, now);
    OperationView {
        operation_id: operation.id,
        kind: operation.kind.clone(),
        cluster_tag: operation.cluster_tag.clone(),
        state: operation.state,
        done: operation.is_terminal(),
        attempt: operation.attempt,
        stage: operation.stage,
        summary: summary(operation, waiting.as_ref()),
        next: next(operation),
        waiting,
        changes: operation.journal_length,
        remaining: operation.remaining,
        failure: operation.failure.clone(),
        left: operation.left.clone(),
        outcome: operation.outcome.clone(),
        principal: operation.principal.id.clone(),
        created_at: operation.created_at,
        updated_at: operation.updated_at,
        finished_at: operation.finished_at,
        note: None,
    }
}

/// The answer to the request that made `operation`, or found it.
pub(crate) fn accepted(operation: &Operation, already_running: bool, warnings: Vec<String>) -> OperationAccepted {
    OperationAccepted {
        operation_id: operation.id,
        kind: operation.kind.clone(),
        cluster_tag: operation.cluster_tag.clone(),
        state: operation.state,
        already_running,
        completion_tool: COMPLETION.to_owned(),
        retry_after_seconds: FIRST_LOOK,
        warnings,
        next: next(operation),
    }
}

/// What would run once a person agrees, as the outcome of an operation that waits for one.
pub(crate) fn awaiting(record: &PlanRecord) -> Value {
    let Some(part) = record.parts.last().filter(|_| record.is_complete()) else { return Value::Null };
    let cannot = match &part.end {
        Ending::Failed(why) | Ending::Unknown(why) => Some(why.message.as_str()),
        Ending::Done | Ending::Undecided(_) => None,
    };
    let all = || record.parts.iter();
    json!({
        "plan": {
            "hash": record.hash(),
            "changes": all().flat_map(|part| &part.changes).map(|change| &change.title).collect::<Vec<_>>(),
            "waits": all().flat_map(|part| &part.waits).collect::<Vec<_>>(),
            "leftOut": all().map(|part| part.left_out).sum::<u32>(),
            "cannot": cannot,
            "plannedAt": part.planned_at,
        }
    })
}

fn summary(operation: &Operation, waiting: Option<&Waiting>) -> String {
    let at = operation.stage.map(|stage| format!("Stage {stage}: ")).unwrap_or_default();
    match operation.state {
        OperationState::Accepted => "Recorded; its execution starts in a moment.".to_owned(),
        OperationState::AwaitingApproval => {
            "Recorded, not started: it takes something away, so a person with the scope approve decides. It holds nothing \
             up."
                .to_owned()
        }
        OperationState::Running if operation.cancel_requested => format!("{at}stops before its next change."),
        OperationState::Running => match waiting {
            Some(waiting) => format!("{at}{}", waiting.reason),
            None => format!("{at}{} changes made or tried, {} to go.", operation.journal_length, operation.remaining),
        },
        OperationState::Succeeded => match awaited(operation) {
            Some(what) => format!("Done as far as it was decided: {what}"),
            None => "Done, as seen in the world.".to_owned(),
        },
        OperationState::Failed => format!("{at}failed: {}", told(operation)),
        OperationState::Cancelled => format!("{at}{}", told(operation)),
    }
}

fn next(operation: &Operation) -> String {
    let id = operation.id;
    match operation.state {
        OperationState::Accepted | OperationState::Running => {
            format!("Call wait_for_operation with {id} until done is true (GET /v1/operations/{id}/wait).")
        }
        OperationState::AwaitingApproval => format!(
            "Ask a person who holds the scope approve to ask for the same themselves, in the console or over REST; \
             cancel_operation with {id} withdraws this one."
        ),
        OperationState::Succeeded if awaited(operation).is_some() => {
            "Choose zone, instance type, count and capacity type with list_zones, list_instance_types and \
             list_training_plans, then call create_hyperpod."
                .to_owned()
        }
        OperationState::Succeeded => format!("get_cluster with {} shows the result.", operation.cluster_tag),
        OperationState::Failed => {
            let mend = operation.failure.as_ref().map(|failure| failure.action.as_str()).unwrap_or_default();
            format!("{mend} Then call retry_operation with {id}; what was made is kept.").trim().to_owned()
        }
        OperationState::Cancelled => {
            format!("retry_operation with {id} goes on; stop_spending sets running capacity to zero.")
        }
    }
}

/// What must be decided before there is more to do.
fn awaited(operation: &Operation) -> Option<&str> {
    operation.outcome.get("awaitingDecision").and_then(Value::as_str)
}

fn told(operation: &Operation) -> &str {
    operation.failure.as_ref().map_or("no cause was recorded", |failure| failure.message.as_str())
}
