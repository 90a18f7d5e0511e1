//! The scheduled look at operations: starts what was accepted and never started, settles what is dead.
//!
//! The health part of the sweep is not here yet.

use crate::{settle::Death, starter::Execution, submit::Desk};
use domain::{failure::Trouble, ids::OperationId, states::OperationState};
use jiff::SignedDuration;
use serde::Serialize;

/// How long an accepted operation is left to the request that recorded it.
const GRACE: SignedDuration = SignedDuration::from_secs(30);

/// Operations read at a time.
const PAGE: usize = 100;

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

impl Desk {
    /// Looks at every operation that has not ended.
    ///
    /// # Errors
    /// The table did not answer; the next sweep looks again.
    pub async fn sweep(&self) -> Result<Swept, Trouble> {
        let mut swept = Swept::default();
        let mut after: Option<String> = None;
        loop {
            let page = self.store.operation_states(after.as_deref(), PAGE).await?;
            for listed in page.items.iter().filter(|listed| is_open(&listed.state)) {
                swept.open += 1;
                self.sweep_one(listed.id, &mut swept).await;
            }
            after = page.next;
            if after.is_none() {
                return Ok(swept);
            }
        }
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

/// Whether an operation in the state of this word may be dead; a word of a newer release is left to that.
fn is_open(word: &str) -> bool {
    word.parse::<OperationState>().is_ok_and(|state| !state.is_terminal())
}
