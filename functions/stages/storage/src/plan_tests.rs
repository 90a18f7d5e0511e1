//! The plan over worlds that are values.

use super::*;
use crate::observe::{ObjectSeen, Place, RoleSeen};
use addons::{Ground, Seen};
use cloud::eks::{Addon, PodIdentity};
use domain::status::AddonStatus;
use engine::{ledger::Ledger, record::Cluster};
use inside::{DRIVER, Probed};
use kubernetes::{Claim, Volume};
use records::records;
use std::collections::BTreeMap;

const BUCKET: &str = "sagemaker-hyperpod-us-west-2-111122223333";

fn object(title: &str, owner: Ownership, as_wanted: bool) -> ObjectSeen {
    ObjectSeen { title: title.to_owned(), owner, as_wanted }
}

/// A cluster in which nothing of storage is there yet, without nodes and with none wanted.
fn bare() -> Observed {
    let place =
        Place { bucket: BUCKET.into(), prefix: "clusters/demo/".into(), state: Bucket::Free, has_probe_file: false };
    let driver = Seen { wanted: DRIVER, addon: None, has_workload: false, default_version: Some("v2".into()) };
    Observed {
        eks_arn: "arn:aws:eks:us-west-2:111122223333:cluster/demo".into(),
        place,
        role: None,
        association: None,
        driver,
        ground: Ground::default(),
        hyperpod_nodes: 0,
        wanted_nodes: Some(0),
        objects: vec![
            object("PersistentVolume s3-pv", Ownership::Absent, false),
            object("PersistentVolumeClaim default/s3-claim", Ownership::Absent, false),
        ],
        volume: None,
        claim: None,
        twin: None,
        probe: Probed::default(),
    }
}

/// Everything there, without nodes.
fn made(cluster: &Cluster) -> Observed {
    let mut observed = bare();
    observed.place.state = Bucket::Ours;
    observed.place.has_probe_file = true;
    observed.role = Some(RoleSeen { ours: true, policy: Some(role::policy("aws", BUCKET, "clusters/demo/")) });
    observed.association = Some(PodIdentity { id: "a-1".into(), role_arn: role::arn(cluster), tags: BTreeMap::new() });
    observed.driver.addon = Some(Addon {
        name: DRIVER.name.into(),
        version: "v2".into(),
        status: AddonStatus::Active,
        issues: Vec::new(),
        tags: BTreeMap::new(),
    });
    for seen in &mut observed.objects {
        *seen = object(&seen.title, Ownership::Ours, true);
    }
    observed.claim = Some(claim());
    observed.volume = Some(volume(BUCKET));
    observed
}

fn claim() -> Claim {
    Claim {
        namespace: "default".into(),
        name: STORAGE_CLAIM.into(),
        labels: BTreeMap::new(),
        phase: "Bound".into(),
        volume: Some(STORAGE_VOLUME.into()),
    }
}

fn volume(bucket: &str) -> Volume {
    Volume {
        name: STORAGE_VOLUME.into(),
        labels: BTreeMap::new(),
        phase: "Bound".into(),
        driver: Some("s3.csi.aws.com".into()),
        handle: "h".into(),
        attributes: BTreeMap::from([("bucketName".to_owned(), bucket.to_owned())]),
        mount_options: Vec::new(),
        claim: None,
    }
}

fn planned(cluster: &Cluster, observed: &Observed) -> Plan<Change> {
    let (_, operation) = records(&Value::Null);
    let ledger = Ledger::default();
    let now = "2026-12-01T09:00:00Z".parse().unwrap();
    plan(Scene { cluster, operation: &operation, ledger: &ledger, began_at: now, now }, observed)
}

#[test]
fn the_driver_gets_its_role_before_its_pods_are_made() {
    let (cluster, _) = records(&Value::Null);
    let keys = planned(&cluster, &bare()).keys();
    let expected = [
        "create-bucket",
        "put-probe-file",
        "create-role",
        "set-role-policy",
        "create-pod-identity",
        "create-addon/aws-mountpoint-s3-csi-driver",
        "apply/PersistentVolume s3-pv",
        "apply/PersistentVolumeClaim default/s3-claim",
    ];
    assert_eq!(keys, expected);
}

#[test]
fn nothing_is_left_to_do_where_all_is_there_and_no_node_is_wanted() {
    let (cluster, _) = records(&Value::Null);
    let plan = planned(&cluster, &made(&cluster));
    assert!(plan.steps.is_empty());
    let End::Done(outcome) = plan.end else { unreachable!() };
    assert_eq!(outcome["read"]["status"], "noNodeYet");
}

#[test]
fn nodes_that_are_wanted_and_not_there_are_waited_for() {
    let (cluster, _) = records(&Value::Null);
    let observed = Observed { wanted_nodes: Some(2), ..made(&cluster) };
    let plan = planned(&cluster, &observed);
    assert!(matches!(&plan.steps[..], [Step::Wait(wait)] if wait.on == WaitingOn::Nodes && wait.failure.is_some()));
}

#[test]
fn a_role_of_our_name_that_is_not_ours_is_a_conflict_and_is_never_changed() {
    let (cluster, _) = records(&Value::Null);
    let mut observed = bare();
    observed.role = Some(RoleSeen { ours: false, policy: None });
    let plan = planned(&cluster, &observed);
    let End::Failed(failure) = plan.end else { unreachable!() };
    assert!(plan.steps.is_empty() && failure.code == ErrorCode::Conflict, "{failure}");
    assert!(failure.message.contains(&role::name(&cluster)), "{failure}");
    assert!(failure.action.contains("Delete the role"), "{}", failure.action);
}

#[test]
fn br_025_another_role_of_the_drivers_account_is_replaced_by_update() {
    // Field report BR-025.
    let (cluster, _) = records(&Value::Null);
    let mut observed = made(&cluster);
    observed.association.as_mut().unwrap().role_arn = "arn:aws:iam::111122223333:role/other".into();
    assert_eq!(planned(&cluster, &observed).keys(), ["set-pod-identity-role"]);
}

#[test]
fn the_identity_of_an_imported_clusters_driver_is_borrowed() {
    let import = json!({ "import": { "eksClusterName": "theirs" } });
    let (cluster, _) = records(&import);
    let mut observed = made(&cluster);
    observed.association.as_mut().unwrap().role_arn = "arn:aws:iam::111122223333:role/theirs".into();
    assert!(planned(&cluster, &observed).steps.is_empty());
}

#[test]
fn a_claim_of_somebody_else_is_used_if_it_shows_the_bucket_and_else_in_the_way() {
    let (cluster, _) = records(&Value::Null);
    let mut observed = made(&cluster);
    for seen in &mut observed.objects {
        *seen = object(&seen.title, Ownership::Foreign, false);
    }
    assert!(planned(&cluster, &observed).steps.is_empty());
    observed.volume = Some(volume("another-bucket"));
    let End::Failed(failure) = planned(&cluster, &observed).end else { unreachable!() };
    assert_eq!(failure.code, ErrorCode::Conflict);
}

#[test]
fn a_second_volume_with_our_handle_is_refused() {
    // Field report BR-113.
    let (cluster, _) = records(&Value::Null);
    let observed = Observed { twin: Some("data".into()), ..made(&cluster) };
    let End::Failed(failure) = planned(&cluster, &observed).end else { unreachable!() };
    assert!(failure.message.contains("data") && failure.code == ErrorCode::Conflict, "{failure}");
}
