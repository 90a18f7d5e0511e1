//! Asking what a request would do: its stages are planned by their own functions, through their own state machine, in a
//! mode that cannot act.

use crate::{
    planned::PlanRecord,
    record::{Cluster, Operation, SCHEMA},
    store::{Condition, Transaction, Written, keys::Key},
    submit::{Desk, Submission, digest},
};
use domain::{failure::Trouble, ids::OperationId};
use jiff::SignedDuration;

/// How long the plan of what was only asked about is remembered.
const PLAN_LIFE: SignedDuration = SignedDuration::from_hours(24);

impl Desk {
    /// Has `submission` planned over the world as it is, for a cluster that exists. Nothing is accepted, nothing is held,
    /// and no decision is kept; the answer is the id under which [`planned`](Self::planned) finds the plan.
    ///
    /// # Errors
    /// Table or state machine did not answer. What was written is forgotten by itself.
    pub async fn preview(&self, submission: &Submission) -> Result<OperationId, Trouble> {
        let operation = self.operation(submission, &digest(submission));
        let ttl = self.context.now().saturating_add(PLAN_LIFE).map_or(i64::MAX, |end| end.as_second());
        let record = blank(&operation, submission.cluster.record(), Some(ttl));
        let transaction = Transaction::new().put(&Key::plan(operation.id), &record, &Condition::Absent);
        match self.store.write(transaction).await {
            // Nobody else knows the id: what is there is this.
            Ok(Written::Done | Written::Refused(_)) | Err(Trouble::Uncertain(_)) => {}
            Err(trouble) => return Err(trouble),
        }
        self.starter.start_plan(&operation).await?;
        Ok(operation.id)
    }

    /// The plan `id`, as far as it has been made.
    ///
    /// # Errors
    /// The table did not answer.
    pub async fn planned(&self, id: OperationId) -> Result<Option<PlanRecord>, Trouble> {
        self.store.plan(id).await
    }
}

/// The plan record of `operation` before anything is planned.
pub(crate) fn blank(operation: &Operation, cluster: &Cluster, ttl: Option<i64>) -> PlanRecord {
    // What was asked for is in the decisions; once is enough for a small record.
    let operation = Operation { input: serde_json::Value::Null, ..operation.clone() };
    PlanRecord { schema: SCHEMA, operation, cluster: cluster.clone(), parts: Vec::new(), version: 1, ttl }
}
