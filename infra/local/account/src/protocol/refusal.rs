//! Errors on the wire.

use super::{document, response, xml};
use crate::{
    call::AwsError,
    model::{Protocol, Service, Shape},
};
use bytes::Bytes;
use http::{HeaderValue, Response};
use quick_xml::escape::escape;
use serde_json::{Map, Value, json};

/// A refusal as it goes out: code, message and modelled members as the service writes them; the model's HTTP status if
/// it has one, else the error's.
pub fn encode_error(service: &Service, error: &AwsError, request_id: &str) -> Response<Bytes> {
    let shape = service.error(&error.code);
    let status = shape.and_then(Shape::error_status).unwrap_or(error.status);
    match service.protocol {
        Protocol::Json => response(service, status, json_body(service, shape, error, true), request_id),
        Protocol::RestJson => {
            let mut response = response(service, status, json_body(service, shape, error, false), request_id);
            if let Ok(code) = HeaderValue::from_str(&error.code) {
                response.headers_mut().insert("x-amzn-errortype", code);
            }
            response
        }
        Protocol::Query | Protocol::Ec2 => {
            response(service, status, xml_body(service, error, status, request_id), request_id)
        }
    }
}

fn json_body(service: &Service, shape: Option<&Shape>, error: &AwsError, typed: bool) -> String {
    let mut body = Map::new();
    if typed {
        body.insert("__type".to_owned(), error.code.as_str().into());
    }
    let modelled = shape.and_then(|shape| shape.members.keys().find(|name| name.eq_ignore_ascii_case("message")));
    body.insert(modelled.map_or("message", String::as_str).to_owned(), error.message.as_str().into());
    let members = match shape {
        Some(shape) => document::written(service, shape, &known_members(service, shape, error)),
        None => json!({}),
    };
    body.extend(members.as_object().cloned().unwrap_or_default());
    Value::Object(body).to_string()
}

/// The error's members that its shape knows; any other is a mistake of the account's and is logged.
fn known_members(service: &Service, shape: &Shape, error: &AwsError) -> Value {
    let mut problems = Vec::new();
    let mut known = Map::new();
    for (name, value) in error.members.as_object().into_iter().flatten() {
        match shape.members.get(name) {
            Some(member) => {
                super::answer::value(service, service.shape(&member.shape), value, name, &mut problems);
                known.insert(name.clone(), value.clone());
            }
            None => problems.push(format!("{name} is unknown")),
        }
    }
    if !problems.is_empty() {
        tracing::error!(service = service.scope, code = error.code, ?problems, "an error does not fit its model");
        debug_assert!(problems.is_empty(), "{} of {}: {}", error.code, service.scope, problems.join("; "));
    }
    Value::Object(known)
}

fn xml_body(service: &Service, error: &AwsError, status: u16, request_id: &str) -> String {
    let (code, message) = (escape(error.code.as_str()), escape(error.message.as_str()));
    if service.protocol == Protocol::Ec2 {
        return xml::document(&format!(
            "<Response><Errors><Error><Code>{code}</Code><Message>{message}</Message></Error></Errors>\
             <RequestID>{request_id}</RequestID></Response>"
        ));
    }
    let side = if status < 500 { "Sender" } else { "Receiver" };
    format!(
        "<ErrorResponse xmlns=\"{}\"><Error><Type>{side}</Type><Code>{code}</Code><Message>{message}</Message></Error>\
         <RequestId>{request_id}</RequestId></ErrorResponse>",
        xml::namespace(service)
    )
}
