//! Forking an account: its world and its tables as of one moment, in memory.

use super::{Account, Handler, KeepError, keep::at};
use crate::{clock::Clock, dynamodb::Tables, world::World};
use jiff::Timestamp;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// An account as it was at one moment, apart from any clock and runtime: accounts are made of it as often as wanted, each
/// going its own way. What was under way in a function is begun again in each, as after a restart.
#[derive(Clone)]
pub struct Snapshot {
    pub(super) world: World,
    pub(super) tables: Vec<u8>,
    taken: Timestamp,
    handler: Handler,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Snapshot").field("taken", &self.taken).finish_non_exhaustive()
    }
}

impl Snapshot {
    /// An account whose clock goes on where this one's stood, in the runtime that this is called in.
    ///
    /// # Errors
    /// If the tables cannot be copied through a temporary file.
    pub fn account(&self) -> Result<Account, KeepError> {
        self.with_clock(Clock::starting_at(self.taken))
    }

    /// An account on another clock: what is due by its time happens when it is first asked something.
    ///
    /// # Errors
    /// As [`account`](Self::account).
    pub fn with_clock(&self, clock: Clock) -> Result<Account, KeepError> {
        let file = TemporaryFile::new();
        fs::write(&file.0, &self.tables).map_err(at(&file.0))?;
        let tables = Tables::open(&file.0, clock)?;
        Ok(Account::of(self.world.clone(), tables, clock, self.handler))
    }
}

impl Account {
    /// This account's world and tables as of now.
    ///
    /// # Errors
    /// If the tables cannot be copied through a temporary file.
    pub fn snapshot(&self) -> Result<Snapshot, KeepError> {
        let file = TemporaryFile::new();
        let (world, taken) = {
            let world = self.inner.world();
            self.inner.tables.save(&file.0)?;
            (world.clone(), self.now())
        };
        let tables = fs::read(&file.0).map_err(at(&file.0))?;
        Ok(Snapshot { world, tables, taken, handler: self.inner.handler })
    }

    /// A second account with this one's world and tables as of now, and its clock.
    ///
    /// # Errors
    /// If the tables cannot be copied through a temporary file.
    pub fn fork(&self) -> Result<Self, KeepError> {
        self.snapshot()?.with_clock(self.inner.clock)
    }
}

/// A file that goes with this value; in memory where the system has a folder for that, since it is written while the world
/// stands still.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("account-fork-{}-{}.db", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let memory = Path::new("/dev/shm");
        let path = if memory.is_dir() { memory.join(name) } else { std::env::temp_dir().join(name) };
        // Left over from a process that was killed; the tables' engine refuses to write over a file.
        let _ = fs::remove_file(&path);
        Self(path)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // Nothing is lost if it stays: it is in the system's folder for such files.
        let _ = fs::remove_file(&self.0);
    }
}
