//! An account in which a HyperPod cluster can be made, and the calls that tests make.

use crate::{
    call::{Answer, AwsError, Call, Caller},
    capacity, ec2, geography, hyperpod_nodes, quotas, s3,
    sagemaker::{NodeStatus, world_access},
    services,
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(crate) const REGION: &str = "us-west-2";
pub(crate) const EKS: &str = "arn:aws:eks:us-west-2:111122223333:cluster/research";
pub(crate) const ROLE: &str = "arn:aws:iam::111122223333:role/hyperpod-execution";
pub(crate) const SUBNET: &str = "subnet-0a";
pub(crate) const ZONE: &str = "usw2-az2";
pub(crate) const SCRIPT: &str = "sagemaker-scripts/lc/on_create.sh";
const BUCKET: &str = "sagemaker-scripts";
const TYPES: [&str; 4] = ["ml.g6.xlarge", "ml.g6.2xlarge", "ml.p5.48xlarge", "ml.m5.2xlarge"];

/// A world, its clock, and short names for what EC2 made in it.
pub(crate) struct Ground {
    pub(crate) world: World,
    pub(crate) now: Timestamp,
    ids: BTreeMap<&'static str, String>,
    /// What [`Ground::deny`] refuses to the execution role: action and resource.
    denied: Vec<(String, String)>,
}

impl Ground {
    /// A VPC, roles, a script, plenty of everything, and the EKS cluster `research`, ACTIVE.
    pub(crate) fn new() -> Self {
        let mut world = World::new(7, 1);
        world.iam.lag = 0..1;
        world.ec2.read_lag = 0;
        let now = "2026-12-01T08:00:00Z".parse().unwrap();
        let mut ground = Self { world, now, ids: BTreeMap::new(), denied: Vec::new() };
        ground.networks();
        ground.plenty();
        ground.role("arn:aws:iam::111122223333:role/control-plane", "eks.amazonaws.com");
        ground.role(ROLE, "sagemaker.amazonaws.com");
        ground.write_policies();
        ground.bucket(BUCKET);
        ground.write_script("#!/bin/bash\necho \"version 1\"\nexit 0\n");
        ground.eks_cluster("research", "API_AND_CONFIG_MAP");
        ground.minutes(15);
        ground
    }

    fn networks(&mut self) {
        for (vpc, block) in [("vpc-1", "10.1.0.0/16"), ("vpc-2", "10.2.0.0/16")] {
            let made = self.ask("ec2", "CreateVpc", json!({ "CidrBlock": block })).unwrap();
            self.ids.insert(vpc, made["Vpc"]["VpcId"].as_str().unwrap().to_owned());
        }
        for (name, vpc, zone, block) in [
            (SUBNET, "vpc-1", ZONE, "10.1.0.0/20"),
            ("subnet-0b", "vpc-1", "usw2-az1", "10.1.16.0/20"),
            ("subnet-of-another", "vpc-2", ZONE, "10.2.0.0/20"),
        ] {
            let input = json!({ "VpcId": vpc, "AvailabilityZoneId": zone, "CidrBlock": block });
            let made = self.ask("ec2", "CreateSubnet", input).unwrap();
            self.ids.insert(name, made["Subnet"]["SubnetId"].as_str().unwrap().to_owned());
        }
        for group in ["sg-open", "sg-closed"] {
            let input = json!({ "VpcId": "vpc-1", "GroupName": group.replace("sg-", "g-"), "Description": "nodes" });
            let made = self.ask("ec2", "CreateSecurityGroup", input).unwrap();
            self.ids.insert(group, made["GroupId"].as_str().unwrap().to_owned());
        }
        for action in ["AuthorizeSecurityGroupIngress", "AuthorizeSecurityGroupEgress"] {
            let itself = json!([{ "IpProtocol": "-1", "UserIdGroupPairs": [{ "GroupId": "sg-open" }] }]);
            self.ask("ec2", action, json!({ "GroupId": "sg-open", "IpPermissions": itself })).unwrap();
        }
    }

    /// Quotas and capacity that do not get in the way.
    fn plenty(&mut self) {
        for instance_type in TYPES {
            for usage in ["usage", "spot instance usage"] {
                self.set_quota(&format!("{instance_type} for cluster {usage}"), 1000);
            }
            capacity::set_offered(&mut self.world, ZONE, instance_type, true);
            self.set_capacity(instance_type, 1000);
        }
        let reserved = "Number of ml.p5.48xlarge instances in reserved capacity across training plans per Region";
        self.set_quota(reserved, 1000);
        self.set_quota("Total number of Spot instances allowed across SageMaker HyperPod clusters", 1000);
    }

    /// Makes a role that trusts one service.
    pub(crate) fn role(&mut self, arn: &str, service: &str) {
        let name = arn.rsplit('/').next().unwrap();
        let trust = json!({ "Version": "2012-10-17", "Statement": [
            { "Effect": "Allow", "Principal": { "Service": service }, "Action": ["sts:AssumeRole", "sts:TagSession"] }
        ] });
        let input = json!({ "RoleName": name, "AssumeRolePolicyDocument": trust.to_string() });
        self.ask("iam", "CreateRole", input).unwrap();
    }

    /// Gives a role one policy of these statements.
    pub(crate) fn permit(&mut self, arn: &str, statements: Value) {
        let document = json!({ "Version": "2012-10-17", "Statement": statements }).to_string();
        let name = arn.rsplit('/').next().unwrap();
        let input = json!({ "RoleName": name, "PolicyName": "all", "PolicyDocument": document });
        self.ask("iam", "PutRolePolicy", input).unwrap();
    }

    fn write_policies(&mut self) {
        let mut statements = vec![json!({ "Effect": "Allow", "Action": "*", "Resource": "*" })];
        for (action, resource) in &self.denied {
            statements.push(json!({ "Effect": "Deny", "Action": action, "Resource": resource }));
        }
        self.permit(ROLE, json!(statements));
    }

    /// Makes a bucket.
    pub(crate) fn bucket(&mut self, name: &str) {
        s3::make_bucket(&mut self.world, name, REGION, self.now);
    }

    /// Begins an EKS cluster and answers its ARN.
    pub(crate) fn eks_cluster(&mut self, name: &str, mode: &str) -> String {
        let input = json!({
            "name": name, "version": "1.33", "roleArn": "arn:aws:iam::111122223333:role/control-plane",
            "resourcesVpcConfig": { "subnetIds": [SUBNET, "subnet-0b"] },
            "accessConfig": { "authenticationMode": mode },
        });
        self.ask("eks", "CreateCluster", input).unwrap()["cluster"]["arn"].as_str().unwrap().to_owned()
    }

    /// The name of the first zone.
    pub(crate) fn zone_name() -> String {
        geography::zone(REGION, ZONE).unwrap().name
    }

    pub(crate) fn call(&mut self, action: &str, input: Value) -> Answer {
        self.ask("sagemaker", action, input)
    }

    /// Calls a service; short names stand for the ids that EC2 gave.
    pub(crate) fn ask(&mut self, service: &'static str, action: &str, input: Value) -> Answer {
        let call = Call {
            service,
            action: action.to_owned(),
            region: REGION.to_owned(),
            caller: Caller::root(),
            input: serde_json::from_str(&self.with_ids(input.to_string())).unwrap(),
            now: self.now,
            request_id: "r".to_owned(),
        };
        let answer = services::handle(&mut self.world, &call);
        hyperpod_nodes::reconcile(&mut self.world, self.now);
        answer
            .map(|answer| serde_json::from_str(&self.with_names(answer.to_string())).unwrap())
            .map_err(|refusal| AwsError { message: self.with_names(refusal.message.clone()), ..refusal })
    }

    fn with_ids(&self, text: String) -> String {
        self.ids.iter().fold(text, |text, (name, id)| {
            let [quoted, ids] = [name, id.as_str()].map(|it| format!("\"{it}\""));
            text.replace(&quoted, &ids)
        })
    }

    fn with_names(&self, text: String) -> String {
        self.ids.iter().fold(text, |text, (name, id)| text.replace(id, name))
    }

    pub(crate) fn refusal(&mut self, action: &str, input: Value) -> AwsError {
        self.call(action, input).unwrap_err()
    }

    /// Makes the cluster `ml` with these groups and answers its ARN.
    pub(crate) fn create(&mut self, groups: Value) -> String {
        self.call("CreateCluster", request(groups)).unwrap()["ClusterArn"].as_str().unwrap().to_owned()
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, span: SignedDuration) {
        self.now = self.now.saturating_add(span).unwrap();
        self.world.advance(self.now);
    }

    pub(crate) fn minutes(&mut self, minutes: i64) {
        self.pass(SignedDuration::from_mins(minutes));
    }

    pub(crate) fn cluster(&mut self) -> Value {
        self.call("DescribeCluster", json!({ "ClusterName": "ml" })).unwrap()
    }

    pub(crate) fn group(&mut self) -> Value {
        self.cluster()["InstanceGroups"][0].clone()
    }

    /// Leaves this many on-demand instances of a type in the first zone.
    pub(crate) fn set_capacity(&mut self, instance_type: &str, count: u32) {
        capacity::set_free(&mut self.world, ZONE, instance_type, capacity::Kind::OnDemand, count);
    }

    pub(crate) fn set_quota(&mut self, name: &str, limit: i32) {
        assert!(quotas::set(&mut self.world, "sagemaker", name, REGION, f64::from(limit)), "{name}");
    }

    pub(crate) fn write_script(&mut self, text: &str) {
        let key = SCRIPT.strip_prefix("sagemaker-scripts/").unwrap();
        assert!(s3::put_object(&mut self.world, BUCKET, key, text.to_owned(), self.now));
    }

    /// Takes the script away; the bucket stays.
    pub(crate) fn remove_script(&mut self) {
        let key = SCRIPT.strip_prefix("sagemaker-scripts/").unwrap();
        assert!(s3::remove_object(&mut self.world, BUCKET, key));
    }

    /// Refuses an action on a resource (which may be a short name's ARN) to the execution role.
    pub(crate) fn deny(&mut self, action: &str, resource: &str) {
        let resource = self.ids.iter().fold(resource.to_owned(), |text, (name, id)| text.replace(name, id));
        self.denied.push((action.to_owned(), resource));
        self.write_policies();
    }

    /// Takes all refusals back.
    pub(crate) fn allow_all(&mut self) {
        self.denied.clear();
        self.write_policies();
    }

    /// Leaves this many addresses in a subnet.
    pub(crate) fn leave_addresses(&mut self, subnet: &str, count: u32) {
        let id = self.ids[subnet].clone();
        let network = self.world.ec2.existing(REGION).unwrap();
        let taken = usize::try_from(network.free_addresses(&network.subnets[&id]) - count).unwrap();
        let groups = [self.ids["sg-open"].clone()];
        ec2::claim_interface(&mut self.world, REGION, &id, &groups, "others", "others", taken).unwrap();
    }

    /// Addresses that HyperPod's interfaces hold.
    pub(crate) fn held_addresses(&self) -> usize {
        let interfaces = self.world.ec2.existing(REGION).unwrap().interfaces.values();
        let ours = interfaces.filter(|interface| interface.requester.as_deref() == Some("sagemaker"));
        ours.map(|interface| interface.addresses.len()).sum()
    }

    /// Instance ids in the order of `ListClusterNodes`.
    pub(crate) fn instances(&mut self) -> Vec<String> {
        let answer = self.call("ListClusterNodes", json!({ "ClusterName": "ml", "MaxResults": 100 })).unwrap();
        let nodes = answer["ClusterNodeSummaries"].as_array().unwrap();
        nodes.iter().map(|node| node["InstanceId"].as_str().unwrap().to_owned()).collect()
    }

    /// Descriptions of all events, oldest first.
    pub(crate) fn events(&mut self) -> Vec<String> {
        let input = json!({ "ClusterName": "ml", "SortOrder": "Ascending", "MaxResults": 100 });
        let answer = self.call("ListClusterEvents", input).unwrap();
        let events = answer["Events"].as_array().unwrap();
        events.iter().map(|event| event["Description"].as_str().unwrap().to_owned()).collect()
    }

    /// How many nodes have this status.
    pub(crate) fn count(&self, status: NodeStatus) -> usize {
        let nodes = self.world.sagemaker.clusters.values().flat_map(|cluster| cluster.nodes.values());
        nodes.filter(|node| node.status == status).count()
    }

    pub(crate) fn kubernetes_nodes(&self) -> Vec<Value> {
        // Looking changes nothing that anyone sees, but the API server is asked for it as for everything.
        let mut world = World::new(0, 1);
        world.kubernetes.clone_from(&self.world.kubernetes);
        let (_, mut body) = world_access::kubernetes(&mut world, EKS, "GET", "/api/v1/nodes", None, self.now).unwrap();
        body["items"].as_array_mut().map(std::mem::take).unwrap()
    }

    /// A request to the API server of the cluster `research`, which must be served.
    pub(crate) fn kubernetes(&mut self, method: &str, path: &str, body: Option<Value>) -> Value {
        let (status, answer) =
            world_access::kubernetes(&mut self.world, EKS, method, path, body.as_ref(), self.now).unwrap();
        assert!(status < 400, "{answer}");
        hyperpod_nodes::reconcile(&mut self.world, self.now);
        answer
    }

    /// Runs a pod with this image on a Kubernetes node, and gives it the time to start.
    pub(crate) fn run_pod(&mut self, node: &str, image: &str) {
        let name = format!("{}-{node}", image.replace(['/', ':'], "-"));
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": name },
            "spec": {
                "nodeName": node,
                "containers": [{ "name": "main", "image": image }],
                "tolerations": [{ "operator": "Exists" }],
            },
        });
        self.kubernetes("POST", "/api/v1/namespaces/default/pods", Some(pod));
        self.minutes(3);
    }

    pub(crate) fn script_log(&self, instance: &str) -> Vec<String> {
        let cluster = self.world.sagemaker.clusters.values().next().unwrap();
        let stream = format!("LifecycleConfig/workers/{instance}");
        let lines = crate::logs::lines(&self.world, "us-west-2", &cluster.log_group(), &stream);
        lines.into_iter().map(str::to_owned).collect()
    }
}

/// A Continuous cluster named `ml` with these groups.
pub(crate) fn request(groups: Value) -> Value {
    json!({
        "ClusterName": "ml",
        "Orchestrator": { "Eks": { "ClusterArn": EKS } },
        "NodeProvisioningMode": "Continuous",
        "VpcConfig": { "Subnets": [SUBNET], "SecurityGroupIds": ["sg-open"] },
        "InstanceGroups": groups,
        "Tags": [{ "Key": "SageMaker", "Value": "true" }],
    })
}

/// A group named `workers`.
pub(crate) fn workers(instance_type: &str, count: u32) -> Value {
    json!({
        "InstanceGroupName": "workers",
        "InstanceType": instance_type,
        "InstanceCount": count,
        "ExecutionRole": ROLE,
        "LifeCycleConfig": { "SourceS3Uri": "s3://sagemaker-scripts/lc/", "OnCreate": "on_create.sh" },
    })
}

/// The same with further members.
pub(crate) fn with(mut group: Value, members: Value) -> Value {
    for (name, value) in members.as_object().unwrap() {
        group[name.as_str()] = value.clone();
    }
    group
}
