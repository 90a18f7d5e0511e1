//! An input held against its schema: every finding, with its pointer and what would be right.
//!
//! Knows the keywords that our schemas use. What a schema cannot say is checked behind the front door.

use crate::json::token;
use domain::FieldError;
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Findings that an answer tells at the most.
const FINDINGS: usize = 50;

/// A schema that inputs are held against.
#[derive(Debug, Clone)]
pub(crate) struct Schema {
    root: Value,
    patterns: HashMap<String, Regex>,
}

impl Schema {
    /// From a schema without references.
    pub(crate) fn new(schema: schemars::Schema) -> Self {
        let root = schema.to_value();
        let mut patterns = HashMap::new();
        collect_patterns(&root, &mut patterns);
        Self { root, patterns }
    }

    /// The schema of the field `name` of the root.
    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.root.get("properties")?.get(name)
    }

    /// Everything that is wrong with `input`.
    pub(crate) fn check(&self, input: &Value) -> Vec<FieldError> {
        let mut found = Vec::new();
        self.walk(&self.root, input, "", &mut found);
        found.truncate(FINDINGS);
        found
    }

    fn walk(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<FieldError>) {
        if let Some(words) = words(schema) {
            if !words.contains(&value) {
                let words: Vec<String> = words.iter().map(|word| bare(word)).collect();
                let detail = format!("expected one of {}, not {}", words.join(", "), bare(value));
                found.push(FieldError::new(at, detail));
            }
            return;
        }
        if let Some(wanted) = schema.get("type").and_then(Value::as_str)
            && !is_of(value, wanted)
        {
            found.push(FieldError::new(at, format!("expected {}, not {}", article(wanted), kind_of(value))));
            return;
        }
        match value {
            Value::Object(members) => self.object(schema, members, at, found),
            Value::Array(items) => self.array(schema, items, at, found),
            Value::String(text) => found.extend(self.text(schema, text).map(|detail| FieldError::new(at, detail))),
            Value::Number(number) => {
                let bound = |key| schema.get(key).and_then(Value::as_f64);
                let (given, low, high) = (number.as_f64().unwrap_or_default(), bound("minimum"), bound("maximum"));
                if low.is_some_and(|low| given < low) || high.is_some_and(|high| given > high) {
                    let range = match (low, high) {
                        (Some(low), Some(high)) => format!("{low} to {high}"),
                        (Some(low), None) => format!("{low} or more"),
                        (None, high) => format!("{} or less", high.unwrap_or_default()),
                    };
                    found.push(FieldError::new(at, format!("expected {range}, not {number}")));
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn object(&self, schema: &Value, members: &Map<String, Value>, at: &str, found: &mut Vec<FieldError>) {
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            if !members.contains_key(name) {
                found.push(FieldError::new(format!("{at}/{}", token(name)), "missing: this field is required"));
            }
        }
        self.size(schema, ("minProperties", "maxProperties"), members.len(), "members", at, found);
        for (name, value) in members {
            let below = format!("{at}/{}", token(name));
            match self.schema_of(schema, name) {
                Member::Known(schema) => self.walk(schema, value, &below, found),
                Member::Free => {}
                Member::Misnamed(example) => {
                    found.push(FieldError::new(below, format!("{name:?} is no legal name here: expected {example}")));
                }
                Member::Unknown => {
                    let known = names(schema).join(", ");
                    let expected = if known.is_empty() { "no fields".to_owned() } else { format!("one of {known}") };
                    found.push(FieldError::new(below, format!("unknown field {name:?}: expected {expected}")));
                }
            }
        }
    }

    fn schema_of<'s>(&self, schema: &'s Value, name: &str) -> Member<'s> {
        if let Some(known) = schema.get("properties").and_then(|fields| fields.get(name)) {
            return Member::Known(known);
        }
        if let Some(patterned) = schema.get("patternProperties").and_then(Value::as_object) {
            let matching = patterned.iter().find(|(pattern, _)| self.matches(pattern, name));
            return match (matching, patterned.keys().next()) {
                (Some((_, schema)), _) => Member::Known(schema),
                (None, pattern) => Member::Misnamed(format!("one that matches {}", pattern.map_or("", String::as_str))),
            };
        }
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => Member::Unknown,
            Some(schema @ Value::Object(_)) => Member::Known(schema),
            _ => Member::Free,
        }
    }

    fn array(&self, schema: &Value, items: &[Value], at: &str, found: &mut Vec<FieldError>) {
        self.size(schema, ("minItems", "maxItems"), items.len(), "entries", at, found);
        if let Some(schema) = schema.get("items") {
            for (index, item) in items.iter().enumerate() {
                self.walk(schema, item, &format!("{at}/{index}"), found);
            }
        }
    }

    fn size(
        &self,
        schema: &Value,
        (low, high): (&str, &str),
        size: usize,
        what: &str,
        at: &str,
        found: &mut Vec<FieldError>,
    ) {
        let bound = |key| schema.get(key).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok());
        if let Some(low) = bound(low).filter(|low| size < *low) {
            found.push(FieldError::new(at, format!("expected {low} {what} or more, not {size}")));
        }
        if let Some(high) = bound(high).filter(|high| size > *high) {
            found.push(FieldError::new(at, format!("expected {high} {what} or fewer, not {size}")));
        }
    }

    /// What is wrong with a text: one finding, since a text of the wrong length mostly has the wrong form too.
    fn text(&self, schema: &Value, text: &str) -> Option<String> {
        let bound = |key| schema.get(key).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok());
        let length = text.chars().count();
        if let Some(low) = bound("minLength").filter(|low| length < *low) {
            return Some(format!("expected {low} characters or more, not {length}{}", such_as(schema)));
        }
        if let Some(high) = bound("maxLength").filter(|high| length > *high) {
            return Some(format!("expected {high} characters or fewer, not {length}{}", such_as(schema)));
        }
        let pattern = schema.get("pattern").and_then(Value::as_str)?;
        let given: String = text.chars().take(80).collect();
        (!self.matches(pattern, text))
            .then(|| format!("{given:?} has the wrong form: expected {pattern}{}", such_as(schema)))
    }

    fn matches(&self, pattern: &str, text: &str) -> bool {
        self.patterns.get(pattern).is_none_or(|pattern| pattern.is_match(text))
    }
}

