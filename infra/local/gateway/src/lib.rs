//! The local product: the function crates in process, wired to the simulated account.
//!
//! What CloudFormation does for the deployed product, [`install`] does here; what Lambda's runtime does, [`functions`]
//! does. No function crate knows the difference.

pub mod functions;
mod hold;
pub mod install;
mod keeping;
mod roles;
mod rules;
mod serving;
mod sessions;
pub mod start;
pub mod up;
mod wire;
pub mod wiring;
