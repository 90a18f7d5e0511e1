//! The status that a kubelet writes for where a pod stands.

use super::{Run, Step};
use crate::kubernetes::{Cluster, object, resource::known, store::Shared};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Marks a pod on a dead node.
pub(super) fn lose_sight(cluster: &mut Cluster, pod: &Shared, now: Timestamp) {
    if object::has_condition(pod, "Ready") {
        let mut next = pod.copy();
        object::set_condition(&mut next, "Ready", false, ("NodeNotReady", ""), now);
        cluster.write(known("", "pods"), pod, next);
    }
}

fn containers(pod: &Value, run: &Run, state: &Value, ready: bool) -> Value {
    let of = |one: &Value| {
        json!({
            "name": one["name"], "image": one["image"], "imageID": "", "ready": ready, "started": ready,
            "restartCount": run.restarts, "state": state, "lastState": {},
        })
    };
    object::list(pod, "/spec/containers").iter().map(of).collect()
}

fn started_at(pod: &Value) -> &Value {
    pod.pointer("/status/containerStatuses/0/state/running/startedAt").unwrap_or(&Value::Null)
}

/// Writes the status of a pod that is not over.
pub(super) fn show(cluster: &mut Cluster, pod: &Shared, run: &Run, now: Timestamp) {
    let inits = object::list(pod, "/spec/initContainers").len();
    let running = matches!(run.step, Step::Running { init, .. } if init >= inits);
    let mut next = pod.copy();
    let node = cluster.store.get(known("", "nodes"), "", object::text(pod, "/spec/nodeName"));
    let address =
        node.and_then(|node| object::list(node, "/status/addresses").iter().find(|one| one["type"] == "InternalIP"));
    let address = address.map_or("10.0.0.10", |one| object::text(one, "/address")).to_owned();
    let own = if pod["spec"]["hostNetwork"] == true { address.clone() } else { pod_address(object::uid(pod)) };
    let state = if running {
        let earlier = started_at(pod).clone();
        json!({"running": {"startedAt": if earlier.is_string() { earlier } else { object::time(now).into() }}})
    } else {
        let reason = match run.step {
            Step::Running { .. } => "PodInitializing",
            Step::Waiting { .. } => "CrashLoopBackOff",
            _ => "ContainerCreating",
        };
        json!({"waiting": {"reason": reason}})
    };
    let was_up = matches!(run.step, Step::Waiting { init, .. } if init >= inits);
    object::put(&mut next, "/status/phase", if running || was_up { "Running" } else { "Pending" });
    object::put_default(&mut next, "/status/startTime", object::time(now));
    object::put(&mut next, "/status/hostIP", address);
    if !matches!(run.step, Step::Mounting { .. }) {
        object::put(&mut next, "/status/podIP", own.clone());
        object::put(&mut next, "/status/podIPs", json!([{"ip": own}]));
    }
    next["status"]["containerStatuses"] = containers(pod, run, &state, running);
    let names = object::list(pod, "/spec/containers").iter().map(|one| object::text(one, "/name"));
    let why = format!("containers with unready status: [{}]", names.collect::<Vec<_>>().join(" "));
    object::set_condition(&mut next, "Initialized", inits == 0 || running || was_up, ("", ""), now);
    for kind in ["Ready", "ContainersReady"] {
        let words = if running { ("", "") } else { ("ContainersNotReady", why.as_str()) };
        object::set_condition(&mut next, kind, running, words, now);
    }
    cluster.write(known("", "pods"), pod, next);
}

/// Writes the last status of a pod whose programs ended.
pub(super) fn finish(cluster: &mut Cluster, pod: &Shared, run: &Run, exit: i64, now: Timestamp) {
    let mut next = pod.copy();
    object::put(&mut next, "/status/phase", if exit == 0 { "Succeeded" } else { "Failed" });
    let reason = if exit == 0 { "Completed" } else { "Error" };
    let state = json!({"terminated": {
        "exitCode": exit, "reason": reason, "startedAt": started_at(pod), "finishedAt": object::time(now),
    }});
    next["status"]["containerStatuses"] = containers(pod, run, &state, false);
    for kind in ["Ready", "ContainersReady"] {
        let reason = if exit == 0 { "PodCompleted" } else { "PodFailed" };
        object::set_condition(&mut next, kind, false, (reason, ""), now);
    }
    cluster.write(known("", "pods"), pod, next);
}

/// An address in the VPC's secondary range, made of the pod's uid.
fn pod_address(uid: &str) -> String {
    let number = u16::from_str_radix(uid.get(..4).unwrap_or_default(), 16).unwrap_or(0);
    format!("100.64.{}.{}", number >> 8, number & 0xff)
}
