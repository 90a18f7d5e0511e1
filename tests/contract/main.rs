//! Holds the list of operations and queries against everything that must know each of them: surfaces, policies, tests.
//!
//! Whoever adds one to `contract::ALL` is told here, name by name, what is still missing.

mod catalogues;
mod policies;
mod reported;
mod shown;
mod surfaces;

use std::{collections::BTreeSet, fs, path::PathBuf};

/// A path of the checkout.
fn place(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(place(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Names in a folder; empty if there is none.
fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(place(folder)).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn set<'a>(words: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    words.into_iter().map(str::to_owned).collect()
}
