//! Reading and writing the parts that every Kubernetes object has.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// The string at a JSON pointer; empty if there is none.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The integer at a JSON pointer.
pub(super) fn number(value: &Value, pointer: &str) -> Option<i64> {
    value.pointer(pointer).and_then(Value::as_i64)
}

/// The list at a JSON pointer; empty if there is none.
pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn name(value: &Value) -> &str {
    text(value, "/metadata/name")
}

pub(super) fn namespace(value: &Value) -> &str {
    text(value, "/metadata/namespace")
}

pub(super) fn uid(value: &Value) -> &str {
    text(value, "/metadata/uid")
}

pub(super) fn labels(value: &Value) -> &Value {
    value.pointer("/metadata/labels").unwrap_or(&Value::Null)
}

/// Whether deletion was asked for and finalizers or a grace period hold the object.
pub(super) fn is_terminating(value: &Value) -> bool {
    value.pointer("/metadata/deletionTimestamp").is_some()
}

/// The owner that manages this object.
pub(super) fn controller_of(value: &Value) -> Option<&Value> {
    list(value, "/metadata/ownerReferences").iter().find(|owner| owner["controller"] == true)
}

/// An owner reference that makes `owner` the controller.
pub(super) fn owned_by(owner: &Value) -> Value {
    json!([{
        "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"], "controller": true, "blockOwnerDeletion": true,
    }])
}

/// The object at `pointer`, made on the way where it is missing or null.
pub(super) fn entry<'a>(value: &'a mut Value, pointer: &str) -> &'a mut Value {
    let mut at = value;
    for step in pointer.split('/').skip(1) {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        at = &mut at[step];
    }
    at
}

/// Sets the value at `pointer`, making objects on the way.
pub(super) fn put(value: &mut Value, pointer: &str, new: impl Into<Value>) {
    *entry(value, pointer) = new.into();
}

/// Sets the value at `pointer` if nothing is there.
pub(super) fn put_default(value: &mut Value, pointer: &str, new: impl Into<Value>) {
    let at = entry(value, pointer);
    if at.is_null() {
        *at = new.into();
    }
}

/// Removes `name` from the object at `pointer`.
pub(super) fn remove(value: &mut Value, pointer: &str, name: &str) -> Option<Value> {
    value.pointer_mut(pointer)?.as_object_mut()?.shift_remove(name)
}

/// Time as Kubernetes writes it: RFC 3339, whole seconds, UTC.
pub(super) fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The time at a JSON pointer.
pub(super) fn time_at(value: &Value, pointer: &str) -> Option<Timestamp> {
    text(value, pointer).parse().ok()
}

/// Sets the condition of this type in `/status/conditions`; keeps its transition time while the status stays.
pub(super) fn set_condition(
    value: &mut Value,
    kind: &str,
    status: bool,
    (reason, message): (&str, &str),
    now: Timestamp,
) {
    let status = if status { "True" } else { "False" };
    let conditions = entry(value, "/status/conditions");
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    let Some(conditions) = conditions.as_array_mut() else { return };
    let mut new = json!({"type": kind, "status": status, "lastTransitionTime": time(now)});
    if !reason.is_empty() {
        new["reason"] = reason.into();
    }
    if !message.is_empty() {
        new["message"] = message.into();
    }
    match conditions.iter_mut().find(|condition| condition["type"] == kind) {
        Some(old) => {
            if old["status"] == new["status"] {
                new["lastTransitionTime"] = old["lastTransitionTime"].clone();
            }
            *old = new;
        }
        None => conditions.push(new),
    }
}

/// Whether the condition of this type is `True`.
pub(super) fn has_condition(value: &Value, kind: &str) -> bool {
    list(value, "/status/conditions").iter().any(|one| one["type"] == kind && one["status"] == "True")
}
