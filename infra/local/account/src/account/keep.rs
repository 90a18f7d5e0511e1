//! Keeping and forking an account: its world as JSON, its tables as a database file, always both of one moment.

use super::Account;
use crate::{clock::Clock, dynamodb::Tables, services, world::World};
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

impl Account {
    /// A second account with this one's world and tables as of now, and its clock.
    ///
    /// # Errors
    /// If the tables cannot be copied through a temporary file.
    pub fn fork(&self) -> Result<Self, KeepError> {
        let file = TemporaryFile::new();
        let world = {
            let world = self.inner.world();
            self.inner.tables.save(&file.0)?;
            world.clone()
        };
        let tables = Tables::open(&file.0, self.inner.clock)?;
        Ok(Self::of(world, tables, self.inner.clock, self.inner.handler))
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
