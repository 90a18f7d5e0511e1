//! What people and programs may ask of an operation that is there: to try again, or to stop.

use crate::{
    doubts, fitting,
    preview::blank,
    record::{Operation, SCHEMA},
    store::{
        Condition, Transaction, Written,
        keys::{IndexKey, Key},
    },
    submit::{Desk, Refused, lane},
    tick::ending::{cancelled, closing, left_behind},
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    ids::OperationId,
    states::{OperationState, StageState},
};

impl Desk {
    /// Runs a failed or cancelled operation again: the same operation, another attempt, from the stage that it reached.
    ///
    /// # Errors
    /// `not_found`; `conflict` if it has succeeded; `operation_in_progress` if another one holds its lane. One that runs
    /// is answered as it is.
    pub async fn retry(&self, id: OperationId) -> Result<Operation, Refused> {
        let before = self.found(id).await?;
        let needs_approval = before.needs_approval;
        self.retry_as(before, needs_approval).await
    }

    /// The same for somebody who may not approve what the operation takes away: it waits for a person again, also if a
    /// person asked for it first. What they wanted then is not what they would want now.
    ///
    /// # Errors
    /// As of [`retry`](Self::retry).
    pub async fn retry_unapproved(&self, id: OperationId) -> Result<Operation, Refused> {
        let before = self.found(id).await?;
        self.retry_as(before, true).await
    }

    async fn retry_as(&self, before: Operation, needs_approval: bool) -> Result<Operation, Refused> {
        let id = before.id;
        match before.state {
            OperationState::Failed | OperationState::Cancelled => {}
            OperationState::Accepted | OperationState::Running | OperationState::AwaitingApproval => return Ok(before),
            OperationState::Succeeded => {
                let text = format!("operation {id} has succeeded; there is nothing to try again");
                return Err(Failure::new(ErrorCode::Conflict, text).into());
            }
        }
        let again = Operation {
            needs_approval,
            state: Operation::begins_as(needs_approval),
            attempt: before.attempt + 1,
            first_stage: before.stage.or(before.first_stage),
            began_at: None,
            cancel_requested: false,
            waiting: None,
            interrupted: None,
            waits: Vec::new(),
            looks: 0,
            failure: None,
            left: Vec::new(),
            lease: None,
            finished_at: None,
            ..self.next(&before)
        };
        let mut transaction = put(Transaction::new(), &again, before.version).put_indexed(
            &Key::lane(again.cluster_id, &again.held()),
            Some(IndexKey::open(id)),
            &lane(&again),
            &Condition::Absent,
        );
        if again.needs_approval {
            let missing = || Failure::new(ErrorCode::NotFound, format!("there is no cluster {}", again.cluster_tag));
            let cluster = self.store.cluster(again.cluster_id).await?.ok_or_else(missing)?;
            transaction = transaction.put(&Key::plan(id), &blank(&again, &cluster, None), &Condition::Any);
        }
        if !self.sure(transaction, &again).await? {
            return self.taken(&again).await;
        }
        self.start(&again).await;
        Ok(again)
    }

    /// Stops an operation before its next change. What waits for AWS stops at once, what acts stops after the change
    /// that it is at. AWS goes on with what it has begun, and the record says so.
    ///
    /// # Errors
    /// `not_found`; `conflict` if it changed at the same moment. One that has ended is answered as it is.
    pub async fn cancel(&self, id: OperationId) -> Result<Operation, Refused> {
        for _ in 0..5 {
            let before = self.found(id).await?;
            if before.is_terminal() {
                return Ok(before);
            }
            let acting = before.lease.as_ref().is_some_and(|lease| lease.until > self.context.now());
            let written = if acting { self.ask_to_stop(&before).await? } else { self.stop_now(&before).await? };
            if let Some(after) = written {
                return Ok(after);
            }
        }
        let text = "the operation is changing at this moment; nothing was written";
        Err(Failure::new(ErrorCode::Conflict, text).with_action("Ask again.").into())
    }

