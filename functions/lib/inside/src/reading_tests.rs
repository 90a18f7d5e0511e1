//! The proof over pods that are values.

use super::*;
use domain::ids::OperationId;
use engine::ledger::Ledger;
use records::records;
use serde_json::Value;

fn pod(phase: PodPhase) -> Pod {
    Pod {
        namespace: NAMESPACE.into(),
        name: "storage-1".into(),
        uid: "u".into(),
        labels: Default::default(),
        controller: None,
        node: Some("hyperpod-i-1".into()),
        phase,
        ready: false,
        message: String::new(),
    }
}

fn probed(phase: PodPhase) -> Probed {
    Probed { name: "storage-1".into(), pod: Some(pod(phase)), ..Probed::default() }
}

fn judged(probed: &Probed, ledger: &Ledger) -> Reading {
    judged_with_access(probed, ledger, None)
}

fn judged_with_access(probed: &Probed, ledger: &Ledger, since: Option<&str>) -> Reading {
    let (cluster, operation) = records(&Value::Null);
    let now = "2026-12-01T09:00:00Z".parse().unwrap();
    let since = since.map(|since| since.parse().unwrap());
    let scene = Scene { cluster: &cluster, operation: &operation, ledger, began_at: now, now };
    judge(scene, probed, since)
}

fn removal(sent: Sent, made: Made) -> Ledger {
    let mut ledger = Ledger::default();
    ledger.intend(
        "remove-probe/storage-1",
        "2026-12-01T08:59:00Z".parse().unwrap(),
        (OperationId::from_parts(1, 1), 1),
    );
    ledger.answer("remove-probe/storage-1", sent, made);
    ledger
}

#[test]
fn denied_access_fails_at_once_and_names_the_claim_as_bound() {
    let text =
        "FailedMount: MountVolume.SetUp failed: Forbidden: AccessDenied: not authorized to perform s3:ListBucket";
    let seen = Probed { warnings: vec![text.into()], ..probed(PodPhase::Pending) };
    let Reading::Failed(failure) = judged(&seen, &Ledger::default()) else { unreachable!() };
    assert_eq!(failure.code, ErrorCode::PermissionDenied);
    assert!(failure.message.contains("s3-claim is Bound") && failure.message.contains("s3:ListBucket"), "{failure}");
}

#[test]
fn access_that_was_just_given_is_waited_for_and_judged_after_three_minutes() {
    let text = "FailedMount: Failed to create S3 client: No signing credentials available, see CSI driver logs";
    let seen = Probed { warnings: vec![text.into()], ..probed(PodPhase::Pending) };
    let given = |since| judged_with_access(&seen, &Ledger::default(), Some(since));
    assert!(matches!(given("2026-12-01T08:57:01Z"), Reading::Wait(wait) if wait.reason.contains("No signing")));
    assert!(matches!(given("2026-12-01T08:57:00Z"), Reading::Failed(_)));
}

#[test]
fn a_driver_that_is_not_there_yet_is_waited_for_with_its_text() {
    let seen = Probed { warnings: vec!["FailedMount: driver not found".into()], ..probed(PodPhase::Pending) };
    assert!(
        matches!(judged(&seen, &Ledger::default()), Reading::Wait(wait) if wait.reason.contains("driver not found"))
    );
}

#[test]
fn only_what_we_put_there_proves_the_bucket() {
    let other = Probed { log: "cluster another\n".into(), ..probed(PodPhase::Succeeded) };
    assert!(
        matches!(judged(&other, &Ledger::default()), Reading::Failed(failure) if failure.code == ErrorCode::Conflict)
    );
    let ours = Probed { log: "x.txt\ncluster 01KBXZ3V8Y0000000000000000\n".into(), ..probed(PodPhase::Succeeded) };
    let Reading::Change(ReadChange::Remove { read_on, .. }) = judged(&ours, &Ledger::default()) else { unreachable!() };
    assert_eq!(read_on.as_deref(), Some("hyperpod-i-1"));
}

#[test]
fn the_removal_is_the_proof_that_stays_also_when_its_answer_was_lost() {
    let gone = Probed { pod: None, ..probed(PodPhase::Succeeded) };
    let node = Made::from([("readOn".to_owned(), "hyperpod-i-1".to_owned())]);
    assert_eq!(judged(&gone, &removal(Sent::Applied, node)), Reading::Read("hyperpod-i-1".into()));
    assert_eq!(judged(&gone, &removal(Sent::Intended, Made::new())), Reading::Read(String::new()));
    assert!(matches!(judged(&gone, &Ledger::default()), Reading::Change(ReadChange::Create { .. })));
}

#[test]
fn what_an_earlier_attempt_left_is_removed_first_and_proves_nothing() {
    let seen = Probed { left: vec!["storage-0".into()], ..Probed::default() };
    let expected = ReadChange::Remove { name: "storage-0".into(), read_on: None };
    assert_eq!(judged(&seen, &Ledger::default()), Reading::Change(expected));
}
