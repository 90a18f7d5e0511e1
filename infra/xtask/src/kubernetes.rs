//! `cargo xtask generate kubernetes`: distils the published Kubernetes OpenAPI and the default RBAC policy into the data
//! file that the simulated API server reads (`infra/local/account/data/kubernetes.json`).
//!
//! Source is the Go module `k8s.io/kubernetes`, pinned and checksummed by the Go module proxy. Kept are types, required
//! fields, list and map kinds, merge keys, enums and defaults of the kinds in [`KINDS`]; prose is dropped. What the API
//! machinery defaults in code is not in the published document and therefore not here.

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};
use std::{collections::BTreeSet, fs, path::Path, path::PathBuf, process::Command};

const MODULE: &str = "k8s.io/kubernetes@v1.34.4";
const OUTPUT: &str = "infra/local/account/data/kubernetes.json";

/// Group, version, plural name, short names, categories.
type Listed<'a> = (&'a str, &'a str, &'a str, &'a [&'a str], &'a [&'a str]);

/// What the server serves, in discovery's order.
const KINDS: &[Listed<'static>] = &[
    ("", "v1", "bindings", &[], &[]),
    ("", "v1", "configmaps", &["cm"], &[]),
    ("", "v1", "endpoints", &["ep"], &[]),
    ("", "v1", "events", &["ev"], &[]),
    ("", "v1", "limitranges", &["limits"], &[]),
    ("", "v1", "namespaces", &["ns"], &[]),
    ("", "v1", "nodes", &["no"], &[]),
    ("", "v1", "persistentvolumeclaims", &["pvc"], &[]),
    ("", "v1", "persistentvolumes", &["pv"], &[]),
    ("", "v1", "pods", &["po"], &["all"]),
    ("", "v1", "resourcequotas", &["quota"], &[]),
    ("", "v1", "secrets", &[], &[]),
    ("", "v1", "serviceaccounts", &["sa"], &[]),
    ("", "v1", "services", &["svc"], &["all"]),
    ("admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", &[], &["api-extensions"]),
    ("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", &[], &["api-extensions"]),
    ("apiextensions.k8s.io", "v1", "customresourcedefinitions", &["crd", "crds"], &["api-extensions"]),
    ("apiregistration.k8s.io", "v1", "apiservices", &[], &["api-extensions"]),
    ("apps", "v1", "controllerrevisions", &[], &[]),
    ("apps", "v1", "daemonsets", &["ds"], &["all"]),
    ("apps", "v1", "deployments", &["deploy"], &["all"]),
    ("apps", "v1", "replicasets", &["rs"], &["all"]),
    ("apps", "v1", "statefulsets", &["sts"], &["all"]),
    ("authentication.k8s.io", "v1", "selfsubjectreviews", &[], &[]),
    ("authentication.k8s.io", "v1", "tokenreviews", &[], &[]),
    ("authorization.k8s.io", "v1", "localsubjectaccessreviews", &[], &[]),
    ("authorization.k8s.io", "v1", "selfsubjectaccessreviews", &[], &[]),
    ("authorization.k8s.io", "v1", "selfsubjectrulesreviews", &[], &[]),
    ("authorization.k8s.io", "v1", "subjectaccessreviews", &[], &[]),
    ("autoscaling", "v2", "horizontalpodautoscalers", &["hpa"], &["all"]),
    ("batch", "v1", "cronjobs", &["cj"], &["all"]),
    ("batch", "v1", "jobs", &[], &["all"]),
    ("coordination.k8s.io", "v1", "leases", &[], &[]),
    ("discovery.k8s.io", "v1", "endpointslices", &[], &[]),
    ("events.k8s.io", "v1", "events", &["ev"], &[]),
    ("networking.k8s.io", "v1", "ingressclasses", &[], &[]),
    ("networking.k8s.io", "v1", "ingresses", &["ing"], &[]),
    ("networking.k8s.io", "v1", "networkpolicies", &["netpol"], &[]),
    ("policy", "v1", "poddisruptionbudgets", &["pdb"], &[]),
    ("rbac.authorization.k8s.io", "v1", "clusterrolebindings", &[], &[]),
    ("rbac.authorization.k8s.io", "v1", "clusterroles", &[], &[]),
    ("rbac.authorization.k8s.io", "v1", "rolebindings", &[], &[]),
    ("rbac.authorization.k8s.io", "v1", "roles", &[], &[]),
    ("scheduling.k8s.io", "v1", "priorityclasses", &["pc"], &[]),
    ("storage.k8s.io", "v1", "csidrivers", &[], &[]),
    ("storage.k8s.io", "v1", "csinodes", &[], &[]),
    ("storage.k8s.io", "v1", "storageclasses", &["sc"], &[]),
    ("storage.k8s.io", "v1", "volumeattachments", &[], &[]),
];

/// Types of request bodies that no stored kind refers to.
const EXTRA_ROOTS: &[&str] = &[
    "io.k8s.api.autoscaling.v1.Scale",
    "io.k8s.api.policy.v1.Eviction",
    "io.k8s.api.authentication.v1.TokenRequest",
    "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Status",
];

