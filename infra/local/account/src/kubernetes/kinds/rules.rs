//! Rules that an object must satisfy besides its schema (`pkg/apis/*/validation`), for the kinds that people write.

use super::names;
use crate::kubernetes::{object, quantity, refusal::Cause, resource::Resource, selector::LabelSelector};
use serde_json::Value;
use std::collections::BTreeSet;

/// Everything that is wrong with `value`.
pub(in crate::kubernetes) fn check(resource: &Resource, value: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    names::check_name(resource, value, &mut causes);
    names::check_labels(object::labels(value), "metadata.labels", &mut causes);
    names::check_annotations(&value["metadata"]["annotations"], "metadata.annotations", &mut causes);
    owners(value, &mut causes);
    if resource.custom.is_some() {
        return causes;
    }
    match resource.plural.as_str() {
        "pods" => pod_spec(&value["spec"], "spec", &mut causes),
        "deployments" | "replicasets" | "daemonsets" | "statefulsets" => workload(resource, value, &mut causes),
        "jobs" => job(&value["spec"], "spec", &mut causes),
        "cronjobs" => job(&value["spec"]["jobTemplate"]["spec"], "spec.jobTemplate.spec", &mut causes),
        "services" => service(&value["spec"], &mut causes),
        "configmaps" => keys(value, &["data", "binaryData"], &mut causes),
        "secrets" => secret(value, &mut causes),
        "persistentvolumes" => volume(&value["spec"], &mut causes),
        "persistentvolumeclaims" => claim(&value["spec"], &mut causes),
        "customresourcedefinitions" => definition(value, &mut causes),
        "clusterroles" | "roles" => role(value, &mut causes),
        "nodes" => taints(value, &mut causes),
        "poddisruptionbudgets" => budget(&value["spec"], &mut causes),
        _ => {}
    }
    causes
}

fn owners(value: &Value, causes: &mut Vec<Cause>) {
    let mut controllers = 0;
    for (at, owner) in object::list(value, "/metadata/ownerReferences").iter().enumerate() {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if owner[field].as_str().unwrap_or_default().is_empty() {
                let detail = &format!("{field} must not be empty");
                causes.push(Cause::invalid(format!("metadata.ownerReferences[{at}].{field}"), &"".into(), detail));
            }
        }
        controllers += usize::from(owner["controller"] == true);
    }
    if controllers > 1 {
        let detail = "Only one reference can have Controller set to true.";
        causes.push(Cause::invalid("metadata.ownerReferences", &value["metadata"]["ownerReferences"], detail));
    }
}

fn non_negative(spec: &Value, field: &str, path: &str, causes: &mut Vec<Cause>) {
    if spec[field].as_i64().is_some_and(|number| number < 0) {
        let detail = "must be greater than or equal to 0";
        causes.push(Cause::invalid(format!("{path}.{field}"), &spec[field], detail));
    }
}

fn workload(resource: &Resource, value: &Value, causes: &mut Vec<Cause>) {
    let spec = &value["spec"];
    non_negative(spec, "replicas", "spec", causes);
    non_negative(spec, "revisionHistoryLimit", "spec", causes);
    if let Some(selector) = LabelSelector::from_object(&spec["selector"]) {
        let labels = spec["template"]["metadata"].get("labels").unwrap_or(&Value::Null);
        if selector.is_empty() {
            let detail = format!("empty selector is invalid for {}", resource.singular);
            causes.push(Cause::invalid("spec.selector", &spec["selector"], detail));
        } else if !selector.matches(labels) {
            let detail = "`selector` does not match template `labels`";
            causes.push(Cause::invalid("spec.template.metadata.labels", labels, detail));
        }
    }
    names::check_labels(&spec["template"]["metadata"]["labels"], "spec.template.labels", causes);
    pod_spec(&spec["template"]["spec"], "spec.template.spec", causes);
    let policy = &spec["template"]["spec"]["restartPolicy"];
    if policy != "Always" {
        causes.push(Cause::unsupported("spec.template.spec.restartPolicy", policy, ["Always"]));
    }
}

fn job(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    for field in ["parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished"] {
        non_negative(spec, field, path, causes);
    }
    pod_spec(&spec["template"]["spec"], &format!("{path}.template.spec"), causes);
    let policy = &spec["template"]["spec"]["restartPolicy"];
    if policy == "Always" {
        let field = format!("{path}.template.spec.restartPolicy");
        let mut cause = Cause::unsupported(field, policy, ["OnFailure", "Never"]);
        cause.message = "Required value: valid values: \"OnFailure\", \"Never\"".to_owned();
        cause.reason = "FieldValueRequired";
        causes.push(cause);
    }
}

