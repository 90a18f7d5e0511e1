//! Filters, pages, tags, dry runs, and what is not visible yet.

use super::Ec2;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn tagged(kind: &str, name: &str) -> Value {
    json!([{ "ResourceType": kind, "Tags": [{ "Key": "Name", "Value": name }, { "Key": "owner", "Value": "us" }] }])
}

#[test]
fn what_was_just_made_is_usable_by_id_before_it_is_listed() {
    let mut ec2 = Ec2::new();
    ec2.world.ec2.read_lag = 3600;
    let vpc = ec2.vpc("10.0.0.0/16");
    let subnet = ec2.subnet(&vpc, "10.0.0.0/24");
    assert_eq!(ec2.refusal("DescribeVpcs", json!({ "VpcIds": [vpc] })), "InvalidVpcID.NotFound");
    assert_eq!(ec2.refusal("DescribeSubnets", json!({ "SubnetIds": [subnet] })), "InvalidSubnetID.NotFound");
    let filter = json!({ "Filters": [{ "Name": "vpc-id", "Values": [vpc] }] });
    assert_eq!(ec2.get("DescribeSubnets", filter.clone())["Subnets"], json!([]));
    ec2.pass(3600);
    assert_eq!(ec2.get("DescribeSubnets", filter)["Subnets"][0]["SubnetId"], subnet.as_str());
    ec2.get("DescribeVpcs", json!({ "VpcIds": [vpc] }));
}

#[test]
fn the_lag_is_at_most_three_seconds_and_the_same_in_every_run() {
    let seen = |seed: u64| {
        let mut ec2 = Ec2::new();
        ec2.world = crate::world::World::new(seed, 1);
        let vpc = ec2.vpc("10.0.0.0/16");
        let mut waited = 0;
        while ec2.ask("DescribeVpcs", json!({ "VpcIds": [vpc] })).is_err() {
            ec2.pass(1);
            waited += 1;
        }
        waited
    };
    let lags: Vec<i32> = (0..20).map(seen).collect();
    assert_eq!(lags, (0..20).map(seen).collect::<Vec<_>>());
    assert!(lags.iter().all(|lag| *lag <= 3) && lags.contains(&0) && lags.iter().any(|lag| *lag > 0), "{lags:?}");
}

#[test]
fn filters_take_wildcards_and_all_must_match() {
    let mut ec2 = Ec2::new();
    for (cidr, name) in [("10.0.0.0/16", "hp-one"), ("10.1.0.0/16", "hp-two"), ("10.2.0.0/16", "other")] {
        ec2.get("CreateVpc", json!({ "CidrBlock": cidr, "TagSpecifications": tagged("vpc", name) }));
    }
    let count = |ec2: &mut Ec2, filters: Value| {
        ec2.get("DescribeVpcs", json!({ "Filters": filters }))["Vpcs"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(count(&mut ec2, json!([{ "Name": "tag:Name", "Values": ["hp-*"] }])), 2);
    assert_eq!(count(&mut ec2, json!([{ "Name": "tag:Name", "Values": ["hp-one", "other"] }])), 2);
    assert_eq!(count(&mut ec2, json!([{ "Name": "tag-key", "Values": ["owner"] }])), 3);
    let both = json!([{ "Name": "tag:Name", "Values": ["hp-*"] }, { "Name": "cidr", "Values": ["10.1.*"] }]);
    assert_eq!(count(&mut ec2, both), 1);
    assert_eq!(count(&mut ec2, json!([{ "Name": "is-default", "Values": ["false"] }])), 3);
    let unknown = ec2.ask("DescribeVpcs", json!({ "Filters": [{ "Name": "colour", "Values": ["x"] }] }));
    let error = unknown.expect_err("a refusal");
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("InvalidParameterValue", "The filter 'colour' is invalid")
    );
}

#[test]
fn pages_hold_every_row_once() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    for n in 0..12 {
        ec2.subnet(&vpc, &format!("10.0.{n}.0/24"));
    }
    let mut ids = Vec::new();
    let mut ask = json!({ "MaxResults": 5 });
    loop {
        let page = ec2.get("DescribeSubnets", ask.clone());
        let rows = page["Subnets"].as_array().expect("rows");
        assert!(rows.len() <= 5);
        ids.extend(rows.iter().map(|row| row["SubnetId"].to_string()));
        let Some(token) = page.get("NextToken") else { break };
        ask["NextToken"] = token.clone();
    }
    assert_eq!((ids.len(), ids.iter().collect::<BTreeSet<_>>().len()), (16, 16));
    assert_eq!(ec2.refusal("DescribeSubnets", json!({ "NextToken": "x" })), "InvalidNextToken");
    let foreign = ec2.get("DescribeSubnets", json!({ "MaxResults": 5 }))["NextToken"].clone();
    assert_eq!(ec2.refusal("DescribeVpcs", json!({ "NextToken": foreign })), "InvalidNextToken");
}

