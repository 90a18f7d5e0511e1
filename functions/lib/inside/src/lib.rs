//! What the stages that work inside of a cluster share: what they are given, the way in, what they look at in one way, and
//! the pod that proves that the bucket can be read.

mod connection;
mod looking;
mod reading;

pub use connection::{Context, Inside};
#[cfg(feature = "hyperpod")]
pub use looking::hyperpod;
pub use looking::{DRIVER, addon, ground};
pub use reading::{FILE, NAMESPACE, Probed, ReadChange, Reading, apply, content, judge, look};
