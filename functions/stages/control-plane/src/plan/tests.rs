//! The plan, rule by rule, over worlds that are made up.

use super::*;
use crate::{
    admission::{Admission, Misnamed},
    change::{ClusterChange, Known, Mend},
    observe::{Around, Borrowed, Network, network::Given},
};
use cloud::{
    Tags,
    ec2::{Route, RouteTable, SecurityGroup, SelfRules, Subnet, Vpc, Zone},
    eks::{ClusterIssue, EksCluster, EndpointAccess},
    iam::Role,
};
use domain::{
    codes::ErrorCode,
    ids::{ClusterId, OperationId},
    status::EksClusterStatus,
    versions::DEFAULT,
};
use engine::{
    ledger::Ledger,
    plan::Change as _,
    record::{Cluster, Import, Operation},
};
use jiff::Timestamp;

const NOW: i64 = 1_796_000_000;

struct World {
    cluster: Cluster,
    operation: Operation,
    ledger: Ledger,
}

impl World {
    fn asking(more: Value) -> Self {
        let (id, operation) = (ClusterId::from_parts(1, 1), OperationId::from_parts(1, 2));
        let mut decisions = json!({ "tag": "demo", "region": "us-west-2" });
        for (name, value) in more.as_object().unwrap() {
            decisions[name] = value.clone();
        }
        let at = "2026-12-01T08:00:00Z";
        let cluster = json!({
            "schema": 1, "id": id, "tag": "demo", "target": { "account": "111122223333", "region": "us-west-2" },
            "decisions": decisions, "generation": 1, "version": 1, "createdAt": at, "createdBy": "a-person",
            "firstOperation": operation,
        });
        let operation = json!({
            "schema": 1, "id": operation, "kind": "create_cluster", "clusterId": id, "clusterTag": "demo",
            "principal": { "id": "a-person", "agent": false }, "input": {}, "inputHash": "", "machine": "cluster",
            "lane": "cluster", "state": "running", "attempt": 1, "journalLength": 0, "version": 1, "nonce": "",
            "createdAt": at, "updatedAt": at,
        });
        Self {
            cluster: serde_json::from_value(cluster).unwrap(),
            operation: serde_json::from_value(operation).unwrap(),
            ledger: Ledger::default(),
        }
    }

    fn importing(fixes: &[&str], grant_access: bool) -> Self {
        let mut world = Self::asking(json!({}));
        let fixes = fixes.iter().map(|fix| (*fix).to_owned()).collect();
        world.cluster.import = Some(Import { eks_cluster_name: "theirs".to_owned(), fixes, grant_access });
        world
    }

    fn scene(&self) -> Scene<'_> {
        let now = Timestamp::from_second(NOW).unwrap();
        Scene { cluster: &self.cluster, operation: &self.operation, ledger: &self.ledger, began_at: now, now }
    }

    fn plan(&self, observed: &Observed) -> Plan<Change> {
        plan(self.scene(), observed)
    }

    fn failure(&self, observed: &Observed) -> Failure {
        match self.plan(observed) {
            Plan { steps, end: End::Failed(failure) } if steps.is_empty() => failure,
            other => panic!("it does not fail: {other:#?}"),
        }
    }

    fn our_tags(&self) -> Tags {
        Tags::from([
            ("hyperpod-instantstart:cluster".to_owned(), self.cluster.id.to_string()),
            ("hyperpod-instantstart:operation".to_owned(), self.operation.id.to_string()),
            ("hyperpod-instantstart:attempt".to_owned(), "1".to_owned()),
        ])
    }

    fn eks(&self, status: EksClusterStatus) -> EksCluster {
        EksCluster {
            name: self.cluster.eks_name().to_owned(),
            arn: "arn:aws:eks:us-west-2:111122223333:cluster/demo".to_owned(),
            status,
            version: "1.34".to_owned(),
            endpoint: "https://a".to_owned(),
            certificate_authority: String::new(),
            vpc_id: "vpc-1".to_owned(),
            subnet_ids: vec!["subnet-a".to_owned(), "subnet-b".to_owned()],
            security_group_ids: vec!["sg-1".to_owned()],
            cluster_security_group_id: None,
            role_arn: String::new(),
            authentication_mode: "API_AND_CONFIG_MAP".to_owned(),
            access: EndpointAccess { public: true, private: true, public_cidrs: Vec::new() },
            issuer: Some("https://oidc.eks.us-west-2.amazonaws.com/id/AAAA".to_owned()),
            issues: Vec::new(),
            tags: self.our_tags(),
        }
    }

    fn role(&self, service: &str) -> Role {
        Role {
            name: "demo-eks-cluster".to_owned(),
            arn: "arn:aws:iam::111122223333:role/hyperpod-instantstart/demo-eks-cluster".to_owned(),
            created_at: None,
            trust: json!({ "Statement": [
                { "Effect": "Allow", "Principal": { "Service": service }, "Action": "sts:AssumeRole" },
            ]}),
            tags: self.our_tags(),
        }
    }
}