    async fn ask_to_stop(&self, before: &Operation) -> Result<Option<Operation>, Trouble> {
        let after = Operation { cancel_requested: true, ..self.next(before) };
        let written = self.sure(put(Transaction::new(), &after, before.version), &after).await?;
        Ok(written.then_some(after))
    }

    async fn stop_now(&self, before: &Operation) -> Result<Option<Operation>, Trouble> {
        let now = self.context.now();
        let failure = cancelled(before);
        let mut after = Operation {
            state: OperationState::Cancelled,
            cancel_requested: true,
            failure: Some(failure.clone()),
            finished_at: Some(now),
            waiting: None,
            interrupted: None,
            waits: Vec::new(),
            lease: None,
            ..self.next(before)
        };
        let mut transaction = Transaction::new();
        after.left = left_behind(&before.ledger);
        if let Some(stage) = before.stage {
            let mut record = self.store.stage(before.cluster_id, stage).await?;
            after.left = left_behind(&record.ledger);
            let seen = record.version;
            if record.operation_id == Some(before.id) && record.state == StageState::Running {
                record.state = StageState::Cancelled;
                record.failure = Some(failure);
                record.waiting = None;
                record.finished_at = Some(now);
                record.version += 1;
                transaction = transaction.put_stage(before.cluster_id, &record, &Condition::Version(seen));
            }
        }
        let doubts = doubts::of(&self.store, &after).await?;
        transaction = closing(put(transaction, &after, before.version), &after, now, "cancelled");
        transaction = doubts::told(transaction, &after, &doubts);
        let written = self.sure(transaction, &after).await?;
        Ok(written.then_some(after))
    }

    pub(crate) async fn found(&self, id: OperationId) -> Result<Operation, Refused> {
        let missing = || Refused::from(Failure::new(ErrorCode::NotFound, format!("there is no operation {id}")));
        let operation = self.store.operation(id).await?.ok_or_else(missing)?;
        if operation.schema > SCHEMA {
            let text = format!("operation {id} was written by a newer release");
            return Err(Failure::new(ErrorCode::Internal, text).into());
        }
        Ok(operation)
    }

    /// The record as the next write of it begins.
    pub(crate) fn next(&self, before: &Operation) -> Operation {
        Operation {
            version: before.version + 1,
            nonce: self.context.nonce(),
            updated_at: self.context.now(),
            ..before.clone()
        }
    }

    /// Writes, and finds out whether it was written when that is not said.
    pub(crate) async fn sure(&self, transaction: Transaction, after: &Operation) -> Result<bool, Trouble> {
        match self.store.write(transaction).await {
            Ok(Written::Done) => Ok(true),
            Ok(Written::Refused(_)) | Err(Trouble::Uncertain(_)) => {
                let stored = self.store.operation(after.id).await?;
                Ok(stored.is_some_and(|stored| stored.nonce == after.nonce))
            }
            Err(trouble) => Err(trouble),
        }
    }

    /// What is said of a retry that was not written: the same retry was asked for at this moment, or the lane is taken.
    async fn taken(&self, wanted: &Operation) -> Result<Operation, Refused> {
        let there = self.found(wanted.id).await?;
        if there.attempt >= wanted.attempt && !there.is_terminal() {
            return Ok(there);
        }
        let Some(holder) = self.store.lane(wanted.cluster_id, &wanted.held()).await? else {
            let text = "the operation changed at this moment; nothing was written";
            return Err(Failure::new(ErrorCode::Conflict, text).with_action("Ask again.").into());
        };
        let text = format!("{} is being changed by {} ({})", wanted.cluster_tag, holder.operation_id, holder.kind);
        let failure = Failure::new(ErrorCode::OperationInProgress, text)
            .with_action("Wait for that operation, or cancel it, then try again.");
        Err(Refused { failure, operation_id: Some(holder.operation_id) })
    }
}

/// Adds the write of `after` over version `before`.
pub(crate) fn put(transaction: Transaction, after: &Operation, before: u64) -> Transaction {
    let index = Some(IndexKey::operations(after.id));
    let mut after = after.clone();
    fitting::operation(&mut after);
    transaction.put_indexed(&Key::operation(after.id), index, &after, &Condition::Version(before))
}
