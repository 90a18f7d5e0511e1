//! What is refused, and in which words; updates; lists and their pages.

use super::ground::{Ground, ROLE, request, with, workers};
use serde_json::{Value, json};

fn refused(ground: &mut Ground, group: Value) -> String {
    ground.refusal("CreateCluster", request(json!([group]))).message
}

#[test]
fn a_quota_of_zero_is_refused_at_once_in_the_services_words() {
    let mut ground = Ground::new();
    ground.set_quota("ml.p5.48xlarge for cluster usage", 0);
    let refusal = ground.refusal("CreateCluster", request(json!([workers("ml.p5.48xlarge", 4)])));
    assert_eq!(refusal.code, "ResourceLimitExceeded");
    let words = "The account-level service limit 'ml.p5.48xlarge for cluster usage' is 0 Instances, with current utilization \
                 of 0 Instances and a request delta of 4 Instances. Please use AWS Service Quotas";
    assert!(refusal.message.starts_with(words), "{}", refusal.message);
    assert!(ground.world.sagemaker.clusters.is_empty());
}

#[test]
fn growth_beyond_a_quota_is_refused_and_shrinking_is_not() {
    let mut ground = Ground::new();
    ground.set_quota("ml.g6.xlarge for cluster usage", 2);
    ground.create(json!([workers("ml.g6.xlarge", 2)]));
    ground.minutes(5);
    let update = |count| json!({ "ClusterName": "ml", "InstanceGroups": [workers("ml.g6.xlarge", count)] });
    let refusal = ground.refusal("UpdateCluster", update(5));
    assert!(
        refusal.message.contains("utilization of 2 Instances and a request delta of 3 Instances"),
        "{}",
        refusal.message
    );
    ground.set_quota("ml.g6.xlarge for cluster usage", 0);
    ground.call("UpdateCluster", update(1)).unwrap();
}

#[test]
fn what_excludes_each_other_is_refused_by_name() {
    let mut ground = Ground::new();
    let plan = "arn:aws:sagemaker:us-west-2:111122223333:training-plan/p";
    let cases = [
        (
            json!({ "CapacityRequirements": { "Spot": {} }, "TrainingPlanArn": plan }),
            "TrainingPlanArn cannot be specified together with Spot",
        ),
        (
            json!({ "InstanceRequirements": { "InstanceTypes": ["ml.g6.xlarge"] } }),
            "Exactly one of InstanceType and InstanceRequirements",
        ),
        (json!({ "MinInstanceCount": 3 }), "MinInstanceCount cannot be greater than InstanceCount"),
        (json!({ "NetworkInterface": { "InterfaceType": "efa" } }), "does not support Elastic Fabric Adapter"),
        (json!({ "KubernetesConfig": { "Labels": { "node.kubernetes.io/x": "y" } } }), "reserved prefix"),
        (
            json!({ "OnStartDeepHealthChecks": ["InstanceStress"], "KubernetesConfig": { "Taints": [{ "Key": "a", "Effect": "NoSchedule" }] } }),
            "Custom taints",
        ),
        (
            json!({ "InstanceStorageConfigs": [{ "EbsVolumeConfig": { "RootVolume": true, "VolumeSizeInGB": 5 } }] }),
            "VolumeSizeInGB cannot be specified when RootVolume",
        ),
        (json!({ "LifeCycleConfig": { "SourceS3Uri": "s3://sagemaker-scripts/lc/" } }), "OnCreate must be specified"),
        (json!({ "TrainingPlanArn": plan }), "does not exist"),
        (json!({ "InstanceType": "ml.p9.48xlarge" }), "is not supported for clusters"),
    ];
    for (members, words) in cases {
        let message = refused(&mut ground, with(workers("ml.g6.xlarge", 1), members));
        assert!(message.contains(words), "{words}: {message}");
        assert!(message.contains("Instance group: workers"), "{message}");
    }
}

#[test]
fn spot_needs_continuous_provisioning() {
    let mut ground = Ground::new();
    let mut input =
        request(json!([with(workers("ml.g6.xlarge", 1), json!({ "CapacityRequirements": { "Spot": {} } }))]));
    input.as_object_mut().unwrap().remove("NodeProvisioningMode");
    assert!(ground.refusal("CreateCluster", input).message.contains("Spot capacity requires NodeProvisioningMode"));
}

