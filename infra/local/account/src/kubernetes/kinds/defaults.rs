//! Defaults that Kubernetes fills in code (`pkg/apis/*/v1/defaults.go`), kind by kind.

use super::pods;
use crate::kubernetes::{object::put_default, resource::Resource};
use serde_json::{Value, json};

/// Fills what the body left out.
pub(in crate::kubernetes) fn fill(resource: &Resource, value: &mut Value) {
    if resource.custom.is_some() {
        return;
    }
    match resource.plural.as_str() {
        "pods" => pods::fill(entry(value, "spec")),
        "deployments" => deployment(value),
        "replicasets" => {
            put_default(value, "/spec/replicas", 1);
            labels_from_template(value);
            pods::fill_template(value, "/spec/template");
        }
        "daemonsets" => daemon_set(value),
        "statefulsets" => stateful_set(value),
        "jobs" => job(entry(value, "spec")),
        "cronjobs" => {
            put_default(value, "/spec/concurrencyPolicy", "Allow");
            put_default(value, "/spec/suspend", false);
            put_default(value, "/spec/successfulJobsHistoryLimit", 3);
            put_default(value, "/spec/failedJobsHistoryLimit", 1);
            job(entry(entry(entry(value, "spec"), "jobTemplate"), "spec"));
        }
        "services" => service(value),
        "namespaces" => {
            let name = value["metadata"]["name"].clone();
            entry(value, "metadata")["labels"]["kubernetes.io/metadata.name"] = name;
            put_default(value, "/spec/finalizers", json!(["kubernetes"]));
        }
        "secrets" => {
            put_default(value, "/type", "Opaque");
            string_data(value);
        }
        "persistentvolumes" => {
            put_default(value, "/spec/persistentVolumeReclaimPolicy", "Retain");
            put_default(value, "/spec/volumeMode", "Filesystem");
        }
        "persistentvolumeclaims" => put_default(value, "/spec/volumeMode", "Filesystem"),
        "storageclasses" => {
            put_default(value, "/reclaimPolicy", "Delete");
            put_default(value, "/volumeBindingMode", "Immediate");
        }
        "csidrivers" => csi_driver(value),
        "priorityclasses" => put_default(value, "/preemptionPolicy", "PreemptLowerPriority"),
        "clusterrolebindings" | "rolebindings" => binding(value),
        "mutatingwebhookconfigurations" | "validatingwebhookconfigurations" => webhooks(resource, value),
        "customresourcedefinitions" => custom_resource_definition(value),
        "horizontalpodautoscalers" => put_default(value, "/spec/minReplicas", 1),
        "endpointslices" => ports(value["ports"].as_array_mut()),
        _ => {}
    }
}

fn entry<'a>(value: &'a mut Value, name: &str) -> &'a mut Value {
    crate::kubernetes::object::entry(value, &format!("/{name}"))
}

fn labels_from_template(value: &mut Value) {
    let labels = value["spec"]["template"]["metadata"]["labels"].clone();
    if labels.is_object() {
        put_default(value, "/metadata/labels", labels);
    }
}

fn deployment(value: &mut Value) {
    put_default(value, "/spec/replicas", 1);
    put_default(value, "/spec/revisionHistoryLimit", 10);
    put_default(value, "/spec/progressDeadlineSeconds", 600);
    put_default(value, "/spec/strategy/type", "RollingUpdate");
    if value["spec"]["strategy"]["type"] == "RollingUpdate" {
        put_default(value, "/spec/strategy/rollingUpdate/maxUnavailable", "25%");
        put_default(value, "/spec/strategy/rollingUpdate/maxSurge", "25%");
    }
    pods::fill_template(value, "/spec/template");
}

fn daemon_set(value: &mut Value) {
    put_default(value, "/spec/revisionHistoryLimit", 10);
    put_default(value, "/spec/updateStrategy/type", "RollingUpdate");
    if value["spec"]["updateStrategy"]["type"] == "RollingUpdate" {
        put_default(value, "/spec/updateStrategy/rollingUpdate/maxUnavailable", 1);
        put_default(value, "/spec/updateStrategy/rollingUpdate/maxSurge", 0);
    }
    pods::fill_template(value, "/spec/template");
}

fn stateful_set(value: &mut Value) {
    put_default(value, "/spec/replicas", 1);
    put_default(value, "/spec/revisionHistoryLimit", 10);
    put_default(value, "/spec/podManagementPolicy", "OrderedReady");
    put_default(value, "/spec/updateStrategy/type", "RollingUpdate");
    if value["spec"]["updateStrategy"]["type"] == "RollingUpdate" {
        put_default(value, "/spec/updateStrategy/rollingUpdate/partition", 0);
    }
    put_default(
        value,
        "/spec/persistentVolumeClaimRetentionPolicy",
        json!({"whenDeleted": "Retain", "whenScaled": "Retain"}),
    );
    for claim in value["spec"]["volumeClaimTemplates"].as_array_mut().into_iter().flatten() {
        put_default(claim, "/apiVersion", "v1");
        put_default(claim, "/kind", "PersistentVolumeClaim");
        put_default(claim, "/spec/volumeMode", "Filesystem");
        put_default(claim, "/status/phase", "Pending");
    }
    pods::fill_template(value, "/spec/template");
}

