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
    ec2::{SecurityGroup, SelfRules, Vpc, Zone},
    eks::{EksCluster, OfferedVersion},
    quotas::{Quota, Source},
};
use contract::plan::{Finding, Severity};
use domain::{ErrorCode, decisions::CreateCluster, failure::Failure, ids::ClusterId};
use engine::record::{Cluster, Import, SCHEMA, Target};
use footing::Footing;
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
fn groups_of_one_type_are_held_against_its_quota_together() {
    let group = json!({ "zoneId": "usw2-az1", "instanceType": "ml.p5.48xlarge", "instanceCount": 5 });
    let found = judged(&cluster(json!({ "instanceGroups": { "a": group, "b": group } })), &roomy());
    let at: Vec<&str> = found.iter().filter_map(|one| one.pointer.as_deref()).collect();
    assert_eq!(at, ["a", "b"].map(|name| format!("/hyperpod/instanceGroups/{name}/instanceCount")));
    assert!(found.iter().all(|one| one.message.contains("limit 8, used 0, free 8, needs 10")), "{found:#?}");
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

fn imported() -> EksCluster {
    EksCluster {
        name: "a".to_owned(),
        arn: "arn:aws:eks:us-west-2:111122223333:cluster/a".to_owned(),
        status: domain::status::EksClusterStatus::read("ACTIVE"),
        version: "1.34".to_owned(),
        endpoint: String::new(),
        certificate_authority: String::new(),
        vpc_id: "vpc-1".to_owned(),
        subnet_ids: Vec::new(),
        security_group_ids: vec!["sg-1".to_owned()],
        cluster_security_group_id: None,
        role_arn: String::new(),
        authentication_mode: "API".to_owned(),
        access: Default::default(),
        issuer: None,
        issues: Vec::new(),
        tags: BTreeMap::new(),
    }
}

#[test]
fn br_152_a_type_that_nobody_knows_yet_passes_and_is_told_as_unknown() {
    let found = judged(&cluster(one("ml.p9.48xlarge", 1, json!({}))), &roomy());
    assert!(found.iter().all(|one| one.severity != Severity::Blocking), "{found:#?}");
    let told = found.iter().find(|one| one.pointer.as_deref() == Some("/hyperpod/instanceGroups/g/instanceType"));
    assert!(told.is_some_and(|one| one.message.contains("ml.p9.48xlarge is an unknown type")), "{found:#?}");
    // One that we know and that the Region does not have is refused.
    let found = judged(&cluster(one("ml.p4d.24xlarge", 1, json!({}))), &roomy());
    assert_eq!(found[0].severity, Severity::Blocking);
    assert!(found[0].message.contains("no zone of the Region offers ml.p4d.24xlarge"), "{found:#?}");
    // So is one in a size that AWS has for nothing.
    let found = judged(&cluster(one("ml.p99.huge", 1, json!({}))), &roomy());
    assert_eq!(found[0].severity, Severity::Blocking, "{found:#?}");
}

#[test]
fn a_self_rule_that_an_import_lacks_is_told_once_and_blocks_efa() {
    let mut cluster = cluster(one("ml.p5.48xlarge", 1, json!({})));
    cluster.import = Some(Import { eks_cluster_name: "a".to_owned(), fixes: Vec::new(), grant_access: true });
    let mut seen = roomy();
    let group = SecurityGroup {
        id: "sg-1".to_owned(),
        name: "nodes".to_owned(),
        vpc_id: "vpc-1".to_owned(),
        self_rules: SelfRules { ingress: true, egress: false },
        egress_anywhere: true,
        tags: BTreeMap::new(),
    };
    seen.site.eks = Ok(Some(imported()));
    seen.site.footing = Ok(Some(Footing { node_groups: vec![group], ..Footing::default() }));
    let found = of(&Request { cluster: &cluster, purpose: Purpose::Import, now: Timestamp::UNIX_EPOCH }, &seen);
    let told: Vec<_> = found.iter().filter(|one| one.message.contains("security group sg-1")).collect();
    assert_eq!((told.len(), told[0].severity), (1, Severity::Blocking), "{found:#?}");
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
fn br_007_a_session_is_told_as_its_role_and_one_of_another_account_is_refused() {
    let role = "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_Admin_abc";
    let judged_with = |account: &str, known: Option<&str>| {
        let mut cluster = cluster(one("ml.m5.4xlarge", 1, json!({})));
        let session = format!("arn:aws:sts::{account}:assumed-role/AWSReservedSSO_Admin_abc/user");
        cluster.decisions.administrators = vec![session.parse().unwrap()];
        let seen = Seen { administrators: vec![Ok(known.map(str::to_owned))], ..roomy() };
        let mut found = judged(&cluster, &seen);
        assert_eq!((found.len(), found[0].pointer.as_deref()), (1, Some("/administrators/0")), "{found:#?}");
        found.remove(0)
    };
    let told = judged_with("111122223333", Some(role));
    assert_eq!(told.severity, Severity::Warning);
    assert!(told.message.contains(&format!("a session of role {role}")), "{}", told.message);
    assert_eq!(judged_with("111122223333", None).severity, Severity::Blocking);
    let elsewhere = judged_with("999922223333", None);
    assert_eq!(elsewhere.severity, Severity::Blocking);
    assert!(elsewhere.action.contains("Give the ARN of its role"), "{}", elsewhere.action);
}

#[test]
fn a_name_in_use_in_eks_or_hyperpod_is_a_conflict_at_the_tag() {
    let seen =
        Seen { eks_names: Ok(vec!["a".to_owned()]), hyperpod: Ok(vec![hyperpod_cluster("a", Vec::new())]), ..roomy() };
    let found = judged(&cluster(one("ml.m5.4xlarge", 1, json!({}))), &seen);
    let told: Vec<_> = found.iter().map(|one| (one.code, one.pointer.as_deref())).collect();
    assert_eq!(told, [(ErrorCode::Conflict, Some("/tag")); 2]);
}
