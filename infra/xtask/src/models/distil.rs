//! From a whole service model to the part that the listed actions reach.

use super::actions::Service;
use anyhow::{Context, Result};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What is kept of a shape and of a member, under the same names as in botocore.
const SHAPE_KEYS: &[&str] = &[
    "type",
    "required",
    "enum",
    "min",
    "max",
    "pattern",
    "payload",
    "flattened",
    "locationName",
    "timestampFormat",
    "union",
    "document",
    "streaming",
    "exception",
    "fault",
    "error",
    "box",
];
const MEMBER_KEYS: &[&str] = &[
    "shape",
    "location",
    "locationName",
    "queryName",
    "flattened",
    "timestampFormat",
    "idempotencyToken",
    "jsonvalue",
    "streaming",
    "xmlNamespace",
];

/// Metadata, listed actions and all shapes that they reach, in the order of their names.
pub(super) fn service(service: &Service, model: &Value, pages: &Value) -> Result<Value> {
    let mut actions = Map::new();
    let mut wanted = Vec::new();
    let mut names = service.actions.to_vec();
    names.sort_unstable();
    for name in names {
        let operation = &model["operations"][name];
        let distilled = action(operation, &pages["pagination"][name]).with_context(|| format!("action {name}"))?;
        wanted.extend(shapes_named(&distilled));
        actions.insert(name.to_owned(), distilled);
    }
    let mut distilled = metadata(&model["metadata"]);
    distilled.insert("actions".into(), actions.into());
    distilled.insert("shapes".into(), reached(model, wanted)?.into());
    Ok(distilled.into())
}

fn metadata(metadata: &Value) -> Map<String, Value> {
    let mut kept = Map::new();
    for key in ["protocol", "apiVersion", "endpointPrefix", "jsonVersion", "targetPrefix", "xmlNamespace"] {
        if let Some(value) = metadata.get(key) {
            kept.insert(key.to_owned(), value.clone());
        }
    }
    kept
}

fn action(operation: &Value, pages: &Value) -> Result<Value> {
    let http = operation.get("http").context("botocore does not know it")?;
    let mut kept = Map::new();
    kept.insert("method".into(), http["method"].clone());
    kept.insert("uri".into(), http["requestUri"].clone());
    if let Some(status) = http.get("responseCode").filter(|status| **status != 200) {
        kept.insert("status".into(), status.clone());
    }
    for side in ["input", "output"] {
        if let Some(shape) = operation.get(side) {
            kept.insert(side.into(), shape["shape"].clone());
        }
    }
    if let Some(wrapper) = operation["output"].get("resultWrapper") {
        kept.insert("resultWrapper".into(), wrapper.clone());
    }
    if let Some(errors) = operation["errors"].as_array().filter(|errors| !errors.is_empty()) {
        kept.insert("errors".into(), errors.iter().map(|error| error["shape"].clone()).collect());
    }
    if operation["authtype"] == "none" {
        kept.insert("unsigned".into(), true.into());
    }
    for (from, to) in [("input_token", "pageToken"), ("output_token", "nextToken"), ("limit_key", "pageSize")] {
        if let Some(name) = pages.get(from) {
            kept.insert(to.into(), name.clone());
        }
    }
    Ok(kept.into())
}

fn shapes_named(action: &Value) -> Vec<String> {
    let sides = ["input", "output"].into_iter().filter_map(|side| action[side].as_str());
    let errors = action["errors"].as_array().into_iter().flatten().filter_map(Value::as_str);
    sides.chain(errors).map(str::to_owned).collect()
}

/// The named shapes and those that their members, elements, keys and values lead to.
fn reached(model: &Value, mut wanted: Vec<String>) -> Result<Map<String, Value>> {
    let mut seen = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let shape = model["shapes"].get(&name).with_context(|| format!("no shape {name}"))?;
        let members = shape["members"].as_object().into_iter().flat_map(Map::values);
        let parts = ["member", "key", "value"].into_iter().filter_map(|part| shape.get(part));
        wanted.extend(members.chain(parts).filter_map(|member| member["shape"].as_str()).map(str::to_owned));
    }
    Ok(seen.into_iter().map(|name| (name.clone(), shape(&model["shapes"][&name]))).collect())
}

fn shape(shape: &Value) -> Value {
    let mut kept = picked(shape, SHAPE_KEYS);
    if let Some(members) = shape["members"].as_object() {
        let members: Map<_, _> =
            members.iter().map(|(name, member)| (name.clone(), picked(member, MEMBER_KEYS).into())).collect();
        kept.insert("members".into(), members.into());
    }
    for part in ["member", "key", "value"] {
        if let Some(member) = shape.get(part) {
            kept.insert(part.into(), picked(member, MEMBER_KEYS).into());
        }
    }
    kept.into()
}

fn picked(from: &Value, keys: &[&str]) -> Map<String, Value> {
    keys.iter().filter_map(|key| Some(((*key).to_owned(), from.get(key)?.clone()))).collect()
}
