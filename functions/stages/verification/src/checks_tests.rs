//! The checks over nodes that are values.

use super::*;
use crate::change::Change;
use domain::{codes::ErrorCode, states::WaitingOn};
use engine::{
    ledger::Ledger,
    plan::{End, Step},
};
use records::records;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn node(instance_type: &str, allocatable: &[(&str, &str)]) -> Node {
    let texts = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let labels = [
        ("sagemaker.amazonaws.com/compute-type", "hyperpod"),
        ("sagemaker.amazonaws.com/instance-group-name", "workers"),
        ("node.kubernetes.io/instance-type", instance_type),
        (HEALTH, "Schedulable"),
    ];
    Node {
        name: "hyperpod-i-1".to_owned(),
        labels: texts(&labels),
        taints: Vec::new(),
        allocatable: texts(allocatable),
        ready: true,
        unschedulable: false,
        kubelet_version: String::new(),
    }
}

fn world(node: Node) -> Observed {
    let on = BTreeSet::from([node.name.clone()]);
    Observed {
        wanted: BTreeMap::from([("workers".to_owned(), 1)]),
        nodes: vec![node],
        running: BTreeMap::from([(Part::HealthMonitoringAgent, on)]),
        agent_available: true,
        claim_bound: None,
        ..Observed::default()
    }
}

fn checked(observed: &Observed) -> Vec<Check> {
    let (cluster, operation) = records(&Value::Null);
    let now = "2026-12-01T09:00:00Z".parse().unwrap();
    all(Scene { cluster: &cluster, operation: &operation, ledger: &Ledger::default(), began_at: now, now }, observed)
}

fn check(observed: &Observed, name: &str) -> Check {
    checked(observed).into_iter().find(|check| check.name == name).unwrap()
}

const P5: &str = "ml.p5.48xlarge";
const WHOLE_P5: [(&str, &str); 3] = [("cpu", "191450m"), ("nvidia.com/gpu", "8"), ("vpc.amazonaws.com/efa", "32")];

#[test]
fn a_whole_node_passes_with_its_figures() {
    let observed = world(node(P5, &WHOLE_P5));
    for name in ["nodes", "gpus", "efaInterfaces", "vcpus", "healthMonitoringAgent", "healthLabels"] {
        assert_eq!(check(&observed, name).status, Status::Pass, "{name}");
    }
    assert_eq!(check(&observed, "gpus").figure, "8 of 8 nvidia.com/gpu allocatable");
    assert!(check(&observed, "neuronCores").figure.starts_with("not required"));
}

#[test]
fn br_037_a_missing_efa_plugin_is_red_with_the_group_and_not_required_on_cpu_nodes() {
    // Field report BR-037.
    let red = check(&world(node(P5, &WHOLE_P5[..2])), "efaInterfaces");
    assert_eq!(red.status, Status::Fail);
    assert!(red.figure.contains("workers") && red.fix.contains("aws-efa-k8s-device-plugin"), "{red:?}");
    let cpu = check(&world(node("ml.m5.2xlarge", &[("cpu", "7910m")])), "efaInterfaces");
    assert_eq!(cpu.status, Status::Pass);
}

#[test]
fn half_the_vcpus_are_one_thread_per_core_and_less_is_red() {
    let halved = [("cpu", "95690m"), ("nvidia.com/gpu", "8"), ("vpc.amazonaws.com/efa", "32")];
    let passed = check(&world(node(P5, &halved)), "vcpus");
    assert_eq!(passed.status, Status::Pass, "{passed:?}");
    assert!(passed.figure.contains("1 of them with one thread"), "{passed:?}");
    assert_eq!(check(&world(node(P5, &[("cpu", "60")])), "vcpus").status, Status::Fail);
}

#[test]
fn a_missing_health_label_is_unknown_on_a_gpu_node_and_nothing_on_a_cpu_node() {
    let mut gpu = node(P5, &WHOLE_P5);
    gpu.labels.remove(HEALTH);
    assert_eq!(check(&world(gpu), "healthLabels").status, Status::Unknown);
    let mut cpu = node("ml.m5.2xlarge", &[("cpu", "7910m")]);
    cpu.labels.remove(HEALTH);
    assert_eq!(check(&world(cpu), "healthLabels").status, Status::Pass);
}

#[test]
fn a_fault_is_named_with_its_node() {
    let mut faulty = node(P5, &WHOLE_P5);
    faulty.labels.insert(FAULTS[0].to_owned(), "NvidiaErrorTerminate".to_owned());
    let red = check(&world(faulty), "healthLabels");
    assert_eq!(red.status, Status::Fail);
    assert!(red.figure.contains("hyperpod-i-1 NvidiaErrorTerminate"), "{red:?}");
}

#[test]
fn hardware_that_is_not_in_the_catalogue_stays_unknown() {
    assert_eq!(check(&world(node("ml.p9.48xlarge", &[])), "gpus").status, Status::Unknown);
}

#[test]
fn red_checks_fail_with_every_fix_and_a_missing_claim_is_not_waited_for() {
    let mut observed = world(node(P5, &WHOLE_P5));
    observed.checks = checked(&observed);
    let (cluster, operation) = records(&Value::Null);
    let now = "2026-12-01T09:00:00Z".parse().unwrap();
    let ledger = Ledger::default();
    let scene = Scene { cluster: &cluster, operation: &operation, ledger: &ledger, began_at: now, now };
    let End::Failed(failure) = crate::plan::plan(scene, &observed).end else { unreachable!() };
    assert_eq!(failure.code, ErrorCode::DependencyNotReady);
    assert!(failure.message.contains("s3-claim") && failure.action.contains("storage stage"), "{failure:?}");
    observed.claim_bound = Some(true);
    observed.checks = checked(&observed);
    let steps = crate::plan::plan(scene, &observed).steps;
    assert!(matches!(steps[0], Step::Change(Change::Read(_))), "{steps:#?}");
    assert!(matches!(&steps[1], Step::Wait(wait) if wait.on == WaitingOn::Nodes && wait.failure.is_some()));
}