/// Writes the data file anew.
///
/// # Errors
/// If the module cannot be fetched, or a kind of the list is not in it.
pub(crate) fn generate() -> Result<()> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let module = download()?;
    let swagger: Value = serde_json::from_slice(&fs::read(module.join("api/openapi-spec/swagger.json"))?)?;
    let mut resources = Vec::new();
    let mut wanted: BTreeSet<String> = EXTRA_ROOTS.iter().map(|name| (*name).to_owned()).collect();
    for kind in KINDS {
        let resource = resource(&swagger, *kind).with_context(|| format!("{}/{}", kind.0, kind.2))?;
        wanted.insert(resource["definition"].as_str().unwrap_or_default().to_owned());
        resources.push(resource);
    }
    let definitions = close(&swagger, wanted)?;
    let policy = module.join("plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata");
    let mut objects = Vec::new();
    for file in ["cluster-roles", "cluster-role-bindings", "namespace-roles", "namespace-role-bindings"] {
        let text = fs::read_to_string(policy.join(format!("{file}.yaml")))?;
        let list: Value = serde_yaml_ng::from_str(&text)?;
        objects.extend(list["items"].as_array().cloned().unwrap_or_default());
    }
    write(&root.join(OUTPUT), &resources, &definitions, &objects)
}

fn download() -> Result<PathBuf> {
    let answer = Command::new("go").args(["mod", "download", "-json", MODULE]).env("GOFLAGS", "-mod=mod").output()?;
    ensure!(answer.status.success(), "go mod download {MODULE}: {}", String::from_utf8_lossy(&answer.stdout));
    let answer: Value = serde_json::from_slice(&answer.stdout)?;
    Ok(PathBuf::from(answer["Dir"].as_str().context("no Dir in go's answer")?))
}

/// What discovery says of a kind, read off the published paths.
fn resource(swagger: &Value, (group, version, plural, short, categories): Listed<'_>) -> Result<Value> {
    let base = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
    let namespaced_base = format!("{base}/namespaces/{{namespace}}/{plural}");
    let flat_base = format!("{base}/{plural}");
    let paths = swagger["paths"].as_object().context("no paths")?;
    let namespaced = paths.contains_key(&namespaced_base);
    let base = if namespaced { namespaced_base } else { flat_base };
    let post = &paths.get(&base).with_context(|| format!("no path {base}"))?["post"];
    let kind = post["x-kubernetes-group-version-kind"]["kind"].as_str().context("no kind")?;
    let body = post["parameters"].as_array().and_then(|all| all.iter().find(|one| one["in"] == "body"));
    let definition = body.and_then(|body| body["schema"]["$ref"].as_str()).context("no body")?;
    let subresources: Vec<&str> =
        paths.keys().filter_map(|path| path.strip_prefix(&format!("{base}/{{name}}/"))).collect();
    Ok(json!({
        "group": group, "version": version, "plural": plural, "kind": kind, "singular": kind.to_lowercase(),
        "short": short, "categories": categories, "namespaced": namespaced,
        "stored": paths.contains_key(&format!("{base}/{{name}}")),
        "subresources": subresources, "definition": definition.trim_start_matches("#/definitions/"),
    }))
}

/// The wanted definitions and all that they refer to, without prose.
fn close(swagger: &Value, wanted: BTreeSet<String>) -> Result<Map<String, Value>> {
    let mut open: Vec<String> = wanted.into_iter().collect();
    let mut definitions = Map::new();
    while let Some(name) = open.pop() {
        if definitions.contains_key(&name) {
            continue;
        }
        let source = swagger["definitions"].get(&name).with_context(|| format!("no definition {name}"))?;
        let mut kept = without_prose(source);
        if let Some(object) = kept.as_object_mut() {
            object.remove("x-kubernetes-group-version-kind");
        }
        references(&kept, &mut open);
        definitions.insert(name, kept);
    }
    definitions.sort_keys();
    Ok(definitions)
}

fn without_prose(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let prose = |name: &str, value: &Value| matches!(name, "description" | "title") && value.is_string();
            let kept = object.iter().filter(|(name, value)| !prose(name, value));
            Value::Object(kept.map(|(name, value)| (name.clone(), without_prose(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_prose).collect()),
        other => other.clone(),
    }
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            if let Some(name) = object.get("$ref").and_then(Value::as_str) {
                found.push(name.trim_start_matches("#/definitions/").to_owned());
            }
            object.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

/// One entry a line, so that a new version reads as a diff.
fn write(path: &Path, resources: &[Value], definitions: &Map<String, Value>, policy: &[Value]) -> Result<()> {
    let lines = |values: &[Value]| values.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n");
    let named: Vec<String> = definitions.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
    let text = format!(
        "{{\"source\":\"{MODULE}\",\n\"resources\":[\n{}\n],\n\"definitions\":{{\n{}\n}},\n\"policy\":[\n{}\n]}}\n",
        lines(resources),
        named.join(",\n"),
        lines(policy)
    );
    fs::create_dir_all(path.parent().context("no folder")?)?;
    Ok(fs::write(path, text)?)
}
