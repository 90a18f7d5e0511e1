//! Event patterns: exact values, prefix, suffix, anything-but, exists, numeric, equals-ignore-case, `$or`.

use serde_json::{Map, Value};

/// Whether `event` has what `pattern` asks for; what the pattern does not name does not matter.
pub(super) fn matches(pattern: &Value, event: &Value) -> bool {
    let Some(fields) = pattern.as_object() else { return false };
    fields.iter().all(|(name, wanted)| match wanted {
        Value::Array(either) if name == "$or" => either.iter().any(|pattern| matches(pattern, event)),
        Value::Array(filters) => field(filters, event.get(name)),
        Value::Object(_) => match event.get(name) {
            Some(found) => matches(wanted, found),
            None => only_absence(wanted),
        },
        _ => false,
    })
}

/// A field that is an array matches if one of its elements does.
fn field(filters: &[Value], found: Option<&Value>) -> bool {
    filters.iter().any(|filter| match found {
        Some(Value::Array(items)) if !is_exists(filter) => items.iter().any(|item| matches_one(filter, item)),
        Some(value) => matches_one(filter, value),
        None => filter.get("exists") == Some(&Value::Bool(false)),
    })
}

/// Whether everything below `pattern` asks for absence, so that an absent parent will do.
fn only_absence(pattern: &Value) -> bool {
    match pattern {
        Value::Object(fields) => fields.values().all(only_absence),
        Value::Array(filters) => filters.iter().any(|filter| filter.get("exists") == Some(&Value::Bool(false))),
        _ => false,
    }
}

fn is_exists(filter: &Value) -> bool {
    filter.get("exists").is_some()
}

fn matches_one(filter: &Value, value: &Value) -> bool {
    let Some((kind, operand)) = filter.as_object().and_then(|fields| fields.iter().next()) else {
        return equal(filter, value);
    };
    let text = value.as_str();
    match kind.as_str() {
        "prefix" => text.zip(operand.as_str()).is_some_and(|(text, prefix)| text.starts_with(prefix)),
        "suffix" => text.zip(operand.as_str()).is_some_and(|(text, suffix)| text.ends_with(suffix)),
        "equals-ignore-case" => {
            text.zip(operand.as_str()).is_some_and(|(text, other)| text.to_lowercase() == other.to_lowercase())
        }
        "exists" => *operand == Value::Bool(true),
        "anything-but" => match operand {
            Value::Array(values) => !values.iter().any(|other| equal(other, value)),
            Value::Object(_) => !matches_one(operand, value),
            other => !equal(other, value),
        },
        "numeric" => value.as_f64().is_some_and(|number| in_range(operand, number)),
        _ => false,
    }
}

fn equal(wanted: &Value, value: &Value) -> bool {
    match (wanted.as_f64(), value.as_f64()) {
        (Some(wanted), Some(value)) => wanted.total_cmp(&value).is_eq(),
        _ => wanted == value,
    }
}

fn in_range(operand: &Value, number: f64) -> bool {
    let parts = operand.as_array().map_or(&[][..], Vec::as_slice);
    !parts.is_empty()
        && parts.chunks(2).all(|pair| match pair {
            [Value::String(operator), bound] => bound.as_f64().is_some_and(|bound| match operator.as_str() {
                "=" => number.total_cmp(&bound).is_eq(),
                "<" => number < bound,
                "<=" => number <= bound,
                ">" => number > bound,
                ">=" => number >= bound,
                _ => false,
            }),
            _ => false,
        })
}

/// What is wrong with a pattern, in EventBridge's words; none if it is good.
pub(super) fn problem(text: &str) -> Option<String> {
    let reason = match serde_json::from_str::<Value>(text) {
        Err(error) => Some(error.to_string()),
        Ok(Value::Object(fields)) if !fields.is_empty() => object(&fields),
        Ok(_) => Some("Filter is not an object".to_owned()),
    };
    reason.map(|reason| format!("Event pattern is not valid. Reason: {reason}"))
}

fn object(fields: &Map<String, Value>) -> Option<String> {
    fields.iter().find_map(|(name, value)| match value {
        Value::Object(inner) if !inner.is_empty() => object(inner),
        Value::Array(patterns) if name == "$or" => patterns.iter().find_map(|pattern| match pattern {
            Value::Object(inner) => object(inner),
            _ => Some("\"$or\" must contain only objects".to_owned()),
        }),
        Value::Array(filters) if !filters.is_empty() => filters.iter().find_map(filter),
        Value::Object(_) | Value::Array(_) => Some("Empty objects and arrays are not allowed".to_owned()),
        _ => Some(format!("\"{name}\" must be an object or an array")),
    })
}

fn filter(filter: &Value) -> Option<String> {
    const KINDS: [&str; 6] = ["prefix", "suffix", "equals-ignore-case", "exists", "anything-but", "numeric"];
    match filter {
        Value::Object(fields) => match fields.keys().next() {
            Some(kind) if fields.len() == 1 && KINDS.contains(&kind.as_str()) => None,
            Some(kind) => Some(format!("Unrecognized match type {kind}")),
            None => Some("Match type name not specified".to_owned()),
        },
        Value::Array(_) => Some("Match value must be String, number, true, false, or null".to_owned()),
        _ => None,
    }
}
