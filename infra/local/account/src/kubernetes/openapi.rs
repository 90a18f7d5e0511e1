//! The OpenAPI documents, made of the distilled definitions and the CRDs: what kubectl reads for apply and explain.

use super::{
    Cluster, discovery,
    resource::{self, Resource},
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// `/openapi/v3`: where the document of each group and version is.
pub(super) fn index(cluster: &Cluster, resources: &[Resource]) -> Value {
    let mut paths = Map::new();
    for resource in resources {
        let path = place(&resource.group, &resource.version);
        let url = format!("/openapi/v3/{path}?hash={:X}", cluster.revision());
        paths.entry(path).or_insert_with(|| json!({"serverRelativeURL": url}));
    }
    json!({"paths": paths})
}

fn place(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

/// The name under which a document holds a resource's schema.
fn component(resource: &Resource) -> String {
    if resource.custom.is_none() {
        return resource.definition.clone();
    }
    let reversed: Vec<&str> = resource.group.rsplit('.').collect();
    format!("{}.{}.{}", reversed.join("."), resource.version, resource.kind)
}

fn described(resource: &Resource) -> Value {
    let mut schema = match &resource.custom {
        None => resource::definition(&resource.definition).cloned().unwrap_or_default(),
        Some((definition, at)) => {
            let path = format!("/spec/versions/{at}/schema/openAPIV3Schema");
            let mut schema = definition.pointer(&path).cloned().unwrap_or_default();
            schema["properties"]["metadata"] =
                json!({"$ref": "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"});
            schema["properties"]["apiVersion"] = json!({"type": "string"});
            schema["properties"]["kind"] = json!({"type": "string"});
            schema
        }
    };
    schema["x-kubernetes-group-version-kind"] =
        json!([{"group": resource.group, "version": resource.version, "kind": resource.kind}]);
    schema
}

fn collect(schema: &Value, open: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(name) = members.get("$ref").and_then(Value::as_str) {
                open.push(name.trim_start_matches("#/definitions/").to_owned());
            }
            members.values().for_each(|member| collect(member, open));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, open)),
        _ => {}
    }
}

/// The schemas of these resources and all that they refer to.
fn schemas(resources: &[&Resource]) -> Map<String, Value> {
    let mut schemas = Map::new();
    let mut open = vec!["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions".to_owned()];
    for resource in resources {
        let schema = described(resource);
        collect(&schema, &mut open);
        schemas.insert(component(resource), schema);
    }
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if seen.insert(name.clone())
            && !schemas.contains_key(&name)
            && let Some(schema) = resource::definition(&name)
        {
            collect(schema, &mut open);
            schemas.insert(name, schema.clone());
        }
    }
    schemas
}

fn operation(resource: &Resource, action: &str, third: bool) -> Value {
    let parameter = |name: &str| {
        if third {
            json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}})
        } else {
            json!({"name": name, "in": "query", "type": "string", "uniqueItems": true})
        }
    };
    let parameters = ["dryRun", "fieldManager", "fieldValidation", "force"].map(parameter);
    json!({
        "operationId": format!("{action}{}{}", resource.version, resource.kind),
        "parameters": parameters,
        "responses": {"200": {"description": "OK"}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": {"group": resource.group, "version": resource.version, "kind": resource.kind},
    })
}

fn paths(resources: &[&Resource], third: bool) -> Map<String, Value> {
    let mut paths = Map::new();
    for resource in resources {
        let namespace = if resource.namespaced { "namespaces/{namespace}/" } else { "" };
        let base = format!("/{}/{namespace}{}", place(&resource.group, &resource.version), resource.plural);
        paths.insert(
            base.clone(),
            json!({"get": operation(resource, "list", third), "post": operation(resource, "post", third)}),
        );
        if resource.stored {
            let one = json!({
                "get": operation(resource, "get", third), "put": operation(resource, "put", third),
                "patch": operation(resource, "patch", third), "delete": operation(resource, "delete", third),
            });
            for subresource in discovery::served(resource) {
                let path = format!("{base}/{{name}}/{subresource}");
                paths.insert(path, json!({"get": operation(resource, "get", third)}));
            }
            paths.insert(format!("{base}/{{name}}"), one);
        }
    }
    paths
}

/// The document of one group and version.
pub(super) fn third(resources: &[Resource], group: &str, version: &str) -> Option<Value> {
    let of: Vec<&Resource> = resources.iter().filter(|one| one.group == group && one.version == version).collect();
    if of.is_empty() {
        return None;
    }
    let document = json!({
        "openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "v1.34.4"},
        "paths": paths(&of, true), "components": {"schemas": schemas(&of)},
    });
    Some(moved(&document))
}

/// The same document with its references in the third version's place.
fn moved(value: &Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, member)| match member.as_str() {
                    Some(target) if name == "$ref" => {
                        (name.clone(), target.replace("#/definitions/", "#/components/schemas/").into())
                    }
                    _ => (name.clone(), moved(member)),
                })
                .collect(),
        ),
        Value::Array(items) => items.iter().map(moved).collect(),
        other => other.clone(),
    }
}

/// `/openapi/v2`: everything in one document.
pub(super) fn second(cluster: &Cluster, resources: &[Resource]) -> Value {
    let all: Vec<&Resource> = resources.iter().collect();
    json!({
        "swagger": "2.0", "info": {"title": "Kubernetes", "version": discovery::version(cluster)["gitVersion"]},
        "paths": paths(&all, false), "definitions": schemas(&all),
    })
}
