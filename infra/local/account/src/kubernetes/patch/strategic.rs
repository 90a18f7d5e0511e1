//! Strategic merge patch: JSON merge patch that knows which lists merge by a key
//! (`k8s.io/apimachinery/pkg/util/strategicpatch`).

use crate::kubernetes::{refusal::Refusal, schema::Schema};
use serde_json::{Map, Value};

/// Merges `patch` into `value` by the strategies of the schema.
pub(in crate::kubernetes) fn apply(schema: Schema<'_>, value: &Value, patch: &Value) -> Result<Value, Refusal> {
    let Value::Object(changes) = patch else {
        return Err(Refusal::bad_request(
            "json: cannot unmarshal the patch into Go value of type map[string]interface {}",
        ));
    };
    let members = value.as_object().cloned().unwrap_or_default();
    Ok(Value::Object(object(Some(schema), members, changes, true)?))
}

fn object(
    schema: Option<Schema<'_>>,
    mut members: Map<String, Value>,
    changes: &Map<String, Value>,
    root: bool,
) -> Result<Map<String, Value>, Refusal> {
    match changes.get("$patch").and_then(Value::as_str) {
        Some("replace") => {
            let mut replaced = changes.clone();
            replaced.shift_remove("$patch");
            return Ok(replaced);
        }
        Some("delete") => return Ok(Map::new()),
        Some("merge") | None => {}
        Some(other) => return Err(Refusal::bad_request(format!("Unknown patch type: {other}"))),
    }
    if let Some(kept) = changes.get("$retainKeys").and_then(Value::as_array) {
        members.retain(|name, _| kept.iter().any(|one| *one == name.as_str()));
    }
    for (name, change) in changes {
        if let Some(list) = name.strip_prefix("$deleteFromPrimitiveList/") {
            let gone = change.as_array().cloned().unwrap_or_default();
            if let Some(items) = members.get_mut(list).and_then(Value::as_array_mut) {
                items.retain(|item| !gone.contains(item));
            }
            continue;
        }
        if name.starts_with('$') {
            continue;
        }
        let next = schema.and_then(|schema| schema.member(name, root));
        let old = members.get(name).cloned().unwrap_or(Value::Null);
        match change {
            Value::Null => _ = members.shift_remove(name),
            Value::Object(inner) => {
                let before = old.as_object().cloned().unwrap_or_default();
                let merged = object(next, before, inner, false)?;
                if merged.is_empty() && inner.get("$patch").is_some_and(|patch| patch == "delete") {
                    members.shift_remove(name);
                } else {
                    members.insert(name.clone(), Value::Object(merged));
                }
            }
            Value::Array(inner) => {
                let before = old.as_array().cloned().unwrap_or_default();
                let key = next.and_then(|schema| schema.merge_key());
                let order = changes.get(&format!("$setElementOrder/{name}")).and_then(Value::as_array);
                let merged = list(next, key, before, inner, order)?;
                members.insert(name.clone(), Value::Array(merged));
            }
            plain => _ = members.insert(name.clone(), plain.clone()),
        }
    }
    Ok(members)
}

fn list(
    schema: Option<Schema<'_>>,
    key: Option<&str>,
    mut items: Vec<Value>,
    changes: &[Value],
    order: Option<&Vec<Value>>,
) -> Result<Vec<Value>, Refusal> {
    let replaces = |change: &&Value| {
        change
            .as_object()
            .is_some_and(|one| one.len() == 1 && one.get("$patch").is_some_and(|patch| patch == "replace"))
    };
    if changes.iter().any(|change| replaces(&change)) {
        return Ok(changes.iter().filter(|change| !replaces(change)).cloned().collect());
    }
    let Some(key) = key else { return Ok(changes.to_vec()) };
    for change in changes {
        if key.is_empty() {
            if !items.contains(change) {
                items.push(change.clone());
            }
            continue;
        }
        let Some(wanted) = change.get(key) else {
            let message = format!("map: {change} does not contain declared merge key: {key}");
            return Err(Refusal::new(500, "InternalError", message));
        };
        let at = items.iter().position(|item| item.get(key) == Some(wanted));
        if change["$patch"] == "delete" {
            items.retain(|item| item.get(key) != Some(wanted));
            continue;
        }
        let inner = change.as_object().cloned().unwrap_or_default();
        let before = at.and_then(|at| items[at].as_object().cloned()).unwrap_or_default();
        let merged = Value::Object(object(schema.map(|schema| schema.items()), before, &inner, false)?);
        match at {
            Some(at) => items[at] = merged,
            None => items.push(merged),
        }
    }
    if let Some(order) = order {
        let place = |item: &Value| {
            let name = if key.is_empty() { Some(item) } else { item.get(key) };
            order.iter().position(|one| Some(if key.is_empty() { one } else { &one[key] }) == name)
        };
        items.sort_by_key(|item| place(item).unwrap_or(usize::MAX));
    }
    Ok(items)
}
