use super::place::{ARN, Place};
use crate::eks::AddonOutcome;
use serde_json::{Value, json};

const COREDNS: &str = "/apis/apps/v1/namespaces/kube-system/deployments/coredns";

fn create(place: &mut Place, name: &str) -> Value {
    let input = json!({ "clusterName": "demo", "addonName": name, "resolveConflicts": "OVERWRITE" });
    place.call("CreateAddon", input).unwrap()["addon"].clone()
}

/// Gives the replicas a node to run on, and the time to start.
fn with_node(place: &mut Place) {
    place.join_node("roomy", "29", json!([]));
    place.pass_minutes(5);
}

fn status(place: &mut Place, name: &str) -> String {
    place.addon(name)["status"].as_str().unwrap().to_owned()
}

#[test]
fn a_daemon_set_addon_is_active_within_a_minute_without_any_node() {
    let mut place = Place::with_cluster(json!({}));
    for name in ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"] {
        assert_eq!(create(&mut place, name)["status"], "CREATING");
        place.pass_seconds(9);
        assert_eq!(status(&mut place, name), "CREATING");
        place.pass_seconds(45);
        assert_eq!(status(&mut place, name), "ACTIVE");
    }
}

#[test]
fn br_020_a_deployment_addon_without_nodes_waits_twenty_minutes_then_is_degraded_and_heals_with_nodes() {
    let mut place = Place::with_cluster(json!({}));
    place.world.eks.addon_outcome = Some(AddonOutcome::Degraded);
    create(&mut place, "coredns");
    place.pass_minutes(19);
    assert_eq!(status(&mut place, "coredns"), "CREATING");
    place.pass_minutes(2);
    let degraded = place.addon("coredns");
    assert_eq!(
        (&degraded["status"], &degraded["health"]["issues"][0]["code"]),
        (&json!("DEGRADED"), &json!("InsufficientNumberOfReplicas"))
    );
    place.pass_minutes(600);
    assert_eq!(status(&mut place, "coredns"), "DEGRADED");

    place.join_node("roomy", "29", json!([]));
    place.pass_seconds(5);
    assert_eq!(status(&mut place, "coredns"), "DEGRADED");
    place.pass_minutes(5);
    let healed = place.addon("coredns");
    assert_eq!((&healed["status"], &healed["health"]["issues"]), (&json!("ACTIVE"), &json!([])));
    place.remove_node("roomy");
    place.pass_minutes(3);
    assert_eq!(status(&mut place, "coredns"), "DEGRADED");
}

#[test]
fn one_replica_of_two_is_not_enough() {
    let mut place = Place::with_cluster(json!({}));
    create(&mut place, "coredns");
    // Its network plugin and proxy take two of the places.
    place.join_node("narrow", "3", json!([]));
    place.pass_minutes(10);
    assert_eq!(place.object(COREDNS)["status"]["readyReplicas"], 1);
    assert_eq!(status(&mut place, "coredns"), "CREATING");
    with_node(&mut place);
    assert_eq!(status(&mut place, "coredns"), "ACTIVE");
}

#[test]
fn br_022_a_failed_addon_that_does_not_heal_is_deleted_with_its_workload_kept_and_made_again() {
    let mut place = Place::with_cluster(json!({}));
    place.world.eks.addon_outcome = Some(AddonOutcome::CreateFailedForGood);
    create(&mut place, "coredns");
    place.pass_minutes(21);
    assert_eq!(status(&mut place, "coredns"), "CREATE_FAILED");
    with_node(&mut place);
    place.pass_minutes(60);
    assert_eq!(status(&mut place, "coredns"), "CREATE_FAILED");
    let ask = json!({ "clusterName": "demo", "addonName": "coredns" });
    assert_eq!(place.refused("UpdateAddon", ask.clone()).code, "InvalidParameterException");

    let input = json!({ "clusterName": "demo", "addonName": "coredns", "preserve": true });
    assert_eq!(place.call("DeleteAddon", input).unwrap()["addon"]["status"], "DELETING");
    place.pass_seconds(40);
    assert_eq!(place.refused("DescribeAddon", ask).code, "ResourceNotFoundException");
    assert!(place.object(COREDNS).is_object());
    create(&mut place, "coredns");
    place.pass_minutes(3);
    assert_eq!(status(&mut place, "coredns"), "ACTIVE");
}

