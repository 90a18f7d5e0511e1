//! Ending an operation whose execution is dead, so that its record tells the truth and its lane is free.
//!
//! A typed failure was written down by the tick that met it; what comes here died otherwise: crashed to the last retry,
//! aborted, timed out, or grew too large (field report BR-139).

use crate::{
    commands::put,
    doubts,
    record::{Operation, StageRecord},
    store::{Condition, Transaction},
    submit::{Desk, Refused},
    tick::ending::{closing, left_behind},
};
use domain::{
    codes::ErrorCode,
    failure::Failure,
    ids::OperationId,
    states::{OperationState, Stage, StageState},
};
use serde::{Deserialize, Serialize};

/// Longest cause that is kept; Step Functions allows 32 kB.
const CAUSE_CHARACTERS: usize = 1_000;

/// What is known of the death.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Death {
    /// The operation.
    pub operation_id: OperationId,
    /// The attempt whose execution died; an older one changes nothing.
    pub attempt: u32,
    /// Error name as Step Functions tells it.
    pub error: String,
    /// Its cause.
    #[serde(default)]
    pub cause: String,
}

impl Desk {
    /// Writes the death down. Safe to repeat; an operation that has ended, or that runs a newer attempt, is left alone.
    ///
    /// # Errors
    /// `dependency_not_ready` while an invocation may still be acting (its lease ends within 90 s); ask again then.
    pub async fn settle(&self, death: &Death) -> Result<Operation, Refused> {
        let before = self.found(death.operation_id).await?;
        if before.is_terminal() || before.attempt != death.attempt || before.state == OperationState::AwaitingApproval {
            return Ok(before);
        }
        let now = self.context.now();
        if let Some(lease) = before.lease.as_ref().filter(|lease| lease.until > now) {
            let text = format!("an invocation may act on {} until {}", before.id, lease.until);
            return Err(Failure::new(ErrorCode::DependencyNotReady, text).into());
        }
        let mut after = Operation {
            state: OperationState::Failed,
            finished_at: Some(now),
            waiting: None,
            interrupted: None,
            waits: Vec::new(),
            lease: None,
            ..self.next(&before)
        };
        let transaction = match before.stage {
            Some(stage) => self.settle_stage(stage, death, &mut after).await?,
            None => {
                after.failure = Some(failure(death, None));
                after.left = left_behind(&before.ledger);
                Transaction::new()
            }
        };
        let doubts = doubts::of(&self.store, &after).await?;
        let transaction = closing(put(transaction, &after, before.version), &after, now, "settled");
        let transaction = doubts::told(transaction, &after, &doubts);
        if self.sure(transaction, &after).await? {
            return Ok(after);
        }
        let text = format!("operation {} changed at this moment", before.id);
        Err(Failure::new(ErrorCode::DependencyNotReady, text).into())
    }

    /// Writes the death down in the stage that the operation is at, whether that ever began or not, and in `after`.
    async fn settle_stage(&self, stage: Stage, death: &Death, after: &mut Operation) -> Result<Transaction, Refused> {
        let before = self.store.stage(after.cluster_id, stage).await?;
        let ran = before.operation_id == Some(after.id) && before.state == StageState::Running;
        let failure = failure(death, Some(stage).filter(|_| !ran));
        after.left = left_behind(&before.ledger);
        after.failure = Some(failure.clone());
        let record = StageRecord {
            state: StageState::Failed,
            operation_id: Some(after.id),
            failure: Some(failure),
            waiting: None,
            finished_at: after.finished_at,
            version: before.version + 1,
            ..before.clone()
        };
        Ok(Transaction::new().put_stage(after.cluster_id, &record, &Condition::Version(before.version)))
    }
}

/// What is told of `death`; `unborn` is a stage whose function never ran a tick for this operation.
fn failure(death: &Death, unborn: Option<Stage>) -> Failure {
    let cause: String = death.cause.chars().take(CAUSE_CHARACTERS).collect();
    let text = match death.error.as_str() {
        "ABORTED" | "Aborted" => "the execution was aborted".to_owned(),
        "TIMED_OUT" | "States.Timeout" => "the execution took longer than it may".to_owned(),
        error => format!("the execution died ({error})"),
    };
    let text = match unborn {
        Some(stage) => format!("the stage {stage} could not begin: {text}"),
        None => text,
    };
    let message = if cause.is_empty() { text } else { format!("{text}: {cause}") };
    Failure::new(ErrorCode::Internal, message)
        .with_action("Try again: what was made is found and kept, and nothing is made twice.")
}
