//! What happens to nodes that are up: scaling, replacing, rebooting, faults, software.

use super::ground::{Ground, workers};
use crate::sagemaker::{FaultKind, NodeStatus, break_node};
use serde_json::{Value, json};

fn with_nodes(count: u32) -> Ground {
    let mut ground = Ground::new();
    ground.create(json!([workers("ml.g6.xlarge", count)]));
    ground.minutes(20);
    assert_eq!(ground.count(NodeStatus::Running), usize::try_from(count).unwrap());
    ground
}

fn arn(ground: &Ground) -> String {
    ground.world.sagemaker.clusters.keys().next().unwrap().clone()
}

fn health(node: &Value) -> &str {
    node["metadata"]["labels"]["sagemaker.amazonaws.com/node-health-status"].as_str().unwrap_or("none")
}

fn with_agent(ground: &mut Ground) -> String {
    let instance = ground.instances()[0].clone();
    ground.run_pod(&format!("hyperpod-{instance}"), "ecr/hyperpod-health-monitoring-agent:1.0");
    instance
}

#[test]
fn a_replaced_node_runs_the_newest_script_under_a_new_id() {
    let mut ground = with_nodes(1);
    let old = ground.instances()[0].clone();
    ground.write_script("#!/bin/bash\necho 'version 2'\n");
    ground.call("BatchReplaceClusterNodes", json!({ "ClusterName": "ml", "NodeIds": [old] })).unwrap();
    assert!(ground.kubernetes_nodes().is_empty());
    let again = ground.call("BatchReplaceClusterNodes", json!({ "ClusterName": "ml", "NodeIds": [old] })).unwrap();
    assert_eq!(again["Failed"][0]["ErrorCode"], "InstanceIdInUse");
    ground.minutes(25);
    let new = ground.instances()[0].clone();
    assert_ne!(new, old);
    assert!(ground.script_log(&old).contains(&"version 1".to_owned()));
    assert!(ground.script_log(&new).contains(&"version 2".to_owned()));
    assert_eq!(ground.group()["CurrentCount"], 1);
}

#[test]
fn a_reboot_keeps_the_node_and_silences_its_kubelet_for_a_while() {
    let mut ground = with_nodes(1);
    let instance = ground.instances()[0].clone();
    ground.call("BatchRebootClusterNodes", json!({ "ClusterName": "ml", "NodeIds": [instance] })).unwrap();
    let ready = |ground: &Ground| ground.kubernetes_nodes()[0]["status"]["conditions"][3]["status"].clone();
    assert_eq!(ready(&ground), "Unknown");
    ground.minutes(4);
    assert_eq!(ready(&ground), "True");
    assert_eq!(ground.instances(), [instance]);
}

#[test]
fn an_unknown_id_fails_alone() {
    let mut ground = with_nodes(1);
    let known = ground.instances()[0].clone();
    let input = json!({ "ClusterName": "ml", "NodeIds": [known, "i-00000000000000001"] });
    let answer = ground.call("BatchRebootClusterNodes", input).unwrap();
    assert_eq!(answer["Successful"], json!([known]));
    assert_eq!(answer["Failed"][0]["ErrorCode"], "InstanceIdNotFound");
}

#[test]
fn a_deleted_node_leaves_and_takes_the_target_down_with_it() {
    let mut ground = with_nodes(2);
    let victim = ground.instances()[0].clone();
    ground.call("BatchDeleteClusterNodes", json!({ "ClusterName": "ml", "NodeIds": [victim] })).unwrap();
    assert_eq!(ground.group()["TargetCount"], 1);
    assert_eq!(ground.count(NodeStatus::ShuttingDown), 1);
    // Its interfaces linger in EC2 for up to five minutes more.
    ground.minutes(21 + 5);
    assert_eq!(ground.instances().len(), 1);
    let held = ground.held_addresses();
    assert_eq!(held, 15);
    let all = json!({ "ClusterName": "ml", "NodeIds": [victim] });
    assert_eq!(ground.refusal("BatchDeleteClusterNodes", all).code, "ValidationException");
}

#[test]
fn scaling_to_zero_ends_everything_and_keeps_the_cluster() {
    let mut ground = with_nodes(2);
    ground
        .call("UpdateCluster", json!({ "ClusterName": "ml", "InstanceGroups": [workers("ml.g6.xlarge", 0)] }))
        .unwrap();
    assert!(ground.kubernetes_nodes().is_empty());
    ground.minutes(21 + 5);
    assert!(ground.instances().is_empty());
    assert!(ground.held_addresses() == 0);
    assert_eq!(ground.cluster()["ClusterStatus"], "InService");
}

#[test]
fn nodes_are_added_once_for_one_client_token() {
    let mut ground = with_nodes(1);
    let input = json!({
        "ClusterName": "ml", "ClientToken": "t",
        "NodesToAdd": [{ "InstanceGroupName": "workers", "IncrementTargetCountBy": 2 }],
    });
    let first = ground.call("BatchAddClusterNodes", input.clone()).unwrap();
    let second = ground.call("BatchAddClusterNodes", input).unwrap();
    assert_eq!(first, second);
    assert_eq!(ground.group()["TargetCount"], 3);
    let unknown =
        json!({ "ClusterName": "ml", "NodesToAdd": [{ "InstanceGroupName": "x", "IncrementTargetCountBy": 1 }] });
    let answer = ground.call("BatchAddClusterNodes", unknown).unwrap();
    assert_eq!(answer["Failed"][0]["ErrorCode"], "InstanceGroupNotFound");
}

