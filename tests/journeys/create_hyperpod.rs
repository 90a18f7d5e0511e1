//! Deciding the capacity of a cluster after its ground is there.

use crate::{
    asking::{assert_verified, decision, house, stages},
    create_cluster::whole,
};
use domain::states::OperationState;
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn a_cluster_without_capacity_awaits_the_decision_and_goes_on_to_verified_with_it() {
    let house = house(101).await;
    let before = house.product.changes();
    let ended = house.run("create_cluster", json!({ "tag": "demo", "region": "us-west-2" })).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", house.product.trail());
    let ground = ["succeeded 1", "succeeded 1", "succeeded 1", "awaiting_decision 1", "pending 0", "pending 0"];
    assert_eq!(stages(&house, "demo").await, ground);
    let shown = house.ask("get_operation", json!({ "operationId": ended.id }), None).await.unwrap();
    assert!(shown["next"].as_str().unwrap().contains("create_hyperpod"), "{shown:#}");
    assert_eq!(house.product.made("sagemaker", "CreateCluster"), 0);

    let ended = house.run("create_hyperpod", decision(1)).await;
    assert_verified(&house, &ended).await;
    let decided = ["succeeded 1", "succeeded 1", "succeeded 1", "succeeded 2", "succeeded 1", "succeeded 1"];
    assert_eq!(stages(&house, "demo").await, decided);
    assert_eq!(house.product.changes_since(&before), whole(), "as much as in one go");

    let settled = house.product.changes();
    let again = house.run("create_hyperpod", decision(1)).await;
    assert_verified(&house, &again).await;
    let probe = house.product.changes_since(&settled);
    assert!(probe.keys().all(|action| action.ends_with(" pods")), "only the reading pod comes and goes: {probe:?}");
    assert_eq!(stages(&house, "demo").await[3..], ["succeeded 3", "succeeded 2", "succeeded 2"]);
}
