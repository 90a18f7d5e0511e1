//! Snapshots of every part, and the rules that all of them keep.

use super::*;
use crate::{Mount, Probe, probe, storage};
use domain::{catalogue, naming::FIELD_MANAGER};
use serde_json::Value;
use std::collections::BTreeSet;

fn owner() -> Owner {
    Owner { cluster_id: "01jz0000000000000000000000".to_owned() }
}

fn all() -> Vec<Object> {
    dependencies(&owner(), "us-west-2").into_iter().flat_map(|component| component.objects).collect()
}

fn types_of(name: &str) -> BTreeSet<String> {
    let set = all().into_iter().find(|object| object.kind() == "DaemonSet" && object.name() == name).unwrap();
    let path = "/spec/template/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution\
                /nodeSelectorTerms/0/matchExpressions/0/values";
    let types = set.value().pointer(path).and_then(Value::as_array).unwrap();
    types.iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_part_is_as_its_snapshot() {
    for component in dependencies(&owner(), "us-west-2") {
        insta::assert_json_snapshot!(component.part.as_str(), component.objects);
    }
}

#[test]
fn storage_and_probe_are_as_their_snapshots() {
    let mount = Mount {
        namespace: "default".to_owned(),
        bucket: "sagemaker-hyperpod-us-west-2-111122223333".to_owned(),
        region: "us-west-2".to_owned(),
        prefix: "clusters/demo/".to_owned(),
        handle: "hyperpod-instantstart-01jz".to_owned(),
    };
    insta::assert_json_snapshot!("storage", storage(&owner(), &mount));
    let reader = Probe {
        name: "probe-1".to_owned(),
        purpose: "storage".to_owned(),
        namespace: "default".to_owned(),
        file: "hello.txt".to_owned(),
    };
    insta::assert_json_snapshot!("probe", probe(&owner(), &reader));
}

#[test]
fn every_object_says_whose_it_is_and_no_two_are_the_same() {
    let objects = all();
    let titles: BTreeSet<_> = objects.iter().map(Object::title).collect();
    assert_eq!(titles.len(), objects.len());
    for object in objects {
        let labels = &object.value()["metadata"]["labels"];
        assert_eq!(labels["app.kubernetes.io/managed-by"], FIELD_MANAGER, "{}", object.title());
        assert_eq!(labels["hyperpod-instantstart/cluster"], owner().cluster_id, "{}", object.title());
    }
}

#[test]
fn the_namespace_comes_before_what_is_in_it() {
    assert_eq!(all()[0].title(), "Namespace aws-hyperpod");
}

#[test]
fn plugins_run_where_the_hardware_is_and_agents_not_on_cpu_nodes() {
    let with = |fits: fn(&catalogue::Hardware) -> bool| -> BTreeSet<String> {
        catalogue::all().filter(|one| fits(one)).map(|one| one.instance_type.to_string()).collect()
    };
    assert_eq!(types_of("nvidia-device-plugin"), with(|one| one.gpus() > 0));
    assert_eq!(types_of("aws-efa-k8s-device-plugin"), with(|one| one.efa_interfaces > 0));
    assert_eq!(types_of("neuron-device-plugin-daemonset"), with(|one| one.neuron_devices() > 0));
    let mut agents = types_of("health-monitoring-agent");
    agents.extend(types_of("health-monitoring-agent-non-nvidia"));
    assert_eq!(agents, with(catalogue::Hardware::is_accelerated));
}

#[test]
fn plugins_run_while_a_node_is_checked() {
    for name in ["nvidia-device-plugin", "aws-efa-k8s-device-plugin", "neuron-device-plugin-daemonset"] {
        let set = all().into_iter().find(|object| object.name() == name).unwrap();
        let tolerations = set.value()["spec"]["template"]["spec"]["tolerations"].as_array().unwrap().clone();
        let tolerates = tolerations
            .iter()
            .any(|one| one["key"] == "sagemaker.amazonaws.com/node-health-status" && one["value"] == "Unschedulable");
        assert!(tolerates, "{name}");
    }
}

#[test]
fn a_region_without_the_agents_image_has_no_agent() {
    assert_eq!(agent_image("ap-northeast-2"), None);
    let components = dependencies(&owner(), "ap-northeast-2");
    let agent = components.iter().find(|component| component.part == Part::HealthMonitoringAgent).unwrap();
    assert!(agent.objects.is_empty());
}

#[test]
fn br_038_updates_of_software_may_cordon_nodes() {
    // Field report BR-038.
    let role = all().into_iter().find(|object| object.title() == "ClusterRole hyperpod-patching").unwrap();
    let rules = role.value()["rules"].as_array().unwrap().clone();
    let nodes = rules.iter().find(|rule| rule["resources"][0] == "nodes").unwrap();
    assert_eq!(nodes["verbs"], serde_json::json!(["get", "list", "patch"]));
}

/// Every object of the set in `region` and of storage, with the probe that reads it, in the order in which they are applied.
fn everything(region: &str) -> Vec<Object> {
    let mount = Mount {
        namespace: "default".to_owned(),
        bucket: "sagemaker-hyperpod-us-west-2-111122223333".to_owned(),
        region: region.to_owned(),
        prefix: "clusters/demo/".to_owned(),
        handle: "h".to_owned(),
    };
    let mut objects: Vec<Object> = dependencies(&owner(), region).into_iter().flat_map(|part| part.objects).collect();
    objects.extend(storage(&owner(), &mount));
    let reader = Probe {
        name: "probe-1".to_owned(),
        namespace: "default".to_owned(),
        purpose: "storage".to_owned(),
        file: "hello.txt".to_owned(),
    };
    objects.push(probe(&owner(), &reader));
    objects
}

/// What an object cannot do without, by the titles of [`Object::title`]; what every cluster has is left out.
fn needs(object: &Object) -> Vec<String> {
    let (value, namespace) = (object.value(), object.namespace().unwrap_or_default());
    let mut needed = Vec::new();
    if !["", "default", "kube-system"].contains(&namespace) {
        needed.push(format!("Namespace {namespace}"));
    }
    let named = |kind: &str, namespace: &Value, name: &Value| match namespace.as_str() {
        Some(namespace) => format!("{kind} {namespace}/{}", name.as_str().unwrap()),
        None => format!("{kind} {}", name.as_str().unwrap()),
    };
    if value["roleRef"].is_object() {
        needed.push(named(value["roleRef"]["kind"].as_str().unwrap(), &Value::Null, &value["roleRef"]["name"]));
    }
    for subject in value["subjects"].as_array().into_iter().flatten().filter(|one| one["kind"] == "ServiceAccount") {
        needed.push(named("ServiceAccount", &subject["namespace"], &subject["name"]));
    }
    if object.kind() == "PersistentVolumeClaim" {
        needed.push(named("PersistentVolume", &Value::Null, &value["spec"]["volumeName"]));
    }
    let pod = if object.kind() == "Pod" { &value["spec"] } else { &value["spec"]["template"]["spec"] };
    if let Some(account) = pod["serviceAccountName"].as_str() {
        needed.push(format!("ServiceAccount {namespace}/{account}"));
    }
    for volume in pod["volumes"].as_array().into_iter().flatten() {
        let claim = &volume["persistentVolumeClaim"]["claimName"];
        if let Some(claim) = claim.as_str() {
            needed.push(format!("PersistentVolumeClaim {namespace}/{claim}"));
        }
        let other = ["configMap", "secret"].iter().find(|kind| volume[**kind].is_object());
        assert_eq!(other, None, "{}: the set brings neither", object.title());
    }
    needed
}

#[test]
fn br_031_br_044_what_an_object_refers_to_is_there_and_is_applied_before_it() {
    for region in ["us-west-2", "ap-northeast-2"] {
        let mut there = BTreeSet::new();
        for object in everything(region) {
            for needed in needs(&object) {
                assert!(there.contains(&needed), "{} refers to {needed} in {region}", object.title());
            }
            there.insert(object.title());
        }
    }
}

#[test]
fn br_031_the_set_has_no_kind_of_somebody_elses_making() {
    for object in everything("us-west-2") {
        let version = object.value()["apiVersion"].as_str().unwrap().to_owned();
        let own = ["v1", "apps/v1", "rbac.authorization.k8s.io/v1"].contains(&version.as_str());
        assert!(own, "{} is of {version}: its definition would have to be there before it", object.title());
    }
}

#[test]
fn br_035_nothing_that_is_installed_asks_the_instance_where_it_is() {
    for region in ["us-west-2", "eu-west-1"] {
        for object in everything(region) {
            let text = object.value().to_string();
            assert!(!text.contains("169.254.169.254"), "{}", object.title());
            let agent = object.kind() == "DaemonSet" && object.name().starts_with("health-monitoring-agent");
            assert!(!agent || text.contains(&format!(".dkr.ecr.{region}.")), "{}: {text}", object.title());
            let volume = object.kind() == "PersistentVolume";
            assert!(!volume || text.contains(&format!("region {region}")), "{}: {text}", object.title());
        }
    }
}
