//! What the stages that work inside of a cluster share: the way in, and the pod that proves that the bucket can be read.

mod connection;
mod reading;

pub use connection::{Inside, enter};
pub use reading::{FILE, NAMESPACE, Probed, ReadChange, Reading, apply, content, judge, look};
