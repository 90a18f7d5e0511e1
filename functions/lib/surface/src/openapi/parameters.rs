//! What a request of the document carries: path, query, headers and body.

use super::changes;
use contract::{Descriptor, Kind, Place};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

/// Parameters of a route.
pub(super) fn of(descriptor: &Descriptor) -> Vec<Value> {
    let input = descriptor.input_schema().to_value();
    let mut list: Vec<Value> =
        descriptor.places.iter().map(|(field, place)| parameter(&input, field, *place)).collect();
    if descriptor.kind == Kind::Operation {
        list.push(json!({
            "name": "validateOnly", "in": "query", "description": "Only show what would be done: answers 200 with the plan.",
            "schema": { "type": "boolean", "default": false },
        }));
    }
    if changes(descriptor) {
        list.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "The same key is the same operation. Required unless validateOnly=true.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" },
        }));
        list.push(json!({
            "name": "If-Match", "in": "header",
            "description": "The cluster's generation in quotes; if it has changed since, nothing is done.",
            "schema": { "type": "string", "pattern": "^(\"[0-9]{1,18}\"|[0-9]{1,18})$" },
        }));
    } else {
        list.push(json!({
            "name": "If-None-Match", "in": "header",
            "description": "ETag of the answer that the caller has; unchanged, the answer is 304.",
            "schema": { "type": "string" },
        }));
    }
    list
}

fn parameter(input: &Value, field: &str, place: Place) -> Value {
    let mut schema = input["properties"][field].clone();
    let description = schema.as_object_mut().and_then(|schema| schema.remove("description")).unwrap_or_default();
    let required = input["required"].as_array().is_some_and(|names| names.iter().any(|name| name == field));
    json!({
        "name": field,
        "in": if place == Place::Path { "path" } else { "query" },
        "required": required,
        "description": description,
        "schema": schema,
    })
}

/// The body of a request; none where path and query hold the whole input.
pub(super) fn body(descriptor: &Descriptor, generator: &mut SchemaGenerator) -> Option<Value> {
    let input = descriptor.input_schema().to_value();
    let fields = input["properties"].as_object()?;
    let outside = |field: &str| descriptor.places.iter().any(|(name, _)| *name == field);
    if fields.keys().all(|field| outside(field)) {
        return None;
    }
    let schema = (descriptor.input)(generator).to_value();
    Some(json!({ "required": true, "content": { "application/json": { "schema": schema } } }))
}

/// Takes the fields that are in the path out of the schema of a body.
pub(super) fn leave_path_fields_out(descriptor: &Descriptor, schemas: &mut Map<String, Value>) {
    let mut named = super::generator();
    let reference = (descriptor.input)(&mut named).to_value();
    let name = reference["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()).unwrap_or_default();
    let Some(schema) = schemas.get_mut(name) else { return };
    for (field, _) in descriptor.places {
        if let Some(fields) = schema["properties"].as_object_mut() {
            fields.shift_remove(*field);
        }
        if let Some(required) = schema["required"].as_array_mut() {
            required.retain(|name| name != field);
        }
    }
}
