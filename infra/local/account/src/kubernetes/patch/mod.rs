//! Patches: how a described change makes a new value of an old one. Nothing here knows about the store.

mod json;
mod strategic;

pub(super) use json::apply as json;
pub(super) use strategic::apply as strategic;

use serde_json::{Map, Value};

/// JSON merge patch (RFC 7396): null removes.
pub(super) fn merge(value: &Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else { return patch.clone() };
    let mut merged = value.as_object().cloned().unwrap_or_else(Map::new);
    for (name, change) in changes {
        if change.is_null() {
            merged.shift_remove(name);
        } else {
            let next = merge(merged.get(name).unwrap_or(&Value::Null), change);
            merged.insert(name.clone(), next);
        }
    }
    Value::Object(merged)
}
