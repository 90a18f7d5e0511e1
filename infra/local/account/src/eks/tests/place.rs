//! An account with networks and a cluster role, and short ways to call EKS in it.

use crate::{
    call::{AwsError, Call, Caller},
    ec2, geography, hyperpod_nodes, iam,
    kubernetes::{Reply, Request, User},
    services,
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) const ROLE: &str = "arn:aws:iam::111122223333:role/hyperpod-instantstart/demo-cluster";
pub(super) const REGION: &str = "us-west-2";
pub(super) const ARN: &str = "arn:aws:eks:us-west-2:111122223333:cluster/demo";
pub(super) const TOKEN: &str = "clientRequestToken";

/// A world with its clock, and short names for what EC2 made in it.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) world: World,
    pub(super) now: Timestamp,
    pub(super) region: &'static str,
    pub(super) caller: Caller,
    ids: BTreeMap<&'static str, String>,
}

impl Place {
    pub(super) fn new() -> Self {
        let now = "2026-06-01T00:00:00Z".parse().unwrap();
        let mut world = World::new(7, 1);
        world.iam.lag = 0..1;
        world.ec2.read_lag = 0;
        let mut place = Self { world, now, region: REGION, caller: Caller::root(), ids: BTreeMap::new() };
        place.network("vpc-1", "10.0.0.0/16", "sg-1");
        place.network("vpc-2", "10.8.0.0/16", "sg-2");
        place.subnet("subnet-a", "vpc-1", "usw2-az1", "10.0.0.0/24");
        place.subnet("subnet-b", "vpc-1", "usw2-az2", "10.0.1.0/28");
        place.subnet("subnet-b2", "vpc-1", "usw2-az2", "10.0.2.0/24");
        place.subnet("subnet-other", "vpc-2", "usw2-az3", "10.8.0.0/24");
        place.region = "us-east-1";
        place.network("vpc-3", "10.9.0.0/16", "sg-3");
        place.subnet("subnet-e1", "vpc-3", "use1-az1", "10.9.0.0/24");
        place.subnet("subnet-e3", "vpc-3", "use1-az3", "10.9.1.0/24");
        place.region = REGION;
        place.role(ROLE, "eks.amazonaws.com");
        place
    }

    fn network(&mut self, vpc: &'static str, cidr: &str, group: &'static str) {
        let made = self.ask("ec2", "CreateVpc", json!({ "CidrBlock": cidr })).unwrap();
        self.ids.insert(vpc, made["Vpc"]["VpcId"].as_str().unwrap().to_owned());
        let input = json!({ "VpcId": vpc, "GroupName": "training", "Description": "training" });
        let made = self.ask("ec2", "CreateSecurityGroup", input).unwrap();
        self.ids.insert(group, made["GroupId"].as_str().unwrap().to_owned());
    }

    fn subnet(&mut self, name: &'static str, vpc: &str, zone: &str, cidr: &str) {
        let input = json!({ "VpcId": vpc, "AvailabilityZoneId": zone, "CidrBlock": cidr });
        let made = self.ask("ec2", "CreateSubnet", input).unwrap();
        self.ids.insert(name, made["Subnet"]["SubnetId"].as_str().unwrap().to_owned());
    }

    /// Makes the role with this ARN, which trusts one service.
    pub(super) fn role(&mut self, arn: &str, service: &str) {
        let (start, name) = arn.rsplit_once('/').unwrap();
        let path = start.split_once(":role").map_or("", |(_, path)| path);
        let trust = trust(service);
        let input = json!({ "RoleName": name, "Path": format!("{path}/"), "AssumeRolePolicyDocument": trust });
        self.ask("iam", "CreateRole", input).unwrap();
    }

    /// Lets a role trust another service.
    pub(super) fn trust(&mut self, arn: &str, service: &str) {
        let name = arn.rsplit('/').next().unwrap();
        let input = json!({ "RoleName": name, "PolicyDocument": trust(service) });
        self.ask("iam", "UpdateAssumeRolePolicy", input).unwrap();
        self.pass_seconds(1);
    }

    /// With the cluster `demo` ACTIVE; `more` are further members of its request.
    pub(super) fn with_cluster(more: Value) -> Self {
        let mut place = Self::new();
        let mut request = request();
        for (name, value) in more.as_object().unwrap() {
            request[name] = value.clone();
        }
        place.call("CreateCluster", request).unwrap();
        place.pass_minutes(12);
        assert_eq!(place.cluster()["status"], "ACTIVE");
        place
    }

    pub(super) fn call(&mut self, action: &str, input: Value) -> Result<Value, AwsError> {
        self.ask("eks", action, input)
    }

    /// Calls a service; short names in the input stand for the ids that EC2 gave.
    pub(super) fn ask(&mut self, service: &'static str, action: &str, input: Value) -> Result<Value, AwsError> {
        self.world.advance(self.now);
        let call = Call {
            service,
            action: action.to_owned(),
            region: self.region.to_owned(),
            caller: self.caller.clone(),
            input: self.with_ids(input),
            now: self.now,
            request_id: "00000000-0000-4000-8000-000000000000".to_owned(),
        };
        services::handle(&mut self.world, &call)
    }

