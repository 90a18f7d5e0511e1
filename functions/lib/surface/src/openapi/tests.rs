//! The document against the list that it is made from.

use super::*;
use std::collections::BTreeSet;

/// Every reference of the document.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_schema_is_referred_to() {
    let document = document();
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    for reference in &found {
        assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(found.contains(&format!("#/components/schemas/{name}")), "{name}");
    }
}

#[test]
fn every_operation_and_query_has_its_route_with_all_path_fields_required() {
    let document = document();
    for descriptor in ALL.iter().filter(|descriptor| descriptor.validates.is_none()) {
        let method = if descriptor.method == Method::Get { "get" } else { "post" };
        let operation = &document["paths"][descriptor.path][method];
        assert_eq!(operation["operationId"], descriptor.name);
        for parameter in operation["parameters"].as_array().unwrap() {
            assert!(parameter["schema"]["type"].is_string() || parameter["schema"]["oneOf"].is_array(), "{parameter}");
            if parameter["in"] == "path" {
                assert_eq!(parameter["required"], true, "{}", descriptor.name);
            }
        }
        if changes(descriptor) {
            assert!(operation["responses"]["202"]["headers"]["Location"].is_object(), "{}", descriptor.name);
        } else {
            assert!(operation["responses"]["304"].is_object(), "{}", descriptor.name);
        }
        for status in ["400", "401", "403", "405", "429", "500", "503"] {
            assert!(operation["responses"][status].is_object(), "{}: {status}", descriptor.name);
        }
    }
}

#[test]
fn a_body_does_not_repeat_what_the_path_says() {
    let document = document();
    let body = &document["components"]["schemas"]["CreateHyperPod"];
    assert!(body["properties"]["tag"].is_null() && body["properties"]["instanceGroups"].is_object());
    assert_eq!(body["required"], json!(["instanceGroups"]));
}
