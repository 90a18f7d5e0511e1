//! Defaults of pods and of the templates that make them.

use crate::kubernetes::object::{entry, put_default};
use serde_json::{Value, json};

/// Fills a pod template at `pointer`.
pub(super) fn fill_template(value: &mut Value, pointer: &str) {
    let template = entry(value, pointer);
    put_default(template, "/metadata", json!({}));
    fill(entry(template, "/spec"));
}

/// Fills a pod's spec (`SetDefaults_PodSpec`, `SetDefaults_Container` …).
pub(super) fn fill(spec: &mut Value) {
    put_default(spec, "/restartPolicy", "Always");
    put_default(spec, "/terminationGracePeriodSeconds", 30);
    put_default(spec, "/dnsPolicy", "ClusterFirst");
    if spec["serviceAccountName"].is_string() {
        let account = spec["serviceAccountName"].clone();
        put_default(spec, "/serviceAccount", account);
    }
    put_default(spec, "/securityContext", json!({}));
    put_default(spec, "/schedulerName", "default-scheduler");
    let host_network = spec["hostNetwork"] == true;
    for list in ["initContainers", "containers"] {
        for each in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            container(each, host_network);
        }
    }
    for volume in spec.get_mut("volumes").and_then(Value::as_array_mut).into_iter().flatten() {
        self::volume(volume);
    }
}

fn container(container: &mut Value, host_network: bool) {
    for port in container.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        put_default(port, "/protocol", "TCP");
        if host_network {
            let number = port["containerPort"].clone();
            put_default(port, "/hostPort", number);
        }
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if container[probe].is_object() {
            self::probe(&mut container[probe]);
        }
    }
    if container.get("resources").is_none_or(Value::is_null) {
        container["resources"] = json!({});
    }
    requests_from_limits(&mut container["resources"]);
    put_default(container, "/terminationMessagePath", "/dev/termination-log");
    put_default(container, "/terminationMessagePolicy", "File");
    let image = container["image"].as_str().unwrap_or_default();
    let tag = image.rsplit('/').next().and_then(|last| last.split_once(':')).map(|(_, tag)| tag);
    let moving = !image.contains('@') && matches!(tag, None | Some("latest"));
    put_default(container, "/imagePullPolicy", if moving { "Always" } else { "IfNotPresent" });
    for variable in container.get_mut("env").and_then(Value::as_array_mut).into_iter().flatten() {
        if variable["valueFrom"]["fieldRef"].is_object() {
            put_default(variable, "/valueFrom/fieldRef/apiVersion", "v1");
        }
    }
}

/// A limit without a request is the request too.
fn requests_from_limits(resources: &mut Value) {
    let Some(limits) = resources["limits"].as_object().cloned() else { return };
    for (name, amount) in limits {
        let requests = entry(resources, "/requests");
        if requests[&name].is_null() {
            requests[&name] = amount;
        }
    }
}

fn probe(probe: &mut Value) {
    put_default(probe, "/timeoutSeconds", 1);
    put_default(probe, "/periodSeconds", 10);
    put_default(probe, "/successThreshold", 1);
    put_default(probe, "/failureThreshold", 3);
    if probe["httpGet"].is_object() {
        put_default(probe, "/httpGet/path", "/");
        put_default(probe, "/httpGet/scheme", "HTTP");
    }
}

fn volume(volume: &mut Value) {
    for kind in ["secret", "configMap", "projected", "downwardAPI"] {
        if volume[kind].is_object() {
            put_default(volume, &format!("/{kind}/defaultMode"), 420);
        }
    }
    if volume["hostPath"].is_object() {
        put_default(volume, "/hostPath/type", "");
    }
    let sources = volume.as_object().map_or(0, |members| members.values().filter(|one| !one.is_null()).count());
    if sources == 1 {
        volume["emptyDir"] = json!({});
    }
    if let Some(members) = volume.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
}