/// Checks a pod's spec found at `path`.
fn pod_spec(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let volumes: BTreeSet<&str> =
        object::list(spec, "/volumes").iter().filter_map(|one| one["name"].as_str()).collect();
    for (at, volume) in object::list(spec, "/volumes").iter().enumerate() {
        if let Some(name) = volume["name"].as_str() {
            names::check_label(name, &format!("{path}.volumes[{at}].name"), causes);
        }
        if volume["persistentVolumeClaim"].is_object()
            && object::text(volume, "/persistentVolumeClaim/claimName").is_empty()
        {
            let field = format!("{path}.volumes[{at}].persistentVolumeClaim.claimName");
            causes.push(Cause::required(field, ""));
        }
    }
    if spec["containers"].as_array().is_some_and(Vec::is_empty) {
        causes.push(Cause::required(format!("{path}.containers"), ""));
    }
    for list in ["initContainers", "containers"] {
        for (at, container) in object::list(spec, &format!("/{list}")).iter().enumerate() {
            self::container(container, &volumes, &format!("{path}.{list}[{at}]"), causes);
        }
    }
    let policy = &spec["restartPolicy"];
    if policy.is_string() && !matches!(policy.as_str(), Some("Always" | "OnFailure" | "Never")) {
        causes.push(Cause::unsupported(format!("{path}.restartPolicy"), policy, ["Always", "OnFailure", "Never"]));
    }
    for (at, toleration) in object::list(spec, "/tolerations").iter().enumerate() {
        let field = format!("{path}.tolerations[{at}]");
        if toleration["operator"] == "Exists" && !object::text(toleration, "/value").is_empty() {
            let detail = "value must be empty when `operator` is 'Exists'";
            causes.push(Cause::invalid(format!("{field}.operator"), toleration, detail));
        }
        if object::text(toleration, "/key").is_empty() && toleration["operator"] != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            causes.push(Cause::invalid(format!("{field}.operator"), &toleration["operator"], detail));
        }
    }
}

fn container(container: &Value, volumes: &BTreeSet<&str>, path: &str, causes: &mut Vec<Cause>) {
    if let Some(name) = container["name"].as_str() {
        names::check_label(name, &format!("{path}.name"), causes);
    }
    if object::text(container, "/image").is_empty() {
        causes.push(Cause::required(format!("{path}.image"), ""));
    }
    for (at, mount) in object::list(container, "/volumeMounts").iter().enumerate() {
        let name = object::text(mount, "/name");
        if !name.is_empty() && !volumes.contains(name) {
            causes.push(Cause::not_found(format!("{path}.volumeMounts[{at}].name"), &mount["name"]));
        }
    }
    for (at, port) in object::list(container, "/ports").iter().enumerate() {
        if port["containerPort"].as_i64().is_some_and(|number| !(1..=65535).contains(&number)) {
            let field = format!("{path}.ports[{at}].containerPort");
            causes.push(Cause::invalid(field, &port["containerPort"], "must be between 1 and 65535, inclusive"));
        }
    }
    let resources = &container["resources"];
    for (name, request) in resources["requests"].as_object().into_iter().flatten() {
        let limit = &resources["limits"][name];
        let extended = name.contains('/');
        if extended && limit.is_null() {
            let detail = "Limit must be set for non overcommitable resources";
            causes.push(Cause::required(format!("{path}.resources.limits[{name}]"), detail));
        } else if extended && quantity::of(request) != quantity::of(limit) {
            let detail = format!("must be equal to {name} limit of {}", limit.as_str().unwrap_or_default());
            causes.push(Cause::invalid(format!("{path}.resources.requests"), request, detail));
        } else if !limit.is_null() && quantity::of(request) > quantity::of(limit) {
            let detail =
                format!("must be less than or equal to {name} limit of {}", limit.as_str().unwrap_or_default());
            causes.push(Cause::invalid(format!("{path}.resources.requests"), request, detail));
        }
        if extended && quantity::of(request) % 1000 != 0 {
            causes.push(Cause::invalid(format!("{path}.resources.requests[{name}]"), request, "must be an integer"));
        }
    }
}

fn service(spec: &Value, causes: &mut Vec<Cause>) {
    let kinds = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
    if !kinds.iter().any(|kind| spec["type"] == *kind) {
        causes.push(Cause::unsupported("spec.type", &spec["type"], kinds));
    }
    let ports = object::list(spec, "/ports");
    if ports.is_empty() && spec["type"] != "ExternalName" && spec["clusterIP"] != "None" {
        causes.push(Cause::required("spec.ports", ""));
    }
    for (at, port) in ports.iter().enumerate() {
        let field = format!("spec.ports[{at}]");
        if ports.len() > 1 && object::text(port, "/name").is_empty() {
            causes.push(Cause::required(format!("{field}.name"), ""));
        }
        if port["port"].as_i64().is_some_and(|number| !(1..=65535).contains(&number)) {
            causes.push(Cause::invalid(
                format!("{field}.port"),
                &port["port"],
                "must be between 1 and 65535, inclusive",
            ));
        }
    }
}