enum Member<'s> {
    Known(&'s Value),
    Free,
    Misnamed(String),
    Unknown,
}

fn collect_patterns(schema: &Value, patterns: &mut HashMap<String, Regex>) {
    let mut add = |pattern: &str| {
        if let Ok(regex) = Regex::new(pattern) {
            patterns.insert(pattern.to_owned(), regex);
        }
    };
    match schema {
        Value::Object(members) => {
            if let Some(pattern) = members.get("pattern").and_then(Value::as_str) {
                add(pattern);
            }
            if let Some(patterned) = members.get("patternProperties").and_then(Value::as_object) {
                patterned.keys().for_each(|pattern| add(pattern));
            }
            members.values().for_each(|value| collect_patterns(value, patterns));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_patterns(item, patterns)),
        _ => {}
    }
}

fn names(schema: &Value) -> Vec<&str> {
    let fields = schema.get("properties").and_then(Value::as_object);
    fields.map(|fields| fields.keys().map(String::as_str).collect()).unwrap_or_default()
}

/// The words of a schema that is a list of words: `enum`, or `oneOf` of constants.
fn words(schema: &Value) -> Option<Vec<&Value>> {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return Some(words.iter().collect());
    }
    let choices = schema.get("oneOf").and_then(Value::as_array)?;
    choices.iter().map(|choice| choice.get("const")).collect()
}

fn bare(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(80).collect()
}

fn is_of(value: &Value, wanted: &str) -> bool {
    match wanted {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => value.is_null(),
    }
}

fn article(wanted: &str) -> String {
    match wanted {
        "integer" | "array" | "object" => format!("an {wanted}"),
        other => format!("a {other}"),
    }
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null (leave the field out)".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string {:?}", text.chars().take(80).collect::<String>()),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn such_as(schema: &Value) -> String {
    let example = schema.get("examples").and_then(Value::as_array).and_then(|examples| examples.first());
    example.map(|example| format!(", such as {}", bare(example))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema(name: &str) -> Schema {
        Schema::new(contract::list::find(name).unwrap().input_schema())
    }

    fn found(name: &str, input: &Value) -> Vec<String> {
        schema(name).check(input).into_iter().map(|one| format!("{}: {}", one.pointer, one.detail)).collect()
    }

    #[test]
    fn all_findings_come_together_each_with_its_place_and_what_would_be_right() {
        let input = json!({
            "region": "us-west-2", "colour": "red", "administrators": "me",
            "hyperpod": {"instanceGroups": {"a": {"zoneId": "usw2-az2", "instanceType": "p5.48xlarge", "instanceCount": -1,
                "capacityType": "free"}}},
        });
        let found = found("create_cluster", &input);
        for expected in [
            "/tag: missing",
            "/colour: unknown field \"colour\": expected one of tag, region, ",
            "/administrators: expected an array, not the string \"me\"",
            "/hyperpod/instanceGroups/a/instanceType: \"p5.48xlarge\" has the wrong form",
            "/hyperpod/instanceGroups/a/instanceCount: expected 0 to 6758, not -1",
            "/hyperpod/instanceGroups/a/capacityType: expected one of on-demand, spot, training-plan, not free",
        ] {
            assert!(found.iter().any(|one| one.starts_with(expected)), "{expected} in {found:#?}");
        }
    }

    #[test]
    fn br_052_zero_is_a_value_and_a_number_as_text_is_refused() {
        let input = |count: Value| {
            json!({"tag": "a", "instanceGroups": {"g": {"zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge",
                "instanceCount": count}}})
        };
        assert_eq!(found("create_hyperpod", &input(json!(0))), Vec::<String>::new());
        assert_eq!(
            found("create_hyperpod", &input(json!("0"))),
            ["/instanceGroups/g/instanceCount: expected an integer, not the string \"0\""]
        );
    }

    #[test]
    fn br_166_a_limit_outside_its_range_is_refused() {
        for bad in [json!(0), json!(-1), json!(1001), json!("5"), json!(1.5), Value::Null] {
            assert_eq!(schema("list_operations").check(&json!({"limit": bad})).len(), 1, "{bad}");
        }
        assert!(schema("list_operations").check(&json!({"limit": 1})).is_empty());
    }

    #[test]
    fn a_name_of_a_group_is_checked_like_a_value() {
        let input = json!({"tag": "a", "instanceGroups": {"-x": {}}});
        assert!(found("create_hyperpod", &input).iter().any(|one| one.starts_with("/instanceGroups/-x: ")));
    }
}
