//! Watches: where a client stands in the history of a resource, and what it has not been told yet.

use super::{
    Cluster, events, object,
    query::Query,
    refusal::Refusal,
    resource::Resource,
    selector::{FieldSelector, LabelSelector},
    store::Change,
    table,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// How long a watch lasts that asks for no time: between 30 and 60 minutes in Kubernetes.
const LASTS: SignedDuration = SignedDuration::from_mins(45);
/// How often a bookmark says that nothing happened.
const BOOKMARK: SignedDuration = SignedDuration::from_mins(1);

/// One client's place in the history of a resource.
#[derive(Debug, Clone)]
pub struct Watch {
    resource: Box<Resource>,
    namespace: String,
    labels: LabelSelector,
    fields: FieldSelector,
    /// The last revision that the client knows.
    seen: u64,
    /// The state of now comes first, as `ADDED` events.
    initial: bool,
    /// A bookmark marks the end of the initial events (`sendInitialEvents`).
    marks_initial: bool,
    bookmarks: bool,
    as_table: bool,
    next_bookmark: Timestamp,
    ends: Timestamp,
    ended: bool,
}

/// What a watch has to say now.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchBatch {
    /// Whole JSON lines; empty if there is nothing new.
    pub lines: Vec<u8>,
    /// Whether the stream ends after these lines.
    pub ends: bool,
    /// When to ask again if nothing changes before.
    pub next: Timestamp,
}

impl Watch {
    pub(super) fn start(
        cluster: &Cluster,
        (resource, namespace, name): (&Resource, &str, &str),
        query: &Query,
        as_table: bool,
        now: Timestamp,
    ) -> Result<Self, Refusal> {
        let fields = if name.is_empty() { query.fields()? } else { FieldSelector::named(name) };
        fields.check(resource)?;
        let version = query.text("resourceVersion");
        let from: u64 = if version.is_empty() {
            0
        } else {
            version.parse().map_err(|_| {
                Refusal::bad_request(format!("resourceVersion: Invalid value: {version:?}: strconv.ParseUint: parsing {version:?}: invalid syntax"))
            })?
        };
        let asks_initial = query.flag("sendInitialEvents");
        let lasts = query.number("timeoutSeconds")?.filter(|seconds| *seconds > 0);
        let lasts = lasts.map_or(LASTS, SignedDuration::from_secs);
        let initial = asks_initial || from == 0;
        Ok(Self {
            resource: Box::new(resource.clone()),
            namespace: namespace.to_owned(),
            labels: query.labels()?,
            fields,
            seen: if initial { cluster.store.revision() } else { from },
            initial,
            marks_initial: asks_initial,
            bookmarks: query.flag("allowWatchBookmarks"),
            as_table,
            next_bookmark: now.saturating_add(BOOKMARK).unwrap_or(Timestamp::MAX),
            ends: now.saturating_add(lasts).unwrap_or(Timestamp::MAX),
            ended: false,
        })
    }

    fn selects(&self, value: &Value) -> bool {
        (self.namespace.is_empty() || object::namespace(value) == self.namespace)
            && self.labels.matches(object::labels(value))
            && self.fields.matches(value)
    }

    fn say(&self, lines: &mut Vec<u8>, kind: &str, value: &Value) {
        let shown = events::as_seen_by(&self.resource, value);
        let shown = if self.as_table { table::of(&self.resource, &[&shown], value, None) } else { shown };
        line(lines, kind, &shown);
    }

    /// An object that comes to match is added, one that ceases to match is deleted, whatever was written.
    fn tell(&self, lines: &mut Vec<u8>, change: &Change) {
        let before = change.before.as_ref().is_some_and(|value| self.selects(value));
        let after = !change.deleted && self.selects(&change.after);
        let kind = match (before, after) {
            (false, false) => return,
            (false, true) => "ADDED",
            (true, true) => "MODIFIED",
            (true, false) => "DELETED",
        };
        if change.deleted || after {
            self.say(lines, kind, &change.after);
        } else if let Some(before) = &change.before {
            let mut last = before.copy();
            object::put(&mut last, "/metadata/resourceVersion", change.revision.to_string());
            self.say(lines, kind, &last);
        }
    }

    fn bookmark(&self, lines: &mut Vec<u8>, initial: bool) {
        let mut mark = json!({
            "apiVersion": self.resource.api_version(), "kind": self.resource.kind,
            "metadata": {"resourceVersion": self.seen.to_string(), "creationTimestamp": null},
        });
        if initial {
            mark["metadata"]["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        line(lines, "BOOKMARK", &mark);
    }
}

fn line(lines: &mut Vec<u8>, kind: &str, value: &Value) {
    lines.extend_from_slice(json!({"type": kind, "object": value}).to_string().as_bytes());
    lines.push(b'\n');
}

impl Cluster {
    /// What `watch` was not told yet, as JSON lines, and whether its stream ends.
    ///
    /// A watch that lies behind the bounded history gets an `ERROR` event with the `Expired` status and ends.
    pub fn events_after(&self, watch: &mut Watch, now: Timestamp) -> WatchBatch {
        let mut lines = Vec::new();
        let key = watch.resource.key();
        if watch.initial {
            for value in self.store.list(&watch.resource, &watch.namespace).filter(|value| watch.selects(value)) {
                watch.say(&mut lines, "ADDED", value);
            }
            watch.seen = self.store.revision();
            watch.initial = false;
            if watch.marks_initial {
                watch.bookmark(&mut lines, true);
            }
        } else if watch.seen < self.store.forgotten() {
            let message = format!("too old resource version: {} ({})", watch.seen, self.store.forgotten());
            line(&mut lines, "ERROR", &Refusal::new(410, "Expired", message).status());
            watch.ended = true;
        } else {
            for change in self.store.changes_after(watch.seen, &key) {
                watch.tell(&mut lines, change);
            }
            watch.seen = watch.seen.max(self.store.revision());
        }
        let over = now >= watch.ends;
        if watch.bookmarks && !watch.ended && (over || now >= watch.next_bookmark) {
            watch.bookmark(&mut lines, false);
            watch.next_bookmark = now.saturating_add(BOOKMARK).unwrap_or(Timestamp::MAX);
        }
        watch.ended |= over;
        let next = if watch.bookmarks { watch.ends.min(watch.next_bookmark) } else { watch.ends };
        WatchBatch { lines, ends: watch.ended, next }
    }
}
