//! The judgement alone, over worlds that are written down here; the looks have their tests over the account.

use super::of;
use crate::{
    limits::{IN_ALL, PER_CLUSTER, VOLUME},
    permissions::Gaps,
    request::{Purpose, Request},
    scene::{NETWORK_QUOTAS, Network, Seen, Site},
    usage::tests::{cluster as hyperpod_cluster, group},
};
use cloud::{
    ec2::{Vpc, Zone},
    eks::OfferedVersion,
    quotas::{Quota, Source},
};
use contract::plan::{Finding, Severity};
use domain::{ErrorCode, decisions::CreateCluster, failure::Failure, ids::ClusterId};
use engine::record::{Cluster, SCHEMA, Target};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn cluster(hyperpod: Value) -> Cluster {
    let decisions: CreateCluster =
        serde_json::from_value(json!({ "tag": "a", "region": "us-west-2", "hyperpod": hyperpod })).unwrap();
    Cluster {
        schema: SCHEMA,
        id: ClusterId::from_parts(1, 1),
        tag: decisions.tag.clone(),
        target: Target { account: "111122223333".to_owned(), region: decisions.region.clone(), role_arn: None },
        decisions,
        import: None,
        generation: 1,
        version: 1,
        created_at: Timestamp::UNIX_EPOCH,
        created_by: "a-person".to_owned(),
        first_operation: domain::ids::OperationId::from_parts(1, 1),
        deleted_at: None,
    }
}

fn one(kind: &str, count: u32, more: Value) -> Value {
    let mut group = json!({ "zoneId": "usw2-az1", "instanceType": kind, "instanceCount": count });
    group.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    json!({ "instanceGroups": { "g": group } })
}

fn quota(name: &str, value: u32) -> (String, Quota) {
    (name.to_owned(), Quota { name: name.to_owned(), code: "L-1".to_owned(), value, source: Source::Applied })
}

/// An account with nothing in it and room for everything.
fn roomy() -> Seen {
    let zone = |id: &str, name: &str| Zone { id: id.to_owned(), name: name.to_owned() };
    let types = ["ml.p5.48xlarge", "ml.g5.xlarge", "ml.m5.4xlarge"];
    let quotas = types.iter().map(|kind| quota(&format!("{kind} for cluster usage"), 8));
    let version = OfferedVersion {
        version: "1.34".parse().unwrap(),
        support: "STANDARD_SUPPORT".to_owned(),
        standard_until: None,
    };
    Seen {
        regions: Ok(vec![("us-west-2".to_owned(), true)]),
        zones: Ok(vec![zone("usw2-az1", "us-west-2a"), zone("usw2-az2", "us-west-2b")]),
        offerings: Ok(types.iter().map(|kind| ((*kind).to_owned(), vec!["usw2-az1".to_owned()])).collect()),
        vpcs: Ok(Vec::new()),
        network: Network {
            subnets: Ok(Vec::new()),
            addresses: Ok(Vec::new()),
            internet_gateways: Ok(Vec::new()),
            nats: Ok(Vec::new()),
            quotas: NETWORK_QUOTAS.iter().map(|(_, _, name)| Ok(Some(quota(name, 5).1))).collect(),
        },
        eks_names: Ok(Vec::new()),
        versions: Ok(vec![version]),
        site: Site { eks: Ok(None), ground: Ok(None), footing: Ok(None), principals: Ok(Vec::new()) },
        quotas: Ok(quotas.chain([quota(PER_CLUSTER, 20), quota(IN_ALL, 30), quota(VOLUME, 1024)]).collect()),
        hyperpod: Ok(Vec::new()),
        plans: BTreeMap::new(),
        administrators: Vec::new(),
        permissions: Ok(Gaps { role: Some("arn".to_owned()), actions: Vec::new() }),
    }
}

fn judged(cluster: &Cluster, seen: &Seen) -> Vec<Finding> {
    of(&Request { cluster, purpose: Purpose::Create, now: Timestamp::UNIX_EPOCH }, seen)
}

