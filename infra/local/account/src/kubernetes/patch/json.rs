//! JSON patch (RFC 6902).

use crate::kubernetes::refusal::Refusal;
use serde_json::Value;

/// How many operations a patch may have, as in kube-apiserver.
const MOST: usize = 10_000;

/// Applies every operation in order, or none.
pub(in crate::kubernetes) fn apply(value: &Value, patch: &Value) -> Result<Value, Refusal> {
    let operations = patch.as_array().ok_or_else(|| {
        Refusal::bad_request(
            "error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch",
        )
    })?;
    if operations.len() > MOST {
        let message = format!("The allowed maximum operations in a JSON patch is {MOST}, got {}", operations.len());
        return Err(Refusal::new(413, "RequestEntityTooLarge", message));
    }
    let mut value = value.clone();
    for operation in operations {
        one(&mut value, operation).map_err(|text| {
            Refusal::new(
                422,
                "Invalid",
                format!("the server rejected our request due to an error in our request: {text}"),
            )
        })?;
    }
    Ok(value)
}

fn one(value: &mut Value, operation: &Value) -> Result<(), String> {
    let path = operation["path"].as_str().ok_or("operation without a path")?;
    let missing = |path: &str| {
        format!(
            "{} operation does not apply: doc is missing path: {path:?}: missing value",
            operation["op"].as_str().unwrap_or_default()
        )
    };
    let content = || operation.get("value").cloned().ok_or_else(|| format!("operation on {path} without a value"));
    match operation["op"].as_str() {
        Some("add") => add(value, path, content()?).ok_or_else(|| missing(path)),
        Some("remove") => remove(value, path).map(|_| ()).ok_or_else(|| missing(path)),
        Some("replace") => {
            let new = content()?;
            *value.pointer_mut(path).ok_or_else(|| missing(path))? = new;
            Ok(())
        }
        Some("test") => {
            let wanted = content()?;
            let found = value.pointer(path).unwrap_or(&Value::Null);
            if *found == wanted { Ok(()) } else { Err(format!("testing value {path} failed: test failed")) }
        }
        Some(kind @ ("move" | "copy")) => {
            let from = operation["from"].as_str().ok_or("operation without from")?;
            let moved = if kind == "move" { remove(value, from) } else { value.pointer(from).cloned() };
            add(value, path, moved.ok_or_else(|| missing(from))?).ok_or_else(|| missing(path))
        }
        other => Err(format!("unexpected operation kind: {other:?}")),
    }
}

fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn add(value: &mut Value, path: &str, new: Value) -> Option<()> {
    if path.is_empty() {
        *value = new;
        return Some(());
    }
    let (parent, step) = path.rsplit_once('/')?;
    match value.pointer_mut(parent)? {
        Value::Object(members) => {
            members.insert(unescaped(step), new);
            Some(())
        }
        Value::Array(items) => {
            let at = if step == "-" { items.len() } else { step.parse().ok()? };
            (at <= items.len()).then(|| items.insert(at, new))
        }
        _ => None,
    }
}

fn remove(value: &mut Value, path: &str) -> Option<Value> {
    let (parent, step) = path.rsplit_once('/')?;
    match value.pointer_mut(parent)? {
        Value::Object(members) => members.shift_remove(&unescaped(step)),
        Value::Array(items) => {
            let at: usize = step.parse().ok()?;
            (at < items.len()).then(|| items.remove(at))
        }
        _ => None,
    }
}