fn empty() -> Observed {
    let zones = ["usw2-az1", "usw2-az2", "usw2-az3"];
    let zones = zones.iter().map(|id| Zone { id: (*id).to_owned(), name: String::new() }).collect();
    Observed {
        network: Network { zones, ..Network::default() },
        eks: Around { offered: vec!["1.33".parse().unwrap(), DEFAULT, "1.35".parse().unwrap()], ..Around::default() },
        borrowed: None,
    }
}

fn subnet(id: &str, zone: &str) -> Subnet {
    Subnet {
        id: id.to_owned(),
        vpc_id: "vpc-1".to_owned(),
        cidr: "10.1.0.0/24".parse().unwrap(),
        zone_id: zone.to_owned(),
        zone_name: String::new(),
        free_addresses: 250,
        maps_public_addresses: false,
        tags: Tags::new(),
    }
}

fn given(subnets: Vec<Subnet>) -> Observed {
    let mut observed = empty();
    observed.network.vpc = Some(Vpc {
        id: "vpc-1".to_owned(),
        cidrs: vec!["10.1.0.0/16".parse().unwrap()],
        state: "available".to_owned(),
        tags: Tags::new(),
    });
    observed.network.dns_hostnames = true;
    observed.network.given = Some(Given { subnets, missing: Vec::new(), dns_support: true });
    observed
}

fn keys(plan: &Plan<Change>) -> Vec<String> {
    plan.steps
        .iter()
        .map(|step| match step {
            Step::Change(change) => change.key(),
            Step::Wait(_) => "wait".to_owned(),
        })
        .collect()
}

#[test]
fn the_role_comes_first_and_the_cluster_does_not_wait_for_the_nat_gateway() {
    let plan = World::asking(json!({})).plan(&empty());
    let keys = keys(&plan);
    let at = |key: &str| keys.iter().position(|it| it == key).unwrap_or_else(|| panic!("{key} in {keys:?}"));
    assert_eq!(keys[0], "create-cluster-role");
    assert!(at("create-nat-gateway") < at("create-eks-cluster"));
    assert!(at("create-eks-cluster") < at("route-to-nat"));
    assert!(at("route-to-nat") < at("create-addon/vpc-cni"));
    assert!(at("wait") > at("create-eks-cluster"), "only what needs the cluster waits for it");
    let version = plan.changes().find_map(|change| match change {
        Change::Cluster(ClusterChange::CreateCluster { version, .. }) => Some(*version),
        _ => None,
    });
    assert_eq!(version, Some(DEFAULT));
}

#[test]
fn a_version_that_eks_does_not_offer_is_refused_with_those_that_it_does() {
    let failure = World::asking(json!({ "kubernetesVersion": "1.32" })).failure(&empty());
    assert_eq!(failure.code, ErrorCode::InvalidInput);
    assert!(failure.action.contains("1.33, 1.34, 1.35"), "{}", failure.action);
}

#[test]
fn a_cluster_of_this_name_that_somebody_else_made_is_a_conflict_before_anything_is_made() {
    let world = World::asking(json!({}));
    let mut observed = empty();
    observed.eks.cluster = Some(EksCluster { tags: Tags::new(), ..world.eks(EksClusterStatus::Active) });
    let failure = world.failure(&observed);
    assert_eq!(failure.code, ErrorCode::Conflict);
    assert!(failure.action.contains("import"), "{}", failure.action);
}