#[test]
fn a_creation_that_fits_has_no_finding() {
    assert_eq!(judged(&cluster(one("ml.m5.4xlarge", 2, json!({}))), &roomy()), []);
}

#[test]
fn br_059_use_above_the_quota_leaves_nothing_free_and_says_both() {
    let used = hyperpod_cluster("b", vec![group("ml.p5.48xlarge", 16, 16)]);
    let seen = Seen { hyperpod: Ok(vec![used]), ..roomy() };
    let found = judged(&cluster(one("ml.p5.48xlarge", 1, json!({}))), &seen);
    assert_eq!((found[0].severity, found[0].code), (Severity::Blocking, ErrorCode::QuotaExceeded));
    assert!(found[0].message.contains("limit 8, used 16, free 0, needs 1"), "{}", found[0].message);
    assert_eq!(found[0].pointer.as_deref(), Some("/hyperpod/instanceGroups/g/instanceCount"));
}

#[test]
fn totals_and_volumes_are_held_to_their_own_quotas() {
    let others = hyperpod_cluster("b", vec![group("ml.c5.large", 25, 25)]);
    let seen = Seen { hyperpod: Ok(vec![others]), ..roomy() };
    let found = judged(&cluster(one("ml.m5.4xlarge", 8, json!({ "volumeSizeGib": 2000 }))), &seen);
    let at: Vec<&str> = found.iter().filter_map(|one| one.pointer.as_deref()).collect();
    assert_eq!(at, ["/hyperpod/instanceGroups", "/hyperpod/instanceGroups/g/volumeSizeGib"]);
    assert!(found[0].message.contains("used 25, free 5, needs 8"), "{}", found[0].message);
}

#[test]
fn c15_nodes_that_do_not_stay_are_warned_about_with_a_system_group_to_add() {
    let found = judged(&cluster(one("ml.m5.4xlarge", 0, json!({}))), &roomy());
    assert_eq!((found.len(), found[0].severity), (1, Severity::Warning));
    assert_eq!(found[0].pointer.as_deref(), Some("/hyperpod/systemGroup"));
    assert!(found[0].action.contains("ml.m5.4xlarge") && found[0].action.contains("usw2-az1"));
}

#[test]
fn what_was_not_read_is_unchecked_and_comes_after_what_blocks() {
    let denied = || Failure::new(ErrorCode::PermissionDenied, "denied").into();
    let vpc = Vpc { id: "vpc-1".to_owned(), cidrs: Vec::new(), state: "available".to_owned(), tags: BTreeMap::new() };
    let seen = Seen {
        quotas: Err(denied()),
        versions: Err(denied()),
        vpcs: Ok(vec![vpc.clone(), vpc.clone(), vpc.clone(), vpc.clone(), vpc]),
        ..roomy()
    };
    let found = judged(&cluster(one("ml.m5.4xlarge", 1, json!({}))), &seen);
    assert_eq!((found[0].severity, found[0].code), (Severity::Blocking, ErrorCode::QuotaExceeded));
    assert!(found[0].message.contains("VPCs per Region") && found[0].message.contains("used 5"));
    assert!(found.len() > 3 && found[1..].iter().all(|one| one.severity == Severity::Unchecked), "{found:#?}");
}

#[test]
fn a_name_in_use_in_eks_or_hyperpod_is_a_conflict_at_the_tag() {
    let seen =
        Seen { eks_names: Ok(vec!["a".to_owned()]), hyperpod: Ok(vec![hyperpod_cluster("a", Vec::new())]), ..roomy() };
    let found = judged(&cluster(one("ml.m5.4xlarge", 1, json!({}))), &seen);
    let told: Vec<_> = found.iter().map(|one| (one.code, one.pointer.as_deref())).collect();
    assert_eq!(told, [(ErrorCode::Conflict, Some("/tag")); 2]);
}
