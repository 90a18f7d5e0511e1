//! EC2 as a caller sees it: what a test needs to ask, and the tests by subject.

mod deletion;
mod gateways;
mod groups;
mod limits;
mod listings;
mod vpcs;
mod zones;

use super::handle;
use crate::{
    call::{AwsError, Call, Caller},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

const REGION: &str = "us-west-2";

/// A caller of one region with a clock of its own.
struct Ec2 {
    world: World,
    now: Timestamp,
    calls: u32,
}

impl Ec2 {
    /// A fresh account whose reads do not lag.
    fn new() -> Self {
        let mut world = World::new(7, 1);
        world.ec2.read_lag = 0;
        Self { world, now: Timestamp::UNIX_EPOCH, calls: 0 }
    }

    fn ask(&mut self, action: &str, input: Value) -> Result<Value, AwsError> {
        self.calls += 1;
        let call = Call {
            service: "ec2",
            action: action.to_owned(),
            region: REGION.to_owned(),
            caller: Caller::root(),
            input,
            now: self.now,
            request_id: format!("request {}", self.calls),
        };
        handle(&mut self.world, &call)
    }

    /// The answer of a call that must succeed.
    #[track_caller]
    fn get(&mut self, action: &str, input: Value) -> Value {
        self.ask(action, input.clone()).unwrap_or_else(|error| panic!("{action} {input}: {error}"))
    }

    /// The error code of a call that must be refused.
    #[track_caller]
    fn refusal(&mut self, action: &str, input: Value) -> String {
        match self.ask(action, input.clone()) {
            Ok(answer) => panic!("{action} {input} was answered with {answer}"),
            Err(error) => error.code,
        }
    }

    /// The id at `path` in the answer of a call that must succeed.
    #[track_caller]
    fn id(&mut self, action: &str, input: Value, path: &str) -> String {
        let answer = self.get(action, input);
        answer.pointer(path).and_then(Value::as_str).unwrap_or_else(|| panic!("no {path} in {answer}")).to_owned()
    }

    fn pass(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
        self.world.advance(self.now);
    }

    fn vpc(&mut self, cidr: &str) -> String {
        self.id("CreateVpc", json!({ "CidrBlock": cidr }), "/Vpc/VpcId")
    }

    fn subnet(&mut self, vpc: &str, cidr: &str) -> String {
        self.id("CreateSubnet", json!({ "VpcId": vpc, "CidrBlock": cidr }), "/Subnet/SubnetId")
    }

    fn gateway(&mut self, vpc: &str) -> String {
        let id = self.id("CreateInternetGateway", json!({}), "/InternetGateway/InternetGatewayId");
        self.get("AttachInternetGateway", json!({ "InternetGatewayId": id, "VpcId": vpc }));
        id
    }

    fn address(&mut self) -> String {
        self.id("AllocateAddress", json!({ "Domain": "vpc" }), "/AllocationId")
    }

    fn nat(&mut self, subnet: &str, address: &str) -> String {
        let input = json!({ "SubnetId": subnet, "AllocationId": address });
        self.id("CreateNatGateway", input, "/NatGateway/NatGatewayId")
    }

    fn nat_state(&mut self, id: &str) -> Value {
        let answer = self.get("DescribeNatGateways", json!({ "NatGatewayIds": [id] }));
        answer["NatGateways"][0]["State"].clone()
    }

    fn table(&mut self, vpc: &str) -> String {
        self.id("CreateRouteTable", json!({ "VpcId": vpc }), "/RouteTable/RouteTableId")
    }

    fn group(&mut self, vpc: &str, name: &str) -> String {
        self.id("CreateSecurityGroup", json!({ "GroupName": name, "Description": "d", "VpcId": vpc }), "/GroupId")
    }

    fn route(&mut self, table: &str, destination: &str) -> Value {
        let answer = self.get("DescribeRouteTables", json!({ "RouteTableIds": [table] }));
        let routes = answer["RouteTables"][0]["Routes"].as_array().cloned().unwrap_or_default();
        routes.into_iter().find(|route| route["DestinationCidrBlock"] == destination).unwrap_or_default()
    }
}