#[test]
fn a_cluster_that_failed_in_this_run_is_told_and_one_of_an_earlier_run_is_made_again() {
    let mut world = World::asking(json!({}));
    let mut observed = empty();
    let issues = vec![ClusterIssue { code: "InsufficientFreeAddresses".to_owned(), message: "none left".to_owned() }];
    observed.eks.cluster = Some(EksCluster { issues, ..world.eks(EksClusterStatus::Failed) });
    let failure = world.failure(&observed);
    assert_eq!(failure.code, ErrorCode::SubnetCapacity);
    assert!(failure.message.contains("none left"), "{failure}");
    world.operation.attempt = 2;
    let keys = keys(&world.plan(&observed));
    let at = |key: &str| keys.iter().position(|it| it == key).unwrap();
    assert!(at("delete-failed-eks-cluster") < at("create-eks-cluster"));
}

#[test]
fn br_002_a_role_that_does_not_trust_eks_is_never_waited_for() {
    let world = World::asking(json!({}));
    let mut observed = empty();
    observed.eks.role = Some(world.role("ec2.amazonaws.com"));
    let failure = world.failure(&observed);
    assert_eq!(failure.code, ErrorCode::InvalidInput);
    assert!(failure.message.contains("ec2.amazonaws.com"), "{failure}");
    observed.eks.role = Some(Role { tags: Tags::new(), ..world.role("eks.amazonaws.com") });
    assert_eq!(world.failure(&observed).code, ErrorCode::Conflict, "a role that is not ours");
}

#[test]
fn a_security_group_of_our_name_that_is_not_ours_is_a_conflict() {
    let mut observed = given(vec![subnet("subnet-a", "usw2-az1"), subnet("subnet-b", "usw2-az2")]);
    observed.network.security_group = None;
    observed.network.foreign_security_group = Some("sg-earlier".to_owned());
    let failure = World::asking(json!({})).failure(&observed);
    assert_eq!(failure.code, ErrorCode::Conflict);
    assert!(failure.message.contains("sg-earlier is named hyperpod-instantstart-demo"), "{failure}");
}

#[test]
fn br_007_an_administrator_that_iam_has_under_a_path_is_named_with_it() {
    let mut observed = empty();
    let meant = "arn:aws:iam::111122223333:role/aws-reserved/Admin".to_owned();
    let given = "arn:aws:iam::111122223333:role/Admin".to_owned();
    observed.eks.admissions.misnamed = vec![Misnamed { index: 2, given, meant: Some(meant.clone()) }];
    let failure = World::asking(json!({})).failure(&observed);
    assert!(failure.message.contains("administrators[2]"), "{failure}");
    assert!(failure.action.contains(&meant), "{}", failure.action);
}

#[test]
fn br_008_an_updating_cluster_takes_no_change_until_it_is_done() {
    let world = World::asking(json!({}));
    let mut observed = given(vec![subnet("subnet-a", "usw2-az1"), subnet("subnet-b", "usw2-az2")]);
    observed.eks.cluster = Some(world.eks(EksClusterStatus::Updating));
    observed.eks.addon_versions = addons::BASE.map(|addon| (addon.name.to_owned(), "v1".to_owned())).into();
    let keys = keys(&world.plan(&observed));
    let wait = keys.iter().position(|key| key == "wait").unwrap();
    assert_eq!(keys[wait + 1], "create-oidc-provider");
    assert!(!keys.contains(&"create-eks-cluster".to_owned()));
}

#[test]
fn br_023_an_add_on_that_eks_does_not_offer_for_the_version_ends_the_stage() {
    let world = World::asking(json!({}));
    let mut observed = given(vec![subnet("subnet-a", "usw2-az1"), subnet("subnet-b", "usw2-az2")]);
    observed.eks.cluster = Some(world.eks(EksClusterStatus::Active));
    let failure = world.failure(&observed);
    assert_eq!(failure.code, ErrorCode::DependencyMissing);
    assert!(failure.message.contains("vpc-cni") && failure.message.contains("1.34"), "{failure}");
}