#[test]
fn a_role_that_cannot_be_assumed_is_refused_with_its_name() {
    let mut ground = Ground::new();
    let none = "arn:aws:iam::111122223333:role/none";
    let message = refused(&mut ground, with(workers("ml.g6.xlarge", 1), json!({ "ExecutionRole": none })));
    assert!(message.contains(&format!("Could not assume role {none}.")), "{message}");
}

#[test]
fn the_eks_cluster_must_be_active_of_the_right_mode_and_free() {
    let mut ground = Ground::new();
    let on = |eks: &str| {
        let mut input = request(json!([workers("ml.g6.xlarge", 0)]));
        input["Orchestrator"]["Eks"]["ClusterArn"] = json!(eks);
        input
    };
    let young = ground.eks_cluster("young", "API");
    assert!(ground.refusal("CreateCluster", on(&young)).message.contains("must be in ACTIVE status"));
    let old = ground.eks_cluster("old", "CONFIG_MAP");
    ground.minutes(15);
    assert!(ground.refusal("CreateCluster", on(&old)).message.contains("API_AND_CONFIG_MAP"));
    ground.create(json!([workers("ml.g6.xlarge", 0)]));
    let mut second = request(json!([workers("ml.g6.xlarge", 0)]));
    second["ClusterName"] = json!("other");
    assert_eq!(ground.refusal("CreateCluster", second).code, "ResourceInUse");
}

#[test]
fn network_of_another_vpc_is_refused() {
    let mut ground = Ground::new();
    let own = json!({ "OverrideVpcConfig": { "Subnets": ["subnet-of-another"], "SecurityGroupIds": ["sg-open"] } });
    assert!(
        refused(&mut ground, with(workers("ml.g6.xlarge", 1), own)).contains("is not in the VPC of the EKS cluster")
    );
    let gone = json!({ "OverrideVpcConfig": { "Subnets": ["subnet-0c"], "SecurityGroupIds": ["sg-open"] } });
    assert!(refused(&mut ground, with(workers("ml.g6.xlarge", 1), gone)).contains("'subnet-0c' does not exist"));
}

#[test]
fn nodes_and_hyperpod_itself_are_let_into_the_eks_cluster() {
    let mut ground = Ground::new();
    ground.create(json!([workers("ml.g6.xlarge", 1)]));
    let entry = |ground: &mut Ground, principal: &str| {
        let input = json!({ "clusterName": "research", "principalArn": principal });
        ground.ask("eks", "DescribeAccessEntry", input).unwrap()["accessEntry"].clone()
    };
    assert_eq!(entry(&mut ground, ROLE)["type"], "HYPERPOD_LINUX");
    let own = "arn:aws:iam::111122223333:role/aws-service-role/hyperpod.sagemaker.amazonaws.com/\
               AWSServiceRoleForSageMakerHyperPod";
    assert_eq!(entry(&mut ground, own)["username"], "hyperpod-service-linked-role");
}

#[test]
fn an_update_names_the_groups_that_it_changes_and_leaves_the_others() {
    let mut ground = Ground::new();
    let other = with(workers("ml.m5.2xlarge", 1), json!({ "InstanceGroupName": "system" }));
    ground.create(json!([workers("ml.g6.xlarge", 1), other]));
    ground.minutes(30);
    let grown = with(workers("ml.g6.xlarge", 2), json!({ "KubernetesConfig": { "Labels": { "team": "a" } } }));
    ground.call("UpdateCluster", json!({ "ClusterName": "ml", "InstanceGroups": [grown] })).unwrap();
    ground.minutes(20);
    let cluster = ground.cluster();
    let counts = |name: &str| {
        let groups = cluster["InstanceGroups"].as_array().unwrap();
        groups.iter().find(|group| group["InstanceGroupName"] == name).unwrap()["CurrentCount"].clone()
    };
    assert_eq!((counts("workers"), counts("system")), (json!(2), json!(1)));
    let labelled = ground.kubernetes_nodes().iter().filter(|node| node["metadata"]["labels"]["team"] == "a").count();
    assert_eq!(labelled, 2);
    ground
        .call("UpdateCluster", json!({ "ClusterName": "ml", "InstanceGroups": [workers("ml.g6.xlarge", 2)] }))
        .unwrap();
    assert!(ground.kubernetes_nodes().iter().all(|node| node["metadata"]["labels"].get("team").is_none()));
}

