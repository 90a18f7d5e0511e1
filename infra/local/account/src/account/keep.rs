//! Keeping an account in a folder: its world as JSON, its tables as a database file, always both of one moment.
//!
//! `current` names the moment that counts and is replaced as a whole, last; everything is on the disk before that. Each
//! Kubernetes cluster and each execution, which are most of a world, has a file of its own that is written again only when
//! it has changed: what a keep costs depends on what happened since the one before, and the world stands still for it only
//! while it is copied.

use super::{Account, Snapshot};
use crate::{
    clock::Clock,
    dynamodb::Tables,
    kubernetes::Cluster,
    services,
    shared::{Mark, Shared},
    states::execution::Execution,
    world::World,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    mem,
    path::{Path, PathBuf},
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
    /// The world could not be written.
    #[error("the world cannot be written as JSON")]
    World(#[from] serde_json::Error),
    /// A kept file is not one of this release.
    #[error(
        "{path} cannot be read: it is damaged, or another release kept it. Start with --fresh to forget the kept world, or with the release that kept it"
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        #[source]
        source: serde_json::Error,
    },
    /// The tables' database could not be read or written.
    #[error("the DynamoDB tables cannot be read or written")]
    Tables(#[from] dynoxide::DynoxideError),
    /// The folder holds no account.
    #[error("{0} holds no account")]
    Nothing(PathBuf),
}

/// Names the moment that counts.
const CURRENT: &str = "current";

/// What `current` is made of.
const NEXT: &str = "next";

/// How names of the files begin that belong to one moment or part.
const OURS: [&str; 3] = ["world-", "dynamodb-", "part-"];

/// A folder in which one account is kept again and again.
#[derive(Debug)]
pub struct Keep {
    folder: PathBuf,
    clusters: Parts<Cluster>,
    executions: Parts<Execution>,
}

/// Parts of the world by their key, as they were written last, and the name of the file of each.
type Parts<T> = BTreeMap<String, (Mark<T>, String)>;

/// The file of one moment.
#[derive(Serialize, Deserialize)]
struct Moment {
    /// All but what has a file of its own.
    world: World,
    /// File names by the cluster's ARN.
    clusters: BTreeMap<String, String>,
    /// File names by the execution's ARN.
    executions: BTreeMap<String, String>,
}

impl Keep {
    /// In `folder`, which is made when it is needed.
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), clusters: Parts::new(), executions: Parts::new() }
    }

    /// Removes what was kept in `folder`; what else is there stays.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn forget(folder: &Path) -> Result<(), KeepError> {
        if !folder.exists() {
            return Ok(());
        }
        remove(&folder.join(CURRENT))?;
        remove(&folder.join(NEXT))?;
        clear(folder, &BTreeSet::new())
    }

    /// Writes the account into the folder, in place of what was kept there before, and returns when it is on the disk. A
    /// crash at any line leaves what was kept before.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn keep(&mut self, account: &Account) -> Result<(), KeepError> {
        let folder = self.folder.clone();
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let number = current(&folder).unwrap_or(0) + 1;
        let Snapshot { mut world, tables, .. } = account.snapshot()?;
        write(&folder.join(tables_name(number)), &tables)?;
        let clusters = self.parts(&self.clusters, mem::take(&mut world.kubernetes), &format!("part-{number}-c"))?;
        let executions = mem::take(&mut world.states.executions);
        let executions = self.parts(&self.executions, executions, &format!("part-{number}-e"))?;
        let moment = Moment { world, clusters: names(&clusters), executions: names(&executions) };
        write(&folder.join(world_name(number)), &serde_json::to_vec(&moment)?)?;
        sync(&folder)?;
        let (next, current) = (folder.join(NEXT), folder.join(CURRENT));
        write(&next, number.to_string().as_bytes())?;
        fs::rename(&next, &current).map_err(at(&current))?;
        sync(&folder)?;
        (self.clusters, self.executions) = (clusters, executions);
        let parts = moment.clusters.into_values().chain(moment.executions.into_values());
        // What is left over takes room and does no harm; the next keep clears it.
        if let Err(error) = clear(&folder, &parts.chain([world_name(number), tables_name(number)]).collect()) {
            tracing::warn!(%error, "an older file is left");
        }
        Ok(())
    }

    /// Writes the parts that are not what they were when they were written last.
    fn parts<T: Serialize>(
        &self,
        before: &Parts<T>,
        parts: BTreeMap<String, Shared<T>>,
        prefix: &str,
    ) -> Result<Parts<T>, KeepError> {
        let mut written = Parts::new();
        for (index, (key, part)) in parts.into_iter().enumerate() {
            let same = before.get(&key).filter(|(mark, _)| mark.is_of(&part));
            let name = match same {
                Some((_, name)) => name.clone(),
                None => {
                    let name = format!("{prefix}{index}.json");
                    write(&self.folder.join(&name), &serde_json::to_vec(&part)?)?;
                    name
                }
            };
            written.insert(key, (part.mark(), name));
        }
        Ok(written)
    }
}

