//! What a fresh local account has before anyone asks it anything: quotas that allow the usual choices, capacity that is
//! scarce in places, a training plan, a bucket, and two EKS clusters that somebody else made.
//!
//! The clusters are made by the services' own handlers, called as root, some hours before the world begins, and have had
//! those hours to settle. `research` works and has a HyperPod cluster with one node; `legacy` lacks what HyperPod needs:
//! rules of its group for itself, a way out, an endpoint for S3.

use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call, Caller},
    capacity::{self, Kind},
    catalogue, geography, hyperpod_nodes, quotas, s3,
    sagemaker::{self, Block, Plan},
    services,
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// How long before the world's start the clusters are begun, at AWS's pace: at a faster one the world has as much behind it,
/// not more.
const BEFORE: SignedDuration = SignedDuration::from_hours(4);
/// The type of the working cluster's node.
const NODE: &str = "ml.g5.8xlarge";
/// The type that the training plan is for.
const PLANNED: &str = "ml.p5.48xlarge";
const SCRIPT: &str = "#!/bin/bash\necho \"on_create.sh: nothing to prepare\"\nexit 0\n";

/// Gives `region` of an empty account, as of `now`, what every account in use has: quotas, capacity, a training plan and
/// the project's bucket, called `bucket`. Clusters are [`found_clusters`]'.
pub fn furnish(world: &mut World, now: Timestamp, region: &str, bucket: &str) {
    allow_usual_choices(world, region);
    make_scarce(world, region);
    let start = before(world, now);
    s3::make_bucket(world, bucket, region, start);
    plan(world, now, region);
}

/// Has somebody make the two clusters in `region`, some hours before `now`.
///
/// # Errors
/// The refusal of a service, which a change of its rules can cause.
pub fn found_clusters(world: &mut World, now: Timestamp, region: &str) -> Result<(), AwsError> {
    let at = before(world, now);
    let mut founder = Founder { world, region, at };
    founder.roles()?;
    founder.research()?;
    founder.legacy()?;
    founder.pass_until(now);
    Ok(())
}

fn before(world: &World, now: Timestamp) -> Timestamp {
    now.saturating_sub(world.paced(BEFORE)).unwrap_or(now)
}

/// Quotas of accelerated types are 0 in a new account; here most have been raised.
fn allow_usual_choices(world: &mut World, region: &str) {
    for known in catalogue::instance_types() {
        let name = &known.name;
        let large = known.accelerator.as_ref().is_some_and(|accelerator| accelerator.count >= 8);
        let count = if large { 8.0 } else { 32.0 };
        quotas::set(world, "sagemaker", &format!("{name} for cluster usage"), region, count);
        quotas::set(world, "sagemaker", &format!("{name} for cluster spot instance usage"), region, count / 2.0);
        let reserved = format!("Number of {name} instances in reserved capacity across training plans per Region");
        quotas::set(world, "sagemaker", &reserved, region, count);
    }
    let spot = "Total number of Spot instances allowed across SageMaker HyperPod clusters";
    quotas::set(world, "sagemaker", spot, region, 20.0);
    quotas::set(world, "vpc", "VPCs per Region", region, 20.0);
    quotas::set(world, "ec2", "EC2-VPC Elastic IPs", region, 20.0);
}

/// The largest types are hard to come by on demand: none in the first zone that sells them, one in the others.
fn make_scarce(world: &mut World, region: &str) {
    for name in [PLANNED, "ml.p5en.48xlarge", "ml.p4d.24xlarge"] {
        let zones: Vec<_> =
            geography::zones(region).into_iter().filter(|zone| capacity::offers(world, &zone.id, name)).collect();
        for (place, zone) in zones.iter().enumerate() {
            let count = u32::from(place > 0);
            capacity::set_free(world, &zone.id, name, Kind::OnDemand, count);
            capacity::set_free(world, &zone.id, name, Kind::Spot, 0);
        }
    }
}