#[test]
fn what_a_group_was_made_with_cannot_be_changed() {
    let mut ground = Ground::new();
    ground.create(json!([workers("ml.g6.xlarge", 1)]));
    ground.minutes(5);
    let own = json!({ "Subnets": ["subnet-0b"], "SecurityGroupIds": ["sg-open"] });
    let cases = [
        ("InstanceType", json!({ "InstanceType": "ml.g6.2xlarge" })),
        ("ThreadsPerCore", json!({ "ThreadsPerCore": 1 })),
        ("OverrideVpcConfig", json!({ "OverrideVpcConfig": own })),
        ("CapacityRequirements", json!({ "CapacityRequirements": { "Spot": {} } })),
    ];
    for (member, change) in cases {
        let group = with(workers("ml.g6.xlarge", 1), change);
        let refusal = ground.refusal("UpdateCluster", json!({ "ClusterName": "ml", "InstanceGroups": [group] }));
        assert!(refusal.message.starts_with(member), "{}", refusal.message);
    }
    let both = json!({ "ClusterName": "ml", "InstanceGroups": [workers("ml.g6.xlarge", 1)], "InstanceGroupsToDelete": ["workers"] });
    assert!(ground.refusal("UpdateCluster", both).message.contains("cannot be in both"));
    let last = json!({ "ClusterName": "ml", "InstanceGroupsToDelete": ["workers"] });
    assert!(ground.refusal("UpdateCluster", last).message.contains("At least one instance group must remain"));
}

#[test]
fn lists_come_in_pages_and_refuse_a_foreign_token() {
    let mut ground = Ground::new();
    ground.create(json!([workers("ml.g6.xlarge", 5)]));
    ground.minutes(20);
    let first = ground.call("ListClusterNodes", json!({ "ClusterName": "ml", "MaxResults": 3 })).unwrap();
    let token = first["NextToken"].as_str().unwrap();
    let second =
        ground.call("ListClusterNodes", json!({ "ClusterName": "ml", "MaxResults": 3, "NextToken": token })).unwrap();
    assert_eq!(first["ClusterNodeSummaries"].as_array().unwrap().len(), 3);
    assert_eq!(second["ClusterNodeSummaries"].as_array().unwrap().len(), 2);
    assert!(second.get("NextToken").is_none());
    let refusal = ground.refusal("ListClusters", json!({ "NextToken": token }));
    assert_eq!(refusal.code, "ValidationException");
    let found = ground.call("ListClusters", json!({ "NameContains": "m", "SortBy": "NAME" })).unwrap();
    assert_eq!(found["ClusterSummaries"][0]["ClusterName"], "ml");
    let none = ground.call("ListClusters", json!({ "NameContains": "x" })).unwrap();
    assert_eq!(none["ClusterSummaries"], json!([]));
}

#[test]
fn events_are_for_continuous_clusters_only() {
    let mut ground = Ground::new();
    let mut input = request(json!([workers("ml.g6.xlarge", 1)]));
    input.as_object_mut().unwrap().remove("NodeProvisioningMode");
    ground.call("CreateCluster", input).unwrap();
    assert_eq!(ground.refusal("ListClusterEvents", json!({ "ClusterName": "ml" })).code, "ValidationException");
}

#[test]
fn tags_are_kept_on_the_clusters_arn() {
    let mut ground = Ground::new();
    let arn = ground.create(json!([workers("ml.g6.xlarge", 0)]));
    ground.call("AddTags", json!({ "ResourceArn": arn, "Tags": [{ "Key": "owner", "Value": "us" }] })).unwrap();
    ground.call("DeleteTags", json!({ "ResourceArn": arn, "TagKeys": ["SageMaker"] })).unwrap();
    let tags = ground.call("ListTags", json!({ "ResourceArn": arn })).unwrap();
    assert_eq!(tags["Tags"], json!([{ "Key": "owner", "Value": "us" }]));
}
