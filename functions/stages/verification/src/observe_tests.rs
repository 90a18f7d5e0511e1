//! Where parts run, over pods and their owners that are values.

use super::*;
use kubernetes::{Controller, PodPhase, Readiness};

const PLUGIN: &str = "nvcr.io/nvidia/k8s-device-plugin:v0.17.1";

fn workload(kind: WorkloadKind, name: &str, uid: &str) -> Workload {
    Workload {
        kind,
        namespace: "kube-system".to_owned(),
        name: name.to_owned(),
        uid: uid.to_owned(),
        labels: BTreeMap::new(),
        images: vec![PLUGIN.to_owned()],
        readiness: Readiness { wanted: 1, updated: 1, ready: 1, current: true },
    }
}

fn controlled_by(kind: &str, name: &str, uid: &str) -> Option<Controller> {
    Some(Controller { kind: kind.to_owned(), name: name.to_owned(), uid: uid.to_owned() })
}

/// A ready pod on a node of its own, which is called as the pod is.
fn pod(name: &str, controller: Option<Controller>) -> Pod {
    Pod {
        namespace: "kube-system".to_owned(),
        name: name.to_owned(),
        uid: name.to_owned(),
        labels: BTreeMap::new(),
        controller,
        node: Some(name.to_owned()),
        phase: PodPhase::Running,
        ready: true,
        message: String::new(),
    }
}

fn plugin_runs_on(pods: &[Pod], workload: Workload, replica_sets: &[ReplicaSet]) -> Vec<String> {
    let mut running = running(pods, &[workload], replica_sets);
    running.remove(&Part::NvidiaDevicePlugin).unwrap_or_default().into_iter().collect()
}

#[test]
fn a_pod_counts_for_the_daemon_set_that_controls_it_whatever_its_name_begins_with() {
    let pods = [
        pod("plugin-abcde", controlled_by("DaemonSet", "plugin", "1")),
        pod("plugin-mig-abcde", controlled_by("DaemonSet", "plugin-mig", "2")),
        pod("plugin-by-hand", None),
        pod("plugin-of-before", controlled_by("DaemonSet", "plugin", "0")),
    ];
    assert_eq!(plugin_runs_on(&pods, workload(WorkloadKind::DaemonSet, "plugin", "1"), &[]), ["plugin-abcde"]);
}

#[test]
fn a_pod_of_a_deployment_is_known_through_its_replica_set() {
    let pods = [
        pod("plugin-5d4f-abcde", controlled_by("ReplicaSet", "plugin-5d4f", "set-1")),
        pod("plugin-6e7a-abcde", controlled_by("ReplicaSet", "plugin-6e7a", "set-2")),
        pod("plugin-7c8b-abcde", controlled_by("ReplicaSet", "plugin-7c8b", "set-3")),
    ];
    let sets = [
        ReplicaSet { uid: "set-1".to_owned(), controller: controlled_by("Deployment", "plugin", "1") },
        ReplicaSet { uid: "set-2".to_owned(), controller: controlled_by("Deployment", "plugin-6e7a", "2") },
        ReplicaSet { uid: "set-3".to_owned(), controller: None },
    ];
    let deployment = workload(WorkloadKind::Deployment, "plugin", "1");
    assert_eq!(plugin_runs_on(&pods, deployment, &sets), ["plugin-5d4f-abcde"]);
}