#[test]
fn a_failed_addon_usually_heals_by_itself() {
    let mut place = Place::with_cluster(json!({}));
    place.world.eks.addon_outcome = Some(AddonOutcome::CreateFailed);
    create(&mut place, "coredns");
    place.pass_minutes(21);
    assert_eq!(status(&mut place, "coredns"), "CREATE_FAILED");
    with_node(&mut place);
    assert_eq!(status(&mut place, "coredns"), "ACTIVE");
}

#[test]
fn a_cluster_starts_with_network_proxy_and_dns_unless_told_not_to() {
    let mut place = Place::with_cluster(json!({}));
    assert!(place.object(COREDNS).is_object());
    assert_eq!(place.call("ListAddons", json!({ "clusterName": "demo" })).unwrap()["addons"], json!([]));
    let mut bare = Place::with_cluster(json!({ "bootstrapSelfManagedAddons": false }));
    assert!(bare.object(COREDNS).is_null());
}

#[test]
fn br_019_conflicts_are_resolved_as_asked_and_preserve_is_for_updates() {
    let mut place = Place::with_cluster(json!({}));
    let ask = |mode: &str| json!({ "clusterName": "demo", "addonName": "coredns", "resolveConflicts": mode });
    let refusal = place.refused("CreateAddon", ask("PRESERVE"));
    assert_eq!(refusal.message, "Resolve conflicts option PRESERVE is not supported for operation CreateAddon");
    place.call("CreateAddon", ask("NONE")).unwrap();
    let failed = place.addon("coredns");
    assert_eq!(
        (&failed["status"], &failed["health"]["issues"][0]["code"]),
        (&json!("CREATE_FAILED"), &json!("ConfigurationConflict"))
    );
    assert!(
        failed["health"]["issues"][0]["message"]
            .as_str()
            .unwrap()
            .contains("Deployment.apps coredns - .spec.template.spec")
    );
    place.call("DeleteAddon", ask("NONE")).unwrap();
    place.pass_seconds(40);
    place.call("CreateAddon", ask("OVERWRITE")).unwrap();
    with_node(&mut place);
    assert_eq!(status(&mut place, "coredns"), "ACTIVE");
    let started = place.call("UpdateAddon", ask("PRESERVE")).unwrap();
    assert_eq!(started["update"]["status"], "InProgress");
    place.pass_minutes(3);
    let ask = json!({ "name": "demo", "addonName": "coredns", "updateId": started["update"]["id"] });
    assert_eq!(place.call("DescribeUpdate", ask).unwrap()["update"]["status"], "Successful");
}

#[test]
fn br_023_versions_that_do_not_go_with_the_cluster_are_refused() {
    let mut place = Place::with_cluster(json!({}));
    let wrong =
        json!({ "clusterName": "demo", "addonName": "aws-ebs-csi-driver", "addonVersion": "v1.24.1-eksbuild.1" });
    assert_eq!(place.refused("CreateAddon", wrong).code, "InvalidParameterException");
    let unknown = json!({ "clusterName": "demo", "addonName": "kubecost_kubecost" });
    assert!(place.refused("CreateAddon", unknown).message.contains("not supported in 1.33"));
    assert_eq!(
        place.call("DescribeAddonVersions", json!({ "addonName": "kubecost_kubecost" })).unwrap()["addons"],
        json!([])
    );
}

#[test]
fn each_addon_has_one_default_version_for_each_kubernetes_version_that_it_goes_with() {
    let mut place = Place::new();
    for minor in ["1.30", "1.31", "1.32", "1.33", "1.34", "1.35"] {
        let listed = place.call("DescribeAddonVersions", json!({ "kubernetesVersion": minor })).unwrap();
        for addon in listed["addons"].as_array().unwrap() {
            let versions = addon["addonVersions"].as_array().unwrap();
            let defaults = versions.iter().filter(|version| version["compatibilities"][0]["defaultVersion"] == true);
            assert_eq!(defaults.count(), 1, "{} for {minor}", addon["addonName"]);
            assert!(versions.iter().all(|version| version["compatibilities"][0]["clusterVersion"] == minor));
        }
    }
}

