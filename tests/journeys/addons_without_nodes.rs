//! coredns in a cluster that has no node for a while: it fails in EKS's eyes, is left alone, and comes up with the nodes.

use crate::{
    asking::{assert_verified, decision, owner},
    inside::{objects, run, with_control_plane},
};
use account::eks::AddonOutcome;
use aws_sdk_eks::types::AddonStatus;
use domain::states::{OperationState, Stage};
use harness::house::House;
use jiff::SignedDuration;
use serde_json::json;
use std::time::Duration;

async fn coredns(house: &House) -> AddonStatus {
    let eks = aws_sdk_eks::Client::new(&owner(house).await);
    let addon = eks.describe_addon().cluster_name("demo").addon_name("coredns").send().await.unwrap().addon.unwrap();
    addon.status.unwrap()
}

/// A cluster whose coredns fails after twenty minutes without a node.
async fn failed_without_nodes(outcome: AddonOutcome) -> House {
    let (product, made) = with_control_plane(json!({})).await;
    product.account.with_world(|world| world.eks.addon_outcome = Some(outcome));
    let ended = run(&product, &made, Stage::Selection, Stage::Dependencies).await;
    let house = House::over(product);
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", house.product.trail());
    assert_eq!(coredns(&house).await, AddonStatus::Creating);
    let stage = house.product.stage(ended.cluster_id, Stage::Dependencies).await;
    let took = stage.finished_at.unwrap().duration_since(stage.started_at.unwrap());
    assert!(took < SignedDuration::from_mins(5), "it settles in minutes: {took}");

    tokio::time::sleep(Duration::from_secs(25 * 60)).await;
    assert_eq!(coredns(&house).await, AddonStatus::CreateFailed);
    let again = house.run("run_stage", json!({ "tag": "demo", "stage": "dependencies" })).await;
    assert_eq!(again.state, OperationState::Succeeded, "{again:#?}\n{}", house.product.trail());
    assert_eq!(house.product.made("eks", "DeleteAddon"), 0);
    house
}

async fn with_nodes(house: &House) {
    let ended = house.run("create_hyperpod", decision(1)).await;
    assert_verified(house, &ended).await;
    assert_eq!(coredns(house).await, AddonStatus::Active);
}

#[tokio::test(start_paused = true)]
async fn br_020_what_failed_for_lack_of_nodes_is_active_by_itself_once_there_are_some() {
    let house = failed_without_nodes(AddonOutcome::CreateFailed).await;
    let made = house.product.made("eks", "CreateAddon");
    with_nodes(&house).await;
    assert_eq!(house.product.made("eks", "DeleteAddon"), 0);
    // Storage has an add-on of its own.
    assert_eq!(house.product.made("eks", "CreateAddon"), made + 1);
}

#[tokio::test(start_paused = true)]
async fn br_022_what_is_still_failed_with_nodes_is_made_anew_once_and_its_software_stays() {
    let house = failed_without_nodes(AddonOutcome::CreateFailedForGood).await;
    let made = house.product.made("eks", "CreateAddon");
    let workload = || {
        let sets = objects(&house.product, "/apis/apps/v1/namespaces/kube-system/deployments");
        let one = sets.iter().find(|one| one["metadata"]["name"] == "coredns").unwrap();
        one["metadata"]["uid"].clone()
    };
    let before = workload();
    with_nodes(&house).await;
    assert_eq!(house.product.made("eks", "DeleteAddon"), 1);
    assert_eq!(workload(), before, "names resolve all the while");
    assert_eq!(house.product.made("eks", "CreateAddon"), made + 2);
}
