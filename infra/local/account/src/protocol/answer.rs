//! Whether an answer fits its model. It must: what does not is a mistake of the account's, never of the caller's.

use super::Operation;
use crate::model::{Kind, Service, Shape};
use serde_json::Value;

/// Everything in `answer` that the output of `operation` does not allow, in words.
pub(super) fn problems(operation: &Operation, answer: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    match &operation.action.output {
        Some(shape) => value(operation.service, operation.service.shape(shape), answer, "", &mut problems),
        None if answer.as_object().is_some_and(|members| !members.is_empty()) => {
            problems.push(format!("{} answers no members", operation.name));
        }
        None => {}
    }
    problems
}

/// Values that AWS sends although its own model does not list them: an attached internet gateway is `available`, and the
/// states of VPC endpoints come in lower case.
const BEYOND_THE_MODEL: [(&str, &str); 4] =
    [("ec2", "available"), ("ec2", "pending"), ("ec2", "deleting"), ("ec2", "deleted")];

/// Adds what `found` breaks of `shape`; `path` is where it is.
pub(super) fn value(service: &Service, shape: &Shape, found: &Value, path: &str, problems: &mut Vec<String>) {
    let fits = match (shape.kind, found) {
        (Kind::Structure, Value::Object(members)) => {
            let missing = shape.required.iter().filter(|name| !members.contains_key(*name));
            problems.extend(missing.map(|name| format!("{path}.{name} is required")));
            for (name, found) in members {
                match shape.members.get(name) {
                    Some(member) => {
                        value(service, service.shape(&member.shape), found, &format!("{path}.{name}"), problems);
                    }
                    None => problems.push(format!("{path}.{name} is unknown")),
                }
            }
            true
        }
        (Kind::List, Value::Array(elements)) => {
            let Some(member) = &shape.member else { return };
            for (number, found) in elements.iter().enumerate() {
                value(service, service.shape(&member.shape), found, &format!("{path}[{number}]"), problems);
            }
            true
        }
        (Kind::Map, Value::Object(entries)) => {
            let Some(member) = &shape.value else { return };
            for (name, found) in entries {
                value(service, service.shape(&member.shape), found, &format!("{path}.{name}"), problems);
            }
            true
        }
        (Kind::String, Value::String(text)) => {
            let sent_all_the_same = BEYOND_THE_MODEL.contains(&(service.scope.as_str(), text.as_str()));
            if !shape.values.is_empty() && !shape.values.contains(text) && !sent_all_the_same {
                problems.push(format!("{path} is {text:?}, none of {}", shape.values.join(", ")));
            }
            true
        }
        (Kind::Integer, Value::Number(number)) => number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
        (Kind::Long, Value::Number(number)) => number.as_i64().is_some(),
        (Kind::Boolean, Value::Bool(_))
        | (Kind::Blob, Value::String(_))
        | (Kind::Float | Kind::Double | Kind::Timestamp, Value::Number(_)) => true,
        _ => false,
    };
    if !fits {
        problems.push(format!("{path} is {found}, not a {:?}", shape.kind));
    }
}
