//! Kubernetes nodes of HyperPod instances, and what their kubelets meet.

use super::mounts::{Kubelets, NodeHost};
use crate::{
    kubernetes::Host,
    s3,
    sagemaker::tests_ground::{Ground, workers},
};
use serde_json::json;
use std::collections::BTreeMap;

fn ground(instance_type: &str) -> (Ground, String) {
    let mut ground = Ground::new();
    ground.create(json!([workers(instance_type, 1)]));
    ground.minutes(30);
    let name = format!("hyperpod-{}", ground.instances()[0]);
    (ground, name)
}

#[test]
fn a_node_carries_the_names_and_places_that_hyperpod_gives_it() {
    let (mut ground, name) = ground("ml.p5.48xlarge");
    let id = ground.world.sagemaker.clusters.values().next().unwrap().id.clone();
    let instance = ground.instances()[0].clone();
    let node = &ground.kubernetes_nodes()[0];
    assert_eq!(node["metadata"]["name"], name);
    assert_eq!(node["spec"]["providerID"], format!("aws:///usw2-az2/sagemaker/cluster/hyperpod-{id}-{instance}"));
    let labels = &node["metadata"]["labels"];
    assert_eq!(labels["node.kubernetes.io/instance-type"], "ml.p5.48xlarge");
    assert_eq!(labels["topology.kubernetes.io/zone"], Ground::zone_name());
    assert_eq!(labels["topology.k8s.aws/zone-id"], "usw2-az2");
    assert_eq!(labels["sagemaker.amazonaws.com/compute-type"], "hyperpod");
    assert_eq!(labels["sagemaker.amazonaws.com/instance-group-name"], "workers");
    assert_eq!(node["status"]["capacity"]["cpu"], "192");
    assert_eq!(node["status"]["capacity"]["pods"], "49");
    assert!(node["status"]["nodeInfo"]["kubeletVersion"].as_str().unwrap().starts_with("v1.33."));
}

#[test]
fn devices_appear_when_their_plugins_run_on_the_node() {
    let (mut ground, name) = ground("ml.p5.48xlarge");
    let devices = |ground: &Ground| ground.kubernetes_nodes()[0]["status"]["allocatable"].clone();
    assert!(devices(&ground).get("nvidia.com/gpu").is_none());
    ground.run_pod("hyperpod-i-other", "nvcr.io/nvidia/k8s-device-plugin:v0.16.1");
    assert!(devices(&ground).get("nvidia.com/gpu").is_none());
    ground.run_pod(&name, "nvcr.io/nvidia/k8s-device-plugin:v0.16.1");
    ground.run_pod(&name, "ecr/eks/aws-efa-k8s-device-plugin:v0.5.20");
    assert_eq!(devices(&ground)["nvidia.com/gpu"], "8");
    assert_eq!(devices(&ground)["vpc.amazonaws.com/efa"], "32");
}

#[test]
fn a_cluster_without_network_plugin_has_nodes_that_are_not_ready() {
    let (mut ground, _) = ground("ml.g6.xlarge");
    ground.kubernetes("DELETE", "/apis/apps/v1/namespaces/kube-system/daemonsets/aws-node", None);
    let node = &ground.kubernetes_nodes()[0];
    assert_eq!(node["status"]["conditions"][3]["status"], "False");
    assert_eq!(node["spec"]["taints"][0]["key"], "node.kubernetes.io/not-ready");
}

#[test]
fn taints_of_others_stay_when_ours_change() {
    let (mut ground, name) = ground("ml.g6.xlarge");
    let cordon = json!({ "key": "team", "effect": "NoSchedule" });
    let patch = json!({ "spec": { "taints": [cordon] } });
    ground.kubernetes("PATCH", &format!("/api/v1/nodes/{name}"), Some(patch));
    let instance = ground.instances()[0].clone();
    ground.call("BatchRebootClusterNodes", json!({ "ClusterName": "ml", "NodeIds": [instance] })).unwrap();
    assert_eq!(ground.kubernetes_nodes()[0]["spec"]["taints"].as_array().unwrap().len(), 3);
    ground.minutes(4);
    assert_eq!(ground.kubernetes_nodes()[0]["spec"]["taints"], json!([cordon]));
}

fn mount(ground: &Ground, node: &str, kubelets: &Kubelets) -> Result<(), String> {
    let pod = json!({ "metadata": { "namespace": "default" }, "spec": { "nodeName": node } });
    let attributes = BTreeMap::from([("bucketName".to_owned(), "project".to_owned())]);
    NodeHost::new(&ground.world, kubelets, ground.now).mount(&pod, "s3.csi.aws.com", &attributes, &[])
}

#[test]
fn a_bucket_is_mounted_only_with_driver_role_permission_and_bucket() {
    let (mut ground, name) = ground("ml.g6.xlarge");
    let none = Kubelets::default();
    assert!(mount(&ground, &name, &none).unwrap_err().contains("not found in the list of registered CSI drivers"));
    let without_role = Kubelets::with_driver(&name, None);
    assert!(mount(&ground, &name, &without_role).unwrap_err().contains("No signing credentials"));
    let role = "arn:aws:iam::111122223333:role/s3-driver";
    ground.role(role, "pods.eks.amazonaws.com");
    let kubelets = Kubelets::with_driver(&name, Some(role));
    assert!(mount(&ground, &name, &kubelets).unwrap_err().contains("bucket does not exist"));
    ground.bucket("project");
    s3::put_object(&mut ground.world, "project", "data/x", "hello", ground.now);
    assert!(mount(&ground, &name, &kubelets).unwrap_err().contains("AccessDenied"));
    ground.permit(role, json!([{ "Effect": "Allow", "Action": "s3:*", "Resource": "*" }]));
    mount(&ground, &name, &kubelets).unwrap();
    let host = NodeHost::new(&ground.world, &kubelets, ground.now);
    let attributes = BTreeMap::from([("bucketName".to_owned(), "project".to_owned())]);
    assert_eq!(host.read(&attributes, &["prefix data/".to_owned()], "/x").unwrap(), b"hello");
    assert_eq!(host.list(&attributes, &[], "/").unwrap(), ["data"]);
    assert!(host.read(&attributes, &[], "/none").unwrap_err().contains("No such file"));
}
