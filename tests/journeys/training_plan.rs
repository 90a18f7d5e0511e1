//! A cluster whose nodes come from a training plan that has not begun: it waits for the date, and for nothing else.

use crate::asking::{VERIFIED, asked, assert_verified, house, stage, stages};
use account::{
    call::ACCOUNT_ID,
    geography,
    sagemaker::{self, Block, Plan},
};
use domain::states::Stage;
use harness::{START, house::House};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::time::Duration;

const ARN: &str = "arn:aws:sagemaker:us-west-2:111122223333:training-plan/four-p5";

/// Four p5 for two days from `start` in usw2-az4.
fn bought(house: &House, start: Timestamp) {
    assert!(ARN.contains(ACCOUNT_ID));
    let zone = geography::zones("us-west-2").into_iter().find(|zone| zone.id == "usw2-az4").unwrap();
    let end = start.checked_add(SignedDuration::from_hours(48)).unwrap();
    let plan = Plan {
        arn: ARN.to_owned(),
        name: "four-p5".to_owned(),
        region: "us-west-2".to_owned(),
        instance_type: "ml.p5.48xlarge".to_owned(),
        count: 4,
        targets: vec!["hyperpod-cluster".to_owned()],
        fee: "6084.86".to_owned(),
        blocks: vec![Block { start, end, zone: zone.name, zone_id: zone.id }],
        status: "Scheduled".to_owned(),
        open: false,
    };
    let now = house.product.account.now();
    house.product.account.with_world(|world| sagemaker::add_plan(world, plan, now));
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_starts_in_36_hours_is_waited_for_with_its_date_and_verified_after_it() {
    let house = house(106).await;
    let start: Timestamp = START.parse().unwrap();
    let start = start.checked_add(SignedDuration::from_hours(36)).unwrap();
    bought(&house, start);
    let workers = json!({
        "zoneId": "usw2-az4", "instanceType": "ml.p5.48xlarge", "instanceCount": 4,
        "capacityType": "training-plan", "trainingPlanArn": ARN,
    });
    let input =
        json!({ "tag": "demo", "region": "us-west-2", "hyperpod": { "instanceGroups": { "workers": workers } } });
    let accepted = house.ask("create_cluster", input, None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3600)).await;

    let shown = stage(&house, Stage::HyperPod).await;
    let waiting = &shown["waiting"];
    assert_eq!(waiting["on"], "plan_start", "{shown:#}");
    assert!(waiting["reason"].as_str().unwrap().contains(&start.to_string()), "{waiting:#}");
    let deadline: Timestamp = waiting["deadline"].as_str().unwrap().parse().unwrap();
    assert!(deadline > start, "a known date is no reason to give up before it: {deadline}");
    let settled = house.product.changes();

    tokio::time::sleep(Duration::from_secs(34 * 3600)).await;
    assert_eq!(house.product.changes(), settled, "nothing is tried before the start");
    let shown = stage(&house, Stage::HyperPod).await;
    assert_eq!(
        (&shown["state"], &shown["attempts"], &shown["waiting"]["on"]),
        (&json!("running"), &json!(1), &json!("plan_start"))
    );

    let ended = house.product.ended(House::id(&accepted)).await;
    assert_verified(&house, &ended).await;
    assert!(ended.finished_at.unwrap() > start);
    assert_eq!((ended.attempt, stages(&house, "demo").await), (1, VERIFIED.map(str::to_owned).to_vec()));
    assert_eq!(house.product.made("sagemaker", "CreateCluster"), 1);
    for action in ["UpdateCluster", "BatchAddClusterNodes"] {
        assert_eq!(asked(&house, "sagemaker", action), 0, "{action}");
    }
}
