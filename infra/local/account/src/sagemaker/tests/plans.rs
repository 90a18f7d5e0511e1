//! Training plans and the groups that rest on them.

use super::ground::{Ground, ZONE, request, with, workers};
use crate::sagemaker::{Block, Plan, add_plan};
use jiff::SignedDuration;
use serde_json::{Value, json};

const PLAN: &str = "arn:aws:sagemaker:us-west-2:111122223333:training-plan/spring";

/// A plan for `count` p5 in `zone_id` that begins in `start` hours and lasts a day.
fn buy(ground: &mut Ground, zone_id: &str, count: u32, start: i64) {
    let from = ground.now.saturating_add(SignedDuration::from_hours(start)).unwrap();
    let until = from.saturating_add(SignedDuration::from_hours(24)).unwrap();
    let block = Block { start: from, end: until, zone: "us-west-2a".into(), zone_id: zone_id.into() };
    let plan = Plan {
        arn: PLAN.into(),
        name: "spring".into(),
        region: "us-west-2".into(),
        instance_type: "ml.p5.48xlarge".into(),
        count,
        targets: vec!["hyperpod-cluster".into()],
        fee: "100.00".into(),
        blocks: vec![block],
        status: "Pending".into(),
        open: false,
    };
    add_plan(&mut ground.world, plan, ground.now);
}

fn on_plan(count: u32) -> Value {
    with(workers("ml.p5.48xlarge", count), json!({ "TrainingPlanArn": PLAN }))
}

fn plan(ground: &mut Ground) -> Value {
    ground.call("DescribeTrainingPlan", json!({ "TrainingPlanName": "spring" })).unwrap()
}

#[test]
fn a_group_on_a_plan_that_starts_in_36_hours_waits_at_zero_and_then_fills() {
    let mut ground = Ground::new();
    // On-demand capacity is of no use to a plan, and none is needed.
    ground.set_capacity("ml.p5.48xlarge", 0);
    buy(&mut ground, ZONE, 2, 36);
    ground.create(json!([on_plan(2)]));
    ground.pass(SignedDuration::from_hours(35));
    let group = ground.group();
    assert_eq!((&group["CurrentCount"], &group["Status"]), (&json!(0), &json!("InService")));
    assert_eq!(group["TrainingPlanStatus"], "Scheduled");
    assert_eq!(plan(&mut ground)["AvailableInstanceCount"], 0);
    ground.minutes(60 + 30);
    assert_eq!(ground.group()["CurrentCount"], 2);
    let now = plan(&mut ground);
    assert_eq!((&now["Status"], &now["InUseInstanceCount"]), (&json!("Active"), &json!(2)));
    assert_eq!(now["ReservedCapacitySummaries"][0]["AvailabilityZoneId"], ZONE);
    ground.pass(SignedDuration::from_hours(24));
    assert_eq!(ground.group()["CurrentCount"], 0);
    assert_eq!(plan(&mut ground)["Status"], "Expired");
    assert!(ground.kubernetes_nodes().is_empty());
}

#[test]
fn a_subnet_outside_the_plans_zone_shows_as_a_capacity_event() {
    let mut ground = Ground::new();
    buy(&mut ground, "usw2-az1", 1, 0);
    ground.create(json!([on_plan(1)]));
    ground.minutes(10);
    assert!(ground.instances().is_empty());
    let events = ground.events();
    let event = events.iter().find(|event| event.contains("Availability Zone of the training plan")).unwrap();
    assert!(event.contains("do not have sufficient capacity") && event.contains("usw2-az1"), "{event}");
}

#[test]
fn a_plan_must_be_large_enough_and_of_the_groups_type() {
    let mut ground = Ground::new();
    buy(&mut ground, ZONE, 1, 1);
    let refusal = ground.refusal("CreateCluster", request(json!([on_plan(2)])));
    assert!(refusal.message.contains("has 1 instances, 2 were requested"), "{}", refusal.message);
    let other = with(workers("ml.g6.xlarge", 1), json!({ "TrainingPlanArn": PLAN }));
    let refusal = ground.refusal("CreateCluster", request(json!([other])));
    assert!(refusal.message.contains("is for instance type ml.p5.48xlarge"), "{}", refusal.message);
}

#[test]
fn an_offering_is_found_bought_and_then_scheduled() {
    let mut ground = Ground::new();
    let search = json!({
        "InstanceType": "ml.p5.48xlarge", "InstanceCount": 4, "DurationHours": 48, "TargetResources": ["hyperpod-cluster"],
    });
    let found = ground.call("SearchTrainingPlanOfferings", search.clone()).unwrap();
    let offerings = found["TrainingPlanOfferings"].as_array().unwrap();
    assert!(!offerings.is_empty() && offerings.len() <= 3);
    let end = offerings[0]["ReservedCapacityOfferings"][0]["EndTime"].as_i64().unwrap();
    assert_eq!(end % 86_400, (11 * 60 + 30) * 60);
    let buy = json!({ "TrainingPlanName": "spring", "TrainingPlanOfferingId": offerings[0]["TrainingPlanOfferingId"] });
    ground.call("CreateTrainingPlan", buy.clone()).unwrap();
    assert_eq!(plan(&mut ground)["Status"], "Pending");
    ground.minutes(1);
    assert_eq!(plan(&mut ground)["Status"], "Scheduled");
    assert_eq!(ground.refusal("CreateTrainingPlan", buy).code, "ResourceInUse");
    let name = "Number of ml.p5.48xlarge instances in reserved capacity across training plans per Region";
    ground.set_quota(name, 0);
    assert_eq!(ground.refusal("SearchTrainingPlanOfferings", search).code, "ResourceLimitExceeded");
}
