//! Quotas as a caller sees them.

use super::{handle, limit, requests, set};
use crate::{
    call::{Call, Caller},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

fn ask(world: &mut World, action: &str, input: Value, now: Timestamp) -> Result<Value, String> {
    let call = Call {
        service: "servicequotas",
        action: action.to_owned(),
        region: "us-west-2".to_owned(),
        caller: Caller::root(),
        input,
        now,
        request_id: "r".to_owned(),
    };
    handle(world, &call).map_err(|error| error.code)
}

#[test]
fn a_per_type_quota_that_was_never_raised_has_only_its_default() {
    let mut world = World::new(1, 1);
    let named = json!({ "ServiceCode": "sagemaker", "QuotaCode": "L-8762A75F" });
    let now = Timestamp::UNIX_EPOCH;
    assert_eq!(ask(&mut world, "GetServiceQuota", named.clone(), now), Err("NoSuchResourceException".to_owned()));
    let default = ask(&mut world, "GetAWSDefaultServiceQuota", named.clone(), now).expect("a default");
    assert_eq!(default["Quota"]["Value"], 0.0);
    assert!(set(&mut world, "sagemaker", "ml.p5.48xlarge for cluster usage", "us-west-2", 2.0));
    let applied = ask(&mut world, "GetServiceQuota", named, now).expect("a value");
    assert_eq!(applied["Quota"]["Value"], 2.0);
    assert_eq!(limit(&world, "sagemaker", "L-8762A75F", "us-west-2"), 2.0);
    assert_eq!(limit(&world, "sagemaker", "L-8762A75F", "us-east-1"), 0.0);
}

#[test]
fn all_default_quotas_come_page_by_page_and_none_twice() {
    let mut world = World::new(1, 1);
    let mut names = Vec::new();
    let mut token = None;
    loop {
        let mut input = json!({ "ServiceCode": "sagemaker", "MaxResults": 100 });
        if let Some(token) = token {
            input["NextToken"] = token;
        }
        let page = ask(&mut world, "ListAWSDefaultServiceQuotas", input, Timestamp::UNIX_EPOCH).expect("a page");
        let rows = page["Quotas"].as_array().expect("rows");
        assert!(rows.len() <= 100);
        names.extend(rows.iter().map(|row| row["QuotaName"].to_string()));
        token = page.get("NextToken").cloned();
        if token.is_none() {
            break;
        }
    }
    let total = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), total);
    assert!(names.contains(&"\"ml.p5.48xlarge for cluster usage\"".to_owned()));
}

#[test]
fn a_small_request_is_approved_by_itself_and_a_large_one_is_a_case() {
    let mut world = World::new(1, 1);
    let now = Timestamp::UNIX_EPOCH;
    let ask_for = |world: &mut World, desired: f64, now| {
        let input = json!({ "ServiceCode": "vpc", "QuotaCode": "L-F678F1CE", "DesiredValue": desired });
        ask(world, "RequestServiceQuotaIncrease", input, now)
    };
    assert_eq!(ask_for(&mut world, 5.0, now), Err("IllegalArgumentException".to_owned()));
    let made = ask_for(&mut world, 10.0, now).expect("a request");
    assert_eq!(made["RequestedQuota"]["Status"], "PENDING");
    assert_eq!(ask_for(&mut world, 12.0, now), Err("ResourceAlreadyExistsException".to_owned()));
    let later = now + SignedDuration::from_hours(1);
    world.advance(later);
    assert_eq!(limit(&world, "vpc", "VPCs per Region", "us-west-2"), 10.0);
    let large = ask_for(&mut world, 500.0, later).expect("a request");
    let id = large["RequestedQuota"]["Id"].as_str().expect("an id").to_owned();
    let end = later + SignedDuration::from_hours(1);
    world.advance(end);
    let seen = ask(&mut world, "GetRequestedServiceQuotaChange", json!({ "RequestId": id }), end).expect("a request");
    assert_eq!(seen["RequestedQuota"]["Status"], "CASE_OPENED");
    assert_eq!(limit(&world, "vpc", "VPCs per Region", "us-west-2"), 10.0);
    assert!(requests::decide(&mut world, &id, "APPROVED", end));
    assert_eq!(limit(&world, "vpc", "VPCs per Region", "us-west-2"), 500.0);
}

#[test]
fn an_unknown_service_or_quota_is_no_such_resource() {
    let mut world = World::new(1, 1);
    for input in [
        json!({ "ServiceCode": "nothing", "QuotaCode": "L-F678F1CE" }),
        json!({ "ServiceCode": "vpc", "QuotaCode": "L-00000000" }),
        json!({ "ServiceCode": "vpc", "QuotaCode": "VPCs per Region" }),
    ] {
        let answer = ask(&mut world, "GetServiceQuota", input, Timestamp::UNIX_EPOCH);
        assert_eq!(answer, Err("NoSuchResourceException".to_owned()));
    }
}