impl Account {
    /// Writes the account into `folder` once; see [`Keep`].
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), KeepError> {
        Keep::in_folder(folder).keep(self)
    }

    /// Whether `folder` holds an account.
    pub fn is_kept_in(folder: &Path) -> bool {
        current(folder).is_some()
    }

    /// The account that was saved into `folder`. What was due meanwhile happens at once.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn open(folder: &Path, clock: Clock) -> Result<Self, KeepError> {
        let number = current(folder).ok_or_else(|| KeepError::Nothing(folder.to_owned()))?;
        let Moment { mut world, clusters, executions } = read(&folder.join(world_name(number)))?;
        world.kubernetes = whole(folder, clusters)?;
        world.states.executions = whole(folder, executions)?;
        let tables = Tables::open(&folder.join(tables_name(number)), clock)?;
        Ok(Self::of(world, tables, clock, services::handle))
    }
}

fn names<T>(parts: &Parts<T>) -> BTreeMap<String, String> {
    parts.iter().map(|(key, (_, name))| (key.clone(), name.clone())).collect()
}

fn whole<T: DeserializeOwned>(
    folder: &Path,
    names: BTreeMap<String, String>,
) -> Result<BTreeMap<String, Shared<T>>, KeepError> {
    names.into_iter().map(|(key, name)| Ok((key, read(&folder.join(name))?))).collect()
}

fn current(folder: &Path) -> Option<u64> {
    fs::read_to_string(folder.join(CURRENT)).ok()?.parse().ok()
}

fn world_name(number: u64) -> String {
    format!("world-{number}.json")
}

fn tables_name(number: u64) -> String {
    format!("dynamodb-{number}.db")
}

/// Removes what belongs to another moment than the one that counts.
fn clear(folder: &Path, counting: &BTreeSet<String>) -> Result<(), KeepError> {
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let name = entry.map_err(at(folder))?.file_name().to_string_lossy().into_owned();
        if OURS.iter().any(|prefix| name.starts_with(prefix)) && !counting.contains(&name) {
            remove(&folder.join(name))?;
        }
    }
    Ok(())
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, KeepError> {
    let text = fs::read(path).map_err(at(path))?;
    serde_json::from_slice(&text).map_err(|source| KeepError::Unreadable { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), KeepError> {
    let written = fs::File::create(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(at(path))
}

/// Brings a file, or a folder's list of files, onto the disk.
fn sync(path: &Path) -> Result<(), KeepError> {
    fs::File::open(path).and_then(|file| file.sync_all()).map_err(at(path))
}

fn remove(path: &Path) -> Result<(), KeepError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// What to say of a file that could not be read or written.
pub(super) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> KeepError {
    let path = path.to_owned();
    move |source| KeepError::File { path, source }
}
