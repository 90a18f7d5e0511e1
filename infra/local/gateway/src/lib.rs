//! The local product: the function crates in process, wired to the simulated account.
//!
//! What CloudFormation does for the deployed product, [`install`] does here; what Lambda's runtime does, [`functions`]
//! does. No function crate knows the difference.

pub mod functions;
pub mod install;
pub mod options;
mod roles;
mod rules;
mod sessions;
pub mod start;
pub mod up;
pub mod wiring;