/// Four p5 that begin in an hour and are there for two days.
fn plan(world: &mut World, now: Timestamp, region: &str) {
    let zones = geography::zones(region);
    let Some(zone) = zones.into_iter().find(|zone| capacity::offers(world, &zone.id, PLANNED)) else { return };
    let after = |hours: i64| now.saturating_add(SignedDuration::from_hours(hours)).unwrap_or(now);
    let plan = Plan {
        arn: format!("arn:aws:sagemaker:{region}:{ACCOUNT_ID}:training-plan/spring-training"),
        name: "spring-training".to_owned(),
        region: region.to_owned(),
        instance_type: PLANNED.to_owned(),
        count: 4,
        targets: vec!["hyperpod-cluster".to_owned()],
        fee: "6084.86".to_owned(),
        blocks: vec![Block { start: after(1), end: after(49), zone: zone.name, zone_id: zone.id }],
        status: "Scheduled".to_owned(),
        open: false,
    };
    sagemaker::add_plan(world, plan, now);
}

/// Somebody who worked in the account before.
struct Founder<'a> {
    world: &'a mut World,
    region: &'a str,
    at: Timestamp,
}

/// What a cluster is put into.
struct Ground {
    vpc: String,
    subnets: Vec<String>,
    group: String,
}

impl Founder<'_> {
    fn call(&mut self, service: &'static str, action: &str, input: Value) -> Answer {
        let call = Call {
            service,
            action: action.to_owned(),
            region: if service == "iam" { "us-east-1".to_owned() } else { self.region.to_owned() },
            caller: Caller::root(),
            input,
            now: self.at,
            request_id: String::new(),
        };
        let answer = services::handle(self.world, &call);
        hyperpod_nodes::reconcile(self.world, self.at);
        answer
    }

    /// Calls and answers the id (or ARN) at `path` of the answer.
    fn made(&mut self, service: &'static str, action: &str, input: Value, path: &str) -> Result<String, AwsError> {
        let answer = self.call(service, action, input)?;
        Ok(answer.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    /// Lets minutes of AWS's pace pass.
    fn pass(&mut self, minutes: i64) {
        let after = self.world.paced(SignedDuration::from_mins(minutes));
        self.pass_until(self.at.saturating_add(after).unwrap_or(self.at));
    }

    fn pass_until(&mut self, at: Timestamp) {
        self.at = at;
        self.world.advance(at);
    }

    fn roles(&mut self) -> Result<(), AwsError> {
        for (name, service, policy) in [
            ("team-control-plane", "eks.amazonaws.com", "AmazonEKSClusterPolicy"),
            ("team-nodes", "sagemaker.amazonaws.com", "AmazonSageMakerClusterInstanceRolePolicy"),
        ] {
            let trust = json!({ "Version": "2012-10-17", "Statement": [
                { "Effect": "Allow", "Principal": { "Service": service }, "Action": "sts:AssumeRole" }
            ] });
            let input = json!({ "RoleName": name, "AssumeRolePolicyDocument": trust.to_string() });
            self.call("iam", "CreateRole", input)?;
            let input = json!({ "RoleName": name, "PolicyArn": format!("arn:aws:iam::aws:policy/{policy}") });
            self.call("iam", "AttachRolePolicy", input)?;
        }
        let document = json!({ "Version": "2012-10-17", "Statement": [
            { "Effect": "Allow", "Resource": "*", "Action": [
                "ec2:*NetworkInterface*", "ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses", "ec2:CreateTags",
                "ec2:Describe*", "eks-auth:AssumeRoleForPodIdentity", "ecr:*",
            ] },
            { "Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"],
              "Resource": ["arn:aws:s3:::sagemaker-*", "arn:aws:s3:::sagemaker-*/*"] },
        ] });
        let input = json!({ "RoleName": "team-nodes", "PolicyName": "nodes", "PolicyDocument": document.to_string() });
        self.call("iam", "PutRolePolicy", input)?;
        self.pass(2);
        Ok(())
    }

    /// A VPC with two private subnets, in zones that have the node's type where there are any, and a group.
    fn ground(&mut self, name: &str, network: &str) -> Result<Ground, AwsError> {
        let tags =
            |kind: &str, name: &str| json!([{ "ResourceType": kind, "Tags": [{ "Key": "Name", "Value": name }] }]);
        let input = json!({ "CidrBlock": format!("{network}.0.0/16"), "TagSpecifications": tags("vpc", name) });
        let vpc = self.made("ec2", "CreateVpc", input, "/Vpc/VpcId")?;
        let mut zones = geography::zones(self.region);
        zones.sort_by_key(|zone| !capacity::offers(self.world, &zone.id, NODE));
        let mut subnets = Vec::new();
        for (zone, part) in zones.iter().take(2).zip([0, 64]) {
            let name = format!("{name}-{}", zone.id);
            let input = json!({
                "VpcId": vpc, "AvailabilityZoneId": zone.id, "CidrBlock": format!("{network}.{part}.0/18"),
                "TagSpecifications": tags("subnet", &name),
            });
            subnets.push(self.made("ec2", "CreateSubnet", input, "/Subnet/SubnetId")?);
        }
        let input = json!({ "VpcId": vpc, "GroupName": format!("{name}-nodes"), "Description": "Nodes of the team" });
        let group = self.made("ec2", "CreateSecurityGroup", input, "/GroupId")?;
        Ok(Ground { vpc, subnets, group })
    }

    /// A way out for the private subnets, an endpoint for S3, and rules of the group for itself.
    fn open(&mut self, ground: &Ground, network: &str) -> Result<(), AwsError> {
        let vpc = &ground.vpc;
        for action in ["AuthorizeSecurityGroupIngress", "AuthorizeSecurityGroupEgress"] {
            let itself = json!([{ "IpProtocol": "-1", "UserIdGroupPairs": [{ "GroupId": ground.group }] }]);
            self.call("ec2", action, json!({ "GroupId": ground.group, "IpPermissions": itself }))?;
        }
        let gateway = self.made("ec2", "CreateInternetGateway", json!({}), "/InternetGateway/InternetGatewayId")?;
        self.call("ec2", "AttachInternetGateway", json!({ "VpcId": vpc, "InternetGatewayId": gateway }))?;
        let zone = geography::zones(self.region).into_iter().next().map(|zone| zone.id).unwrap_or_default();
        let input = json!({ "VpcId": vpc, "AvailabilityZoneId": zone, "CidrBlock": format!("{network}.128.0/24") });
        let public = self.made("ec2", "CreateSubnet", input, "/Subnet/SubnetId")?;
        let address = self.made("ec2", "AllocateAddress", json!({ "Domain": "vpc" }), "/AllocationId")?;
        let outside = self.table(vpc, &[public.clone()])?;
        self.route(&outside, "GatewayId", &gateway)?;
        let input = json!({ "SubnetId": public, "AllocationId": address });
        let nat = self.made("ec2", "CreateNatGateway", input, "/NatGateway/NatGatewayId")?;
        self.pass(5);
        let inside = self.table(vpc, &ground.subnets)?;
        self.route(&inside, "NatGatewayId", &nat)?;
        let service = format!("com.amazonaws.{}.s3", self.region);
        let input = json!({ "VpcId": vpc, "ServiceName": service, "RouteTableIds": [inside] });
        self.call("ec2", "CreateVpcEndpoint", input)?;
        Ok(())
    }

    fn table(&mut self, vpc: &str, subnets: &[String]) -> Result<String, AwsError> {
        let table = self.made("ec2", "CreateRouteTable", json!({ "VpcId": vpc }), "/RouteTable/RouteTableId")?;
        for subnet in subnets {
            self.call("ec2", "AssociateRouteTable", json!({ "RouteTableId": table, "SubnetId": subnet }))?;
        }
        Ok(table)
    }

    fn route(&mut self, table: &str, kind: &str, target: &str) -> Result<(), AwsError> {
        let mut input = json!({ "RouteTableId": table, "DestinationCidrBlock": "0.0.0.0/0" });
        input[kind] = json!(target);
        self.call("ec2", "CreateRoute", input).map(drop)
    }

    /// Makes an EKS cluster and waits for it; answers its ARN.
    fn cluster(&mut self, name: &str, ground: &Ground) -> Result<String, AwsError> {
        let input = json!({
            "name": name, "version": "1.33", "roleArn": format!("arn:aws:iam::{ACCOUNT_ID}:role/team-control-plane"),
            "resourcesVpcConfig": { "subnetIds": ground.subnets, "securityGroupIds": [ground.group] },
            "accessConfig": { "authenticationMode": "API_AND_CONFIG_MAP" },
        });
        let arn = self.made("eks", "CreateCluster", input, "/cluster/arn")?;
        self.pass(15);
        Ok(arn)
    }

    fn research(&mut self) -> Result<(), AwsError> {
        let ground = self.ground("research", "10.40")?;
        self.open(&ground, "10.40")?;
        let eks = self.cluster("research", &ground)?;
        for name in ["vpc-cni", "kube-proxy", "coredns", "eks-pod-identity-agent"] {
            let input = json!({ "clusterName": "research", "addonName": name, "resolveConflicts": "OVERWRITE" });
            self.call("eks", "CreateAddon", input)?;
        }
        let bucket = format!("sagemaker-research-{ACCOUNT_ID}-{}", self.region);
        s3::make_bucket(self.world, &bucket, self.region, self.at);
        s3::put_object(self.world, &bucket, "lifecycle/on_create.sh", SCRIPT, self.at);
        let workers = json!({
            "InstanceGroupName": "workers", "InstanceType": NODE, "InstanceCount": 1,
            "ExecutionRole": format!("arn:aws:iam::{ACCOUNT_ID}:role/team-nodes"),
            "LifeCycleConfig": { "SourceS3Uri": format!("s3://{bucket}/lifecycle/"), "OnCreate": "on_create.sh" },
        });
        let input = json!({
            "ClusterName": "research",
            "Orchestrator": { "Eks": { "ClusterArn": eks } },
            "NodeProvisioningMode": "Continuous",
            "NodeRecovery": "Automatic",
            "VpcConfig": { "Subnets": ground.subnets, "SecurityGroupIds": [ground.group] },
            "InstanceGroups": [workers],
            "Tags": [{ "Key": "SageMaker", "Value": "true" }],
        });
        self.call("sagemaker", "CreateCluster", input)?;
        self.pass(45);
        Ok(())
    }

    fn legacy(&mut self) -> Result<(), AwsError> {
        let ground = self.ground("legacy", "10.50")?;
        self.cluster("legacy", &ground).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ec2, eks, sagemaker::NodeStatus};

    fn furnished() -> World {
        let mut world = World::new(7, 1);
        let now = "2026-12-01T08:00:00Z".parse().unwrap();
        furnish(&mut world, now, "us-west-2", "project");
        found_clusters(&mut world, now, "us-west-2").unwrap();
        world
    }

    #[test]
    fn the_working_cluster_has_a_running_node_and_the_other_lacks_what_hyperpod_needs() {
        let world = furnished();
        let statuses: Vec<_> = eks::clusters(&world).map(|one| (one.name.as_str(), one.status.word())).collect();
        assert_eq!(statuses, [("legacy", "ACTIVE"), ("research", "ACTIVE")]);
        let nodes: Vec<_> = world.sagemaker.clusters.values().flat_map(|cluster| cluster.nodes.values()).collect();
        assert_eq!(nodes.iter().map(|node| node.status).collect::<Vec<_>>(), [NodeStatus::Running]);
        let network = world.ec2.existing("us-west-2").unwrap();
        let [legacy, research] = ["legacy", "research"].map(|name| {
            let its = &eks::cluster(&world, "us-west-2", name).unwrap().network;
            let rules = ec2::self_rules(network, &its.security_group_ids[0]);
            (rules, network.has_s3_endpoint(&its.subnet_ids[0]))
        });
        assert_eq!((legacy, research), (((false, false), false), ((true, true), true)));
    }

    #[test]
    fn the_plan_is_scheduled_and_is_active_when_its_time_comes() {
        let mut world = furnished();
        let status = |world: &World| world.sagemaker.plans.values().next().unwrap().status.clone();
        assert_eq!(status(&world), "Scheduled");
        world.advance("2026-12-01T09:05:00Z".parse().unwrap());
        assert_eq!(status(&world), "Active");
    }

    #[test]
    fn the_same_seed_furnishes_the_same_world() {
        let forget = |mut world: World| {
            // Certificates come from the system's randomness.
            world.kubernetes.clear();
            world.ec2
        };
        assert!(forget(furnished()) == forget(furnished()));
    }
}