    fn with_ids(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.ids.get(text.as_str()).cloned().unwrap_or(text).into(),
            Value::Array(list) => list.into_iter().map(|one| self.with_ids(one)).collect(),
            Value::Object(map) => map.into_iter().map(|(name, one)| (name, self.with_ids(one))).collect(),
            other => other,
        }
    }

    pub(super) fn refused(&mut self, action: &str, input: Value) -> AwsError {
        let before = self.world.clone();
        let refusal = self.call(action, input).unwrap_err();
        assert!(self.world.eks == before.eks, "a refused {action} changed something");
        refusal
    }

    pub(super) fn pass_seconds(&mut self, seconds: i64) {
        self.now = self.now.checked_add(SignedDuration::from_secs(seconds)).unwrap();
        self.world.advance(self.now);
    }

    pub(super) fn pass_minutes(&mut self, minutes: i64) {
        self.pass_seconds(minutes * 60);
    }

    pub(super) fn cluster(&mut self) -> Value {
        self.call("DescribeCluster", json!({ "name": "demo" })).unwrap()["cluster"].clone()
    }

    pub(super) fn addon(&mut self, name: &str) -> Value {
        self.call("DescribeAddon", json!({ "clusterName": "demo", "addonName": name })).unwrap()["addon"].clone()
    }

    /// The subnets of the interfaces that EKS holds.
    pub(super) fn control_plane_subnets(&self) -> Vec<String> {
        let interfaces = self.world.ec2.existing(REGION).unwrap().interfaces.values();
        interfaces.map(|interface| interface.subnet.clone()).collect()
    }

    /// Leaves `subnet-b`, which has 11 addresses, with 5.
    pub(super) fn fill_subnet_b(&mut self) {
        let (subnet, group) = (self.ids["subnet-b"].clone(), self.ids["sg-1"].clone());
        ec2::claim_interface(&mut self.world, REGION, &subnet, &[group], "filled", "tests", 6).unwrap();
    }

    /// The name of a zone in this account.
    pub(super) fn zone_name(&self, id: &str) -> String {
        geography::zone(self.region, id).unwrap().name
    }

    /// An object in the cluster `demo`; null if there is none.
    pub(super) fn object(&mut self, path: &str) -> Value {
        let (status, body) = self.kubernetes(User::system("tests"), "GET", path, Value::Null);
        if status == 200 { body } else { Value::Null }
    }

    /// A request to the API server of the cluster `demo`.
    pub(super) fn kubernetes(&mut self, user: User, method: &str, path: &str, body: Value) -> (u16, Value) {
        let request = Request {
            method: method.parse().unwrap(),
            path: path.to_owned(),
            query: String::new(),
            content_type: Some("application/merge-patch+json".to_owned()).filter(|_| method == "PATCH"),
            accept: None,
            body: if body.is_null() { Vec::new() } else { body.to_string().into_bytes() },
            user,
        };
        let server = self.world.kubernetes.get_mut(ARN).unwrap();
        let Reply::Json { status, body, .. } = server.handle(&request, self.now) else {
            panic!("not an object: {path}")
        };
        (status, body)
    }

    /// Lets a node with room for so many pods join the cluster `demo`.
    pub(super) fn join_node(&mut self, name: &str, pods: &str, taints: Value) {
        let room = json!({ "cpu": "8", "memory": "32Gi", "pods": pods });
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": { "name": name }, "spec": { "taints": taints },
            "status": { "capacity": room, "allocatable": room, "conditions": [{ "type": "Ready", "status": "True" }] },
        });
        let (status, body) = self.kubernetes(User::system("tests"), "POST", "/api/v1/nodes", node);
        assert_eq!(status, 201, "{body}");
        hyperpod_nodes::reconcile(&mut self.world, self.now);
    }

    /// Takes a node away from the cluster `demo`.
    pub(super) fn remove_node(&mut self, name: &str) {
        self.kubernetes(User::system("tests"), "DELETE", &format!("/api/v1/nodes/{name}"), Value::Null);
        hyperpod_nodes::reconcile(&mut self.world, self.now);
    }

    /// A session of a role, by name.
    pub(super) fn session(&mut self, role: &str, session: &str) -> iam::Credentials {
        iam::session_for_role(&mut self.world, role, session, self.now).unwrap()
    }
}

fn trust(service: &str) -> String {
    json!({ "Version": "2012-10-17", "Statement": [
        { "Effect": "Allow", "Principal": { "Service": service }, "Action": ["sts:AssumeRole", "sts:TagSession"] }
    ] })
    .to_string()
}

/// A request for the cluster `demo` that is in order.
pub(super) fn request() -> Value {
    json!({
        "name": "demo",
        "version": "1.33",
        "roleArn": ROLE,
        "resourcesVpcConfig": {
            "subnetIds": ["subnet-a", "subnet-b"],
            "securityGroupIds": ["sg-1"],
            "endpointPrivateAccess": true,
        },
        "accessConfig": { "authenticationMode": "API_AND_CONFIG_MAP" },
        "tags": { "team": "ml" },
        "clientRequestToken": "token-1",
    })
}

/// The same with one member set otherwise.
pub(super) fn request_with(pointer: &str, value: Value) -> Value {
    let mut request = request();
    match request.pointer_mut(pointer) {
        Some(place) => *place = value,
        None => request[pointer.trim_start_matches('/')] = value,
    }
    request
}
