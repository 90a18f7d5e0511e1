//! XML answers of the query protocols.

use super::{Operation, response, times};
use crate::model::{Kind, Member, Protocol, Service, Shape, TimestampFormat};
use bytes::Bytes;
use http::Response;
use quick_xml::escape::escape;
use serde_json::Value;
use std::fmt::Write as _;

/// An answer in its wrappers: `<ActionResponse><ActionResult>…</ActionResult><ResponseMetadata/></ActionResponse>`,
/// or for EC2 `<ActionResponse><requestId/>…</ActionResponse>`.
pub(super) fn output(operation: &Operation, answer: &Value, request_id: &str) -> Response<Bytes> {
    let service = operation.service;
    let mut members = String::new();
    if let Some(shape) = &operation.action.output {
        structure(service, service.shape(shape), answer, &mut members);
    }
    let inner = match (service.protocol, &operation.action.result_wrapper) {
        (Protocol::Ec2, _) if operation.action.output.is_none() => {
            format!("<requestId>{request_id}</requestId><return>true</return>")
        }
        (Protocol::Ec2, _) => format!("<requestId>{request_id}</requestId>{members}"),
        (_, Some(wrapper)) => format!("<{wrapper}>{members}</{wrapper}>{}", metadata(request_id)),
        (_, None) => format!("{members}{}", metadata(request_id)),
    };
    let namespace = namespace(service);
    let body = format!("<{0}Response xmlns=\"{namespace}\">{inner}</{0}Response>", operation.name);
    response(service, operation.action.status.unwrap_or(200), document(&body), request_id)
}

fn metadata(request_id: &str) -> String {
    format!("<ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata>")
}

/// The namespace of a service's answers; EC2 ends it with a slash, which its model leaves out.
pub(super) fn namespace(service: &Service) -> String {
    let namespace = service.xml_namespace.as_deref().unwrap_or_default();
    match service.protocol {
        Protocol::Ec2 => format!("{namespace}/"),
        _ => namespace.to_owned(),
    }
}

/// `body` with the XML declaration.
pub(super) fn document(body: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{body}")
}

/// Appends the members of a structure.
pub(super) fn structure(service: &Service, shape: &Shape, value: &Value, out: &mut String) {
    for (name, value) in value.as_object().into_iter().flatten() {
        if let Some(member) = shape.members.get(name) {
            element(service, member, member.wire_name(name), value, out);
        }
    }
}

fn element(service: &Service, member: &Member, name: &str, value: &Value, out: &mut String) {
    let shape = service.shape(&member.shape);
    let flat = shape.flattened || member.flattened;
    match (shape.kind, &shape.member) {
        (Kind::List, Some(inner)) if flat => {
            for value in value.as_array().into_iter().flatten() {
                element(service, inner, inner.location_name.as_deref().unwrap_or(name), value, out);
            }
        }
        (Kind::List, Some(inner)) => wrapped(name, out, |out| {
            for value in value.as_array().into_iter().flatten() {
                element(service, inner, inner.wire_name("member"), value, out);
            }
        }),
        (Kind::Map, _) if flat => entries(service, shape, name, value, out),
        (Kind::Map, _) => wrapped(name, out, |out| entries(service, shape, "entry", value, out)),
        (Kind::Structure, _) => wrapped(name, out, |out| structure(service, shape, value, out)),
        _ => wrapped(name, out, |out| out.push_str(&escape(text(shape, member, value).as_str()))),
    }
}

fn entries(service: &Service, shape: &Shape, name: &str, value: &Value, out: &mut String) {
    let (Some(key), Some(inner)) = (&shape.key, &shape.value) else { return };
    for (text, value) in value.as_object().into_iter().flatten() {
        wrapped(name, out, |out| {
            wrapped(key.wire_name("key"), out, |out| out.push_str(&escape(text.as_str())));
            element(service, inner, inner.wire_name("value"), value, out);
        });
    }
}

fn wrapped(name: &str, out: &mut String, inner: impl FnOnce(&mut String)) {
    let _ = write!(out, "<{name}>");
    inner(out);
    let _ = write!(out, "</{name}>");
}

fn text(shape: &Shape, member: &Member, value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        _ if shape.kind == Kind::Timestamp => {
            let format = member.timestamp_format.or(shape.timestamp_format).unwrap_or(TimestampFormat::Iso8601);
            times::written(value, format).unwrap_or_default()
        }
        _ => value.to_string(),
    }
}
