//! What the server says of itself: versions, groups, resources, health.

use super::{Cluster, Reply, Request, openapi, refusal::Refusal, resource::Resource, serve::ok};
use serde_json::{Value, json};

const AGGREGATED: &str = "as=APIGroupDiscoveryList";

/// Serves a path outside the resource API.
pub(super) fn serve(cluster: &Cluster, request: &Request) -> Result<Reply, Refusal> {
    let aggregated =
        request.accept.as_deref().unwrap_or_default().split(',').next().is_some_and(|first| first.contains(AGGREGATED));
    let steps: Vec<&str> = request.path.split('/').filter(|step| !step.is_empty()).collect();
    let resources = cluster.resources();
    Ok(match steps.as_slice() {
        ["healthz" | "livez" | "readyz", ..] => Reply::Text { status: 200, body: "ok".to_owned() },
        ["version"] => ok(version(cluster)),
        ["api"] if aggregated => ok(group_list(&resources, true)),
        ["api"] => ok(json!({
            "kind": "APIVersions", "versions": ["v1"],
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "10.100.0.1:443"}],
        })),
        ["apis"] if aggregated => ok(group_list(&resources, false)),
        ["apis"] => {
            let groups: Vec<Value> = groups(&resources).iter().map(|group| group_of(&resources, group)).collect();
            ok(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
        }
        ["apis", group] if groups(&resources).contains(group) => {
            let mut body = group_of(&resources, group);
            body["kind"] = "APIGroup".into();
            body["apiVersion"] = "v1".into();
            ok(body)
        }
        ["api", version] => ok(resource_list(&resources, "", version).ok_or_else(Refusal::no_such_path)?),
        ["apis", group, version] => ok(resource_list(&resources, group, version).ok_or_else(Refusal::no_such_path)?),
        ["openapi", "v2"] => ok(openapi::second(cluster, &resources)),
        ["openapi", "v3"] => ok(openapi::index(cluster, &resources)),
        ["openapi", "v3", "api", version] => {
            ok(openapi::third(&resources, "", version).ok_or_else(Refusal::no_such_path)?)
        }
        ["openapi", "v3", "apis", group, version] => {
            ok(openapi::third(&resources, group, version).ok_or_else(Refusal::no_such_path)?)
        }
        [] => ok(
            json!({"paths": ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"]}),
        ),
        _ => return Err(Refusal::no_such_path()),
    })
}

pub(super) fn version(cluster: &Cluster) -> Value {
    let (major, minor) = cluster.minor().split_once('.').unwrap_or(("1", "34"));
    json!({
        "major": major, "minor": minor, "gitVersion": format!("v{}.4-eks-0a1b2c3", cluster.minor()),
        "gitCommit": "0000000000000000000000000000000000000000", "gitTreeState": "clean",
        "buildDate": "2026-02-10T12:00:00Z", "goVersion": "go1.24.12", "compiler": "gc", "platform": "linux/amd64",
    })
}

fn groups(resources: &[Resource]) -> Vec<&str> {
    let mut groups: Vec<&str> = Vec::new();
    for resource in resources.iter().filter(|one| !one.group.is_empty()) {
        if !groups.contains(&resource.group.as_str()) {
            groups.push(&resource.group);
        }
    }
    groups
}

fn versions<'a>(resources: &'a [Resource], group: &str) -> Vec<&'a str> {
    let mut versions: Vec<&str> = Vec::new();
    for resource in resources.iter().filter(|one| one.group == group) {
        if !versions.contains(&resource.version.as_str()) {
            versions.push(&resource.version);
        }
    }
    versions.sort_by_key(|version| std::cmp::Reverse(maturity(version)));
    versions
}

/// Order of versions by stability: v2 before v1 before v1beta1 before v1alpha1.
fn maturity(version: &str) -> (u8, u32, u32) {
    let number = |text: &str| text.parse().unwrap_or(0);
    let rest = version.trim_start_matches('v');
    if let Some((major, minor)) = rest.split_once("beta") {
        (1, number(major), number(minor))
    } else if let Some((major, minor)) = rest.split_once("alpha") {
        (0, number(major), number(minor))
    } else {
        (2, number(rest), 0)
    }
}

fn group_of(resources: &[Resource], group: &str) -> Value {
    let of = |version: &&str| json!({"groupVersion": format!("{group}/{version}"), "version": version});
    let versions: Vec<Value> = versions(resources, group).iter().map(of).collect();
    json!({"name": group, "versions": versions, "preferredVersion": versions.first()})
}

