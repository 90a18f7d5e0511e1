//! The MCP catalogue: a tool for each descriptor, with schemas that every client can read.
//!
//! Portable: no references, no `format`, no lists of types, words as a plain `enum`. Small: a catalogue is read by a model
//! before it does anything, so an output schema names its fields and those of a list's rows and leaves all else to the
//! results, and an input schema leaves out forms and lengths, which a refusal explains.

mod portable;

use contract::{ALL, Descriptor};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Argument of every tool that changes something.
pub(crate) const IDEMPOTENCY_KEY: &str = "idempotencyKey";

/// The operating rules; clients show the first 2,048 characters.
pub const INSTRUCTIONS: &str = "\
Makes and runs Amazon EKS + SageMaker HyperPod clusters. Rules:\n\
1. Look first: list_clusters and list_importable_clusters show what is there. Never assume that something exists, is free \
or is done: ask.\n\
2. Choices come from this account: list_regions, list_zones, list_instance_types (quota is a permission, not capacity) and \
list_training_plans. Zones are named by id (usw2-az2).\n\
3. plan_cluster shows changes, cost, what cannot be changed later, and all findings. Show it to the person before \
create_cluster; a blocking finding means that the request is refused.\n\
4. Every tool that changes something answers at once with an operationId. Call wait_for_operation with it again and again \
until done is true; each call waits up to 25 s. A cluster takes 10 to 40 minutes. Do not ask for the same thing again while it \
runs: the answer is the same operation (alreadyRunning).\n\
5. create_cluster without hyperpod ends after the stage dependencies and awaits a decision: then choose zone, type, count and \
capacity type with the person, and call create_hyperpod. Decide capacity only after the dependencies unless the person has \
decided already. Capacity is billed from launch.\n\
6. A failed operation says why, what it left, and what to do (failure.action, next). Mend the cause, then retry_operation, or \
run_stage for one stage. Nothing is made twice; what was made stays.\n\
7. Done is state succeeded. For usable nodes look at list_nodes: schedulable is true only when a node is Running in SageMaker, \
and Ready, Schedulable and free of HyperPod taints in Kubernetes.\n\
8. cancel_operation stops before the next change; AWS goes on with what it began and bills it. stop_spending sets every \
instance group to zero and loses running work: ask the person first. State awaiting_approval: a person decides, do not poll.\n\
9. Lists page: pass nextCursor as cursor. An error names the field (errors[].pointer) and what would be right.";

/// The tools, in the order of the list.
pub fn catalogue() -> Vec<Tool> {
    ALL.iter().map(tool).collect()
}

/// The catalogue as the committed file has it.
pub fn document() -> Value {
    json!({ "instructions": INSTRUCTIONS, "tools": catalogue() })
}

fn tool(descriptor: &'static Descriptor) -> Tool {
    let hints = descriptor.hints;
    // What plans an operation takes that operation's input, whose prose stands there.
    let mut input = portable::input(&descriptor.input_schema().to_value(), descriptor.validates.is_none());
    if let Some(input) = input.as_object_mut() {
        input.shift_remove("description");
        input.insert("additionalProperties".to_owned(), false.into());
    }
    if !hints.read_only {
        add_key(&mut input);
    }
    let output = portable::output(&descriptor.output_schema().to_value());
    let mut tool = Tool::new(descriptor.name, descriptor.description, Arc::new(root(input)))
        .with_title(descriptor.title)
        .with_raw_output_schema(Arc::new(root(output)));
    tool.annotations = Some(
        ToolAnnotations::new()
            .read_only(hints.read_only)
            .destructive(hints.destructive)
            .idempotent(hints.idempotent)
            .open_world(hints.open_world),
    );
    tool
}

fn root(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn add_key(schema: &mut Value) {
    let key = json!({
        "type": "string", "description": "Same key, same operation.",
    });
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        fields.insert(IDEMPOTENCY_KEY.to_owned(), key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of `tools/list`; more than this, and models that work with us have less room to think.
    const CATALOGUE_BYTES: usize = 32_000;

    #[test]
    fn the_catalogue_is_small() {
        let tools = catalogue();
        for tool in &tools {
            println!("{:>6} {}", serde_json::to_string(tool).unwrap().len(), tool.name);
        }
        let bytes = serde_json::to_string(&tools).unwrap().len();
        println!(
            "catalogue: {} tools, {bytes} bytes of JSON, {} characters of instructions",
            tools.len(),
            INSTRUCTIONS.len()
        );
        assert!(bytes <= CATALOGUE_BYTES, "{bytes}");
        assert!(INSTRUCTIONS.chars().count() <= 2_048, "{}", INSTRUCTIONS.chars().count());
    }

    #[test]
    fn every_schema_is_portable() {
        fn walk(tool: &str, value: &Value) {
            match value {
                Value::Object(members) => {
                    for forbidden in ["$ref", "$defs", "format", "oneOf", "anyOf", "allOf", "patternProperties"] {
                        // A field may be named like a keyword; its value is then a schema, an object.
                        assert!(members.get(forbidden).is_none_or(Value::is_object), "{tool}: {forbidden}");
                    }
                    assert!(!members.get("type").is_some_and(Value::is_array), "{tool}: a list of types");
                    members.values().for_each(|value| walk(tool, value));
                }
                Value::Array(items) => items.iter().for_each(|item| walk(tool, item)),
                _ => {}
            }
        }
        for tool in catalogue() {
            for schema in [tool.input_schema.clone(), tool.output_schema.clone().unwrap()] {
                assert_eq!(schema["type"], "object", "{}", tool.name);
                walk(&tool.name, &Value::Object((*schema).clone()));
            }
        }
    }

    #[test]
    fn every_tool_says_all_of_its_hints_and_its_title() {
        for (tool, descriptor) in catalogue().iter().zip(ALL) {
            let hints = tool.annotations.as_ref().unwrap();
            assert!(hints.read_only_hint.is_some() && hints.destructive_hint.is_some(), "{}", tool.name);
            assert!(hints.idempotent_hint.is_some() && hints.open_world_hint.is_some(), "{}", tool.name);
            assert_eq!(tool.title.as_deref(), Some(descriptor.title));
            let changes = hints.read_only_hint == Some(false);
            let fields = tool.input_schema.get("properties");
            assert_eq!(fields.is_some_and(|fields| fields.get(IDEMPOTENCY_KEY).is_some()), changes, "{}", tool.name);
            if changes {
                let named = descriptor.completion.unwrap();
                assert!(tool.description.as_deref().unwrap().contains(named), "{} names {named}", tool.name);
            }
        }
    }
}
