//! How an operation ends: its terminal record, its lane and its audit entry in one transaction.

use super::{Flow, Stop, Tick, answer};
use crate::{
    doubts,
    ledger::{Ledger, MOST_SUCCESSES},
    plan::Change,
    reconciler::Reconciler,
    record::{Operation, Outcome, TickAnswer},
    store::{Condition, Transaction, keys::Key},
};
use contract::journal::Fate;
use domain::{
    codes::ErrorCode,
    failure::Failure,
    states::{OperationState, Stage, StageState, WaitingOn},
};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// Most lines of what is left behind that a record keeps; the journal has them all.
const LEFT_LINES: usize = 40;

/// Who did what, and what came of it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditEntry<'a> {
    pub(crate) at: Timestamp,
    pub(crate) principal: &'a str,
    pub(crate) agent: bool,
    pub(crate) event: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) cluster_tag: &'a str,
    pub(crate) operation_id: String,
    pub(crate) state: OperationState,
}

/// Adds what every ending needs to `transaction`: the lane is given back, and the audit entry is written. `nonce` makes
/// the entry's key unique; sent twice, it is the same entry.
pub(crate) fn closing(transaction: Transaction, operation: &Operation, at: Timestamp, event: &str) -> Transaction {
    let id = operation.id.to_string();
    let lane = Key::lane(operation.cluster_id, &operation.held());
    transaction.delete(&lane, &Condition::HoldsOrAbsent("operationId", id)).put(
        &audit_key(operation, at, event),
        &audit(operation, at, event),
        &Condition::Any,
    )
}

pub(crate) fn audit_key(operation: &Operation, at: Timestamp, event: &str) -> Key {
    Key::audit(at, &format!("{}-{}-{event}", operation.id, operation.attempt))
}

pub(crate) fn audit<'a>(operation: &'a Operation, at: Timestamp, event: &'a str) -> AuditEntry<'a> {
    AuditEntry {
        at,
        principal: &operation.principal.id,
        agent: operation.principal.agent,
        event,
        kind: &operation.kind,
        cluster_tag: operation.cluster_tag.as_str(),
        operation_id: operation.id.to_string(),
        state: operation.state,
    }
}

/// What the changes of `ledger` left in the world, a line each: made for certain, or perhaps.
pub(crate) fn left_behind(ledger: &Ledger) -> Vec<String> {
    let made = ledger.all_made().map(|(key, name, id)| format!("{name} {id} ({key})"));
    let unknown = ledger.unanswered().map(|key| format!("unknown: {key} was sent and not answered"));
    made.chain(unknown).take(LEFT_LINES).collect()
}

