//! Ends operations whose execution is dead: told by the state machine that caught the death, or by EventBridge of an
//! execution that could catch nothing.
//!
//! What is written, and when it is not, is the engine's business ([`engine::settle`]).

mod input;

use domain::{failure::Failure, states::OperationState};
use engine::submit::Desk;
use serde::Serialize;
use serde_json::Value;

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Settled {
    /// Where the operation is now; absent if there was nothing to settle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<OperationState>,
}

/// Settles the operation that `payload` tells of. Safe to repeat; what has ended stays as it is.
///
/// # Errors
/// `invalid_input` for a payload of neither form; `not_found`; `dependency_not_ready` while an invocation may still be
/// acting, and `upstream_unavailable` if the table did not answer: both are for the caller to ask again.
pub async fn settle(desk: &Desk, payload: Value) -> Result<Settled, Failure> {
    let Some(death) = input::death(payload)? else { return Ok(Settled::default()) };
    let operation = desk.settle(&death).await.map_err(|refused| refused.failure)?;
    Ok(Settled { state: Some(operation.state) })
}
