//! The scheduled look at operations: starts what was accepted and never started, settles what is dead.
//!
//! How it looks is the engine's business ([`engine::sweep`]). The look at clusters' health is not here yet.

use domain::failure::Failure;
use engine::{submit::Desk, sweep::Swept};

/// Looks at every operation that has not ended.
///
/// # Errors
/// The table did not answer; the next sweep looks again.
pub async fn sweep(desk: &Desk) -> Result<Swept, Failure> {
    desk.sweep().await.map_err(|trouble| trouble.failure().clone())
}
