//! Refusals that do not come from a service's own code, in the words of each service: invalid input, untrusted
//! signatures, denied actions, throttling.

use super::{
    Operation,
    check::{Rule, Violation},
};
use crate::{
    call::AwsError,
    model::{Kind, Protocol, Service},
};
use serde_json::Value;

/// What a service says to an input that breaks its model.
pub(super) fn invalid(operation: &Operation, violations: &[Violation]) -> AwsError {
    let service = operation.service;
    let unreadable = violations.iter().find(|violation| matches!(violation.rule, Rule::Type(_)));
    match (service.protocol, unreadable) {
        (Protocol::Ec2, _) => violations.first().map_or_else(|| AwsError::new("InvalidParameter", ""), ec2),
        (Protocol::Query, Some(wrong)) => AwsError::new("MalformedInput", malformed(wrong)),
        (Protocol::Json | Protocol::RestJson, Some(wrong)) => {
            AwsError::new("SerializationException", unserializable(wrong))
        }
        (_, None) => AwsError::new(validation_code(service), detected(violations)),
    }
}

/// Code under which a service reports broken bounds.
fn validation_code(service: &Service) -> &'static str {
    match service.scope.as_str() {
        "eks" | "logs" => "InvalidParameterException",
        _ if service.protocol == Protocol::Query => "ValidationError",
        _ => "ValidationException",
    }
}

/// `1 validation error detected: Value 'a_b' at 'clusterName' failed to satisfy constraint: Member must …`, the wording
/// of the framework beneath most services; `;` between several.
fn detected(violations: &[Violation]) -> String {
    let each: Vec<_> = violations.iter().map(failed).collect();
    let errors = if each.len() == 1 { "error" } else { "errors" };
    format!("{} validation {errors} detected: {}", each.len(), each.join("; "))
}

fn failed(violation: &Violation) -> String {
    let path = coral_path(&violation.path);
    let constraint = match &violation.rule {
        Rule::Missing => {
            return format!("Value null at '{path}' failed to satisfy constraint: Member must not be null");
        }
        Rule::Unknown => return format!("Unknown parameter at '{path}': it is not a member of this request"),
        Rule::Type(kind) => format!("Member must be of type {kind:?}"),
        Rule::Enum(values) => format!("Member must satisfy enum value set: [{}]", values.join(", ")),
        Rule::Pattern(pattern) => format!("Member must satisfy regular expression pattern: {pattern}"),
        Rule::MinLength(min) => format!("Member must have length greater than or equal to {min}"),
        Rule::MaxLength(max) => format!("Member must have length less than or equal to {max}"),
        Rule::MinValue(min) => format!("Member must have value greater than or equal to {min}"),
        Rule::MaxValue(max) => format!("Member must have value less than or equal to {max}"),
    };
    format!("Value '{}' at '{path}' failed to satisfy constraint: {constraint}", shown(&violation.value))
}

/// Member names begin in lower case and list positions are followed by `member`: `tags.1.member.key`.
fn coral_path(path: &[String]) -> String {
    let part = |part: &String| {
        if part.parse::<u32>().is_ok() {
            return format!("{part}.member");
        }
        let mut letters = part.chars();
        letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
    };
    path.iter().map(part).collect::<Vec<_>>().join(".")
}

/// Longest part of a sent value that is repeated in a message.
const SHOWN: usize = 1024;

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.chars().take(SHOWN).collect(),
        other => other.to_string().chars().take(SHOWN).collect(),
    }
}

fn unserializable(violation: &Violation) -> String {
    let Rule::Type(kind) = violation.rule else { return String::new() };
    let path = coral_path(&violation.path);
    let found = match &violation.value {
        Value::Object(_) => return format!("Start of structure or map found where not expected, at '{path}'"),
        Value::Array(_) => return format!("Start of list found where not expected, at '{path}'"),
        Value::String(_) => "STRING_VALUE",
        Value::Number(_) => "NUMBER_VALUE",
        Value::Bool(true) => "TRUE_VALUE",
        Value::Bool(false) => "FALSE_VALUE",
        Value::Null => "NULL_VALUE",
    };
    let wanted = match kind {
        Kind::Boolean => "a Boolean",
        Kind::Integer => "an Integer",
        Kind::Long => "a Long",
        Kind::Float => "a Float",
        Kind::Double => "a Double",
        Kind::String => "a String",
        Kind::Timestamp => "a Timestamp",
        Kind::Blob => "a Blob",
        Kind::List => "a List",
        Kind::Map => "a Map",
        Kind::Structure => "a Structure",
    };
    format!("{found} can not be converted to {wanted}, at '{path}'")
}

