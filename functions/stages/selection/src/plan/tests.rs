//! The judgement, rule by rule, over clusters that are made up.

use super::*;
use cloud::{Tags, eks::EndpointAccess};
use domain::ids::{ClusterId, OperationId};
use engine::{
    ledger::Ledger,
    record::{Cluster, Operation},
};
use jiff::Timestamp;
use serde_json::Value;

fn cluster(status: &str) -> EksCluster {
    EksCluster {
        name: "demo".to_owned(),
        arn: "arn:aws:eks:us-west-2:111122223333:cluster/demo".to_owned(),
        status: EksClusterStatus::read(status),
        version: "1.34".to_owned(),
        endpoint: "https://a".to_owned(),
        certificate_authority: String::new(),
        vpc_id: "vpc-1".to_owned(),
        subnet_ids: Vec::new(),
        security_group_ids: Vec::new(),
        cluster_security_group_id: None,
        role_arn: String::new(),
        authentication_mode: "API".to_owned(),
        access: EndpointAccess { public: true, private: true, public_cidrs: vec!["203.0.113.0/24".to_owned()] },
        issuer: None,
        issues: Vec::new(),
        tags: Tags::new(),
    }
}

fn seen(cluster: EksCluster) -> Observed {
    let voice = Voice::Answers { version: "v1.34.1".to_owned() };
    Observed { cluster: Some(cluster), entered: Some(true), voice, ..Observed::default() }
}

fn planned(observed: &Observed) -> Plan<Nothing> {
    planned_of(observed, &Value::Null)
}

/// The plan for a cluster that is imported so, or made if it is null.
fn planned_of(observed: &Observed, import: &Value) -> Plan<Nothing> {
    let (id, operation) = (ClusterId::from_parts(1, 1), OperationId::from_parts(1, 2));
    let at = "2026-12-01T08:00:00Z";
    let cluster: Cluster = serde_json::from_value(json!({
        "schema": 1, "id": id, "tag": "demo", "target": { "account": "111122223333", "region": "us-west-2" },
        "decisions": { "tag": "demo", "region": "us-west-2" }, "generation": 1, "version": 1, "createdAt": at,
        "createdBy": "a-person", "firstOperation": operation, "import": import,
    }))
    .unwrap();
    let operation: Operation = serde_json::from_value(json!({
        "schema": 1, "id": operation, "kind": "create_cluster", "clusterId": id, "clusterTag": "demo",
        "principal": { "id": "a-person", "agent": false }, "input": {}, "inputHash": "", "machine": "cluster",
        "lane": "cluster", "state": "running", "attempt": 1, "journalLength": 0, "version": 1, "nonce": "",
        "createdAt": at, "updatedAt": at,
    }))
    .unwrap();
    let ledger = Ledger::default();
    let now = Timestamp::UNIX_EPOCH;
    let scene = Scene { cluster: &cluster, operation: &operation, ledger: &ledger, began_at: now, now };
    plan(scene, observed)
}

fn failure(observed: &Observed) -> Failure {
    match planned(observed).end {
        End::Failed(failure) => failure,
        other => panic!("it does not fail: {other:?}"),
    }
}

fn wait(observed: &Observed) -> Wait {
    match planned(observed).steps.into_iter().next() {
        Some(Step::Wait(wait)) => wait,
        _ => panic!("it does not wait: {:?}", planned(observed)),
    }
}

fn silence() -> Voice {
    Voice::Silent { failure: Failure::new(ErrorCode::NetworkUnreachable, "no answer") }
}

#[test]
fn br_008_active_and_updating_serve_and_an_update_is_noted() {
    let Plan { steps, end: End::Done(outcome) } = planned(&seen(cluster("ACTIVE"))) else { panic!("not done") };
    assert!(steps.is_empty());
    assert_eq!(outcome["findings"], json!([]));
    let End::Done(outcome) = planned(&seen(cluster("UPDATING"))).end else { panic!("not done") };
    assert_eq!(outcome["findings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn br_008_a_cluster_on_its_way_is_waited_for_and_a_strange_word_is_shown_as_it_is() {
    assert!(wait(&seen(cluster("CREATING"))).reason.contains("not in service yet"));
    assert!(wait(&seen(cluster("MAINTENANCE"))).reason.contains("MAINTENANCE"));
    assert_eq!(failure(&seen(cluster("DELETING"))).code, ErrorCode::Conflict);
    assert_eq!(failure(&Observed::default()).code, ErrorCode::NotFound);
}

#[test]
fn br_152_a_status_in_another_letter_case_is_the_same_status() {
    assert!(planned(&seen(cluster("active"))).steps.is_empty());
}

#[test]
fn a_version_or_an_authentication_mode_that_hyperpod_does_not_take_is_refused_with_the_way_out() {
    let old = seen(EksCluster { version: "1.29".to_owned(), ..cluster("ACTIVE") });
    assert_eq!(failure(&old).code, ErrorCode::InvalidInput);
    let mode = seen(EksCluster { authentication_mode: "CONFIG_MAP".to_owned(), ..cluster("ACTIVE") });
    assert!(failure(&mode).action.contains("authentication-mode"));
}

#[test]
fn br_011_a_private_endpoint_that_is_silent_is_told_at_once() {
    let mut observed = seen(cluster("ACTIVE"));
    observed.voice = silence();
    let narrowed = failure(&observed);
    assert_eq!(narrowed.code, ErrorCode::NetworkUnreachable);
    assert!(narrowed.message.contains("203.0.113.0/24"), "{narrowed}");
    observed.cluster.as_mut().unwrap().access.public = false;
    let private = failure(&observed);
    assert_eq!(private.code, ErrorCode::NetworkUnreachable);
    assert!(private.action.contains("public endpoint access"), "{}", private.action);
}

#[test]
fn an_open_endpoint_that_is_silent_may_answer_later() {
    let mut observed = seen(cluster("ACTIVE"));
    observed.voice = silence();
    observed.cluster.as_mut().unwrap().access.public_cidrs = vec!["0.0.0.0/0".to_owned()];
    let wait = wait(&observed);
    assert_eq!(wait.failure.map(|failure| failure.code), Some(ErrorCode::NetworkUnreachable));
}

#[test]
fn br_017_a_cluster_that_does_not_let_us_in_is_told_with_the_grant_that_would() {
    let mut observed = seen(cluster("ACTIVE"));
    observed.voice = Voice::Refuses { failure: Failure::new(ErrorCode::PermissionDenied, "Unauthorized") };
    let spreading = wait(&observed);
    assert_eq!(spreading.deadline, Some(SPREADING), "an entry that was just made is waited for");
    observed.entered = Some(false);
    let denied = failure(&observed);
    assert_eq!(denied.code, ErrorCode::PermissionDenied);
    assert!(denied.message.contains("visible"), "{denied}");
    let both = |action: &str| KubernetesRole::ALL.iter().all(|role| action.contains(&role.name()));
    assert!(denied.action.contains("stage control-plane again") && both(&denied.action), "{}", denied.action);
    let import = json!({ "eksClusterName": "demo" });
    let End::Failed(borrowed) = planned_of(&observed, &import).end else { unreachable!() };
    assert!(borrowed.action.contains("grantAccess") && both(&borrowed.action), "{}", borrowed.action);
}