#[test]
fn a_dry_run_makes_nothing() {
    let mut ec2 = Ec2::new();
    let error = ec2.ask("CreateVpc", json!({ "CidrBlock": "10.0.0.0/16", "DryRun": true })).expect_err("a refusal");
    assert_eq!((error.code.as_str(), error.status), ("DryRunOperation", 412));
    assert_eq!(ec2.get("DescribeVpcs", json!({}))["Vpcs"].as_array().map(Vec::len), Some(1));
}

#[test]
fn tags_are_added_changed_and_removed() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.id(
        "CreateVpc",
        json!({ "CidrBlock": "10.0.0.0/16", "TagSpecifications": tagged("vpc", "one") }),
        "/Vpc/VpcId",
    );
    let tag = |key: &str, value: &str| json!({ "Resources": [vpc], "Tags": [{ "Key": key, "Value": value }] });
    ec2.get("CreateTags", tag("Name", "two"));
    ec2.get("DeleteTags", tag("owner", "them"));
    let listed = |ec2: &mut Ec2| {
        let filters = json!([{ "Name": "resource-id", "Values": [vpc] }]);
        let rows = ec2.get("DescribeTags", json!({ "Filters": filters }))["Tags"].clone();
        let rows = rows.as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| format!("{}={}", row["Key"], row["Value"]).replace('"', "")).collect::<Vec<_>>()
    };
    assert_eq!(listed(&mut ec2), ["Name=two", "owner=us"], "a tag with another value stays");
    ec2.get("DeleteTags", json!({ "Resources": [vpc], "Tags": [{ "Key": "owner" }] }));
    assert_eq!(listed(&mut ec2), ["Name=two"]);
    let by_name = ec2.get("DescribeTags", json!({ "Filters": [{ "Name": "tag:Name", "Values": ["t*"] }] }));
    assert_eq!(by_name["Tags"].as_array().map(Vec::len), Some(1));
    assert_eq!(ec2.refusal("CreateTags", tag("aws:x", "y")), "InvalidParameterValue");
    let absent = json!({ "Resources": [vpc, "subnet-0123456789abcdef0"], "Tags": [{ "Key": "a", "Value": "b" }] });
    assert_eq!(ec2.refusal("CreateTags", absent), "InvalidSubnetID.NotFound");
    assert_eq!(listed(&mut ec2), ["Name=two"], "a refused request tags nothing");
    let many: Vec<Value> = (0..50).map(|n| json!({ "Key": format!("k{n}"), "Value": "" })).collect();
    assert_eq!(ec2.refusal("CreateTags", json!({ "Resources": [vpc], "Tags": many })), "TagLimitExceeded");
}

#[test]
fn a_thing_is_tagged_as_what_it_is() {
    let mut ec2 = Ec2::new();
    let ask = json!({ "CidrBlock": "10.0.0.0/16", "TagSpecifications": tagged("subnet", "x") });
    assert_eq!(ec2.refusal("CreateVpc", ask), "InvalidParameterValue");
}

#[test]
fn an_unknown_action_is_no_action() {
    let mut ec2 = Ec2::new();
    assert_eq!(ec2.refusal("RunInstances", json!({})), "InvalidAction");
}

#[test]
fn the_world_survives_being_written_down() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let subnet = ec2.subnet(&vpc, "10.0.0.0/24");
    ec2.get("CreateNatGateway", json!({ "SubnetId": subnet, "ConnectivityType": "private", "ClientToken": "t" }));
    let text = serde_json::to_string(&ec2.world).expect("JSON");
    let read: crate::world::World = serde_json::from_str(&text).expect("a world");
    assert_eq!(read, ec2.world);
}
