//! Everything that a route of the document may answer.

use super::changes;
use crate::problem::status;
use contract::{ALL, Descriptor, Kind, Method};
use domain::ErrorCode;
use http::StatusCode;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Codes that every route may answer, whatever it is about.
const EVERYWHERE: &[ErrorCode] = &[
    ErrorCode::InvalidInput,
    ErrorCode::Unauthenticated,
    ErrorCode::MissingScope,
    ErrorCode::Throttled,
    ErrorCode::UpstreamUnavailable,
    ErrorCode::Internal,
];

/// Codes that every route with a body may answer.
const WITH_BODY: &[ErrorCode] = &[ErrorCode::PayloadTooLarge, ErrorCode::UnsupportedMediaType];

/// Answers of a route.
pub(super) fn of(descriptor: &Descriptor, generator: &mut SchemaGenerator) -> Value {
    let output = (descriptor.output)(generator).to_value();
    let mut answers = Map::new();
    if changes(descriptor) {
        answers.insert("202".to_owned(), accepted(&output));
        if descriptor.kind == Kind::Operation {
            let plan = ALL.iter().find(|plan| plan.validates == Some(descriptor.name));
            let schema = match plan {
                Some(plan) => (plan.output)(generator).to_value(),
                None => generator.subschema_for::<contract::plan::PlanView>().to_value(),
            };
            answers.insert("200".to_owned(), shown("The plan; nothing was recorded.", &schema));
        }
    } else {
        answers.insert("200".to_owned(), shown("What was asked for.", &output));
        let unchanged = json!({
            "description": "The caller has it already.",
            "headers": { "ETag": reference("headers", "ETag"), "x-request-id": reference("headers", "RequestId") },
        });
        answers.insert("304".to_owned(), unchanged);
    }
    for status in statuses(descriptor) {
        answers.insert(status.as_str().to_owned(), reference("responses", &name(status)));
    }
    Value::Object(answers)
}

fn statuses(descriptor: &Descriptor) -> BTreeSet<StatusCode> {
    let with_body = if descriptor.method == Method::Post { WITH_BODY } else { &[] };
    let codes = EVERYWHERE.iter().chain(with_body).chain(descriptor.errors);
    let slow = (descriptor.method == Method::Post).then_some(StatusCode::REQUEST_TIMEOUT);
    codes.map(|code| status(*code)).chain([StatusCode::METHOD_NOT_ALLOWED]).chain(slow).collect()
}

fn shown(description: &str, schema: &Value) -> Value {
    json!({
        "description": description,
        "headers": { "ETag": reference("headers", "ETag"), "x-request-id": reference("headers", "RequestId") },
        "content": { "application/json": { "schema": schema } },
    })
}

fn accepted(schema: &Value) -> Value {
    let follow = |operation: &str| json!({ "operationId": operation, "parameters": { "operationId": "$response.body#/operationId" } });
    json!({
        "description": "Recorded; the operation goes on by itself.",
        "headers": {
            "Location": reference("headers", "Location"),
            "Retry-After": reference("headers", "RetryAfter"),
            "x-request-id": reference("headers", "RequestId"),
        },
        "content": { "application/json": { "schema": schema } },
        "links": { "operation": follow("get_operation"), "journal": follow("get_journal"), "wait": follow("wait_for_operation") },
    })
}

/// The headers that answers carry.
pub(super) fn headers() -> Value {
    json!({
        "Location": { "required": true, "description": "The operation.", "schema": { "type": "string" } },
        "RetryAfter": {
            "description": "Seconds after which another look or try is worthwhile.",
            "schema": { "type": "integer", "minimum": 0 },
        },
        "ETag": { "required": true, "description": "Changes when the answer changes.", "schema": { "type": "string" } },
        "RequestId": { "required": true, "description": "Id of the request.", "schema": { "type": "string" } },
        "Allow": { "required": true, "description": "Methods of the route.", "schema": { "type": "string" } },
        "WwwAuthenticate": { "required": true, "description": "What is needed.", "schema": { "type": "string" } },
    })
}

/// A problem for each status that is answered anywhere.
pub(super) fn problems(schema: &Value) -> Value {
    let all: BTreeSet<StatusCode> =
        ALL.iter().filter(|descriptor| descriptor.validates.is_none()).flat_map(statuses).collect();
    let made = all.into_iter().map(|status| {
        let mut headers = json!({ "x-request-id": reference("headers", "RequestId") });
        match status {
            StatusCode::METHOD_NOT_ALLOWED => headers["Allow"] = reference("headers", "Allow"),
            StatusCode::UNAUTHORIZED => headers["WWW-Authenticate"] = reference("headers", "WwwAuthenticate"),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                headers["Retry-After"] = reference("headers", "RetryAfter");
            }
            _ => {}
        }
        let codes: Vec<&str> = ErrorCode::ALL
            .iter()
            .filter(|code| crate::problem::status(**code) == status)
            .map(|code| code.as_str())
            .collect();
        let description = match codes.as_slice() {
            [] => "The route does not have this method.".to_owned(),
            codes => format!("A problem: {}.", codes.join(", ")),
        };
        let content = json!({ "application/problem+json": { "schema": schema } });
        (name(status), json!({ "description": description, "headers": headers, "content": content }))
    });
    Value::Object(made.collect())
}

fn name(status: StatusCode) -> String {
    let words = status.canonical_reason().unwrap_or("Problem");
    words.split(' ').collect()
}

fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}
