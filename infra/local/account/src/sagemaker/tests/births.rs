//! How nodes come into being, and what keeps them from it.

use super::ground::{Ground, SCRIPT, SUBNET, request, with, workers};
use crate::sagemaker::NodeStatus;
use jiff::SignedDuration;
use serde_json::json;

#[test]
fn a_continuous_cluster_is_in_service_before_it_has_a_node() {
    let mut ground = Ground::new();
    ground.create(json!([workers("ml.g6.xlarge", 1)]));
    assert_eq!(ground.cluster()["ClusterStatus"], "Creating");
    ground.minutes(3);
    assert_eq!(ground.cluster()["ClusterStatus"], "InService");
    assert_eq!(ground.group()["CurrentCount"], 0);
    assert_eq!(ground.group()["TargetCount"], 1);
}

#[test]
fn a_g6_node_is_born_step_by_step_within_a_quarter_of_an_hour() {
    let mut ground = Ground::new();
    ground.create(json!([workers("ml.g6.xlarge", 1)]));
    ground.minutes(3 + 16);
    assert_eq!(ground.group()["CurrentCount"], 1);
    let events = ground.events();
    let place = |part: &str| {
        events.iter().position(|event| event.contains(part)).unwrap_or_else(|| panic!("{part}: {events:?}"))
    };
    let order = [
        place("Cluster operation completed"),
        place("on-demand pool"),
        place("customer ENI"),
        place("provisioned the EC2 instance"),
        place("script execution started"),
        place("script execution succeeded"),
        place("joined the cluster"),
    ];
    assert!(order.is_sorted(), "{events:?}");
    let instance = ground.instances()[0].clone();
    assert!(ground.script_log(&instance).contains(&"version 1".to_owned()));
    let node = ground.kubernetes_nodes()[0].clone();
    assert_eq!(node["metadata"]["name"], format!("hyperpod-{instance}"));
    assert_eq!(node["metadata"]["labels"]["sagemaker.amazonaws.com/node-health-status"], "Schedulable");
}

#[test]
fn one_of_four_p5_comes_up_and_the_rest_follow_when_capacity_returns() {
    let mut ground = Ground::new();
    ground.set_capacity("ml.p5.48xlarge", 1);
    ground.create(json!([workers("ml.p5.48xlarge", 4)]));
    ground.minutes(60);
    assert_eq!(ground.group()["CurrentCount"], 1);
    assert_eq!(ground.group()["Status"], "InService");
    let events = ground.events();
    let lacks =
        events.iter().filter(|event| event.contains("do not have sufficient capacity to launch new ml.p5.48xlarge"));
    assert!(lacks.count() > 6);
    ground.set_capacity("ml.p5.48xlarge", 3);
    ground.minutes(5 + 26);
    assert_eq!(ground.group()["CurrentCount"], 4);
    assert_eq!(ground.count(NodeStatus::Running), 4);
    let taken = ground.held_addresses();
    assert_eq!(taken, 4 * 81);
}

#[test]
fn lack_of_capacity_shows_as_two_errors_a_second_apart() {
    let mut ground = Ground::new();
    ground.set_capacity("ml.g6.xlarge", 0);
    let arn = ground.create(json!([workers("ml.g6.xlarge", 1)]));
    ground.minutes(4);
    let cluster = &ground.world.sagemaker.clusters[&arn];
    let errors: Vec<_> =
        cluster.events.iter().filter(|event| event.description.contains("sufficient capacity")).collect();
    assert!(errors[0].description.starts_with("Failed to provision EC2 Instance"));
    assert!(errors[1].description.starts_with("Instance creation failed"));
    assert_eq!(errors[1].at.duration_since(errors[0].at), SignedDuration::from_secs(1));
}

#[test]
fn a_missing_script_fails_the_node_and_the_next_attempt_reads_it_again() {
    let mut ground = Ground::new();
    ground.remove_script();
    let arn = ground.create(json!([workers("ml.g6.xlarge", 1)]));
    let failed = |ground: &Ground| ground.count(NodeStatus::Failure) == 1;
    for _ in 0..20 {
        if !failed(&ground) {
            ground.minutes(1);
        }
    }
    assert!(failed(&ground));
    let first = ground.instances()[0].clone();
    assert!(ground.script_log(&first).iter().any(|line| line.contains("404")));
    let message = ground.world.sagemaker.clusters[&arn].nodes.values().next().unwrap().message.clone().unwrap();
    assert!(message.contains("Lifecycle scripts did not run successfully"));
    assert!(message.contains(&format!("LifecycleConfig/workers/{first}")));
    ground.write_script("echo back\n");
    ground.minutes(5 + 16);
    assert_eq!(ground.count(NodeStatus::Running), 1);
    assert_ne!(ground.instances()[0], first);
}

#[test]
fn a_script_with_windows_line_ends_does_not_start() {
    let mut ground = Ground::new();
    ground.write_script("#!/bin/bash\r\necho hello\r\n");
    ground.create(json!([workers("ml.g6.xlarge", 1)]));
    let instance = wait_for_failure(&mut ground);
    let log = ground.script_log(&instance);
    assert!(log.iter().any(|line| line.contains("bash\\r")), "{log:?}");
    assert!(!log.contains(&"hello".to_owned()));
}