impl<R: Reconciler> Tick<'_, R> {
    /// The stage agrees with the world. The operation goes on to its next stage, or has succeeded.
    pub(super) async fn succeed(&mut self, outcome: Value) -> Flow<TickAnswer> {
        self.close_stage(StageState::Succeeded, None);
        if let Some(stage) = self.stage.as_mut() {
            stage.outcome = outcome.clone();
        }
        let last = self.stage.is_none() || self.operation.last_stage == self.reconciler.stage();
        if last {
            self.operation.state = OperationState::Succeeded;
            self.operation.outcome = outcome;
            self.close("succeeded").await?;
        } else {
            // From now on the next stage is what the operation is at: whatever keeps it from running is its failure.
            self.operation.stage = self.operation.stage.and_then(Stage::next);
            self.operation.remaining = 0;
            self.save().await?;
        }
        Ok(answer(Outcome::Done))
    }

    /// Nothing more can be done before somebody decides: the operation did what it was asked.
    pub(super) async fn await_decision(&mut self, what: &str) -> Flow<TickAnswer> {
        self.close_stage(StageState::AwaitingDecision, None);
        self.operation.state = OperationState::Succeeded;
        self.operation.outcome = serde_json::json!({ "awaitingDecision": what });
        self.close("succeeded").await?;
        Ok(answer(Outcome::Undecided))
    }

    /// It cannot be done. What was made stays, and is told.
    pub(super) async fn fail(&mut self, failure: Failure) -> Flow<TickAnswer> {
        self.fail_leaving(failure, Vec::new()).await
    }

    /// The same where more is left than the ledger tells: `first` are lines of it.
    async fn fail_leaving(&mut self, failure: Failure, first: Vec<String>) -> Flow<TickAnswer> {
        let mut left = first;
        for line in left_behind(self.ledger()) {
            if !left.contains(&line) {
                left.push(line);
            }
        }
        left.truncate(LEFT_LINES);
        self.operation.left = left;
        self.close_stage(StageState::Failed, Some(failure.clone()));
        self.operation.state = OperationState::Failed;
        self.operation.failure = Some(failure.clone());
        self.close("failed").await?;
        tracing::info!(operation.id = %self.operation.id, code = %failure.code, "the operation failed: {failure}");
        Err(Stop::Ended(Err(failure)))
    }

    /// `change` was answered with success as often as it may be, and is still to be made: each further sending could make,
    /// and bill, one more. Everything that its sendings made is told, not only what the last one did.
    pub(super) async fn give_up(&mut self, change: &R::Change) -> Flow<TickAnswer> {
        let (key, began) = (change.key(), self.run_began_at());
        let journal = self.engine.store.journal(self.operation.id, 0, usize::MAX).await.map_err(Stop::Store)?;
        let sent = journal.items.iter().filter(|entry| {
            entry.change == key && entry.intended_at >= began && matches!(entry.fate, Fate::Applied | Fate::Observed)
        });
        let told = sent.flat_map(|entry| &entry.made).map(|(name, id)| format!("{name} {id}"));
        let unread = journal.unreadable.iter().map(|entry| format!("what this entry of the journal names: {entry}"));
        let made: Vec<String> = told.chain(unread).collect();
        let left = made.iter().map(|thing| format!("{thing} ({key})")).collect();
        self.fail_leaving(in_vain(&change.title(), &made, began), left).await
    }

    /// Somebody asked to stop before the next change.
    pub(super) async fn cancel(&mut self) -> Flow<TickAnswer> {
        let failure = cancelled(&self.operation);
        self.operation.left = left_behind(self.ledger());
        self.close_stage(StageState::Cancelled, Some(failure.clone()));
        self.operation.state = OperationState::Cancelled;
        self.operation.failure = Some(failure);
        self.close("cancelled").await?;
        Ok(answer(Outcome::Cancelled))
    }

    fn close_stage(&mut self, state: StageState, failure: Option<Failure>) {
        let now = self.engine.context.now();
        self.operation.stop_waiting();
        self.operation.lease = None;
        if let Some(stage) = self.stage.as_mut() {
            stage.state = state;
            stage.failure = failure;
            stage.waiting = None;
            stage.finished_at = Some(now);
        }
    }

    async fn close(&mut self, event: &'static str) -> Flow<()> {
        let now = self.engine.context.now();
        self.operation.finished_at = Some(now);
        let closed = self.operation.clone();
        let doubts = match closed.state {
            OperationState::Succeeded => Vec::new(),
            _ => doubts::of(&self.engine.store, &closed).await.map_err(Stop::Store)?,
        };
        self.save_with(|transaction| doubts::told(closing(transaction, &closed, now, event), &closed, &doubts)).await
    }
}

/// The failure of a change that is answered with success and never shows. A fault of nobody who could be asked to wait,
/// so that no program takes it for one that passes by itself and makes yet another.
fn in_vain(title: &str, made: &[String], began: Timestamp) -> Failure {
    let text = format!(
        "this was answered with success {MOST_SUCCESSES} times since {began} and is still not there: {title}. Either AWS \
         does not show what it made, or somebody undoes it"
    );
    let (text, action) = match made {
        [] => (text, "Look who or what undoes it, then run it again.".to_owned()),
        made => (
            format!("{text}. Its answers named {}", made.join(", ")),
            "Look for these ids in the account: delete those that are there and not needed, since they may be billed, \
             then run it again."
                .to_owned(),
        ),
    };
    Failure::new(ErrorCode::Internal, text).with_action(action)
}

/// What a cancelled operation says: AWS finishes by itself what it began, and bills it.
pub(crate) fn cancelled(operation: &Operation) -> Failure {
    let known = [&operation.waiting, &operation.interrupted];
    let going_on = match known.into_iter().flatten().find(|waiting| goes_on_by_itself(waiting.on)) {
        Some(waiting) => format!("AWS goes on by itself with what it had begun ({})", waiting.reason),
        None if operation.journal_length == 0 => {
            return Failure::new(ErrorCode::Conflict, "cancelled before its first change; it made and changed nothing")
                .with_action("Run the operation again to go on.");
        }
        None => "AWS keeps what was made so far".to_owned(),
    };
    Failure::new(
        ErrorCode::Conflict,
        format!("cancelled before the next change; {going_on}, and bills it until it is removed"),
    )
    .with_action("Run the operation again to go on, or stop spending to set every instance group to zero.")
}

/// Whether what is waited for happens without us, and costs.
const fn goes_on_by_itself(on: WaitingOn) -> bool {
    match on {
        WaitingOn::Aws | WaitingOn::Capacity | WaitingOn::PlanStart | WaitingOn::Nodes | WaitingOn::DeepChecks => true,
        WaitingOn::Lane | WaitingOn::Throttled | WaitingOn::UncertainChange => false,
    }
}