#[test]
fn a_broken_gpu_is_seen_by_the_agent_and_the_node_is_replaced() {
    let mut ground = with_nodes(1);
    let instance = with_agent(&mut ground);
    let cluster = arn(&ground);
    assert!(break_node(&mut ground.world, &cluster, &instance, FaultKind::Xid(74), ground.now));
    ground.pass(jiff::SignedDuration::from_secs(45));
    let node = ground.kubernetes_nodes()[0].clone();
    assert_eq!(health(&node), "UnschedulablePendingReplacement");
    assert_eq!(node["metadata"]["labels"]["sagemaker.amazonaws.com/fault-types"], "NvidiaErrorTerminate");
    let told = ground
        .world
        .sagemaker
        .bus
        .iter()
        .find(|event| event["detail-type"] == "SageMaker HyperPod Cluster Node Health Event");
    assert_eq!(told.unwrap()["detail"]["HealthSummary"]["RepairAction"], "Replace");
    ground.minutes(25);
    assert_ne!(ground.instances()[0], instance);
    assert_eq!(health(&ground.kubernetes_nodes()[0]), "Schedulable");
}

#[test]
fn a_fault_that_a_reboot_mends_is_mended_by_one() {
    let mut ground = with_nodes(1);
    let instance = with_agent(&mut ground);
    let cluster = arn(&ground);
    break_node(&mut ground.world, &cluster, &instance, FaultKind::Xid(73), ground.now);
    ground.minutes(6);
    assert_eq!(ground.instances(), [instance]);
    assert_eq!(health(&ground.kubernetes_nodes()[0]), "Schedulable");
    assert!(ground.events().iter().any(|event| event.contains("was rebooted")));
}

#[test]
fn without_the_agent_a_fault_goes_unseen_and_without_recovery_nothing_is_done() {
    let mut ground = with_nodes(1);
    let instance = ground.instances()[0].clone();
    let cluster = arn(&ground);
    break_node(&mut ground.world, &cluster, &instance, FaultKind::Xid(74), ground.now);
    ground.minutes(30);
    assert_eq!(health(&ground.kubernetes_nodes()[0]), "Schedulable");
    ground.call("UpdateCluster", json!({ "ClusterName": "ml", "NodeRecovery": "None" })).unwrap();
    with_agent(&mut ground);
    ground.minutes(30);
    assert_eq!(health(&ground.kubernetes_nodes()[0]), "UnschedulablePendingReplacement");
    assert_eq!(ground.instances(), [instance]);
}

#[test]
fn a_label_that_a_person_sets_asks_for_a_reboot() {
    let mut ground = with_nodes(1);
    let instance = ground.instances()[0].clone();
    let label = json!({ "sagemaker.amazonaws.com/node-health-status": "UnschedulablePendingReboot" });
    let patch = json!({ "metadata": { "labels": label } });
    ground.kubernetes("PATCH", &format!("/api/v1/nodes/hyperpod-{instance}"), Some(patch));
    assert!(ground.events().iter().any(|event| event.contains("reboot is in progress")));
    ground.minutes(5);
    assert_eq!(health(&ground.kubernetes_nodes()[0]), "Schedulable");
}

#[test]
fn a_software_update_keeps_ids_and_runs_the_script_again() {
    let mut ground = with_nodes(2);
    let before = ground.instances();
    ground.write_script("#!/bin/bash\necho 'version 2'\n");
    let rolling = json!({ "RollingUpdatePolicy": { "MaximumBatchSize": { "Type": "INSTANCE_COUNT", "Value": 1 } } });
    ground.call("UpdateClusterSoftware", json!({ "ClusterName": "ml", "DeploymentConfig": rolling })).unwrap();
    assert_eq!(ground.count(NodeStatus::SystemUpdating), 1);
    assert_eq!(ground.cluster()["ClusterStatus"], "SystemUpdating");
    ground.minutes(85);
    assert_eq!(ground.group()["SoftwareUpdateStatus"], "Succeeded");
    assert_eq!(ground.cluster()["ClusterStatus"], "InService");
    assert_eq!(ground.instances(), before);
    assert!(ground.script_log(&before[0]).contains(&"version 2".to_owned()));
}

#[test]
fn the_state_of_a_cluster_goes_to_the_event_bus() {
    let ground = with_nodes(1);
    let bus = &ground.world.sagemaker.bus;
    let states: Vec<&Value> =
        bus.iter().filter(|event| event["detail-type"] == "SageMaker HyperPod Cluster State Change").collect();
    assert_eq!(states.last().unwrap()["detail"]["ClusterStatus"], "InService");
    let event = bus.iter().find(|event| event["detail-type"] == "SageMaker HyperPod Cluster Event").unwrap();
    assert_ne!(event["id"], event["detail"]["EventDetails"]["EventId"]);
    assert_eq!(event["source"], "aws.sagemaker");
}

#[test]
fn a_world_can_be_written_down_and_read_again() {
    let ground = with_nodes(1);
    let text = serde_json::to_string(&ground.world).unwrap();
    let read: crate::world::World = serde_json::from_str(&text).unwrap();
    assert_eq!(read, ground.world);
}
