//! Fields that cannot change once an object exists.

use crate::kubernetes::{refusal::Cause, resource::Resource};
use serde_json::Value;

const IMMUTABLE: &str = "field is immutable";

/// Notes every forbidden change from `old` to `new`.
pub(in crate::kubernetes) fn check(resource: &Resource, old: &Value, new: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    if resource.custom.is_some() {
        return causes;
    }
    let mut fixed = |pointers: &[&str]| {
        for pointer in pointers {
            let (before, after) = (old.pointer(pointer), new.pointer(pointer));
            if before != after {
                let field = pointer.trim_start_matches('/').replace('/', ".");
                causes.push(Cause::invalid(field, after.unwrap_or(&Value::Null), IMMUTABLE));
            }
        }
    };
    match resource.plural.as_str() {
        "deployments" | "replicasets" | "daemonsets" => fixed(&["/spec/selector"]),
        "jobs" => {
            fixed(&["/spec/selector", "/spec/completionMode"]);
            // A suspended job that never started may still get other places to run.
            if old["spec"]["suspend"] != true {
                fixed(&["/spec/template"]);
            }
            if old["spec"]["completionMode"] != "Indexed" {
                fixed(&["/spec/completions"]);
            }
        }
        "storageclasses" => {
            fixed(&["/provisioner", "/parameters", "/reclaimPolicy", "/volumeBindingMode"]);
        }
        "secrets" | "configmaps" => {
            if resource.plural == "secrets" {
                fixed(&["/type"]);
            }
            if old["immutable"] == true {
                for part in ["data", "binaryData", "immutable"] {
                    if old[part] != new[part] {
                        causes.push(Cause::forbidden(part, "field is immutable when `immutable` is set"));
                    }
                }
            }
        }
        "services" => {
            let (before, after) = (&old["spec"], &new["spec"]);
            let plain = before["type"] != "ExternalName" && after["type"] != "ExternalName";
            if plain && before["clusterIP"].is_string() && before["clusterIP"] != after["clusterIP"] {
                fixed(&["/spec/clusterIP"]);
            }
        }
        "clusterrolebindings" | "rolebindings" if old["roleRef"] != new["roleRef"] => {
            causes.push(Cause::invalid("roleRef", &new["roleRef"], "cannot change roleRef"));
        }
        "priorityclasses" => fixed(&["/value", "/preemptionPolicy"]),
        "customresourcedefinitions" => fixed(&["/spec/scope", "/spec/names/kind", "/spec/names/plural", "/spec/group"]),
        "csidrivers" => fixed(&["/spec/attachRequired", "/spec/volumeLifecycleModes"]),
        "persistentvolumes" if source(old) != source(new) => {
            let detail = "spec.persistentvolumesource is immutable after creation";
            causes.push(Cause::forbidden("spec.persistentvolumesource", detail));
        }
        "persistentvolumeclaims" => claim(old, new, &mut causes),
        "statefulsets" => stateful_set(old, new, &mut causes),
        "pods" => pod(old, new, &mut causes),
        "nodes" if old["spec"]["providerID"].is_string() && old["spec"]["providerID"] != new["spec"]["providerID"] => {
            let detail = "node updates may only change labels, taints, or capacity";
            causes.push(Cause::forbidden("spec.providerID", detail));
        }
        _ => {}
    }
    causes
}

fn source(volume: &Value) -> Vec<(&String, &Value)> {
    let sources = ["csi", "nfs", "hostPath", "local", "awsElasticBlockStore"];
    let spec = volume["spec"].as_object();
    spec.into_iter().flatten().filter(|(name, _)| sources.contains(&name.as_str())).collect()
}

/// Only the request may grow, and the volume may be filled in once.
fn claim(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    let strip = |claim: &Value, other: &Value| {
        let mut spec = claim["spec"].clone();
        if let Some(spec) = spec.as_object_mut() {
            spec.shift_remove("resources");
            spec.shift_remove("volumeAttributesClassName");
            if other["spec"]["volumeName"].is_null() || claim["spec"]["volumeName"].is_null() {
                spec.shift_remove("volumeName");
            }
        }
        spec
    };
    if strip(old, new) != strip(new, old) {
        let detail =
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
        causes.push(Cause::forbidden("spec", detail));
    }
    let storage = |claim: &Value| crate::kubernetes::quantity::of(&claim["spec"]["resources"]["requests"]["storage"]);
    if storage(new) < storage(old) {
        let detail = "field can not be less than status.capacity";
        causes.push(Cause::forbidden("spec.resources.requests.storage", detail));
    } else if storage(new) > storage(old) && old["status"]["phase"] != "Bound" {
        let detail =
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
        causes.push(Cause::forbidden("spec", detail));
    }
}

fn stateful_set(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    const FREE: &[&str] = &[
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    ];
    let fixed = |set: &Value| {
        let mut spec = set["spec"].as_object().cloned().unwrap_or_default();
        spec.retain(|name, _| !FREE.contains(&name.as_str()));
        spec
    };
    if fixed(old) != fixed(new) {
        let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        causes.push(Cause::forbidden("spec", detail));
    }
}

/// A pod may change images, its deadline, grace for termination and, by additions, its tolerations.
fn pod(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    let fixed = |pod: &Value| {
        let mut spec = pod["spec"].clone();
        for list in ["containers", "initContainers"] {
            for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(container) = container.as_object_mut() {
                    container.shift_remove("image");
                }
            }
        }
        if let Some(spec) = spec.as_object_mut() {
            for name in ["activeDeadlineSeconds", "terminationGracePeriodSeconds", "tolerations", "schedulingGates"] {
                spec.shift_remove(name);
            }
        }
        spec
    };
    if fixed(old) != fixed(new) {
        let detail = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
        causes.push(Cause::forbidden("spec", detail));
    }
}