#[test]
fn an_entry_without_its_policy_gets_the_policy_alone() {
    let world = World::asking(json!({}));
    let mut observed = given(vec![subnet("subnet-a", "usw2-az1"), subnet("subnet-b", "usw2-az2")]);
    observed.eks.cluster = Some(world.eks(EksClusterStatus::Active));
    observed.eks.addon_versions = addons::BASE.map(|addon| (addon.name.to_owned(), "v1".to_owned())).into();
    let one = |principal: &str, entered, associated| Admission {
        principal: principal.to_owned(),
        policy: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy".to_owned(),
        entered,
        associated,
    };
    observed.eks.admissions.wanted = vec![one("a", true, true), one("b", true, false), one("c", false, false)];
    let keys = keys(&world.plan(&observed));
    let of_access: Vec<&str> = keys.iter().map(String::as_str).filter(|key| key.contains("access")).collect();
    let policy = "AmazonEKSClusterAdminPolicy";
    let expected = [
        format!("associate-access-policy/b/{policy}"),
        "create-access-entry/c".to_owned(),
        format!("associate-access-policy/c/{policy}"),
    ];
    assert_eq!(of_access, expected);
}

#[test]
fn br_001_given_subnets_in_zones_that_eks_does_not_take_are_left_out_while_two_zones_remain() {
    let world = World::asking(json!({}));
    let subnets = |zones: &[&str]| {
        given(zones.iter().enumerate().map(|(n, zone)| subnet(&format!("subnet-{n}"), zone)).collect())
    };
    let plan = world.plan(&subnets(&["use1-az3", "use1-az1", "use1-az2"]));
    let used = plan.changes().find_map(|change| match change {
        Change::Cluster(ClusterChange::CreateCluster { subnets, .. }) => Some(subnets.clone()),
        _ => None,
    });
    assert_eq!(used, Some(vec![Known(Some("subnet-1".to_owned())), Known(Some("subnet-2".to_owned()))]));
    assert!(!keys(&plan).iter().any(|key| key == "create-vpc"), "the VPC is borrowed");
    let failure = world.failure(&subnets(&["use1-az3", "use1-az1"]));
    assert_eq!(failure.code, ErrorCode::InvalidInput);
    assert!(failure.message.contains("network.subnetIds[0]"), "{failure}");
}

#[test]
fn given_subnets_that_do_not_fit_are_refused_by_name() {
    let world = World::asking(json!({}));
    let two = || given(vec![subnet("subnet-a", "usw2-az1"), subnet("subnet-b", "usw2-az2")]);
    let mut missing = two();
    missing.network.given.as_mut().unwrap().missing.push("subnet-gone".to_owned());
    assert!(world.failure(&missing).message.contains("subnet-gone"));
    let mut apart = two();
    apart.network.given.as_mut().unwrap().subnets[1].vpc_id = "vpc-2".to_owned();
    assert!(world.failure(&apart).message.contains("vpc-1, vpc-2"));
    let mut full = two();
    full.network.given.as_mut().unwrap().subnets[1].free_addresses = 5;
    assert_eq!(world.failure(&full).code, ErrorCode::SubnetCapacity);
    let mut nameless = two();
    nameless.network.dns_hostnames = false;
    assert!(world.failure(&nameless).message.contains("DNS"));
}

fn lacking(world: &World, mode: &str) -> Observed {
    let cluster =
        EksCluster { tags: Tags::new(), authentication_mode: mode.to_owned(), ..world.eks(EksClusterStatus::Active) };
    let table = |id: &str, subnets: &[&str], target: Option<&str>| RouteTable {
        id: id.to_owned(),
        vpc_id: "vpc-1".to_owned(),
        main: false,
        subnet_ids: subnets.iter().map(|id| (*id).to_owned()).collect(),
        routes: target
            .map(|target| Route {
                destination: "0.0.0.0/0".to_owned(),
                target: target.to_owned(),
                state: "active".to_owned(),
            })
            .into_iter()
            .collect(),
        tags: Tags::new(),
    };
    let footing = footing::Footing {
        vpc_id: "vpc-1".to_owned(),
        subnets: vec![subnet("subnet-a", "usw2-az1"), subnet("subnet-b", "usw2-az2"), subnet("subnet-p", "usw2-az1")],
        cluster_subnet_ids: cluster.subnet_ids.clone(),
        route_tables: vec![
            table("rtb-1", &["subnet-a", "subnet-b"], None),
            table("rtb-p", &["subnet-p"], Some("igw-1")),
        ],
        nats: Vec::new(),
        s3_endpoint: None,
        node_groups: vec![SecurityGroup {
            id: "sg-1".to_owned(),
            name: String::new(),
            vpc_id: "vpc-1".to_owned(),
            self_rules: SelfRules { ingress: true, egress: false },
            egress_anywhere: true,
            tags: Tags::new(),
        }],
    };
    Observed {
        eks: Around { cluster: Some(cluster), ..Around::default() },
        borrowed: Some(Borrowed { footing, address: None }),
        ..Observed::default()
    }
}

