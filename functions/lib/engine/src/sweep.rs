//! The scheduled look at operations: starts what was accepted and never started, settles what is dead.
//!
//! The health part of the sweep is not here yet.

use crate::{
    settle::Death,
    starter::Execution,
    store::{Condition, Transaction, keys::Key},
    submit::Desk,
};
use domain::{failure::Trouble, ids::OperationId, states::OperationState};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

/// How long an accepted operation is left to the request that recorded it.
const GRACE: SignedDuration = SignedDuration::from_secs(30);

/// Operations read at a time.
const PAGE: usize = 100;

/// Operations looked at by one sweep, a fraction of a second each; the next one goes on with those after them.
pub const MOST: usize = 500;

/// What a sweep did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Swept {
    /// Operations looked at that had not ended.
    pub open: u32,
    /// Started now.
    pub started: u32,
    /// Settled now.
    pub settled: u32,
}

/// Where a sweep stopped: the next one begins after this, or with the oldest.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Stopped {
    after: Option<String>,
}

impl Desk {
    /// Looks at operations that have not ended: all of them, unless there are more than [`MOST`].
    ///
    /// # Errors
    /// The table did not answer; the next sweep looks again.
    pub async fn sweep(&self) -> Result<Swept, Trouble> {
        let mut swept = Swept::default();
        // A place that cannot be read is no loss: the sweep begins with the oldest.
        let began: Stopped = self.store.read(&Key::sweep()).await.ok().flatten().unwrap_or_default();
        let mut stopped = Stopped { after: began.after.clone() };
        for _ in 0..MOST / PAGE {
            let page = self.store.open_operations(stopped.after.as_deref(), PAGE).await?;
            for lane in &page.items {
                swept.open += 1;
                self.sweep_one(lane.operation_id, &mut swept).await;
            }
            stopped.after = page.next;
            if stopped.after.is_none() {
                break;
            }
        }
        if stopped != began {
            let transaction = Transaction::new().put(&Key::sweep(), &stopped, &Condition::Any);
            self.store.write(transaction).await?;
        }
        Ok(swept)
    }

    async fn sweep_one(&self, id: OperationId, swept: &mut Swept) {
        // One record that cannot be read keeps no other operation from being looked at.
        let operation = match self.store.operation(id).await {
            Ok(Some(operation)) => operation,
            Ok(None) => return,
            Err(trouble) => return tracing::warn!(operation.id = %id, error = %trouble, "not looked at"),
        };
        let idle = self.context.now().duration_since(operation.updated_at) >= GRACE;
        if operation.is_terminal() || !idle {
            return;
        }
        if operation.state == OperationState::AwaitingApproval {
            // Its plan may never have been begun; one that was is not begun again, since its execution has a name.
            if let Err(trouble) = self.starter.start_plan(&operation).await {
                tracing::warn!(operation.id = %operation.id, error = %trouble, "not planned yet");
            }
            return;
        }
        match self.starter.look(&operation).await {
            Ok(Execution::Alive) => {}
            Ok(Execution::Absent) => {
                if self.starter.start(&operation).await.is_ok() {
                    swept.started += 1;
                }
            }
            Ok(Execution::Dead { error, cause }) => {
                let death = Death { operation_id: operation.id, attempt: operation.attempt, error, cause };
                match self.settle(&death).await {
                    Ok(_) => swept.settled += 1,
                    Err(refused) => tracing::info!(operation.id = %operation.id, "not settled yet: {refused}"),
                }
            }
            Err(trouble) => tracing::warn!(operation.id = %operation.id, error = %trouble, "not looked at"),
        }
    }
}
