//! JSON: bodies of both JSON protocols, and the whole of AWS JSON 1.0 and 1.1.

use super::{
    Operation, Read,
    check::{Rule, Violation},
    response, times,
};
use crate::{
    call::AwsError,
    model::{Kind, Member, Service, Shape, TimestampFormat},
};
use bytes::Bytes;
use http::{Request, Response};
use serde_json::{Map, Value};

/// The action in `X-Amz-Target`.
pub(super) fn operation(service: &'static Service, request: &Request<Bytes>) -> Result<Operation, AwsError> {
    let target = request.headers().get("x-amz-target").and_then(|target| target.to_str().ok()).unwrap_or_default();
    let (prefix, name) = target.rsplit_once('.').unwrap_or_default();
    let known = Operation::named(service, name).filter(|_| service.target_prefix.as_deref() == Some(prefix));
    known.ok_or_else(|| AwsError::new("UnknownOperationException", format!("Unknown operation: '{target}'")))
}

/// The input in the body.
pub(super) fn input(operation: &Operation, request: &Request<Bytes>) -> Result<Read, AwsError> {
    let mut violations = Vec::new();
    let body = body(request.body())?;
    let input = match &operation.action.input {
        Some(shape) => {
            let service = operation.service;
            Reader { service, path: Vec::new(), violations: &mut violations }.structure(service.shape(shape), &body)
        }
        None => Value::Object(Map::new()),
    };
    Ok(Read { input, violations })
}

/// A body as JSON; an empty one reads as `{}`.
pub(super) fn body(body: &Bytes) -> Result<Value, AwsError> {
    if body.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    serde_json::from_slice(body)
        .ok()
        .filter(Value::is_object)
        .ok_or_else(|| AwsError::new("SerializationException", "The request body is not a JSON object"))
}

/// An answer in the body.
pub(super) fn output(operation: &Operation, answer: &Value, request_id: &str) -> Response<Bytes> {
    let body = match &operation.action.output {
        Some(shape) => written(operation.service, operation.service.shape(shape), answer).to_string(),
        None => "{}".to_owned(),
    };
    response(operation.service, operation.action.status.unwrap_or(200), body, request_id)
}

/// `value` under its names on the wire.
pub(super) fn written(service: &Service, shape: &Shape, value: &Value) -> Value {
    match value {
        Value::Object(members) if shape.kind == Kind::Structure => {
            let written = members.iter().filter_map(|(name, value)| {
                let member = shape.members.get(name).filter(|member| member.location.is_none())?;
                Some((member.wire_name(name).to_owned(), written_member(service, member, value)))
            });
            Value::Object(written.collect())
        }
        Value::Object(entries) => {
            let Some(member) = &shape.value else { return value.clone() };
            entries.iter().map(|(name, value)| (name.clone(), written_member(service, member, value))).collect()
        }
        Value::Array(elements) => {
            let Some(member) = &shape.member else { return value.clone() };
            elements.iter().map(|value| written_member(service, member, value)).collect()
        }
        _ => value.clone(),
    }
}

fn written_member(service: &Service, member: &Member, value: &Value) -> Value {
    let shape = service.shape(&member.shape);
    match member.timestamp_format.or(shape.timestamp_format) {
        Some(format) if shape.kind == Kind::Timestamp && format != TimestampFormat::UnixTimestamp => {
            times::written(value, format).map_or_else(|| value.clone(), Value::String)
        }
        _ => written(service, shape, value),
    }
}

/// Reads JSON by a shape: names become the model's, nulls go, types and unknown members are found.
pub(super) struct Reader<'a> {
    pub(super) service: &'a Service,
    pub(super) path: Vec<String>,
    pub(super) violations: &'a mut Vec<Violation>,
}

impl Reader<'_> {
    /// The members of `shape` that travel in a body.
    pub(super) fn structure(&mut self, shape: &Shape, value: &Value) -> Value {
        let Some(sent) = value.as_object() else { return self.wrong(shape.kind, value) };
        let mut members = Map::new();
        for (wire_name, value) in sent.iter().filter(|(_, value)| !value.is_null()) {
            let is_it = |(name, member): &(&String, &Member)| {
                member.location.is_none() && member.wire_name(name) == wire_name.as_str()
            };
            // Nearly every member has the model's own name on the wire.
            let known = shape.members.get_key_value(wire_name).filter(is_it);
            let known = known.or_else(|| shape.members.iter().find(is_it));
            match known {
                Some((name, member)) => {
                    let shape = self.service.shape(&member.shape);
                    let read = self.at(name, |reader| reader.value(shape, value));
                    members.insert(name.clone(), read);
                }
                None => {
                    self.at(wire_name, |reader| reader.report(value, Rule::Unknown));
                }
            }
        }
        Value::Object(members)
    }

    fn value(&mut self, shape: &Shape, value: &Value) -> Value {
        match (shape.kind, value) {
            (Kind::Structure, _) => self.structure(shape, value),
            (Kind::List, Value::Array(elements)) => match &shape.member {
                Some(member) => self.list(self.service.shape(&member.shape), elements),
                None => value.clone(),
            },
            (Kind::Map, Value::Object(entries)) => match &shape.value {
                Some(member) => self.map(self.service.shape(&member.shape), entries),
                None => value.clone(),
            },
            (Kind::Timestamp, Value::String(text)) => {
                times::read(text).unwrap_or_else(|| self.wrong(shape.kind, value))
            }
            (Kind::String | Kind::Blob, Value::String(_))
            | (Kind::Boolean, Value::Bool(_))
            | (Kind::Float | Kind::Double | Kind::Timestamp, Value::Number(_)) => value.clone(),
            (Kind::Integer, Value::Number(number)) if number.as_i64().is_some_and(|n| i32::try_from(n).is_ok()) => {
                value.clone()
            }
            (Kind::Long, Value::Number(number)) if number.as_i64().is_some() => value.clone(),
            _ => self.wrong(shape.kind, value),
        }
    }

    fn list(&mut self, shape: &Shape, elements: &[Value]) -> Value {
        let numbered = elements.iter().enumerate();
        numbered.map(|(n, value)| self.at(&(n + 1).to_string(), |reader| reader.value(shape, value))).collect()
    }

    fn map(&mut self, shape: &Shape, entries: &Map<String, Value>) -> Value {
        let entries = entries.iter().filter(|(_, value)| !value.is_null());
        entries.map(|(name, value)| (name.clone(), self.at(name, |reader| reader.value(shape, value)))).collect()
    }

    fn at<T>(&mut self, name: &str, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(name.to_owned());
        let result = visit(self);
        self.path.pop();
        result
    }

    fn wrong(&mut self, kind: Kind, value: &Value) -> Value {
        self.report(value, Rule::Type(kind));
        value.clone()
    }

    fn report(&mut self, value: &Value, rule: Rule) {
        self.violations.push(Violation { path: self.path.clone(), value: value.clone(), rule });
    }
}