#[test]
fn a_script_that_the_role_may_not_read_fails_the_node() {
    let mut ground = Ground::new();
    ground.deny("s3:GetObject", &format!("arn:aws:s3:::{SCRIPT}"));
    ground.create(json!([workers("ml.g6.xlarge", 1)]));
    let instance = wait_for_failure(&mut ground);
    assert!(ground.script_log(&instance).iter().any(|line| line.contains("403")));
}

#[test]
fn a_script_that_exits_with_an_error_fails_the_node() {
    let mut ground = Ground::new();
    ground.write_script("#!/bin/bash\necho before\nexit 3\necho after\n");
    ground.create(json!([workers("ml.g6.xlarge", 1)]));
    let instance = wait_for_failure(&mut ground);
    let log = ground.script_log(&instance);
    assert!(log.contains(&"before".to_owned()) && !log.contains(&"after".to_owned()));
    assert!(log.iter().any(|line| line.contains("exited with code 3")));
}

#[test]
fn a_role_whose_policy_lacks_the_subnet_gets_no_instance_until_it_has_it() {
    let mut ground = Ground::new();
    let subnet = format!("arn:aws:ec2:us-west-2:111122223333:subnet/{SUBNET}");
    ground.deny("ec2:CreateNetworkInterface", &subnet);
    ground.create(json!([workers("ml.g6.xlarge", 1)]));
    ground.minutes(30);
    assert!(ground.instances().is_empty());
    assert!(
        ground.events().iter().any(|event| event.contains("not authorized to perform: ec2:CreateNetworkInterface"))
    );
    ground.allow_all();
    ground.minutes(5 + 16);
    assert_eq!(ground.group()["CurrentCount"], 1);
}

#[test]
fn a_subnet_without_addresses_holds_no_further_node() {
    let mut ground = Ground::new();
    ground.leave_addresses(SUBNET, 100);
    ground.create(json!([workers("ml.p5.48xlarge", 2)]));
    ground.minutes(40);
    assert_eq!(ground.group()["CurrentCount"], 1);
    assert!(ground.events().iter().any(|event| event.contains("enough free addresses")));
}

#[test]
fn an_efa_node_needs_groups_that_allow_all_traffic_with_themselves() {
    let mut ground = Ground::new();
    let mut input = request(json!([workers("ml.p5.48xlarge", 1)]));
    input["VpcConfig"]["SecurityGroupIds"] = json!(["sg-open", "sg-closed"]);
    ground.call("CreateCluster", input).unwrap();
    wait_for_failure(&mut ground);
    let events = ground.events();
    let failure = events.iter().find(|event| event.contains("EFA health checks did not run successfully")).unwrap();
    assert!(failure.contains("sg-closed") && !failure.contains("sg-open"), "{failure}");
}

#[test]
fn without_continuous_one_failure_fails_the_cluster_and_its_name_stays_taken() {
    let mut ground = Ground::new();
    ground.set_capacity("ml.g6.xlarge", 1);
    let mut input = request(json!([workers("ml.g6.xlarge", 2)]));
    input.as_object_mut().unwrap().remove("NodeProvisioningMode");
    ground.call("CreateCluster", input.clone()).unwrap();
    ground.minutes(40);
    let cluster = ground.cluster();
    assert_eq!(cluster["ClusterStatus"], "Failed");
    assert!(cluster["FailureMessage"].as_str().unwrap().contains("do not have sufficient capacity"));
    assert!(ground.kubernetes_nodes().is_empty());
    assert_eq!(ground.refusal("CreateCluster", input.clone()).code, "ResourceInUse");
    ground.call("DeleteCluster", json!({ "ClusterName": "ml" })).unwrap();
    ground.minutes(30);
    assert_eq!(ground.refusal("DescribeCluster", json!({ "ClusterName": "ml" })).code, "ResourceNotFound");
    ground.call("CreateCluster", input).unwrap();
}

#[test]
fn nodes_with_deep_checks_are_tainted_for_about_two_hours_and_updates_are_refused() {
    let mut ground = Ground::new();
    let group = with(workers("ml.p5.48xlarge", 1), json!({ "OnStartDeepHealthChecks": ["InstanceStress"] }));
    ground.create(json!([group]));
    ground.minutes(30);
    assert_eq!(ground.count(NodeStatus::DeepHealthCheckInProgress), 1);
    let node = ground.kubernetes_nodes()[0].clone();
    assert_eq!(node["metadata"]["labels"]["sagemaker.amazonaws.com/deep-health-check-status"], "InProgress");
    assert_eq!(node["spec"]["taints"][0]["key"], "sagemaker.amazonaws.com/node-health-status");
    let refusal = ground.refusal("UpdateCluster", json!({ "ClusterName": "ml", "NodeRecovery": "None" }));
    assert_eq!(refusal.code, "ConflictException");
    ground.minutes(140);
    assert_eq!(ground.count(NodeStatus::Running), 1);
    let node = &ground.kubernetes_nodes()[0];
    assert_eq!(node["metadata"]["labels"]["sagemaker.amazonaws.com/deep-health-check-status"], "Passed");
    assert!(node["spec"].get("taints").is_none());
}

fn wait_for_failure(ground: &mut Ground) -> String {
    for _ in 0..30 {
        if ground.count(NodeStatus::Failure) == 0 {
            ground.minutes(1);
        }
    }
    assert_eq!(ground.count(NodeStatus::Failure), 1);
    ground.instances()[0].clone()
}
