//! The API server over HTTP: as a `tower` service in process, and as an HTTPS listener.
//!
//! Where the cluster lives, and how time passes, is the [`Door`]'s business; what happens in it is the parent module's.

mod authority;
mod listen;
mod naming;
mod service;

pub use authority::Authority;
pub use listen::{listen, serve};
pub use naming::{action, mutates};
pub use service::{ApiServer, Body, in_process, refused};

use super::{Cluster, User};
use crate::clock::Clock;
use jiff::Timestamp;
use std::sync::Arc;
use tokio::sync::watch;

/// The way to one cluster.
pub trait Door: Clone + Send + Sync + 'static {
    /// Locks the cluster, runs `act`, lets the controllers act on what changed and wakes watchers.
    ///
    /// None if the cluster does not exist any more or cannot be reached.
    fn with_cluster<R>(&self, act: impl FnOnce(&mut Cluster, Timestamp) -> R) -> Option<R>;

    /// Changes whenever the cluster may have changed, so that a watcher who looks, then waits, misses nothing.
    fn changes(&self) -> watch::Receiver<u64>;

    /// The clock by which watches end.
    fn clock(&self) -> Clock;
}

/// Who a bearer token is; `Err` is answered as 401.
pub type Authenticate = Arc<dyn Fn(&str) -> Result<User, ()> + Send + Sync>;
