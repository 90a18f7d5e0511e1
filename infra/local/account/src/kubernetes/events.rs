//! Events: what controllers and kubelets say about an object, and the two forms in which the API shows them.

use super::{
    Cluster, object,
    resource::{Resource, known},
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// How long an event is kept (`--event-ttl`).
pub(super) const LASTS: SignedDuration = SignedDuration::from_hours(1);

/// How an event is called in its two forms: core, events.k8s.io.
const FIELDS: &[(&str, &str)] = &[
    ("message", "note"),
    ("involvedObject", "regarding"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

fn renamed(value: &Value, newer: bool) -> Value {
    let mut shown = json!({});
    for (name, member) in value.as_object().into_iter().flatten() {
        let name = FIELDS
            .iter()
            .find_map(|(core, new)| match newer {
                true if core == name => Some(*new),
                false if new == name => Some(*core),
                _ => None,
            })
            .unwrap_or(name);
        shown[name] = member.clone();
    }
    shown["apiVersion"] = if newer { "events.k8s.io/v1" } else { "v1" }.into();
    shown
}

/// A stored object as this resource shows it: in its version, events in their newer form.
pub(super) fn as_seen_by(resource: &Resource, value: &Value) -> Value {
    if resource.is_newer_event() {
        return renamed(value, true);
    }
    let mut shown = value.clone();
    if resource.custom.is_some() {
        shown["apiVersion"] = resource.api_version().into();
    }
    shown
}

/// A body as it is stored: events in their core form.
pub(super) fn as_stored(resource: &Resource, value: Value) -> Value {
    if resource.is_newer_event() { renamed(&value, false) } else { value }
}

impl Cluster {
    /// Says `message` about `object`; the same words again only count up.
    pub(super) fn say(&mut self, about: &Value, from: &str, (reason, message): (&str, &str), now: Timestamp) {
        let resource = known("", "events");
        let namespace = Some(object::namespace(about)).filter(|name| !name.is_empty()).unwrap_or("default");
        let known = self.store.list(resource, namespace).find(|event| {
            event["involvedObject"]["uid"] == about["metadata"]["uid"]
                && event["reason"] == reason
                && event["message"] == message
                && event["source"]["component"] == from
        });
        let event = match known {
            Some(event) => {
                let mut event = event.copy();
                event["count"] = (event["count"].as_i64().unwrap_or(1) + 1).into();
                event["lastTimestamp"] = object::time(now).into();
                event
            }
            None => self.new_event(about, namespace, from, (reason, message), now),
        };
        self.store.put(resource, event);
    }

    fn new_event(
        &mut self,
        about: &Value,
        namespace: &str,
        from: &str,
        (reason, message): (&str, &str),
        now: Timestamp,
    ) -> Value {
        let name = format!("{}.{:x}{}", object::name(about), now.as_millisecond(), self.store.new_suffix());
        let kind = if reason.starts_with("Failed") || reason == "BackOff" { "Warning" } else { "Normal" };
        let mut involved = json!({
            "kind": about["kind"], "name": object::name(about), "uid": about["metadata"]["uid"],
            "apiVersion": about["apiVersion"], "resourceVersion": about["metadata"]["resourceVersion"],
        });
        if !object::namespace(about).is_empty() {
            involved["namespace"] = object::namespace(about).into();
        }
        let mut source = json!({"component": from});
        if from == "kubelet" {
            let node =
                if about["kind"] == "Node" { object::name(about) } else { object::text(about, "/spec/nodeName") };
            source["host"] = node.into();
        }
        json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"name": name, "namespace": namespace, "uid": self.store.new_uid(), "creationTimestamp": object::time(now)},
            "involvedObject": involved, "reason": reason, "message": message, "source": source,
            "firstTimestamp": object::time(now), "lastTimestamp": object::time(now), "count": 1, "type": kind,
            "eventTime": null, "reportingComponent": from, "reportingInstance": "",
        })
    }

    /// Removes events that are an hour old; returns when the next one is.
    pub(super) fn forget_events(&mut self, now: Timestamp) -> Option<Timestamp> {
        let resource = known("", "events");
        let mut next: Option<Timestamp> = None;
        let mut old = Vec::new();
        for event in self.store.list(resource, "") {
            let said = object::time_at(event, "/lastTimestamp")
                .or_else(|| object::time_at(event, "/eventTime"))
                .or_else(|| object::time_at(event, "/metadata/creationTimestamp"));
            let Some(ends) = said.and_then(|said| said.checked_add(LASTS).ok()) else { continue };
            if ends <= now {
                old.push((object::namespace(event).to_owned(), object::name(event).to_owned()));
            } else {
                next = Some(next.map_or(ends, |next| next.min(ends)));
            }
        }
        for (namespace, name) in old {
            self.store.remove(&resource.key(), &namespace, &name);
        }
        next
    }
}
