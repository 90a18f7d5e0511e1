//! A world in which the stage has everything, to be taken from and added to.

use crate::{
    Scripts,
    change::Change,
    observe::{
        Cluster, Foundation, GroupTrouble, KubernetesNode, Observed,
        foundation::{RoleSeen, Site},
    },
    plan::plan,
    role,
};
use cloud::{
    Tags,
    ec2::{NatGateway, Route, RouteTable, SecurityGroup, SelfRules, Subnet, Vpc, VpcEndpoint, Zone},
    eks::{EksCluster, EndpointAccess},
    s3::Bucket,
    sagemaker::{Attached, Block, Event, Group, Lifecycle, Network, Node, TrainingPlan},
};
use domain::{
    naming::{TAG_CHANGE, TAG_CLUSTER},
    status::{EksClusterStatus, HyperPodClusterStatus, InstanceGroupStatus, NodeStatus},
};
use engine::{
    ledger::Ledger,
    plan::{Plan, Step, Wait},
    reconciler::Scene,
    record::{self, Operation},
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use subnets::Ground;

pub(super) const BUCKET: &str = "sagemaker-hyperpod-us-west-2-111122223333";
pub(super) const PLAN_ARN: &str = "arn:aws:sagemaker:us-west-2:111122223333:training-plan/four-p5-for-a-week";

/// A scene with its world.
pub(super) struct World {
    pub(super) record: record::Cluster,
    pub(super) operation: Operation,
    pub(super) ledger: Ledger,
    pub(super) now: Timestamp,
    /// When this run of the stage began.
    pub(super) began: Timestamp,
    pub(super) seen: Observed,
}

pub(super) fn at(minute: i64) -> Timestamp {
    let start: Timestamp = "2026-12-01T08:00:00Z".parse().unwrap();
    start + SignedDuration::from_mins(minute)
}

/// Decisions of one group `workers`.
pub(super) fn workers(instance_type: &str, count: u32, more: &Value) -> Value {
    let mut group = json!({ "zoneId": "usw2-az2", "instanceType": instance_type, "instanceCount": count });
    for (name, value) in more.as_object().unwrap() {
        group[name] = value.clone();
    }
    json!({ "instanceGroups": { "workers": group } })
}

impl World {
    /// A world with EKS and nothing of HyperPod, and these decisions.
    pub(super) fn empty(hyperpod: Option<Value>) -> Self {
        let mut decisions = json!({ "tag": "demo", "region": "us-west-2" });
        if let Some(hyperpod) = hyperpod {
            decisions["hyperpod"] = hyperpod;
        }
        let record = serde_json::from_value(json!({
            "schema": 1, "id": "01KBXZ3V8Y0000000000000000", "tag": "demo",
            "target": {"account": "111122223333", "region": "us-west-2"}, "decisions": decisions,
            "generation": 1, "version": 1, "createdAt": "2026-12-01T08:00:00Z", "createdBy": "x",
            "firstOperation": "01KBXZ3V8Y0000000000000001",
        }));
        let operation = serde_json::from_value(json!({
            "schema": 1, "id": "01KBXZ3V8Y0000000000000001", "kind": "create_cluster",
            "clusterId": "01KBXZ3V8Y0000000000000000", "clusterTag": "demo",
            "principal": {"id": "x", "agent": false}, "input": {}, "inputHash": "", "machine": "cluster",
            "lane": "cluster", "state": "running", "attempt": 1, "journalLength": 0, "version": 1, "nonce": "",
            "createdAt": "2026-12-01T08:00:00Z", "updatedAt": "2026-12-01T08:00:00Z",
        }));
        let (record, operation): (record::Cluster, Operation) = (record.unwrap(), operation.unwrap());
        let seen = Observed { eks: Some(eks()), foundation: Some(foundation(&record)), ..Observed::default() };
        Self { record, operation, ledger: Ledger::default(), now: at(0), began: at(0), seen }
    }

    /// The same with role, bucket, scripts and a finished compute subnet in `usw2-az2`.
    pub(super) fn founded(hyperpod: Value) -> Self {
        let mut world = Self::empty(Some(hyperpod));
        let managed = role::managed_policy(&world.record.target.region);
        let cluster_id = world.record.id.to_string();
        let foundation = world.seen.foundation.as_mut().unwrap();
        foundation.role =
            Some(RoleSeen { ours: true, created_at: Some(at(-10)), attached: vec![managed], policy: None });
        foundation.bucket_state = Bucket::Ours;
        foundation.missing_scripts.clear();
        let ground = foundation.site.as_mut().unwrap().ground.as_mut().unwrap();
        let ours = |change: &str| {
            Tags::from([(TAG_CLUSTER.to_owned(), cluster_id.clone()), (TAG_CHANGE.to_owned(), change.to_owned())])
        };
        ground.subnets.push(Subnet {
            id: "subnet-compute".to_owned(),
            vpc_id: "vpc-1".to_owned(),
            cidr: "10.1.16.0/20".parse().unwrap(),
            zone_id: "usw2-az2".to_owned(),
            zone_name: "us-west-2a".to_owned(),
            free_addresses: 4091,
            maps_public_addresses: false,
            tags: ours("create-compute-subnet/usw2-az2/10.1.16.0/20"),
        });
        ground.route_tables.push(RouteTable {
            id: "rtb-compute".to_owned(),
            vpc_id: "vpc-1".to_owned(),
            main: false,
            subnet_ids: vec!["subnet-compute".to_owned()],
            routes: vec![Route {
                destination: "0.0.0.0/0".to_owned(),
                target: "nat-1".to_owned(),
                state: "active".to_owned(),
            }],
            tags: ours("create-compute-route-table/usw2-az2"),
        });
        ground.endpoints[0].route_table_ids.push("rtb-compute".to_owned());
        world
    }

    /// The same with the HyperPod cluster InService and these groups, all of them in the one subnet.
    pub(super) fn running(hyperpod: Value, groups: Vec<Group>) -> Self {
        let mut world = Self::founded(hyperpod);
        world.seen.cluster = Some(Cluster {
            attached: attached(groups),
            ours: true,
            nodes: Vec::new(),
            joined: BTreeMap::new(),
            troubles: BTreeMap::new(),
        });
        world
    }

    pub(super) fn plan(&self) -> Plan<Change> {
        let Self { record, operation, ledger, now, began, seen } = self;
        plan(Scene { cluster: record, operation, ledger, began_at: *began, now: *now }, seen)
    }

    pub(super) fn foundation(&mut self) -> &mut Foundation {
        self.seen.foundation.as_mut().unwrap()
    }

    pub(super) fn site(&mut self) -> &mut Site {
        self.foundation().site.as_mut().unwrap()
    }

    pub(super) fn cluster(&mut self) -> &mut Cluster {
        self.seen.cluster.as_mut().unwrap()
    }

    /// Adds a node of `workers`, joined to Kubernetes and healthy if it runs.
    pub(super) fn node(&mut self, number: u32, status: NodeStatus) {
        let node = Node {
            group: "workers".to_owned(),
            logical_id: None,
            instance_id: Some(format!("i-{number:017x}")),
            instance_type: "ml.p5.48xlarge".to_owned(),
            message: String::new(),
            launched_at: Some(self.now),
            status,
        };
        if node.status == NodeStatus::Running {
            let name = node.kubernetes_name().unwrap();
            let health = Some("Schedulable".to_owned());
            let joined = KubernetesNode { name: name.clone(), ready: true, health, ..KubernetesNode::default() };
            self.cluster().joined.insert(name, joined);
        }
        self.cluster().nodes.push(node);
    }

    /// Says that launches of `workers` failed with `text` at these minutes, the newest first.
    pub(super) fn fail_launches(&mut self, text: &str, minutes: &[i64]) {
        let failure = |minute: &i64| Event {
            id: minute.to_string(),
            at: at(*minute),
            group: Some("workers".to_owned()),
            instance_id: Some("i-0123456789abcdef0".to_owned()),
            text: text.to_owned(),
        };
        let trouble = GroupTrouble {
            failures: minutes.iter().map(failure).collect(),
            newest: text.to_owned(),
            log_line: None,
            log_place: None,
            missing_script: None,
        };
        self.cluster().troubles.insert("workers".to_owned(), trouble);
    }

    pub(super) fn plan_starts(&mut self, status: &str, start: Timestamp, count: u32) {
        let block = Block {
            start,
            end: start + SignedDuration::from_hours(72),
            zone_id: Some("usw2-az2".to_owned()),
            zone_name: Some("us-west-2a".to_owned()),
            instance_type: "ml.p5.48xlarge".to_owned(),
        };
        let plan = TrainingPlan {
            arn: PLAN_ARN.to_owned(),
            name: "four-p5-for-a-week".to_owned(),
            status: status.to_owned(),
            available: count,
            total: count,
            targets: vec!["hyperpod-cluster".to_owned()],
            blocks: vec![block],
        };
        self.seen.plans.insert(PLAN_ARN.to_owned(), plan);
    }
}

pub(super) fn keys(plan: &Plan<Change>) -> Vec<String> {
    use engine::plan::Change as _;
    let key = |step: &Step<Change>| match step {
        Step::Change(change) => change.key(),
        Step::Wait(wait) => format!("wait {}", wait.on),
    };
    plan.steps.iter().map(key).collect()
}

/// The plan's only step, a wait.
pub(super) fn wait(plan: &Plan<Change>) -> Wait {
    match plan.steps.as_slice() {
        [Step::Wait(wait)] => wait.clone(),
        other => panic!("not one wait: {other:#?} {:?}", plan.end),
    }
}

pub(super) fn group(count: u32) -> Group {
    Group {
        name: "workers".to_owned(),
        instance_type: "ml.p5.48xlarge".to_owned(),
        current: count,
        target: count,
        status: InstanceGroupStatus::InService,
        spot: false,
        training_plan: None,
        execution_role: String::new(),
        network: None,
        lifecycle: Some(Lifecycle {
            source: format!("s3://{BUCKET}/{}", Scripts::ours().prefix()),
            entry: "on_create.sh".to_owned(),
        }),
        deep_checks: Vec::new(),
    }
}

fn attached(groups: Vec<Group>) -> Attached {
    Attached {
        arn: "arn:aws:sagemaker:us-west-2:111122223333:cluster/abcdefghijkl".to_owned(),
        name: "demo".to_owned(),
        status: HyperPodClusterStatus::InService,
        failure: String::new(),
        created_at: Some(at(-30)),
        eks_arn: Some(eks().arn),
        network: Network { subnet_ids: vec!["subnet-compute".to_owned()], security_group_ids: vec!["sg-1".to_owned()] },
        continuous: true,
        recovers: true,
        autoscaled: false,
        groups,
        restricted: Vec::new(),
    }
}

fn eks() -> EksCluster {
    EksCluster {
        name: "demo".to_owned(),
        arn: "arn:aws:eks:us-west-2:111122223333:cluster/demo".to_owned(),
        status: EksClusterStatus::Active,
        version: "1.33".to_owned(),
        endpoint: String::new(),
        certificate_authority: String::new(),
        vpc_id: "vpc-1".to_owned(),
        subnet_ids: vec!["subnet-eks".to_owned()],
        security_group_ids: vec!["sg-1".to_owned()],
        cluster_security_group_id: None,
        role_arn: String::new(),
        authentication_mode: "API".to_owned(),
        access: EndpointAccess { public: true, private: true, public_cidrs: Vec::new() },
        issuer: None,
        issues: Vec::new(),
        tags: Tags::new(),
    }
}

fn foundation(record: &record::Cluster) -> Foundation {
    let zone = |id: &str, name: &str| Zone { id: id.to_owned(), name: name.to_owned() };
    Foundation {
        role: None,
        bucket: BUCKET.to_owned(),
        bucket_state: Bucket::Free,
        script_prefix: Scripts::ours().prefix(),
        missing_scripts: Scripts::ours().files().map(|(name, _)| name.to_owned()).collect(),
        site: Some(Site {
            zones: vec![zone("usw2-az1", "us-west-2b"), zone("usw2-az2", "us-west-2a")],
            ground: Some(ground(record)),
            security_groups: vec![SecurityGroup {
                id: "sg-1".to_owned(),
                name: "nodes".to_owned(),
                vpc_id: "vpc-1".to_owned(),
                self_rules: SelfRules { ingress: true, egress: true },
                egress_anywhere: true,
                tags: Tags::new(),
            }],
        }),
    }
}

fn ground(record: &record::Cluster) -> Ground {
    Ground {
        vpc: Vpc {
            id: "vpc-1".to_owned(),
            cidrs: vec!["10.1.0.0/16".parse().unwrap()],
            state: "available".to_owned(),
            tags: Tags::new(),
        },
        subnets: Vec::new(),
        route_tables: Vec::new(),
        nats: vec![NatGateway {
            id: "nat-1".to_owned(),
            subnet_id: "subnet-public".to_owned(),
            state: "available".to_owned(),
            failure: String::new(),
            tags: Tags::new(),
        }],
        endpoints: vec![VpcEndpoint {
            id: "vpce-1".to_owned(),
            service: "com.amazonaws.us-west-2.s3".to_owned(),
            state: "available".to_owned(),
            route_table_ids: Vec::new(),
            tags: Tags::from([(TAG_CLUSTER.to_owned(), record.id.to_string())]),
        }],
        other_cidrs: Vec::new(),
        cluster_id: record.id,
    }
}
