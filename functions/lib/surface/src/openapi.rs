//! The OpenAPI 3.1 document, written from the descriptors: every route, every parameter, every answer.

mod answers;
mod parameters;

use contract::{ALL, Descriptor, Kind, Method};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// Longest name of an instance group, the only kind of name that maps have.
const NAME_LENGTH: usize = domain::ids::InstanceGroupName::MAX_LENGTH;

/// The document.
pub fn document() -> Value {
    let mut generator = generator();
    let mut paths = Map::new();
    for descriptor in ALL.iter().filter(|descriptor| descriptor.validates.is_none()) {
        let item = paths.entry(descriptor.path).or_insert_with(|| json!({}));
        let method = match descriptor.method {
            Method::Get => "get",
            Method::Post => "post",
        };
        item[method] = operation(descriptor, &mut generator);
    }
    let problem = generator.subschema_for::<contract::problem::Problem>().to_value();
    let mut schemas = generator.take_definitions(true);
    for descriptor in ALL.iter().filter(|descriptor| descriptor.method == Method::Post) {
        parameters::leave_path_fields_out(descriptor, &mut schemas);
    }
    schemas.values_mut().for_each(name_members);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "HyperPod InstantStart",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
            "description": "Amazon EKS + SageMaker HyperPod clusters as guarded, retryable operations. Whatever changes \
                something is recorded and answered 202 with the operation; follow it with GET /v1/operations/{operationId}/wait. \
                Errors are RFC 9457 problems with a stable code.",
        },
        "servers": [{ "url": "/" }],
        "security": [{ "bearer": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "headers": answers::headers(),
            "responses": answers::problems(&problem),
            "schemas": schemas,
        },
    })
}

/// The document as it is committed and served.
pub fn text() -> String {
    let mut text = serde_json::to_string_pretty(&document()).unwrap_or_default();
    text.push('\n');
    text
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    settings.into_generator()
}

/// Says a map whose names have a form in words that generators of types know: `propertyNames` beside
/// `additionalProperties`, instead of `patternProperties`.
fn name_members(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let patterned = members.shift_remove("patternProperties");
            let first = patterned.and_then(|patterned| patterned.as_object()?.clone().into_iter().next());
            if let Some((pattern, schema)) = first {
                members.insert("propertyNames".to_owned(), json!({ "pattern": pattern, "maxLength": NAME_LENGTH }));
                members.insert("additionalProperties".to_owned(), schema);
            }
            members.values_mut().for_each(name_members);
        }
        Value::Array(items) => items.iter_mut().for_each(name_members),
        _ => {}
    }
}

fn operation(descriptor: &Descriptor, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": descriptor.name,
        "summary": descriptor.title,
        "description": descriptor.description,
        "tags": [descriptor.path.split('/').nth(2).unwrap_or_default()],
        "x-required-scope": crate::problem::scope_name(descriptor.scope),
        "parameters": parameters::of(descriptor),
        "responses": answers::of(descriptor, generator),
    });
    if descriptor.method == Method::Post
        && let Some(body) = parameters::body(descriptor, generator)
    {
        operation["requestBody"] = body;
    }
    operation
}

/// Whether a descriptor changes something.
fn changes(descriptor: &Descriptor) -> bool {
    match descriptor.kind {
        Kind::Query => false,
        Kind::Operation | Kind::Command => true,
    }
}

#[cfg(test)]
mod tests;
