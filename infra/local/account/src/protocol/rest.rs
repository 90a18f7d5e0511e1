//! REST-JSON: the action in method and path; members in path, query, headers and body.

use super::{
    Operation, Read,
    check::{Rule, Violation},
    document, response, times,
};
use crate::{
    call::AwsError,
    model::{Kind, Location, Member, Service, Shape, TimestampFormat},
};
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Number, Value, json};

/// The action whose method and path template fit; the one with the most literal parts if several do.
pub(super) fn operation(service: &'static Service, request: &Request<Bytes>) -> Result<Operation, AwsError> {
    let path = request.uri().path();
    let fits = service
        .actions
        .iter()
        .filter(|(_, action)| action.method == request.method().as_str() && labels(&action.uri, path).is_some());
    let best = fits.min_by_key(|(_, action)| action.uri.matches('{').count());
    let (name, action) = best.ok_or_else(|| {
        let message = format!("Unknown operation: {} {path}", request.method());
        AwsError::new("UnknownOperationException", message).with_status(404)
    })?;
    Ok(Operation { service, name, action })
}

/// The decoded labels of `path` by `template`, if it fits: `/clusters/{name}` and `/clusters/a` give `name`, `a`.
fn labels<'t>(template: &'t str, path: &str) -> Option<Vec<(&'t str, String)>> {
    let template = template.split('?').next().unwrap_or_default();
    let (mut wanted, mut parts) = (template.trim_end_matches('/').split('/'), path.trim_end_matches('/').split('/'));
    let mut labels = Vec::new();
    loop {
        match (wanted.next(), parts.next()) {
            (None, None) => return Some(labels),
            (Some(wanted), Some(part)) => match wanted.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                Some(name) if name.ends_with('+') => {
                    let rest: Vec<_> = std::iter::once(part).chain(parts).map(decoded).collect();
                    labels.push((name.trim_end_matches('+'), rest.join("/")));
                    return Some(labels);
                }
                Some(name) if !part.is_empty() => labels.push((name, decoded(part))),
                None if wanted == part => {}
                _ => return None,
            },
            _ => return None,
        }
    }
}

fn decoded(part: &str) -> String {
    percent_decode_str(part).decode_utf8_lossy().into_owned()
}

/// The input from all its places.
pub(super) fn input(operation: &Operation, request: &Request<Bytes>) -> Result<Read, AwsError> {
    let service = operation.service;
    let mut violations = Vec::new();
    let Some(shape) = operation.action.input.as_deref().map(|name| service.shape(name)) else {
        return Ok(Read { input: json!({}), violations });
    };
    let mut members = body_members(service, shape, request, &mut violations)?;
    let labels = labels(&operation.action.uri, request.uri().path()).unwrap_or_default();
    let query: Vec<(String, String)> =
        serde_urlencoded::from_str(request.uri().query().unwrap_or_default()).unwrap_or_default();
    report_unknown(shape, &query, &mut violations);
    for (name, member) in &shape.members {
        let Some(location) = member.location else { continue };
        let wire_name = member.wire_name(name);
        let texts: Vec<&str> = match location {
            Location::Uri => {
                labels.iter().filter(|(label, _)| *label == wire_name).map(|(_, text)| text.as_str()).collect()
            }
            Location::QueryString => {
                query.iter().filter(|(name, _)| name == wire_name).map(|(_, text)| text.as_str()).collect()
            }
            Location::Header => {
                request.headers().get(wire_name).and_then(|text| text.to_str().ok()).into_iter().collect()
            }
            Location::Headers | Location::StatusCode => continue,
        };
        if !texts.is_empty() {
            members.insert(name.clone(), texts_read(service, name, member, &texts, &mut violations));
        }
    }
    Ok(Read { input: Value::Object(members), violations })
}

fn body_members(
    service: &Service,
    shape: &Shape,
    request: &Request<Bytes>,
    violations: &mut Vec<Violation>,
) -> Result<Map<String, Value>, AwsError> {
    let mut reader = document::Reader { service, path: Vec::new(), violations };
    let Some((name, member)) = shape.payload.as_ref().and_then(|name| shape.members.get_key_value(name)) else {
        let read = reader.structure(shape, &document::body(request.body())?);
        return Ok(read.as_object().cloned().unwrap_or_default());
    };
    if request.body().is_empty() {
        return Ok(Map::new());
    }
    let payload = match service.shape(&member.shape) {
        shape if shape.kind == Kind::Blob => BASE64.encode(request.body()).into(),
        shape => reader.structure(shape, &document::body(request.body())?),
    };
    Ok(Map::from_iter([(name.clone(), payload)]))
}