#[test]
fn an_import_mends_what_a_fix_names_and_nothing_else() {
    let of = |fixes: &[&str]| {
        let world = World::importing(fixes, false);
        keys(&world.plan(&lacking(&world, "CONFIG_MAP")))
    };
    assert_eq!(of(&[]), [""; 0]);
    assert_eq!(of(&["self-rules"]), ["mend/self-egress/sg-1"]);
    assert_eq!(of(&["endpoints"]), ["create-s3-endpoint"]);
    let nat = ["allocate-address", "create-nat-gateway", "wait", "mend/route-to-nat/rtb-1"];
    assert_eq!(of(&["nat"]), nat);
    assert_eq!(of(&["authentication-mode"]), ["mend/authentication-mode"]);
}

#[test]
fn an_import_that_grants_access_needs_access_entries() {
    let world = World::importing(&[], true);
    let failure = world.failure(&lacking(&world, "CONFIG_MAP"));
    assert_eq!(failure.code, ErrorCode::Conflict);
    assert!(failure.action.contains("authentication-mode"), "{}", failure.action);
}

#[test]
fn a_nat_gateway_that_is_there_is_used_by_an_import() {
    let world = World::importing(&["nat"], false);
    let mut observed = lacking(&world, "API");
    observed.borrowed.as_mut().unwrap().footing.nats.push(cloud::ec2::NatGateway {
        id: "nat-theirs".to_owned(),
        subnet_id: "subnet-p".to_owned(),
        state: "available".to_owned(),
        failure: String::new(),
        tags: Tags::new(),
    });
    let plan = world.plan(&observed);
    let nat = Known(Some("nat-theirs".to_owned()));
    let expected = Change::Mend(Mend::RouteToNat { table: "rtb-1".to_owned(), nat, replace: false });
    assert_eq!(plan.changes().collect::<Vec<_>>(), [&expected]);
}

#[test]
fn br_016_subnets_in_one_zone_are_refused_before_anything_is_made() {
    let world = World::asking(json!({}));
    let failure = world.failure(&given(vec![subnet("subnet-a", "usw2-az1"), subnet("subnet-b", "usw2-az1")]));
    assert_eq!(failure.code, ErrorCode::InvalidInput);
    assert!(failure.message.contains("one zone") && failure.action.contains("two zones"), "{failure:?}");
}

#[test]
fn br_034_what_is_there_says_nothing_about_what_is_beside_it() {
    let mut world = World::asking(json!({}));
    let mut observed = empty();
    observed.eks.role = Some(world.role("eks.amazonaws.com"));
    // The ledger of an earlier life says that all of it was made; the account has the role alone.
    for key in keys(&world.plan(&empty())).iter().filter(|key| *key != "wait") {
        world.ledger.intend(key, Timestamp::from_second(NOW - 86_400).unwrap(), (OperationId::from_parts(1, 9), 1));
        world.ledger.answer(key, engine::ledger::Sent::Applied, Default::default());
    }
    let keys = keys(&world.plan(&observed));
    for key in
        ["attach-cluster-policy", "create-vpc", "create-nat-gateway", "create-eks-cluster", "create-oidc-provider"]
    {
        assert!(keys.iter().any(|it| it == key), "{key} in {keys:?}");
    }
    assert!(!keys.iter().any(|it| it == "create-cluster-role"), "{keys:?}");
}