#[test]
fn the_versions_of_addons_are_listed_a_page_at_a_time() {
    let mut place = Place::new();
    let (mut seen, mut token) = (Vec::new(), Value::Null);
    loop {
        let ask =
            if token.is_null() { json!({ "maxResults": 5 }) } else { json!({ "maxResults": 5, "nextToken": token }) };
        let page = place.call("DescribeAddonVersions", ask).unwrap();
        seen.extend(
            page["addons"].as_array().unwrap().iter().map(|addon| addon["addonName"].as_str().unwrap().to_owned()),
        );
        token = page.get("nextToken").cloned().unwrap_or_default();
        if token.is_null() {
            break;
        }
    }
    assert_eq!(seen, crate::eks::addons::names());
}

#[test]
fn every_addon_writes_objects_that_can_be_found_again() {
    let mut place = Place::with_cluster(json!({}));
    for name in crate::eks::addons::names() {
        let values = match name {
            "amazon-sagemaker-hyperpod-inference" => {
                json!({ "executionRoleArn": "arn:aws:iam::111122223333:role/x", "tlsCertificateS3Bucket": "b" })
            }
            "amazon-sagemaker-hyperpod-observability" => {
                json!({ "ampWorkspace": { "prometheusEndpoint": "https://x", "arn": "arn" } })
            }
            _ => json!({}),
        };
        let input = json!({ "clusterName": "demo", "addonName": name, "resolveConflicts": "OVERWRITE", "configurationValues": values.to_string() });
        let made = place.call("CreateAddon", input).unwrap();
        assert_eq!(
            (&made["addon"]["status"], &made["addon"]["health"]["issues"]),
            (&json!("CREATING"), &json!([])),
            "{name}"
        );
        let objects = crate::eks::addons::recorded(&place.world, ARN, name);
        assert!(
            objects.iter().any(|object| matches!(object["kind"].as_str(), Some("Deployment" | "DaemonSet"))),
            "{name}"
        );
    }
    assert_eq!(place.object("/apis/storage.k8s.io/v1/csidrivers/s3.csi.aws.com")["kind"], "CSIDriver");
}

#[test]
fn configuration_values_are_checked_against_the_schema() {
    let mut place = Place::with_cluster(json!({}));
    let ask = |values: &str| json!({ "clusterName": "demo", "addonName": "coredns", "resolveConflicts": "OVERWRITE", "configurationValues": values });
    for wrong in [r#"{"replicas":3}"#, r#"{"replicaCount":"3"}"#, "replicaCount: 0", "[1", "- 1"] {
        let refusal = place.refused("CreateAddon", ask(wrong));
        assert!(refusal.message.starts_with("ConfigurationValue provided in request is not supported"), "{wrong}");
    }
    place.call("CreateAddon", ask("replicaCount: 3\n")).unwrap();
    assert_eq!(place.object(COREDNS)["spec"]["replicas"], 3);
}

#[test]
fn an_addon_needs_a_cluster_that_is_served_and_its_name_only_once() {
    let mut place = Place::new();
    place.call("CreateCluster", super::place::request()).unwrap();
    let ask = json!({ "clusterName": "demo", "addonName": "vpc-cni", "resolveConflicts": "OVERWRITE" });
    assert_eq!(place.refused("CreateAddon", ask.clone()).code, "InvalidRequestException");
    place.pass_minutes(12);
    place.call("CreateAddon", ask.clone()).unwrap();
    let again = place.refused("CreateAddon", ask);
    assert_eq!((again.code.as_str(), again.status), ("ResourceInUseException", 409));
}

#[test]
fn deleting_an_addon_takes_its_objects_along() {
    let mut place = Place::with_cluster(json!({}));
    create(&mut place, "metrics-server");
    let path = "/apis/apps/v1/namespaces/kube-system/deployments/metrics-server";
    assert!(place.object(path).is_object());
    place.call("DeleteAddon", json!({ "clusterName": "demo", "addonName": "metrics-server" })).unwrap();
    assert!(place.object(path).is_null());
    assert_eq!(status(&mut place, "metrics-server"), "DELETING");
}
