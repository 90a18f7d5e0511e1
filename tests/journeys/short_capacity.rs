//! A zone that has fewer instances than were asked for: told as it is, and complete once capacity is back.

use crate::asking::{VERIFIED, asked, assert_verified, capacity, house, stage, stages, with_hyperpod};
use account::{capacity::Kind, sagemaker::NodeStatus};
use domain::states::Stage;
use harness::house::House;
use serde_json::json;
use std::time::Duration;

const TEXT: &str = "We currently do not have sufficient capacity to launch new ml.g6.4xlarge instances";

fn set_free(house: &House, count: u32) {
    let set = |world: &mut _| account::capacity::set_free(world, "usw2-az2", "ml.g6.4xlarge", Kind::OnDemand, count);
    house.product.account.with_world(set);
}

#[tokio::test(start_paused = true)]
async fn one_of_four_nodes_is_told_with_the_events_text_and_four_are_verified_once_there_is_capacity() {
    let house = house(107).await;
    set_free(&house, 1);
    let input = json!({ "tag": "demo", "region": "us-west-2", "hyperpod": capacity(4) });
    let accepted = house.ask("create_cluster", input, None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3600)).await;

    let shown = stage(&house, Stage::HyperPod).await;
    let waiting = &shown["waiting"];
    assert_eq!(waiting["on"], "capacity", "{shown:#}");
    let reason = waiting["reason"].as_str().unwrap();
    assert!(reason.contains("workers: 1 of 4 nodes run") && reason.contains(TEXT), "{reason}");
    let running = |cluster: &account::sagemaker::Cluster| {
        let workers = cluster.nodes.values().filter(|node| node.group == "workers");
        workers.filter(|node| node.status == NodeStatus::Running).count()
    };
    assert_eq!(with_hyperpod(&house, "demo", running), 1);
    let tried = asked(&house, "sagemaker", "CreateCluster");

    set_free(&house, 3);
    let ended = house.product.ended(House::id(&accepted)).await;
    assert_verified(&house, &ended).await;
    assert_eq!(with_hyperpod(&house, "demo", running), 4);
    assert_eq!(stages(&house, "demo").await, VERIFIED);
    // Refused attempts come before it: the role spreads for up to a minute.
    assert_eq!(house.product.made("sagemaker", "CreateCluster"), 1);
    assert_eq!(asked(&house, "sagemaker", "CreateCluster"), tried, "the service itself goes on trying");
    for action in ["UpdateCluster", "BatchAddClusterNodes"] {
        assert_eq!(asked(&house, "sagemaker", action), 0, "{action}");
    }
}
