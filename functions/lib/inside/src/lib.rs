//! What the stages that work inside of a cluster share: the way in, and the pod that proves that the bucket can be read.

mod connection;
mod reading;

pub use connection::{Inside, enter};
pub use reading::{NAMESPACE, Probed, ReadChange, Reading, apply, judge, look};
