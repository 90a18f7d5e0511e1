//! An account in which a HyperPod cluster can be made, and the calls that tests make.

use crate::{
    call::{Answer, AwsError, Call, Caller},
    hyperpod_nodes,
    sagemaker::{
        NodeStatus, handle,
        world_access::{EksCluster, Subnet},
    },
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

pub(crate) const EKS: &str = "arn:aws:eks:us-west-2:111122223333:cluster/research";
pub(crate) const ROLE: &str = "arn:aws:iam::111122223333:role/hyperpod-execution";
pub(crate) const SUBNET: &str = "subnet-0a";
pub(crate) const ZONE: &str = "usw2-az2";
pub(crate) const SCRIPT: &str = "sagemaker-scripts/lc/on_create.sh";

/// A world, its clock, and the cluster under test.
pub(crate) struct Ground {
    pub(crate) world: World,
    pub(crate) now: Timestamp,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let mut world = World::new(7, 1);
        let stand_ins = &mut world.sagemaker.stand_ins;
        stand_ins.zones = vec![("us-west-2a".into(), "usw2-az2".into()), ("us-west-2b".into(), "usw2-az1".into())];
        for (id, zone, zone_id) in [(SUBNET, "us-west-2a", ZONE), ("subnet-0b", "us-west-2b", "usw2-az1")] {
            let subnet = Subnet { vpc: "vpc-1".into(), zone: zone.into(), zone_id: zone_id.into() };
            stand_ins.subnets.insert(id.into(), (subnet, 4_091));
        }
        stand_ins.groups.insert("sg-open".into(), ("vpc-1".into(), true));
        stand_ins.groups.insert("sg-closed".into(), ("vpc-1".into(), false));
        stand_ins.roles.insert(ROLE.into(), ["sagemaker.amazonaws.com".to_owned()].into());
        let eks = EksCluster {
            status: "ACTIVE".into(),
            authentication_mode: "API_AND_CONFIG_MAP".into(),
            vpc: "vpc-1".into(),
            version: "1.33".into(),
        };
        stand_ins.eks.insert(EKS.into(), eks);
        stand_ins.objects.insert(SCRIPT.into(), "#!/bin/bash\necho \"version 1\"\nexit 0\n".into());
        let network = format!("{EKS}/apis/apps/v1/namespaces/kube-system/daemonsets/aws-node");
        stand_ins.kubernetes.insert(network, json!({}));
        Self { world, now: "2026-12-01T08:00:00Z".parse().unwrap() }
    }

    pub(crate) fn call(&mut self, action: &str, input: Value) -> Answer {
        let call = Call {
            service: "sagemaker",
            action: action.to_owned(),
            region: "us-west-2".to_owned(),
            caller: Caller::root(),
            input,
            now: self.now,
            request_id: "r".to_owned(),
        };
        let answer = handle(&mut self.world, &call);
        hyperpod_nodes::reconcile(&mut self.world, self.now);
        answer
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
        let pool = format!("{ZONE}/{instance_type}/on-demand");
        self.world.sagemaker.stand_ins.capacity.insert(pool, count);
    }

    pub(crate) fn set_quota(&mut self, name: &str, limit: i64) {
        self.world.sagemaker.stand_ins.quotas.insert(name.to_owned(), limit);
    }

    pub(crate) fn write_script(&mut self, text: &str) {
        self.world.sagemaker.stand_ins.objects.insert(SCRIPT.to_owned(), text.to_owned());
    }

    /// Takes the script away; the bucket stays.
    pub(crate) fn remove_script(&mut self) {
        self.world.sagemaker.stand_ins.objects.remove(SCRIPT);
        self.world.sagemaker.stand_ins.objects.insert("sagemaker-scripts/other".to_owned(), String::new());
    }

    /// Refuses (principal, action, resource).
    pub(crate) fn deny(&mut self, what: (String, String, String)) {
        self.world.sagemaker.stand_ins.denied.insert(what);
    }

    pub(crate) fn allow(&mut self, what: &(String, String, String)) {
        self.world.sagemaker.stand_ins.denied.remove(what);
    }

    /// Addresses that HyperPod's interfaces hold.
    pub(crate) fn held_addresses(&self) -> u32 {
        self.world.sagemaker.stand_ins.interfaces.values().map(|(_, addresses)| addresses).sum()
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

    pub(crate) fn kubernetes_nodes(&self) -> Vec<&Value> {
        let prefix = format!("{EKS}/api/v1/nodes/");
        let objects = self.world.sagemaker.stand_ins.kubernetes.iter();
        objects.filter(|(key, _)| key.starts_with(&prefix)).map(|(_, object)| object).collect()
    }

    /// Puts a running pod with this image on a Kubernetes node.
    pub(crate) fn run_pod(&mut self, node: &str, image: &str) {
        let name = format!("{}-{node}", image.replace(['/', ':'], "-"));
        let pod = json!({
            "metadata": { "name": name },
            "spec": { "nodeName": node, "containers": [{ "image": image }] },
            "status": { "phase": "Running" },
        });
        self.world.sagemaker.stand_ins.kubernetes.insert(format!("{EKS}/api/v1/pods/{name}"), pod);
        hyperpod_nodes::reconcile(&mut self.world, self.now);
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
