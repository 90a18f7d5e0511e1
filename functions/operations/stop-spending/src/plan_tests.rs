//! What is stopped, and what is waited for.

use super::*;
use cloud::sagemaker::{Group, Network, Node};
use domain::status::{InstanceGroupStatus, NodeStatus};
use engine::{
    ledger::Ledger,
    record::{Cluster, Operation},
};
use jiff::Timestamp;
use std::collections::BTreeMap;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_796_000_000 + second).unwrap()
}

fn cluster() -> Cluster {
    serde_json::from_value(json!({
        "schema": 1, "id": "01KBXZ3V8Y0000000000000000", "tag": "demo",
        "target": {"account": "111122223333", "region": "us-west-2"},
        "decisions": {"tag": "demo", "region": "us-west-2"},
        "generation": 1, "version": 1, "createdAt": "2026-12-01T08:00:00Z", "createdBy": "x",
        "firstOperation": "01KBXZ3V8Y0000000000000001",
    }))
    .unwrap()
}

fn operation() -> Operation {
    serde_json::from_value(json!({
        "schema": 1, "id": "01KBXZ3V8Y0000000000000002", "kind": "stop_spending",
        "clusterId": "01KBXZ3V8Y0000000000000000", "clusterTag": "demo",
        "principal": {"id": "x", "agent": false}, "input": {}, "inputHash": "", "machine": "stop-spending",
        "lane": "cluster", "state": "running", "attempt": 1, "journalLength": 0, "version": 1, "nonce": "",
        "createdAt": "2026-12-01T08:00:00Z", "updatedAt": "2026-12-01T08:00:00Z",
    }))
    .unwrap()
}

fn planned(seen: &Observed, ledger: &Ledger, now: Timestamp) -> Plan<StopGroups> {
    let (cluster, operation) = (cluster(), operation());
    plan(Scene { cluster: &cluster, operation: &operation, ledger, began_at: now, now }, seen)
}

fn group(name: &str, target: u32) -> Group {
    Group {
        name: name.to_owned(),
        instance_type: "ml.g6.4xlarge".to_owned(),
        current: target,
        target,
        status: InstanceGroupStatus::InService,
        spot: false,
        training_plan: None,
        execution_role: String::new(),
        network: None,
        lifecycle: None,
        deep_checks: Vec::new(),
    }
}

fn attached(groups: Vec<Group>) -> Attached {
    Attached {
        arn: "arn:aws:sagemaker:us-west-2:111122223333:cluster/abcdefghijkl".to_owned(),
        name: "demo".to_owned(),
        status: HyperPodClusterStatus::InService,
        failure: String::new(),
        created_at: None,
        eks_arn: None,
        network: Network::default(),
        continuous: true,
        recovers: true,
        autoscaled: false,
        groups,
        restricted: Vec::new(),
    }
}

fn node(group: &str) -> Node {
    Node {
        group: group.to_owned(),
        logical_id: None,
        instance_id: Some("i-0123456789abcdef0".to_owned()),
        instance_type: "ml.g6.4xlarge".to_owned(),
        status: NodeStatus::Running,
        message: String::new(),
        launched_at: None,
    }
}

fn seen(groups: Vec<Group>, running: Vec<Node>) -> Observed {
    Observed { cluster: Some(attached(groups)), running, deep_checking: false }
}

fn waits_on(plan: &Plan<StopGroups>) -> Vec<WaitingOn> {
    let on = |step: &Step<StopGroups>| match step {
        Step::Wait(wait) => Some(wait.on),
        Step::Change(_) => None,
    };
    plan.steps.iter().filter_map(on).collect()
}

#[test]
fn every_group_that_wants_nodes_is_set_to_zero_in_one_update() {
    let seen = seen(vec![group("a", 2), group("b", 0), group("c", 1)], vec![node("a")]);
    let plan = planned(&seen, &Ledger::default(), at(0));
    let changes: Vec<&StopGroups> = plan.changes().collect();
    assert_eq!(changes[0].from, BTreeMap::from([("a".to_owned(), 2), ("c".to_owned(), 1)]));
    assert_eq!((changes.len(), waits_on(&plan)), (1, vec![WaitingOn::Nodes]));
}

#[test]
fn it_is_done_when_nothing_runs_and_not_when_the_update_was_taken() {
    let waiting = planned(&seen(vec![group("a", 0)], vec![node("a")]), &Ledger::default(), at(0));
    assert_eq!((waiting.keys().len(), waits_on(&waiting)), (0, vec![WaitingOn::Nodes]));
    let done = planned(&seen(vec![group("a", 0)], Vec::new()), &Ledger::default(), at(0));
    assert!(done.steps.is_empty() && matches!(&done.end, End::Done(outcome) if outcome["running"] == 0));
}

#[test]
fn no_hyperpod_cluster_is_done_at_once() {
    let plan = planned(&Observed::default(), &Ledger::default(), at(0));
    assert!(plan.steps.is_empty() && matches!(plan.end, End::Done(_)));
}

#[test]
fn deep_checks_are_waited_for_by_their_name_before_the_update() {
    let seen = Observed { deep_checking: true, ..seen(vec![group("a", 1)], vec![node("a")]) };
    assert_eq!(waits_on(&planned(&seen, &Ledger::default(), at(0)))[0], WaitingOn::DeepChecks);
}

#[test]
fn a_cluster_that_is_changing_is_waited_for() {
    let mut seen = seen(vec![group("a", 1)], Vec::new());
    seen.cluster.as_mut().unwrap().status = HyperPodClusterStatus::Updating;
    let plan = planned(&seen, &Ledger::default(), at(0));
    assert_eq!((plan.keys().len(), waits_on(&plan)), (0, vec![WaitingOn::Aws]));
}

#[test]
fn an_autoscaler_that_raises_groups_again_is_named_instead_of_fought() {
    let mut seen = seen(vec![group("a", 1)], vec![node("a")]);
    seen.cluster.as_mut().unwrap().autoscaled = true;
    let mut ledger = Ledger::default();
    assert_eq!(planned(&seen, &ledger, at(0)).keys(), [KEY]);
    ledger.intend(KEY, at(0), (operation().id, 1));
    ledger.answer(KEY, Sent::Applied, BTreeMap::new());
    assert_eq!(planned(&seen, &ledger, at(5)).keys(), [KEY], "it may not show yet");
    let plan = planned(&seen, &ledger, at(90));
    assert!(matches!(&plan.end, End::Failed(failure) if failure.message.contains("owns the counts of a")), "{plan:?}");
}

#[test]
fn nodes_of_restricted_groups_are_a_failure_that_names_them() {
    let mut seen = seen(vec![group("a", 0)], vec![node("r")]);
    seen.cluster.as_mut().unwrap().restricted = vec!["r".to_owned()];
    let plan = planned(&seen, &Ledger::default(), at(0));
    assert!(matches!(&plan.end, End::Failed(failure) if failure.message.contains("(r)")), "{plan:?}");
}
