//! Between HTTP and [`Call`](crate::call::Call): reads requests and writes answers as each service's protocol does,
//! driven by the service models alone.
//!
//! A request is read in two steps, since who asks is checked before what they ask: [`operation`] finds the action,
//! [`decode`] reads and checks the input. What a service may not answer (a member that its model does not know) goes
//! out as a loud internal failure.

mod answer;
mod check;
mod document;
mod form;
mod refusal;
mod rest;
mod times;
mod wording;
mod xml;

#[cfg(test)]
mod tests;

pub use refusal::encode_error;
pub(crate) use wording::{throttled, untrusted};

use crate::{
    call::AwsError,
    model::{Action, Protocol, Service},
};
use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};
use serde_json::Value;

/// An action of a service, found in a request.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// The service.
    pub service: &'static Service,
    /// The action's name.
    pub name: &'static str,
    /// The action.
    pub action: &'static Action,
}

impl Operation {
    /// The action called `name`.
    pub fn named(service: &'static Service, name: &str) -> Option<Self> {
        let (name, action) = service.actions.get_key_value(name)?;
        Some(Self { service, name, action })
    }
}

/// Which action a request asks for.
///
/// # Errors
/// The service's own way to say that it does not know the action.
pub fn operation(service: &'static Service, request: &Request<Bytes>) -> Result<Operation, AwsError> {
    match service.protocol {
        Protocol::Json => document::operation(service, request),
        Protocol::RestJson => rest::operation(service, request),
        Protocol::Query | Protocol::Ec2 => form::operation(service, request),
    }
}

/// The input of a request for `operation`, under its model names, checked against the model.
///
/// # Errors
/// The service's own validation error: for an unknown or missing parameter, a wrong type, a value out of bounds.
pub fn decode(operation: &Operation, request: &Request<Bytes>) -> Result<Value, AwsError> {
    let read = match operation.service.protocol {
        Protocol::Json => document::input(operation, request),
        Protocol::RestJson => rest::input(operation, request),
        Protocol::Query | Protocol::Ec2 => form::input(operation, request),
    }?;
    let mut violations = read.violations;
    if let Some(shape) = &operation.action.input {
        check::against(operation.service, operation.service.shape(shape), &read.input, &mut violations);
    }
    if violations.is_empty() { Ok(read.input) } else { Err(wording::invalid(operation, &violations)) }
}

/// What was read of a request: its members, and what was found wrong while reading.
#[derive(Debug)]
struct Read {
    input: Value,
    violations: Vec<check::Violation>,
}

/// A success as it goes out. An answer that does not fit the model goes out as an internal failure and is logged.
pub fn encode(operation: &Operation, answer: &Value, request_id: &str) -> Response<Bytes> {
    let problems = answer::problems(operation, answer);
    if !problems.is_empty() {
        let problems = problems.join("; ");
        tracing::error!(
            service = operation.service.scope,
            action = operation.name,
            problems,
            "an answer does not fit its model"
        );
        let message = format!("the simulated account answered outside the model of {}: {problems}", operation.name);
        let error = AwsError::new("InternalFailure", message).with_status(500);
        return encode_error(operation.service, &error, request_id);
    }
    match operation.service.protocol {
        Protocol::Json => document::output(operation, answer, request_id),
        Protocol::RestJson => rest::output(operation, answer, request_id),
        Protocol::Query | Protocol::Ec2 => xml::output(operation, answer, request_id),
    }
}

/// A response with what all services send.
fn response(service: &Service, status: u16, body: impl Into<Bytes>, request_id: &str) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let content_type = match service.protocol {
        Protocol::Json if service.json_version.as_deref() == Some("1.0") => "application/x-amz-json-1.0",
        Protocol::Json => "application/x-amz-json-1.1",
        Protocol::RestJson => "application/json",
        Protocol::Query => "text/xml",
        Protocol::Ec2 => "text/xml;charset=UTF-8",
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Ok(id) = HeaderValue::from_str(request_id) {
        response.headers_mut().insert("x-amzn-requestid", id);
    }
    response
}
