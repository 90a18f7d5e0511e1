//! Lists as tables, for people who read them with kubectl.

use super::{object, resource::Resource};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Whether the client asks for a table first.
pub(super) fn is_wanted(accept: Option<&str>) -> bool {
    accept.unwrap_or_default().split(',').next().is_some_and(|first| first.contains("as=Table"))
}

type Cell = fn(&Value) -> Value;

/// Columns between Name and Age: title, type, whether only wide output shows it, content.
fn columns(resource: &Resource) -> Vec<(&'static str, &'static str, bool, Cell)> {
    match resource.plural.as_str() {
        "pods" => vec![
            ("Ready", "string", false, |pod| ready_containers(pod).into()),
            ("Status", "string", false, |pod| pod_status(pod).into()),
            ("Restarts", "string", false, |pod| restarts(pod).into()),
            ("IP", "string", true, |pod| or_none(object::text(pod, "/status/podIP"))),
            ("Node", "string", true, |pod| or_none(object::text(pod, "/spec/nodeName"))),
        ],
        "nodes" => vec![
            ("Status", "string", false, |node| node_status(node).into()),
            ("Roles", "string", false, |_| "<none>".into()),
            ("Version", "string", false, |node| object::text(node, "/status/nodeInfo/kubeletVersion").into()),
        ],
        "deployments" => vec![
            ("Ready", "string", false, |one| ready_of(one, "/status/readyReplicas", "/spec/replicas").into()),
            ("Up-to-date", "integer", false, |one| count(one, "/status/updatedReplicas")),
            ("Available", "integer", false, |one| count(one, "/status/availableReplicas")),
        ],
        "statefulsets" => {
            vec![("Ready", "string", false, |one| ready_of(one, "/status/readyReplicas", "/spec/replicas").into())]
        }
        "replicasets" => vec![
            ("Desired", "integer", false, |one| count(one, "/spec/replicas")),
            ("Current", "integer", false, |one| count(one, "/status/replicas")),
            ("Ready", "integer", false, |one| count(one, "/status/readyReplicas")),
        ],
        "daemonsets" => vec![
            ("Desired", "integer", false, |one| count(one, "/status/desiredNumberScheduled")),
            ("Current", "integer", false, |one| count(one, "/status/currentNumberScheduled")),
            ("Ready", "integer", false, |one| count(one, "/status/numberReady")),
            ("Up-to-date", "integer", false, |one| count(one, "/status/updatedNumberScheduled")),
            ("Available", "integer", false, |one| count(one, "/status/numberAvailable")),
        ],
        "jobs" => vec![
            ("Status", "string", false, |job| job_status(job).into()),
            ("Completions", "string", false, |job| ready_of(job, "/status/succeeded", "/spec/completions").into()),
        ],
        "persistentvolumeclaims" => vec![
            ("Status", "string", false, |one| object::text(one, "/status/phase").into()),
            ("Volume", "string", false, |one| object::text(one, "/spec/volumeName").into()),
            ("Capacity", "string", false, |one| object::text(one, "/status/capacity/storage").into()),
            ("Access Modes", "string", false, |one| modes(one).into()),
            ("StorageClass", "string", false, |one| object::text(one, "/spec/storageClassName").into()),
        ],
        "persistentvolumes" => vec![
            ("Capacity", "string", false, |one| object::text(one, "/spec/capacity/storage").into()),
            ("Access Modes", "string", false, |one| modes(one).into()),
            ("Reclaim Policy", "string", false, |one| object::text(one, "/spec/persistentVolumeReclaimPolicy").into()),
            ("Status", "string", false, |one| object::text(one, "/status/phase").into()),
            ("Claim", "string", false, |one| claim(one).into()),
            ("StorageClass", "string", false, |one| object::text(one, "/spec/storageClassName").into()),
        ],
        "services" => vec![
            ("Type", "string", false, |one| object::text(one, "/spec/type").into()),
            ("Cluster-IP", "string", false, |one| object::text(one, "/spec/clusterIP").into()),
        ],
        "namespaces" => vec![("Status", "string", false, |one| object::text(one, "/status/phase").into())],
        "secrets" => vec![
            ("Type", "string", false, |one| object::text(one, "/type").into()),
            ("Data", "integer", false, |one| one["data"].as_object().map_or(0, serde_json::Map::len).into()),
        ],
        "configmaps" => {
            vec![("Data", "integer", false, |one| one["data"].as_object().map_or(0, serde_json::Map::len).into())]
        }
        _ => Vec::new(),
    }
}

fn event_row(event: &Value, now: Option<Timestamp>) -> Vec<Value> {
    let about = &event["involvedObject"];
    let kind = object::text(about, "/kind").to_lowercase();
    vec![
        age(object::text(event, "/lastTimestamp"), now).into(),
        event["type"].clone(),
        event["reason"].clone(),
        format!("{kind}/{}", object::text(about, "/name")).into(),
        event["message"].clone(),
        event["metadata"]["name"].clone(),
    ]
}