fn malformed(violation: &Violation) -> String {
    let Rule::Type(kind) = violation.rule else { return String::new() };
    let article = if kind == Kind::Integer { "an" } else { "a" };
    let kind = format!("{kind:?}").to_lowercase();
    format!("'{}' at '{}' is not {article} {kind}", shown(&violation.value), coral_path(&violation.path))
}

/// EC2's wording; paths as in its requests: `TagSpecification.1.Tag.2.Key`.
fn ec2(violation: &Violation) -> AwsError {
    let name = violation.path.join(".");
    let value = shown(&violation.value);
    match &violation.rule {
        Rule::Unknown => AwsError::new("UnknownParameter", format!("The parameter {name} is not recognized")),
        Rule::Missing => AwsError::new("MissingParameter", format!("The request must contain the parameter {name}")),
        Rule::Type(kind) => {
            let wanted = match kind {
                Kind::Integer | Kind::Long => "an integer".to_owned(),
                kind => format!("a {}", format!("{kind:?}").to_lowercase()),
            };
            let message = format!("Invalid value '{value}' for {name}. It must be {wanted}.");
            AwsError::new("InvalidParameterValue", message)
        }
        Rule::Enum(_) if name.starts_with("InstanceTypes.") => {
            let message = format!("The following supplied instance types do not exist: [{value}]");
            AwsError::new("InvalidInstanceType", message)
        }
        Rule::Enum(values) => AwsError::new(
            "InvalidParameterValue",
            format!("Value ({value}) for parameter {name} is invalid. Valid values are: {}", values.join(", ")),
        ),
        Rule::Pattern(pattern) => AwsError::new(
            "InvalidParameterValue",
            format!("Value ({value}) for parameter {name} is invalid. It must match {pattern}"),
        ),
        Rule::MinLength(min) | Rule::MinValue(min) => AwsError::new(
            "InvalidParameterValue",
            format!("Value ({value}) for parameter {name} is invalid. Expecting a value or length of at least {min}."),
        ),
        Rule::MaxLength(max) | Rule::MaxValue(max) => AwsError::new(
            "InvalidParameterValue",
            format!("Value ({value}) for parameter {name} is invalid. Expecting a value or length of at most {max}."),
        ),
    }
}

/// A failed authentication, given in STS's codes, as `service` says it.
///
/// `MissingAuthenticationToken`, `InvalidClientTokenId`, `SignatureDoesNotMatch`, `ExpiredToken`, `RequestExpired` and
/// `IncompleteSignature` are known; others pass as they are.
pub(crate) fn untrusted(service: &Service, error: AwsError) -> AwsError {
    let json = matches!(service.protocol, Protocol::Json | Protocol::RestJson);
    let status = if service.protocol == Protocol::Json { 400 } else { 403 };
    let (code, status) = match (service.protocol, error.code.as_str()) {
        (Protocol::Ec2, "InvalidClientTokenId" | "SignatureDoesNotMatch") => {
            let message = "AWS was not able to validate the provided access credentials";
            return AwsError::new("AuthFailure", message).with_status(401);
        }
        (Protocol::Ec2, "ExpiredToken" | "RequestExpired") => {
            return AwsError::new("RequestExpired", "Request has expired.");
        }
        (_, "MissingAuthenticationToken") if json => ("MissingAuthenticationTokenException", status),
        (_, "InvalidClientTokenId") if json => ("UnrecognizedClientException", status),
        (_, "SignatureDoesNotMatch" | "RequestExpired") if json => ("InvalidSignatureException", status),
        (_, "ExpiredToken") if json => ("ExpiredTokenException", status),
        (_, "IncompleteSignature") if json => ("IncompleteSignatureException", status),
        (_, "RequestExpired") => ("SignatureDoesNotMatch", status),
        (_, "IncompleteSignature") => ("IncompleteSignature", 400),
        (_, code) => (code, 403),
    };
    AwsError { code: code.to_owned(), status, ..error }
}

/// Throttling, as `service` says it.
pub(crate) fn throttled(service: &Service) -> AwsError {
    match (service.scope.as_str(), service.protocol) {
        ("dynamodb", _) => {
            AwsError::new("ThrottlingException", "Throughput exceeds the current capacity of your table or index.")
        }
        ("lambda", _) => AwsError::new("TooManyRequestsException", "Rate Exceeded.").with_status(429),
        (_, Protocol::Ec2) => AwsError::new("RequestLimitExceeded", "Request limit exceeded.").with_status(503),
        (_, Protocol::Query) => AwsError::new("Throttling", "Rate exceeded"),
        (_, Protocol::RestJson) => AwsError::new("ThrottlingException", "Rate exceeded").with_status(429),
        (_, Protocol::Json) => AwsError::new("ThrottlingException", "Rate exceeded"),
    }
}
