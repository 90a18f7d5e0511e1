//! Schemas that every client can read, and no larger than a model needs.

use serde_json::{Map, Value, json};

/// How an input is asked for: types, bounds of numbers, words, and the fields' prose if `prose` (a list's entries are
/// explained by the list). Forms and lengths are left out; a refusal explains them.
pub(super) fn input(schema: &Value, prose: bool) -> Value {
    let Some(members) = schema.as_object() else { return schema.clone() };
    let mut kept = Map::new();
    if let Some(words) = words(members) {
        kept.insert("type".to_owned(), "string".into());
        kept.insert("enum".to_owned(), words.into());
    }
    for (name, value) in members {
        match name.as_str() {
            "type" | "required" | "minimum" | "maximum" | "minItems" => {
                kept.insert(name.clone(), value.clone());
            }
            "description" if prose => {
                kept.insert(name.clone(), value.clone());
            }
            "properties" => {
                kept.insert(name.clone(), fields(value, |_, schema| input(schema, prose)));
            }
            "items" => {
                kept.insert(name.clone(), input(value, false));
            }
            "additionalProperties" if value.is_object() => {
                kept.insert(name.clone(), input(value, prose));
            }
            "patternProperties" => {
                let schema = value.as_object().and_then(|patterned| patterned.values().next());
                kept.extend(schema.map(|schema| ("additionalProperties".to_owned(), input(schema, prose))));
            }
            _ => {}
        }
    }
    Value::Object(kept)
}

/// How an output looks: its fields by type, and the fields of a list's rows. What lies deeper is an object.
pub(super) fn output(schema: &Value) -> Value {
    let fields = fields(&schema["properties"], |name, schema| {
        let mut shallow = shallow(schema);
        if name == "items" && schema["items"].is_object() {
            shallow["items"] = output(&schema["items"]);
        }
        shallow
    });
    json!({ "type": "object", "properties": fields })
}

fn shallow(schema: &Value) -> Value {
    match schema.get("type") {
        Some(kind) if kind == "array" => json!({ "type": "array", "items": shallow(&schema["items"]) }),
        Some(kind) => json!({ "type": kind }),
        None => json!({ "type": "string" }),
    }
}

fn fields(properties: &Value, schema: impl Fn(&str, &Value) -> Value) -> Value {
    let known = properties.as_object().into_iter().flatten();
    Value::Object(known.map(|(name, field)| (name.clone(), schema(name, field))).collect())
}

/// The words of a schema that is a list of words: `enum`, or `oneOf` of constants.
fn words(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return Some(words.clone());
    }
    let choices = schema.get("oneOf").and_then(Value::as_array)?;
    choices.iter().map(|choice| choice.get("const").cloned()).collect()
}