fn verbs(resource: &Resource, subresource: &str) -> Vec<&'static str> {
    match subresource {
        "" if !resource.stored => vec!["create"],
        "" => vec!["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        "log" => vec!["get"],
        "eviction" | "binding" | "token" => vec!["create"],
        "finalize" => vec!["update"],
        "exec" | "attach" | "portforward" => vec!["create", "get"],
        "proxy" => vec!["create", "delete", "get", "patch", "update"],
        _ => vec!["get", "patch", "update"],
    }
}

/// Group, version and kind of what a subresource speaks.
fn spoken(resource: &Resource, subresource: &str) -> (String, String, String) {
    let (group, version, kind) = match subresource {
        "scale" => ("autoscaling", "v1", "Scale"),
        "eviction" => ("policy", "v1", "Eviction"),
        "token" => ("authentication.k8s.io", "v1", "TokenRequest"),
        "binding" => ("", "v1", "Binding"),
        _ => (resource.group.as_str(), resource.version.as_str(), resource.kind.as_str()),
    };
    (group.to_owned(), version.to_owned(), kind.to_owned())
}

/// Subresources that this server answers.
pub(super) fn served(resource: &Resource) -> impl Iterator<Item = &str> {
    const ANSWERED: &[&str] = &["status", "scale", "log", "eviction", "binding", "token", "finalize", "proxy"];
    resource.subresources.iter().map(String::as_str).filter(|one| ANSWERED.contains(one))
}

fn resource_list(resources: &[Resource], group: &str, version: &str) -> Option<Value> {
    let mut listed = Vec::new();
    for resource in resources.iter().filter(|one| one.group == group && one.version == version) {
        let mut entry = json!({
            "name": resource.plural, "singularName": resource.singular, "namespaced": resource.namespaced,
            "kind": resource.kind, "verbs": verbs(resource, ""),
        });
        if !resource.short.is_empty() {
            entry["shortNames"] = resource.short.clone().into();
        }
        if !resource.categories.is_empty() {
            entry["categories"] = resource.categories.clone().into();
        }
        listed.push(entry);
        for subresource in served(resource) {
            let mut entry = json!({
                "name": format!("{}/{subresource}", resource.plural), "singularName": "",
                "namespaced": resource.namespaced, "kind": resource.kind, "verbs": verbs(resource, subresource),
            });
            let (group, version, kind) = spoken(resource, subresource);
            if kind != resource.kind {
                entry["kind"] = kind.into();
                entry["group"] = group.into();
                entry["version"] = version.into();
            }
            listed.push(entry);
        }
    }
    let name = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    (!listed.is_empty())
        .then(|| json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": name, "resources": listed}))
}

/// Aggregated discovery (`apidiscovery.k8s.io/v2`).
fn group_list(resources: &[Resource], core: bool) -> Value {
    let names = if core { vec![""] } else { groups(resources) };
    let items: Vec<Value> = names
        .into_iter()
        .map(|group| {
            let versions: Vec<Value> = versions(resources, group)
                .into_iter()
                .map(|version| {
                    let of = resources.iter().filter(|one| one.group == group && one.version == version);
                    json!({"version": version, "freshness": "Current", "resources": of.map(aggregated).collect::<Vec<_>>()})
                })
                .collect();
            let metadata = if group.is_empty() { json!({"creationTimestamp": null}) } else { json!({"name": group, "creationTimestamp": null}) };
            json!({"metadata": metadata, "versions": versions})
        })
        .collect();
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items})
}

fn aggregated(resource: &Resource) -> Value {
    let kind =
        |(group, version, kind): (String, String, String)| json!({"group": group, "version": version, "kind": kind});
    let subresources: Vec<Value> = served(resource)
        .map(|one| json!({"subresource": one, "responseKind": kind(spoken(resource, one)), "verbs": verbs(resource, one)}))
        .collect();
    let mut entry = json!({
        "resource": resource.plural, "responseKind": kind(spoken(resource, "")),
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": resource.singular, "verbs": verbs(resource, ""),
    });
    for (name, words) in [("shortNames", &resource.short), ("categories", &resource.categories)] {
        if !words.is_empty() {
            entry[name] = words.clone().into();
        }
    }
    if !subresources.is_empty() {
        entry["subresources"] = subresources.into();
    }
    entry
}