/// A table of `values`; `list` gives its metadata.
pub(super) fn of(resource: &Resource, values: &[&Value], list: &Value, now: Option<Timestamp>) -> Value {
    let column = |name: &str, kind: &str, wide: bool| {
        let format = if name == "Name" { "name" } else { "" };
        json!({"name": name, "type": kind, "format": format, "description": "", "priority": i32::from(wide)})
    };
    let is_event = resource.plural == "events" && !resource.is_newer_event();
    let extra = columns(resource);
    let mut titles = Vec::new();
    if is_event {
        let names = ["Last Seen", "Type", "Reason", "Object", "Message"];
        titles.extend(names.map(|name| column(name, "string", false)));
        titles.push(column("Name", "string", true));
    } else {
        titles.push(column("Name", "string", false));
        titles.extend(extra.iter().filter(|one| !one.2).map(|one| column(one.0, one.1, false)));
        titles.push(column("Age", "string", false));
        titles.extend(extra.iter().filter(|one| one.2).map(|one| column(one.0, one.1, true)));
    }
    let row = |value: &&Value| {
        let cells = if is_event {
            event_row(value, now)
        } else {
            let mut cells = vec![value["metadata"]["name"].clone()];
            cells.extend(extra.iter().filter(|one| !one.2).map(|one| one.3(value)));
            cells.push(age(object::text(value, "/metadata/creationTimestamp"), now).into());
            cells.extend(extra.iter().filter(|one| one.2).map(|one| one.3(value)));
            cells
        };
        let object =
            json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": value["metadata"]});
        json!({"cells": cells, "object": object})
    };
    let metadata = &list["metadata"];
    let mut kept = json!({"resourceVersion": metadata["resourceVersion"]});
    for name in ["continue", "remainingItemCount"] {
        if !metadata[name].is_null() {
            kept[name] = metadata[name].clone();
        }
    }
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": kept, "columnDefinitions": titles,
        "rows": values.iter().map(row).collect::<Vec<_>>(),
    })
}

/// How long ago, as kubectl says it.
fn age(since: &str, now: Option<Timestamp>) -> String {
    let (Some(now), Ok(since)) = (now, since.parse::<Timestamp>()) else { return "<unknown>".to_owned() };
    let seconds = now.duration_since(since).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..600 => match seconds % 60 {
            0 => format!("{}m", seconds / 60),
            rest => format!("{}m{rest}s", seconds / 60),
        },
        600..10_800 => format!("{}m", seconds / 60),
        10_800..28_800 => match seconds / 60 % 60 {
            0 => format!("{}h", seconds / 3600),
            rest => format!("{}h{rest}m", seconds / 3600),
        },
        28_800..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

fn or_none(text: &str) -> Value {
    if text.is_empty() { "<none>".into() } else { text.into() }
}

fn count(value: &Value, pointer: &str) -> Value {
    object::number(value, pointer).unwrap_or(0).into()
}

fn ready_of(value: &Value, ready: &str, wanted: &str) -> String {
    format!("{}/{}", object::number(value, ready).unwrap_or(0), object::number(value, wanted).unwrap_or(0))
}

fn ready_containers(pod: &Value) -> String {
    let ready = object::list(pod, "/status/containerStatuses").iter().filter(|one| one["ready"] == true).count();
    format!("{ready}/{}", object::list(pod, "/spec/containers").len())
}

fn restarts(pod: &Value) -> String {
    let counts = object::list(pod, "/status/containerStatuses").iter().filter_map(|one| one["restartCount"].as_i64());
    counts.sum::<i64>().to_string()
}

fn pod_status(pod: &Value) -> String {
    if object::is_terminating(pod) {
        return "Terminating".to_owned();
    }
    let states = object::list(pod, "/status/containerStatuses").iter().map(|one| &one["state"]);
    for state in states {
        for part in ["waiting", "terminated"] {
            if let Some(reason) = state[part]["reason"].as_str() {
                return reason.to_owned();
            }
        }
    }
    match object::text(pod, "/status/reason") {
        "" => object::text(pod, "/status/phase").to_owned(),
        reason => reason.to_owned(),
    }
}

fn node_status(node: &Value) -> String {
    let ready = if object::has_condition(node, "Ready") { "Ready" } else { "NotReady" };
    let cordoned = if node["spec"]["unschedulable"] == true { ",SchedulingDisabled" } else { "" };
    format!("{ready}{cordoned}")
}

fn job_status(job: &Value) -> &'static str {
    if object::has_condition(job, "Complete") {
        "Complete"
    } else if object::has_condition(job, "Failed") {
        "Failed"
    } else if job["spec"]["suspend"] == true {
        "Suspended"
    } else {
        "Running"
    }
}

fn modes(value: &Value) -> String {
    let short = |mode: &Value| match mode.as_str() {
        Some("ReadWriteOnce") => "RWO",
        Some("ReadOnlyMany") => "ROX",
        Some("ReadWriteMany") => "RWX",
        _ => "RWOP",
    };
    object::list(value, "/spec/accessModes").iter().map(short).collect::<Vec<_>>().join(",")
}

fn claim(volume: &Value) -> String {
    match (object::text(volume, "/spec/claimRef/namespace"), object::text(volume, "/spec/claimRef/name")) {
        (_, "") => String::new(),
        (namespace, name) => format!("{namespace}/{name}"),
    }
}
