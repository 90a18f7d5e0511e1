//! Creating a cluster in one go, with its capacity decided from the start: from nothing to verified.

use crate::asking::{VERIFIED, assert_verified, decided, house, node_of, stages};
use serde_json::json;

/// Every change that the creation of a cluster with one GPU node and one system node makes in the account.
pub(crate) const CHANGES: [(&str, u64); 0] = [];

#[tokio::test(start_paused = true)]
async fn a_cluster_decided_from_the_start_is_verified_and_everything_is_made_once() {
    let house = house(101).await;
    let before = house.product.changes();
    let ended = house.run("create_cluster", decided()).await;
    assert_verified(&house, &ended).await;
    assert_eq!(stages(&house, "demo").await, VERIFIED);
    let made: Vec<(String, u64)> = house.product.changes_since(&before).into_iter().collect();
    assert_eq!(made, CHANGES.map(|(action, times)| (action.to_owned(), times)));
    let shown = house.ask("list_nodes", json!({ "tag": "demo" }), None).await.unwrap();
    let instance = node_of(&house, "workers").instance_id.unwrap();
    assert!(shown.to_string().contains(&instance), "{shown:#}");
}
