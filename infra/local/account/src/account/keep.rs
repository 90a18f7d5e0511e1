//! Keeping and forking an account: its world as JSON, its tables as a database file, always both of one moment.

use super::{Account, Handler};
use crate::{clock::Clock, dynamodb::Tables, services, world::World};
use jiff::Timestamp;
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// The account could not be kept or opened.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// A file could not be read or written.
    #[error("cannot keep the account in {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The world could not be read or written.
    #[error("the world cannot be read or written as JSON")]
    World(#[from] serde_json::Error),
    /// The tables' database could not be read or written.
    #[error("the DynamoDB tables cannot be read or written")]
    Tables(#[from] dynoxide::DynoxideError),
    /// The folder holds no account.
    #[error("{0} holds no account")]
    Nothing(PathBuf),
}

/// Names the moment that counts; replaced as a whole, last.
const CURRENT: &str = "current";

/// An account as it was at one moment, apart from any clock and runtime: accounts are made of it as often as wanted, each
/// going its own way. What was under way in a function is begun again in each, as after a restart.
#[derive(Clone)]
pub struct Snapshot {
    world: World,
    tables: Vec<u8>,
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

    /// Writes the account into `folder`, in place of what was kept there before. A crash in the middle leaves that.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), KeepError> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        let before = moment(folder);
        let number = before.unwrap_or(0) + 1;
        let (world_file, tables_file) = files(folder, number);
        // Left over from a crash; the engine refuses to write over a file.
        remove(&world_file)?;
        remove(&tables_file)?;
        let world = {
            let world = self.inner.world();
            self.inner.tables.save(&tables_file)?;
            serde_json::to_vec(&*world)?
        };
        write(&world_file, &world)?;
        let next = folder.join("next");
        write(&next, number.to_string().as_bytes())?;
        let current = folder.join(CURRENT);
        fs::rename(&next, &current).map_err(at(&current))?;
        if let Some(before) = before {
            let (world_file, tables_file) = files(folder, before);
            remove(&world_file)?;
            remove(&tables_file)?;
        }
        Ok(())
    }

    /// Whether `folder` holds an account.
    pub fn is_kept_in(folder: &Path) -> bool {
        moment(folder).is_some()
    }

    /// The account that was saved into `folder`. What was due meanwhile happens at once.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn open(folder: &Path, clock: Clock) -> Result<Self, KeepError> {
        let number = moment(folder).ok_or_else(|| KeepError::Nothing(folder.to_owned()))?;
        let (world_file, tables_file) = files(folder, number);
        let world: World = serde_json::from_slice(&fs::read(&world_file).map_err(at(&world_file))?)?;
        let tables = Tables::open(&tables_file, clock)?;
        Ok(Self::of(world, tables, clock, services::handle))
    }
}

fn moment(folder: &Path) -> Option<u64> {
    fs::read_to_string(folder.join(CURRENT)).ok()?.parse().ok()
}

fn files(folder: &Path, number: u64) -> (PathBuf, PathBuf) {
    (folder.join(format!("world-{number}.json")), folder.join(format!("dynamodb-{number}.db")))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), KeepError> {
    let written = fs::File::create(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(at(path))
}

fn remove(path: &Path) -> Result<(), KeepError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> KeepError {
    let path = path.to_owned();
    move |source| KeepError::File { path, source }
}

/// A file that goes with this value.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("account-fork-{}-{}.db", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // Nothing is lost if it stays: it is in the system's folder for such files.
        let _ = fs::remove_file(&self.0);
    }
}
