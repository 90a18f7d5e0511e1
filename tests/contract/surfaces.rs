//! REST, MCP and the console offer everything in the list, and nothing else.

use crate::{set, text};
use contract::{ALL, Descriptor, Method};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;

/// What the console shows by another route, with the one that it uses.
const SHOWN_OTHERWISE: [(&str, &str); 3] = [
    ("list_stages", "get_cluster"),          // a cluster carries its stages
    ("get_stage", "get_cluster"),            // the same
    ("wait_for_operation", "get_operation"), // a page that is closed must not keep a request open: it polls with ETag
];

fn routed() -> impl Iterator<Item = &'static Descriptor> {
    ALL.iter().filter(|descriptor| descriptor.validates.is_none())
}

fn method(descriptor: &Descriptor) -> &'static str {
    match descriptor.method {
        Method::Get => "get",
        Method::Post => "post",
    }
}

#[test]
fn the_committed_description_has_each_route_and_no_other() {
    let document: Value = serde_json::from_str(&text("web/openapi.json")).unwrap();
    let mut described = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            described.insert(format!("{method} {path} {}", operation["operationId"].as_str().unwrap()));
        }
    }
    let listed = routed().map(|one| format!("{} {} {}", method(one), one.path, one.name)).collect();
    assert_eq!(described, listed);
}

#[test]
fn the_committed_tools_are_the_list() {
    let document: Value = serde_json::from_str(&text("skills/tools.json")).unwrap();
    let tools = document["tools"].as_array().unwrap();
    let named = set(tools.iter().map(|tool| tool["name"].as_str().unwrap()));
    assert_eq!(named, set(ALL.iter().map(|descriptor| descriptor.name)));
}

/// REST refuses a query parameter that has no place, whatever the input's type allows.
#[test]
fn each_field_of_a_query_has_its_place() {
    for descriptor in routed().filter(|descriptor| method(descriptor) == "get") {
        let schema = serde_json::to_value(descriptor.input_schema()).unwrap();
        let fields = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
        assert_eq!(set(fields), set(descriptor.places.iter().map(|(name, _)| *name)), "{}", descriptor.name);
    }
}

#[test]
fn what_completes_an_operation_is_a_tool_too() {
    for descriptor in ALL {
        let Some(completion) = descriptor.completion else { continue };
        assert!(ALL.iter().any(|other| other.name == completion), "{} names {completion}", descriptor.name);
    }
}

/// The console spells its routes in one file; a path field is `${segment(…)}` there.
#[test]
fn the_console_reads_and_offers_each_of_them() {
    let source = text("web/src/api/resources.ts");
    let field = Regex::new(r"\$\{segment\(\w+\)\}").unwrap();
    let path_field = Regex::new(r"\{\w+\}").unwrap();
    let source = field.replace_all(&source, "{}");
    let called = |descriptor: &Descriptor| {
        let path = path_field.replace_all(descriptor.path, "{}").into_owned();
        let choice = path.strip_prefix("/v1/choices/").map(|choice| format!("choice(\"{choice}\""));
        let spelled = ['"', '`'].iter().any(|quote| source.contains(&format!("{quote}{path}{quote}")));
        spelled || choice.is_some_and(|choice| source.contains(&choice))
    };
    let missing: Vec<_> = routed()
        .filter(|one| !called(one) && !SHOWN_OTHERWISE.iter().any(|(name, _)| *name == one.name))
        .map(|one| one.name)
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
    for (_, instead) in SHOWN_OTHERWISE {
        assert!(called(ALL.iter().find(|one| one.name == instead).unwrap()), "{instead} is not called");
    }
}
