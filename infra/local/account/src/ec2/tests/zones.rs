//! Regions, zones, types and what is offered where.

use super::{Ec2, REGION};
use crate::capacity;
use serde_json::json;

#[test]
fn zones_tell_their_ids_and_local_zones_only_when_asked() {
    let mut ec2 = Ec2::new();
    let zones = ec2.get("DescribeAvailabilityZones", json!({}))["AvailabilityZones"].clone();
    let zones = zones.as_array().expect("zones");
    assert_eq!(zones.len(), 4);
    assert!(zones.iter().all(|zone| zone["ZoneId"].as_str().is_some_and(|id| id.starts_with("usw2-az"))));
    let all =
        ec2.get("DescribeAvailabilityZones", json!({ "AllAvailabilityZones": true }))["AvailabilityZones"].clone();
    let local = all.as_array().expect("zones").iter().find(|zone| zone["ZoneType"] == "local-zone");
    assert_eq!(local.map(|zone| zone["OptInStatus"].clone()), Some(json!("not-opted-in")));
    let code = ec2.refusal("DescribeAvailabilityZones", json!({ "ZoneNames": ["us-west-2x"] }));
    assert_eq!(code, "InvalidParameterValue");
}

#[test]
fn regions_that_were_not_opted_into_are_listed_only_when_asked() {
    let mut ec2 = Ec2::new();
    let names = |answer: serde_json::Value| answer["Regions"].to_string();
    assert!(!names(ec2.get("DescribeRegions", json!({}))).contains("ap-east-1"));
    assert!(names(ec2.get("DescribeRegions", json!({ "AllRegions": true }))).contains("ap-east-1"));
    assert_eq!(ec2.refusal("DescribeRegions", json!({ "RegionNames": ["mars-1"] })), "InvalidParameterValue");
}

#[test]
fn offerings_speak_of_regions_names_or_ids() {
    let mut ec2 = Ec2::new();
    let places = |ec2: &mut Ec2, kind: &str| {
        let filters = json!([{ "Name": "instance-type", "Values": ["p5.48xlarge"] }]);
        let answer = ec2.get("DescribeInstanceTypeOfferings", json!({ "LocationType": kind, "Filters": filters }));
        let rows = answer["InstanceTypeOfferings"].as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| row["Location"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(places(&mut ec2, "region"), [REGION]);
    let mut ids = places(&mut ec2, "availability-zone-id");
    ids.sort();
    assert_eq!(ids, ["usw2-az3", "usw2-az4"]);
    for name in places(&mut ec2, "availability-zone") {
        let zones = ec2.get("DescribeAvailabilityZones", json!({ "ZoneNames": [name] }));
        assert!(ids.iter().any(|id| zones["AvailabilityZones"][0]["ZoneId"] == id.as_str()));
    }
    capacity::set_offered(&mut ec2.world, "usw2-az3", "ml.p5.48xlarge", false);
    assert_eq!(places(&mut ec2, "availability-zone-id"), ["usw2-az4"]);
}

#[test]
fn types_are_known_by_their_ec2_names() {
    let mut ec2 = Ec2::new();
    let seen =
        ec2.get("DescribeInstanceTypes", json!({ "InstanceTypes": ["p5.48xlarge"] }))["InstanceTypes"][0].clone();
    assert_eq!(seen["GpuInfo"]["Gpus"][0]["Count"], 8);
    assert_eq!(seen["NetworkInfo"]["EfaInfo"]["MaximumEfaInterfaces"], 32);
    assert_eq!(
        ec2.refusal("DescribeInstanceTypes", json!({ "InstanceTypes": ["ml.p5.48xlarge"] })),
        "InvalidInstanceType"
    );
    let arm = json!([{ "Name": "processor-info.supported-architecture", "Values": ["arm64"] }]);
    let arm = ec2.get("DescribeInstanceTypes", json!({ "Filters": arm }))["InstanceTypes"].clone();
    assert!(arm.as_array().is_some_and(|rows| !rows.is_empty() && rows.iter().all(|row| row["GpuInfo"].is_null())));
}

#[test]
fn the_account_has_no_instances() {
    let mut ec2 = Ec2::new();
    assert_eq!(ec2.get("DescribeInstances", json!({}))["Reservations"], json!([]));
    let ask = json!({ "InstanceIds": ["i-0123456789abcdef0"] });
    assert_eq!(ec2.refusal("DescribeInstances", ask), "InvalidInstanceID.NotFound");
}

#[test]
fn account_attributes_name_the_default_vpc() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.get("DescribeVpcs", json!({}))["Vpcs"][0]["VpcId"].clone();
    let seen = ec2.get("DescribeAccountAttributes", json!({ "AttributeNames": ["default-vpc"] }));
    assert_eq!(seen["AccountAttributes"][0]["AttributeValues"][0]["AttributeValue"], vpc);
}