fn keys(value: &Value, parts: &[&str], causes: &mut Vec<Cause>) {
    let mut size = 0;
    for part in parts {
        for (key, content) in value[*part].as_object().into_iter().flatten() {
            let fine = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_' | b'.');
            if key.is_empty() || key.len() > 253 || !key.bytes().all(fine) || matches!(key.as_str(), "." | "..") {
                let detail = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
                causes.push(Cause::invalid(format!("{part}[{key}]"), &key.as_str().into(), detail));
            }
            size += content.as_str().map_or(0, str::len);
        }
    }
    if size > 1024 * 1024 {
        let message = "Too long: may not be more than 1048576 bytes".to_owned();
        causes.push(Cause { reason: "FieldValueTooLong", field: String::new(), message });
    }
}

fn secret(value: &Value, causes: &mut Vec<Cause>) {
    keys(value, &["data"], causes);
    if value["type"] == "kubernetes.io/tls" {
        for key in ["tls.crt", "tls.key"] {
            if value["data"][key].is_null() {
                causes.push(Cause::required(format!("data[{key}]"), ""));
            }
        }
    }
}

fn modes(spec: &Value, causes: &mut Vec<Cause>) {
    let supported = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
    let modes = object::list(spec, "/accessModes");
    if modes.is_empty() {
        causes.push(Cause::required("spec.accessModes", "at least 1 access mode is required"));
    }
    for mode in modes.iter().filter(|mode| !supported.iter().any(|known| *mode == known)) {
        causes.push(Cause::unsupported("spec.accessModes", mode, supported));
    }
}

fn volume(spec: &Value, causes: &mut Vec<Cause>) {
    modes(spec, causes);
    if spec["capacity"].as_object().is_none_or(|capacity| !capacity.contains_key("storage")) {
        causes.push(Cause::required("spec.capacity", ""));
    }
    let sources = ["csi", "nfs", "hostPath", "local", "awsElasticBlockStore", "fc", "iscsi"];
    if sources.iter().all(|source| spec[*source].is_null()) {
        causes.push(Cause::required("spec", "must specify a volume type"));
    }
}

fn claim(spec: &Value, causes: &mut Vec<Cause>) {
    modes(spec, causes);
    if spec["resources"]["requests"]["storage"].is_null() {
        causes.push(Cause::required("spec.resources[storage]", ""));
    }
}

fn definition(value: &Value, causes: &mut Vec<Cause>) {
    let spec = &value["spec"];
    let wanted = format!("{}.{}", object::text(spec, "/names/plural"), object::text(spec, "/group"));
    if object::name(value) != wanted {
        let detail = "must be spec.names.plural+\".\"+spec.group";
        causes.push(Cause::invalid("metadata.name", &value["metadata"]["name"], detail));
    }
    if !matches!(spec["scope"].as_str(), Some("Cluster" | "Namespaced")) {
        causes.push(Cause::unsupported("spec.scope", &spec["scope"], ["Cluster", "Namespaced"]));
    }
    let versions = object::list(spec, "/versions");
    let storing = versions.iter().filter(|version| version["storage"] == true).count();
    if storing != 1 {
        let detail = "must have exactly one version marked as storage version";
        causes.push(Cause::invalid("spec.versions", &spec["versions"], detail));
    }
    for (at, version) in versions.iter().enumerate() {
        if !version["schema"]["openAPIV3Schema"].is_object() {
            let field = format!("spec.versions[{at}].schema.openAPIV3Schema");
            causes.push(Cause::required(field, "schemas are required"));
        }
    }
}

fn role(value: &Value, causes: &mut Vec<Cause>) {
    for (at, rule) in object::list(value, "/rules").iter().enumerate() {
        let field = format!("rules[{at}]");
        if object::list(rule, "/verbs").is_empty() {
            causes.push(Cause::required(format!("{field}.verbs"), "verbs must contain at least one value"));
        }
        if object::list(rule, "/nonResourceURLs").is_empty() && object::list(rule, "/resources").is_empty() {
            let detail = "resource rules must supply at least one resource";
            causes.push(Cause::required(format!("{field}.resources"), detail));
        }
    }
}

fn taints(value: &Value, causes: &mut Vec<Cause>) {
    for (at, taint) in object::list(value, "/spec/taints").iter().enumerate() {
        let effects = ["NoExecute", "NoSchedule", "PreferNoSchedule"];
        if !effects.iter().any(|effect| taint["effect"] == *effect) {
            causes.push(Cause::unsupported(format!("metadata.taints[{at}].effect"), &taint["effect"], effects));
        }
    }
}

fn budget(spec: &Value, causes: &mut Vec<Cause>) {
    if !spec["minAvailable"].is_null() && !spec["maxUnavailable"].is_null() {
        let detail = "minAvailable and maxUnavailable cannot be both set";
        causes.push(Cause::invalid("spec", spec, detail));
    }
}
