//! `configurationValues`: JSON or YAML text, checked against the add-on's schema.

use crate::{call::AwsError, eks::refusals::invalid};
use serde_json::Value;

/// The largest text that is read.
const LARGEST: usize = 64 * 1024;

/// The values in `text`, if they fit `schema`.
///
/// # Errors
/// `InvalidParameterException` in EKS's words.
pub(super) fn checked(text: &str, schema: &Value) -> Result<Value, AwsError> {
    if text.len() > LARGEST {
        return Err(unsupported(&format!("configurationValues can be at most {LARGEST} bytes long")));
    }
    let parsed = serde_json::from_str(text).ok().or_else(|| serde_yaml_ng::from_str(text).ok());
    let values: Value = parsed.ok_or_else(|| unsupported("Failed to parse as JSON or YAML"))?;
    if values.is_null() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match misfit(&values, schema, "$") {
        Some(misfit) => Err(unsupported(&format!("Json schema validation failed with error: [{misfit}]"))),
        None => Ok(values),
    }
}

fn unsupported(why: &str) -> AwsError {
    invalid(format!("ConfigurationValue provided in request is not supported: {why}"))
}

/// The first place where `value` is not as `schema` says: its type, its enum, its bounds, its members.
fn misfit(value: &Value, schema: &Value, at: &str) -> Option<String> {
    if let Some(kind) = schema.get("type").and_then(Value::as_str).filter(|kind| !is_a(value, kind)) {
        return Some(format!("{at}: {} found, {kind} expected", name_of(value)));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array).filter(|allowed| !allowed.contains(value)) {
        let allowed: Vec<_> = allowed.iter().map(|one| one.as_str().unwrap_or_default()).collect();
        return Some(format!("{at}: does not have a value in the enumeration [{}]", allowed.join(", ")));
    }
    let least = schema.get("minimum").and_then(Value::as_i64);
    if let Some(least) = least.filter(|least| value.as_i64().is_some_and(|value| value < *least)) {
        return Some(format!("{at}: must have a minimum value of {least}"));
    }
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        return list.iter().zip(0..).find_map(|(item, index)| misfit(item, items, &format!("{at}[{index}]")));
    }
    members_misfit(value, schema, at)
}

fn members_misfit(value: &Value, schema: &Value, at: &str) -> Option<String> {
    let members = value.as_object()?;
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.into_iter().find(|name| !members.contains_key(*name)) {
        return Some(format!("{at}.{missing}: is missing but it is required"));
    }
    let known = schema.get("properties").and_then(Value::as_object);
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    members.iter().find_map(|(name, member)| match known.and_then(|known| known.get(name)) {
        Some(schema) => misfit(member, schema, &format!("{at}.{name}")),
        None if closed => Some(format!(
            "{at}.{name}: is not defined in the schema and the schema does not allow additional properties"
        )),
        None => None,
    })
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        _ => true,
    }
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
