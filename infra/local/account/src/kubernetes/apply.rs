//! Server-side apply: the next state of an object, its conflicts, and what one manager gives up.

use super::{
    fields::{Fields, element},
    object,
    refusal::Refusal,
    resource::Resource,
    schema::{ListKind, Schema},
    serve::Options,
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// What an apply makes of an object.
pub(super) struct Merged {
    pub(super) value: Value,
    pub(super) managed: Value,
}

/// Merges `wanted` into `current` for the manager of `options`.
///
/// # Errors
/// 409 if another manager owns a field that would change and `force` is off.
pub(super) fn merge(
    resource: &Resource,
    current: &Value,
    wanted: &Value,
    options: &Options,
    force: bool,
    now: Timestamp,
) -> Result<Merged, Refusal> {
    let schema = resource.schema();
    let mut value = overlay(Some(schema), current, wanted, true);
    value["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"].clone();
    let applied = Fields::applied(schema, wanted);
    let changed = Fields::changed(schema, current, &value);
    let entries = object::list(current, "/metadata/managedFields");
    let is_own = |entry: &Value| {
        entry["manager"] == options.manager.as_str()
            && entry["operation"] == "Apply"
            && object::text(entry, "/subresource") == options.subresource
    };
    let mut conflicts = Vec::new();
    let (mut kept, mut others) = (Vec::new(), Fields::default());
    let mut before = None;
    for entry in entries {
        let fields = Fields::parse(&entry["fieldsV1"]);
        if is_own(entry) {
            before = Some((entry, fields));
            continue;
        }
        let contested = fields.common(&changed);
        conflicts.extend(contested.paths().into_iter().map(|path| (who(entry), path)));
        let left = if force { fields.without(&contested) } else { fields };
        others = others.with(&left);
        if !left.is_empty() {
            let mut entry = entry.clone();
            entry["fieldsV1"] = left.to_json();
            kept.push(entry);
        }
    }
    if !conflicts.is_empty() && !force {
        return Err(conflict(&conflicts));
    }
    if let Some((_, earlier)) = &before {
        earlier.without(&applied).without(&others).remove_from(Some(schema), &mut value, true);
    }
    let unchanged = before.as_ref().is_some_and(|(_, fields)| *fields == applied);
    let time = match &before {
        Some((entry, _)) if unchanged => entry["time"].clone(),
        _ => object::time(now).into(),
    };
    let mut own = json!({
        "manager": options.manager, "operation": "Apply", "apiVersion": resource.api_version(), "time": time,
        "fieldsType": "FieldsV1", "fieldsV1": applied.to_json(),
    });
    if !options.subresource.is_empty() {
        own["subresource"] = options.subresource.clone().into();
    }
    kept.insert(0, own);
    Ok(Merged { value, managed: kept.into() })
}

fn who(entry: &Value) -> String {
    let manager = format!("{:?}", object::text(entry, "/manager"));
    let part = match object::text(entry, "/subresource") {
        "" => manager,
        subresource => format!("{manager} with subresource {subresource:?}"),
    };
    if entry["operation"] == "Update" {
        let version = object::text(entry, "/apiVersion");
        match object::text(entry, "/time") {
            "" => format!("{part} using {version}"),
            time => format!("{part} using {version} at {time}"),
        }
    } else {
        part
    }
}

fn conflict(conflicts: &[(String, String)]) -> Refusal {
    let message = match conflicts {
        [(who, path)] => format!("Apply failed with 1 conflict: conflict with {who}: {path}"),
        many => {
            let mut text = format!("Apply failed with {} conflicts:", many.len());
            let mut last = "";
            let single = many.iter().all(|(who, _)| *who == many[0].0);
            for (who, path) in many {
                if who != last {
                    text += if single { " " } else { "\n" };
                    text += &format!("conflicts with {who}:");
                    last = who;
                }
                text += &format!("\n- {path}");
            }
            text
        }
    };
    let causes: Vec<Value> = conflicts
        .iter()
        .map(|(who, path)| json!({"reason": "FieldManagerConflict", "message": format!("conflict with {who}"), "field": path}))
        .collect();
    let mut refusal = Refusal::new(409, "Conflict", message);
    refusal.details = json!({"causes": causes});
    refusal
}

/// `wanted` laid over `current`: objects and keyed lists merge, everything else is replaced.
fn overlay(schema: Option<Schema<'_>>, current: &Value, wanted: &Value, root: bool) -> Value {
    match (current, wanted) {
        (Value::Object(old), Value::Object(new)) if !schema.is_some_and(|schema| schema.is_atomic()) => {
            let mut merged = old.clone();
            for (name, member) in new {
                let next = schema.and_then(|schema| schema.member(name, root));
                let value =
                    old.get(name).map_or_else(|| member.clone(), |earlier| overlay(next, earlier, member, false));
                merged.insert(name.clone(), value);
            }
            Value::Object(merged)
        }
        (Value::Array(old), Value::Array(new)) => match schema {
            Some(schema) if schema.list_kind() != ListKind::Atomic => Value::Array(keyed(&schema, old, new)),
            _ => wanted.clone(),
        },
        _ => wanted.clone(),
    }
}

fn keyed(schema: &Schema<'_>, old: &[Value], new: &[Value]) -> Vec<Value> {
    let mut merged = old.to_vec();
    for item in new {
        let name = element(schema, item);
        match merged.iter_mut().find(|one| element(schema, one) == name) {
            Some(earlier) => *earlier = overlay(Some(schema.items()), earlier, item, false),
            None => merged.push(item.clone()),
        }
    }
    merged
}

/// `value` without what `sent` does not have: reading a body fills in defaults, which the applier does not own.
pub(super) fn restricted(value: &Value, sent: &Value) -> Value {
    let mut kept = restrict(value, sent);
    for field in ["apiVersion", "kind"] {
        kept[field] = value[field].clone();
    }
    for field in ["name", "namespace"] {
        if !value["metadata"][field].is_null() {
            object::put(&mut kept, &format!("/metadata/{field}"), value["metadata"][field].clone());
        }
    }
    kept
}

fn restrict(value: &Value, sent: &Value) -> Value {
    match (value, sent) {
        (Value::Object(members), Value::Object(sent)) => Value::Object(
            members
                .iter()
                .filter_map(|(name, member)| Some((name.clone(), restrict(member, sent.get(name)?))))
                .collect(),
        ),
        (Value::Array(items), Value::Array(sent)) if items.len() == sent.len() => {
            items.iter().zip(sent).map(|(item, sent)| restrict(item, sent)).collect()
        }
        _ => value.clone(),
    }
}