fn job(spec: &mut Value) {
    if spec["completions"].is_null() && spec["parallelism"].is_null() {
        put_default(spec, "/completions", 1);
    }
    put_default(spec, "/parallelism", 1);
    put_default(spec, "/backoffLimit", if spec["backoffLimitPerIndex"].is_null() { 6 } else { i32::MAX });
    put_default(spec, "/completionMode", "NonIndexed");
    put_default(spec, "/suspend", false);
    let replacement = if spec["podFailurePolicy"].is_null() { "TerminatingOrFailed" } else { "Failed" };
    put_default(spec, "/podReplacementPolicy", replacement);
    put_default(spec, "/manualSelector", Value::Null);
    if let Some(spec) = spec.as_object_mut() {
        spec.retain(|_, value| !value.is_null());
    }
    pods::fill_template(spec, "/template");
}

fn service(value: &mut Value) {
    put_default(value, "/spec/type", "ClusterIP");
    put_default(value, "/spec/sessionAffinity", "None");
    put_default(value, "/spec/internalTrafficPolicy", "Cluster");
    if value["spec"]["sessionAffinity"] == "ClientIP" {
        put_default(value, "/spec/sessionAffinityConfig/clientIP/timeoutSeconds", 10800);
    }
    let external = matches!(value["spec"]["type"].as_str(), Some("NodePort" | "LoadBalancer"));
    if external {
        put_default(value, "/spec/externalTrafficPolicy", "Cluster");
    }
    if value["spec"]["type"] == "LoadBalancer" {
        put_default(value, "/spec/allocateLoadBalancerNodePorts", true);
    }
    if value["spec"]["type"] != "ExternalName" {
        put_default(value, "/spec/ipFamilyPolicy", "SingleStack");
        put_default(value, "/spec/ipFamilies", json!(["IPv4"]));
    }
    for port in value["spec"]["ports"].as_array_mut().into_iter().flatten() {
        put_default(port, "/protocol", "TCP");
        let target = port["port"].clone();
        put_default(port, "/targetPort", target);
    }
}

fn ports(ports: Option<&mut Vec<Value>>) {
    for port in ports.into_iter().flatten() {
        put_default(port, "/protocol", "TCP");
        put_default(port, "/name", "");
    }
}

/// `stringData` is written for people and kept as `data`.
fn string_data(value: &mut Value) {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let Some(Value::Object(plain)) = value.as_object_mut().and_then(|secret| secret.shift_remove("stringData")) else {
        return;
    };
    for (name, text) in plain {
        let encoded = STANDARD.encode(text.as_str().unwrap_or_default());
        entry(value, "data")[name] = encoded.into();
    }
}

fn csi_driver(value: &mut Value) {
    for (field, default) in [
        ("attachRequired", json!(true)),
        ("podInfoOnMount", json!(false)),
        ("storageCapacity", json!(false)),
        ("fsGroupPolicy", json!("ReadWriteOnceWithFSType")),
        ("volumeLifecycleModes", json!(["Persistent"])),
        ("requiresRepublish", json!(false)),
        ("seLinuxMount", json!(false)),
    ] {
        put_default(value, &format!("/spec/{field}"), default);
    }
}

fn binding(value: &mut Value) {
    put_default(value, "/roleRef/apiGroup", "rbac.authorization.k8s.io");
    let namespace = value["metadata"]["namespace"].clone();
    for subject in value["subjects"].as_array_mut().into_iter().flatten() {
        match subject["kind"].as_str() {
            Some("User" | "Group") => put_default(subject, "/apiGroup", "rbac.authorization.k8s.io"),
            Some("ServiceAccount") if namespace.is_string() => put_default(subject, "/namespace", namespace.clone()),
            _ => {}
        }
    }
}

fn webhooks(resource: &Resource, value: &mut Value) {
    for hook in value["webhooks"].as_array_mut().into_iter().flatten() {
        put_default(hook, "/failurePolicy", "Fail");
        put_default(hook, "/matchPolicy", "Equivalent");
        put_default(hook, "/namespaceSelector", json!({}));
        put_default(hook, "/objectSelector", json!({}));
        put_default(hook, "/timeoutSeconds", 10);
        if resource.plural.starts_with("mutating") {
            put_default(hook, "/reinvocationPolicy", "Never");
        }
        for rule in hook["rules"].as_array_mut().into_iter().flatten() {
            put_default(rule, "/scope", "*");
        }
        if hook["clientConfig"]["service"].is_object() {
            put_default(hook, "/clientConfig/service/port", 443);
        }
    }
}

fn custom_resource_definition(value: &mut Value) {
    put_default(value, "/spec/conversion/strategy", "None");
    let kind = value["spec"]["names"]["kind"].as_str().unwrap_or_default().to_owned();
    put_default(value, "/spec/names/singular", kind.to_lowercase());
    put_default(value, "/spec/names/listKind", format!("{kind}List"));
}
