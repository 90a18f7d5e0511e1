//! An account with a network and a cluster role, and short ways to call EKS in it.

use super::super::{handle, surroundings::Surroundings, world_access::Subnet};
use crate::{
    call::{AwsError, Call, Caller},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

pub(super) const ROLE: &str = "arn:aws:iam::111122223333:role/hyperpod-instantstart/demo-cluster";
pub(super) const REGION: &str = "us-west-2";
pub(super) const ARN: &str = "arn:aws:eks:us-west-2:111122223333:cluster/demo";
pub(super) const TOKEN: &str = "clientRequestToken";

/// A world with its clock.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) world: World,
    pub(super) now: Timestamp,
    pub(super) region: &'static str,
    pub(super) caller: Caller,
}

impl Place {
    pub(super) fn new() -> Self {
        let now: Timestamp = "2026-06-01T00:00:00Z".parse().unwrap();
        let mut world = World::new(7, 1);
        world.eks.surroundings = surroundings(now);
        Self { world, now, region: REGION, caller: Caller::root() }
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
        self.world.advance(self.now);
        let call = Call {
            service: "eks",
            action: action.to_owned(),
            region: self.region.to_owned(),
            caller: self.caller.clone(),
            input,
            now: self.now,
            request_id: "00000000-0000-4000-8000-000000000000".to_owned(),
        };
        handle(&mut self.world, &call)
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
}

fn surroundings(now: Timestamp) -> Surroundings {
    let mut surroundings = Surroundings::default();
    let zones = [
        ("subnet-a", "usw2-az1", "us-west-2a", "vpc-1"),
        ("subnet-b", "usw2-az2", "us-west-2b", "vpc-1"),
        ("subnet-b2", "usw2-az2", "us-west-2b", "vpc-1"),
        ("subnet-other", "usw2-az3", "us-west-2c", "vpc-2"),
        ("subnet-e1", "use1-az1", "us-east-1a", "vpc-3"),
        ("subnet-e3", "use1-az3", "us-east-1c", "vpc-3"),
    ];
    for (id, zone_id, zone_name, vpc) in zones {
        let subnet = Subnet {
            id: id.to_owned(),
            vpc_id: vpc.to_owned(),
            zone_id: zone_id.to_owned(),
            zone_name: zone_name.to_owned(),
            free_addresses: 200,
        };
        surroundings.subnets.insert(id.to_owned(), subnet);
    }
    surroundings.groups.insert("sg-1".to_owned(), "vpc-1".to_owned());
    surroundings.groups.insert("sg-2".to_owned(), "vpc-2".to_owned());
    surroundings.roles.insert(ROLE.to_owned(), ("eks.amazonaws.com".to_owned(), now));
    surroundings
}

/// A request for the cluster `demo` that is in order.
pub(super) fn request() -> Value {
    json!({
        "name": "demo",
        "version": "1.33",
        "roleArn": ROLE,
        "resourcesVpcConfig": { "subnetIds": ["subnet-a", "subnet-b"], "securityGroupIds": ["sg-1"], "endpointPrivateAccess": true },
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
