//! One input object from a request's path, query and body.

use crate::check::Schema;
use contract::{Descriptor, Place};
use domain::FieldError;
use serde_json::{Map, Value};

/// Query parameter of operations: only show what would be done.
pub(crate) const VALIDATE_ONLY: &str = "validateOnly";

/// The parts of a request that make an input.
pub(crate) struct Parts<'a> {
    /// Fields of the path, decoded.
    pub(crate) path: &'a [(String, String)],
    /// The query string as it came.
    pub(crate) query: &'a str,
    /// The body; an empty object where the method has none.
    pub(crate) body: Value,
}

/// An input and what the query says beside it.
#[derive(Debug, PartialEq)]
pub(crate) struct Input {
    /// The input.
    pub(crate) value: Value,
    /// Whether the request only asks what would be done.
    pub(crate) validate_only: bool,
}

/// Puts the parts together and holds the whole against the schema.
///
/// # Errors
/// Everything that is wrong, together.
pub(crate) fn assemble(descriptor: &Descriptor, schema: &Schema, parts: Parts<'_>) -> Result<Input, Vec<FieldError>> {
    let mut found = Vec::new();
    let mut object = match parts.body {
        Value::Object(object) => object,
        other => {
            let kind = if other.is_array() { "an array" } else { "no object" };
            return Err(vec![FieldError::new("", format!("the body is {kind}: expected a JSON object"))]);
        }
    };
    for (field, place) in descriptor.places {
        if object.remove(*field).is_some() {
            let place = match place {
                Place::Path => "path",
                Place::Query => "query string",
            };
            found.push(FieldError::new(
                format!("/{field}"),
                format!("this field is given in the {place}, not the body"),
            ));
        }
    }
    for (name, text) in parts.path {
        object.insert(name.clone(), Value::String(text.clone()));
    }
    let validate_only = query(descriptor, schema, parts.query, &mut object, &mut found);
    let value = Value::Object(object);
    for finding in schema.check(&value) {
        if found.iter().all(|known: &FieldError| known.pointer != finding.pointer) {
            found.push(finding);
        }
    }
    if found.is_empty() { Ok(Input { value, validate_only }) } else { Err(found) }
}

fn query(
    descriptor: &Descriptor,
    schema: &Schema,
    text: &str,
    object: &mut Map<String, Value>,
    found: &mut Vec<FieldError>,
) -> bool {
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(text).unwrap_or_default();
    let plans = descriptor.kind == contract::Kind::Operation;
    let mut known: Vec<&str> =
        descriptor.places.iter().filter(|(_, place)| *place == Place::Query).map(|(field, _)| *field).collect();
    known.extend(plans.then_some(VALIDATE_ONLY));
    let mut validate_only = false;
    for (index, (name, text)) in pairs.iter().enumerate() {
        let pointer = format!("/{}", crate::json::token(name));
        if !known.contains(&name.as_str()) {
            let expected = if known.is_empty() { "none".to_owned() } else { format!("one of {}", known.join(", ")) };
            found.push(FieldError::new(pointer, format!("unknown query parameter {name:?}: expected {expected}")));
        } else if pairs[..index].iter().any(|(before, _)| before == name) {
            found.push(FieldError::new(pointer, "this query parameter is given twice: expected one value"));
        } else if plans && name == VALIDATE_ONLY {
            match text.as_str() {
                "true" => validate_only = true,
                "false" => {}
                other => found.push(FieldError::new(pointer, format!("expected true or false, not {other:?}"))),
            }
        } else {
            let kind = schema.field(name).and_then(|schema| schema.get("type")).and_then(Value::as_str);
            object.insert(name.clone(), read(kind.unwrap_or("string"), text));
        }
    }
    validate_only
}

/// A query parameter's text as a value of the schema's type; text that is none stays text, and the check says so.
fn read(kind: &str, text: &str) -> Value {
    match kind {
        "integer" => text.parse::<i64>().map_or_else(|_| text.into(), Value::from),
        "boolean" => text.parse::<bool>().map_or_else(|_| text.into(), Value::from),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn assembled(name: &str, path: &[(&str, &str)], query: &str, body: Value) -> Result<Input, Vec<String>> {
        let descriptor = contract::list::find(name).unwrap();
        let schema = Schema::new(descriptor.input_schema());
        let path: Vec<_> = path.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        assemble(descriptor, &schema, Parts { path: &path, query, body })
            .map_err(|found| found.into_iter().map(|one| format!("{}: {}", one.pointer, one.detail)).collect())
    }

    #[test]
    fn path_query_and_body_are_one_object() {
        let input = assembled("list_operations", &[], "clusterTag=a&limit=5", json!({})).unwrap();
        assert_eq!(input, Input { value: json!({"clusterTag": "a", "limit": 5}), validate_only: false });
        let input = assembled("run_stage", &[("tag", "a"), ("stage", "storage")], "validateOnly=true", json!({}));
        assert_eq!(input.unwrap(), Input { value: json!({"tag": "a", "stage": "storage"}), validate_only: true });
    }

    #[test]
    fn a_query_parameter_unknown_or_given_twice_is_refused_by_name() {
        let found = assembled("list_clusters", &[], "limit=1&limit=2&color=red&cursor=", json!({})).unwrap_err();
        assert_eq!(found.len(), 3, "{found:#?}");
        assert!(found[0].starts_with("/limit: this query parameter is given twice"));
        assert!(found[1].starts_with("/color: unknown query parameter \"color\": expected one of limit, cursor"));
        assert!(found[2].starts_with("/cursor: expected 1 characters or more"));
        let found = assembled("get_cluster", &[("tag", "a")], "validateOnly=true", json!({})).unwrap_err();
        assert!(found[0].ends_with("expected none"), "a query plans nothing");
    }

    #[test]
    fn a_path_field_in_the_body_is_refused() {
        let found = assembled("stop_spending", &[("tag", "a")], "", json!({"tag": "b"})).unwrap_err();
        assert_eq!(found, ["/tag: this field is given in the path, not the body"]);
    }

    #[test]
    fn a_number_that_is_none_is_told_as_it_was_given() {
        let found = assembled("list_clusters", &[], "limit=five", json!({})).unwrap_err();
        assert_eq!(found, ["/limit: expected an integer, not the string \"five\""]);
    }
}
