//! Stopping what a running cluster spends on nodes.

use crate::asking::{after, asked, with_hyperpod};
use domain::states::{OperationState, Stage};
use serde_json::json;
use std::collections::BTreeMap;

#[tokio::test(start_paused = true)]
async fn a_running_cluster_is_brought_to_no_node_by_one_update_and_keeps_all_else() {
    let house = after(Stage::HyperPod).await;
    let before = house.product.changes();
    let request = surface::Request { validate_only: true, ..harness::house::person() };
    let page = house.send("stop_spending", json!({ "tag": "demo" }), request).await.unwrap();
    let changes = page["changes"].as_array().unwrap();
    assert_eq!((changes.len(), &changes[0]["change"]), (1, &json!("stop-groups")), "{page:#}");
    let title = changes[0]["title"].as_str().unwrap();
    assert!(title.contains("set to zero") && title.contains("system from 1, workers from 1"), "{title}");
    assert_eq!(house.product.changes_since(&before), BTreeMap::new(), "a plan changes nothing");
    let ended = house.run("stop_spending", json!({ "tag": "demo" })).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", house.product.trail());
    assert_eq!(ended.outcome["running"], 0, "{:#}", ended.outcome);
    let updated = BTreeMap::from([("sagemaker:UpdateCluster".to_owned(), 1)]);
    assert_eq!(house.product.changes_since(&before), updated);
    let (nodes, targets) = with_hyperpod(&house, "demo", |cluster| {
        (cluster.nodes.len(), cluster.groups.values().map(|group| group.target()).collect::<Vec<_>>())
    });
    assert_eq!((nodes, targets), (0, vec![0, 0]));
    let took = ended.finished_at.unwrap().duration_since(ended.created_at).as_mins();
    assert!(took >= 1, "it watches until the nodes are gone: {took} min");

    let again = house.run("stop_spending", json!({ "tag": "demo" })).await;
    assert_eq!(again.state, OperationState::Succeeded, "{again:#?}");
    assert_eq!(asked(&house, "sagemaker", "UpdateCluster"), 1);
}
