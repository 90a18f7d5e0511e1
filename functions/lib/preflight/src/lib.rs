//! What can be known before anything changes: what the account has, what a request would meet there, what it would do.
//!
//! [`Eyes`] looks (reads only, in parallel, within bounds); everything else judges what was seen, and is pure. An
//! advisory read that was refused or took too long is reported as unchecked, never as an error and never as absent.

pub mod findings;
pub mod imports;
pub mod limits;
mod looking;
mod permissions;
pub mod places;
pub mod plan;
pub mod regions;
pub mod request;
pub mod scene;
pub mod training_plans;
mod usage;

pub use looking::{Eyes, Read, bounded};
pub use request::{Purpose, Request};
pub use scene::Seen;
pub use usage::Usage;

use jiff::Timestamp;

/// A time as people read it: `2026-12-01 08:00 UTC`.
pub fn utc(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
