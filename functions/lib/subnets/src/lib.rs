//! Compute subnets (SPEC C6): where HyperPod nodes are put, shared by everything that needs such a place.
//!
//! A subnet that was chosen is checked; else one in the zone that fits is used; else one is made, large enough for what
//! is to come, with its route table, its route to a NAT gateway, and S3 through the VPC's endpoint. [`observe`] looks,
//! [`ensure`] decides (pure), [`apply`] makes one change. Zones are told apart by id. Who uses what it answers extends
//! the execution role's policy before a node is put there: the policy names subnets.

mod change;
mod choose;
mod ground;
mod make;

pub use change::{Change, apply};
pub use choose::Origin;
pub use ground::{Ground, observe};
pub use make::{Ensured, Need, ensure};
