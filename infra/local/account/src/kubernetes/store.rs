//! The objects of a cluster, their revisions, and the recent changes that watchers can still be told.

use super::{object, resource::Resource};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, VecDeque};
use std::{ops::Deref, sync::Arc};

/// How many changes a watcher may lie behind before it is told `Expired`.
const HISTORY: usize = 2000;

/// An object that many can hold; a stored object never changes, it is replaced.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shared(Arc<Value>);

impl Shared {
    pub(super) fn new(value: Value) -> Self {
        Self(Arc::new(value))
    }

    /// An own copy to change.
    pub(super) fn copy(&self) -> Value {
        Value::clone(&self.0)
    }
}

impl Deref for Shared {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

impl Serialize for Shared {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shared {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::new)
    }
}

/// One write, as watchers see it: what was there before, and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Change {
    pub(super) revision: u64,
    pub(super) key: String,
    pub(super) before: Option<Shared>,
    /// The object after the write; for a deletion its last state.
    pub(super) after: Shared,
    pub(super) deleted: bool,
}

/// All objects of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Store {
    objects: BTreeMap<String, BTreeMap<String, Shared>>,
    revision: u64,
    history: VecDeque<Change>,
    /// Revision of the last change that was dropped from the history.
    forgotten: u64,
    seed: String,
    drawn: u64,
}

/// `namespace/name`, in the order in which etcd lists.
pub(super) fn path(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}

impl Store {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            objects: BTreeMap::new(),
            revision: 1,
            history: VecDeque::new(),
            forgotten: 1,
            seed: now.to_string(),
            drawn: 0,
        }
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// What the ids and seals of this cluster derive from.
    pub(super) fn seed(&self) -> &str {
        &self.seed
    }

    /// The oldest revision from which a watch can still start.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    pub(super) fn get(&self, resource: &Resource, namespace: &str, name: &str) -> Option<&Shared> {
        self.objects.get(&resource.key())?.get(&path(namespace, name))
    }

    /// Objects of a resource in the order of their paths; of one namespace if it is not empty.
    pub(super) fn list<'a>(&'a self, resource: &Resource, namespace: &'a str) -> impl Iterator<Item = &'a Shared> {
        self.entries(resource, namespace).map(|(_, object)| object)
    }

    /// The same with their paths.
    pub(super) fn entries<'a>(
        &'a self,
        resource: &Resource,
        namespace: &'a str,
    ) -> impl Iterator<Item = (&'a String, &'a Shared)> {
        self.objects
            .get(&resource.key())
            .into_iter()
            .flatten()
            .filter(move |(_, object)| namespace.is_empty() || object::namespace(object) == namespace)
    }

    /// Every object of every resource.
    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &Shared)> {
        self.objects.iter().flat_map(|(key, objects)| objects.values().map(move |object| (key, object)))
    }

    /// Writes an object under a new revision and returns it as stored.
    pub(super) fn put(&mut self, resource: &Resource, mut object: Value) -> Shared {
        self.revision += 1;
        object::put(&mut object, "/metadata/resourceVersion", self.revision.to_string());
        let after = Shared::new(object);
        let at = path(object::namespace(&after), object::name(&after));
        let before = self.objects.entry(resource.key()).or_default().insert(at, after.clone());
        self.remember(Change {
            revision: self.revision,
            key: resource.key(),
            before,
            after: after.clone(),
            deleted: false,
        });
        after
    }

    /// Removes an object; its last state carries the revision of its removal.
    pub(super) fn remove(&mut self, key: &str, namespace: &str, name: &str) -> Option<Shared> {
        let before = self.objects.get_mut(key)?.remove(&path(namespace, name))?;
        self.revision += 1;
        let mut last = before.copy();
        object::put(&mut last, "/metadata/resourceVersion", self.revision.to_string());
        let after = Shared::new(last);
        self.remember(Change {
            revision: self.revision,
            key: key.to_owned(),
            before: Some(before),
            after: after.clone(),
            deleted: true,
        });
        Some(after)
    }

    fn remember(&mut self, change: Change) {
        self.history.push_back(change);
        if self.history.len() > HISTORY
            && let Some(dropped) = self.history.pop_front()
        {
            self.forgotten = dropped.revision;
        }
    }

    /// Changes of a resource later than `revision`, oldest first.
    pub(super) fn changes_after<'a>(&'a self, revision: u64, key: &'a str) -> impl Iterator<Item = &'a Change> {
        let first = self.history.partition_point(|change| change.revision <= revision);
        self.history.range(first..).filter(move |change| change.key == key)
    }

    fn draw(&mut self) -> [u8; 32] {
        self.drawn += 1;
        Sha256::new().chain_update(&self.seed).chain_update(self.drawn.to_be_bytes()).finalize().into()
    }

    /// A uid in the form of a random UUID, unlike any other of this cluster.
    pub(super) fn new_uid(&mut self) -> String {
        let mut bytes = self.draw();
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let hex = hex::encode(&bytes[..16]);
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    /// Five letters and digits as Kubernetes appends them to generated names.
    pub(super) fn new_suffix(&mut self) -> String {
        let bytes = self.draw();
        bytes.iter().take(5).map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])).collect()
    }
}

/// Letters and digits that spell no words: apimachinery's `rand.String`.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A number as apimachinery's `SafeEncodeString` writes hashes into names.
pub(super) fn safe_encoded(number: u64) -> String {
    number.to_string().bytes().map(|digit| char::from(ALPHABET[usize::from(digit) % ALPHABET.len()])).collect()
}

/// A stable hash of a value, ten safe characters: names replica sets and controller revisions.
pub(super) fn template_hash(value: &Value) -> String {
    let digest = Sha256::digest(canonical(value).to_string());
    let number = digest.iter().take(4).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    safe_encoded(number)
}

/// The value with the members of every object in order, so that equal content is equal text.
pub(super) fn canonical(value: &Value) -> Value {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    sorted
}