fn report_unknown(shape: &Shape, query: &[(String, String)], violations: &mut Vec<Violation>) {
    for (wire_name, text) in query.iter().filter(|(name, _)| !name.starts_with("X-Amz-")) {
        let known = |(name, member): (&String, &Member)| {
            member.location == Some(Location::QueryString) && member.wire_name(name) == wire_name
        };
        if !shape.members.iter().any(known) {
            violations.push(Violation {
                path: vec![wire_name.clone()],
                value: text.clone().into(),
                rule: Rule::Unknown,
            });
        }
    }
}

fn texts_read(
    service: &Service,
    name: &str,
    member: &Member,
    texts: &[&str],
    violations: &mut Vec<Violation>,
) -> Value {
    let shape = service.shape(&member.shape);
    let mut one = |shape: &Shape, text: &str| {
        scalar(shape.kind, text).unwrap_or_else(|| {
            violations.push(Violation {
                path: vec![name.to_owned()],
                value: text.into(),
                rule: Rule::Type(shape.kind),
            });
            text.into()
        })
    };
    match &shape.member {
        Some(element) => {
            let element = service.shape(&element.shape);
            texts.iter().map(|text| one(element, text)).collect()
        }
        None => one(shape, texts.first().copied().unwrap_or_default()),
    }
}

/// A text outside a body as a value of `kind`; none if it is not one.
pub(super) fn scalar(kind: Kind, text: &str) -> Option<Value> {
    match kind {
        Kind::Integer => text.parse::<i32>().ok().map(Value::from),
        Kind::Long => text.parse::<i64>().ok().map(Value::from),
        Kind::Float | Kind::Double => text.parse().ok().and_then(Number::from_f64).map(Value::Number),
        Kind::Boolean => text.to_ascii_lowercase().parse::<bool>().ok().map(Value::from),
        Kind::Timestamp => times::read(text),
        Kind::String | Kind::Blob => Some(text.into()),
        Kind::Structure | Kind::List | Kind::Map => None,
    }
}

/// An answer over status, headers and body.
pub(super) fn output(operation: &Operation, answer: &Value, request_id: &str) -> Response<Bytes> {
    let service = operation.service;
    let empty = Shape::default();
    let shape = operation.action.output.as_deref().map_or(&empty, |name| service.shape(name));
    let body: Bytes = match shape.payload.as_ref().and_then(|name| Some((shape.members.get(name)?, answer.get(name)))) {
        None => document::written(service, shape, answer).to_string().into(),
        Some((_, None)) => Bytes::new(),
        Some((member, Some(payload))) => match service.shape(&member.shape) {
            shape if shape.kind == Kind::Blob => {
                BASE64.decode(payload.as_str().unwrap_or_default()).unwrap_or_default().into()
            }
            shape => document::written(service, shape, payload).to_string().into(),
        },
    };
    let mut response = response(service, operation.action.status.unwrap_or(200), body, request_id);
    for (name, member) in &shape.members {
        let Some(value) = answer.get(name) else { continue };
        match member.location {
            Some(Location::StatusCode) => {
                let status = value.as_u64().and_then(|status| u16::try_from(status).ok());
                if let Some(status) = status.and_then(|status| http::StatusCode::from_u16(status).ok()) {
                    *response.status_mut() = status;
                }
            }
            Some(Location::Header) => {
                let header =
                    HeaderName::try_from(member.wire_name(name)).ok().zip(header_value(service, member, value));
                if let Some((header, value)) = header {
                    response.headers_mut().insert(header, value);
                }
            }
            _ => {}
        }
    }
    response
}

fn header_value(service: &Service, member: &Member, value: &Value) -> Option<HeaderValue> {
    let shape = service.shape(&member.shape);
    let text = match (shape.kind, value) {
        (Kind::Timestamp, _) => {
            let format = member.timestamp_format.or(shape.timestamp_format).unwrap_or(TimestampFormat::Rfc822);
            times::written(value, format)?
        }
        (_, Value::String(text)) => text.clone(),
        _ => value.to_string(),
    };
    HeaderValue::try_from(text).ok()
}
