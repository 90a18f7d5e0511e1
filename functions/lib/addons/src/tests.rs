//! Add-ons in every state, with and without somewhere to run.

use crate::{AddonChange, Ground, Runs, Seen, Verdict, Wanted, judge};
use cloud::eks::{Addon, AddonIssue};
use domain::{codes::ErrorCode, states::WaitingOn, status::AddonStatus};
use engine::{
    ledger::{Ledger, Sent},
    reconciler::Scene,
    record::Waiting,
};
use jiff::{SignedDuration, Timestamp};
use records::records;
use serde_json::Value;

const COREDNS: Wanted = Wanted {
    name: "coredns",
    runs: Runs::Somewhere,
    workload: ("kube-system", "coredns"),
    required_for: "names in the cluster",
    configuration: None,
};
const NOWHERE: Ground = Ground { nodes: 1, open: 0 };
const SOMEWHERE: Ground = Ground { nodes: 2, open: 2 };

fn now() -> Timestamp {
    "2026-12-01T09:00:00Z".parse().unwrap()
}

fn coredns(status: AddonStatus, issue: &str) -> Seen {
    let issues = vec![AddonIssue { code: issue.to_owned(), message: "not well".to_owned() }];
    let addon = Addon {
        name: "coredns".into(),
        version: "v1.11.4-eksbuild.2".into(),
        status,
        issues,
        tags: Default::default(),
    };
    Seen { wanted: COREDNS, addon: Some(addon), has_workload: true, default_version: None }
}

fn verdict(seen: &Seen, ground: Ground, ledger: &Ledger, waited: Option<SignedDuration>) -> Verdict {
    let (cluster, mut operation) = records(&Value::Null);
    operation.waiting = waited.map(|waited| Waiting {
        on: WaitingOn::Nodes,
        reason: String::new(),
        since: now() - waited,
        deadline: now(),
        next_look_at: now(),
        looks: 1,
    });
    judge(Scene { cluster: &cluster, operation: &operation, ledger, began_at: now(), now: now() }, seen, ground)
}

/// A ledger in which the operation of the records, or another, has released the add-on.
fn released(by_us: bool) -> Ledger {
    let (_, operation) = records(&Value::Null);
    let id = if by_us { operation.id } else { domain::ids::OperationId::from_parts(1, 1) };
    let mut ledger = Ledger::default();
    ledger.intend("release-addon/coredns", now(), (id, 1));
    ledger.answer("release-addon/coredns", Sent::Applied, Default::default());
    ledger
}

#[test]
fn br_020_br_022_a_deployment_without_an_untainted_node_waits_for_nodes_whatever_its_status() {
    // Field reports BR-020 and BR-022: nothing is deleted while there is nowhere to run.
    for status in [AddonStatus::Creating, AddonStatus::Degraded, AddonStatus::CreateFailed] {
        let seen = coredns(status, "InsufficientNumberOfReplicas");
        assert_eq!(verdict(&seen, NOWHERE, &Ledger::default(), None), Verdict::AwaitingNodes);
    }
}

#[test]
fn br_022_a_failed_creation_gets_time_to_heal_then_one_cycle_then_the_truth() {
    let seen = coredns(AddonStatus::CreateFailed, "InsufficientNumberOfReplicas");
    let judged = |waited, ledger: &Ledger| verdict(&seen, SOMEWHERE, ledger, waited);
    assert!(matches!(judged(None, &Ledger::default()), Verdict::Wait(wait) if wait.on == WaitingOn::Nodes));
    let release = Verdict::Change(AddonChange::Release { name: "coredns".into() });
    assert_eq!(judged(Some(SignedDuration::from_mins(7)), &Ledger::default()), release);
    assert_eq!(judged(Some(SignedDuration::from_mins(7)), &released(false)), release, "another run has its own cycle");
    let Verdict::Failed(failure) = judged(Some(SignedDuration::from_mins(7)), &released(true)) else { unreachable!() };
    assert_eq!(failure.code, ErrorCode::DependencyNotReady);
    assert!(failure.message.contains("InsufficientNumberOfReplicas"), "{failure}");
}

#[test]
fn a_failure_that_nodes_do_not_heal_is_cycled_at_once() {
    let seen = coredns(AddonStatus::CreateFailed, "ConfigurationConflict");
    let judged = verdict(&seen, SOMEWHERE, &Ledger::default(), None);
    assert_eq!(judged, Verdict::Change(AddonChange::Release { name: "coredns".into() }));
}

#[test]
fn what_runs_without_the_add_on_is_somebody_elses_unless_we_released_it() {
    let absent =
        Seen { wanted: COREDNS, addon: None, has_workload: true, default_version: Some("v1.11.4-eksbuild.2".into()) };
    assert_eq!(verdict(&absent, SOMEWHERE, &Ledger::default(), None), Verdict::Foreign);
    assert!(matches!(
        verdict(&absent, SOMEWHERE, &released(true), None),
        Verdict::Change(AddonChange::Create { version, .. }) if version == "v1.11.4-eksbuild.2"
    ));
}

#[test]
fn br_023_an_add_on_without_a_version_for_the_cluster_is_refused_by_name() {
    // Field report BR-023.
    let absent = Seen { wanted: COREDNS, addon: None, has_workload: false, default_version: None };
    let Verdict::Failed(failure) = verdict(&absent, SOMEWHERE, &Ledger::default(), None) else { unreachable!() };
    assert_eq!(failure.code, ErrorCode::DependencyMissing);
    assert!(failure.message.contains("coredns"), "{failure}");
}
