//! VPCs and subnets: blocks, attributes, addresses.

use super::{Ec2, REGION};
use crate::ec2::{claim_interface, release_interface};
use proptest::prelude::*;
use serde_json::json;

#[test]
fn a_fresh_account_has_a_default_vpc_with_a_subnet_in_each_zone() {
    let mut ec2 = Ec2::new();
    let vpcs = ec2.get("DescribeVpcs", json!({ "Filters": [{ "Name": "is-default", "Values": ["true"] }] }));
    assert_eq!(vpcs["Vpcs"][0]["CidrBlock"], "172.31.0.0/16");
    let subnets = ec2.get("DescribeSubnets", json!({}));
    let subnets = subnets["Subnets"].as_array().expect("subnets");
    assert_eq!(subnets.len(), 4);
    assert!(subnets.iter().all(|subnet| subnet["DefaultForAz"] == true && subnet["AvailableIpAddressCount"] == 4091));
}

#[test]
fn vpc_blocks_are_from_16_to_28_and_lose_their_host_bits() {
    let mut ec2 = Ec2::new();
    for cidr in ["10.0.0.0/15", "10.0.0.0/29"] {
        assert_eq!(ec2.refusal("CreateVpc", json!({ "CidrBlock": cidr })), "InvalidVpc.Range");
    }
    assert_eq!(ec2.refusal("CreateVpc", json!({ "CidrBlock": "10.0.0/16" })), "InvalidParameterValue");
    assert_eq!(ec2.refusal("CreateVpc", json!({})), "MissingParameter");
    let made = ec2.get("CreateVpc", json!({ "CidrBlock": "100.68.0.18/18" }));
    assert_eq!(made["Vpc"]["CidrBlock"], "100.68.0.0/18");
}

#[test]
fn a_subnet_lies_in_its_vpc_and_beside_the_others() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.192.0.0/16");
    let ask = |cidr: &str| json!({ "VpcId": vpc, "CidrBlock": cidr });
    ec2.get("CreateSubnet", ask("10.192.0.0/24"));
    for (cidr, code) in [
        ("10.193.0.0/24", "InvalidSubnet.Range"),
        ("10.192.0.0/29", "InvalidSubnet.Range"),
        ("10.192.0.128/25", "InvalidSubnet.Conflict"),
        ("10.192.0.0/20", "InvalidSubnet.Conflict"),
    ] {
        assert_eq!(ec2.refusal("CreateSubnet", ask(cidr)), code, "{cidr}");
    }
    let mut elsewhere = ask("10.192.1.0/24");
    elsewhere["VpcId"] = "vpc-0123456789abcdef0".into();
    assert_eq!(ec2.refusal("CreateSubnet", elsewhere.clone()), "InvalidVpcID.NotFound");
    elsewhere["VpcId"] = "vpc-nonsense".into();
    assert_eq!(ec2.refusal("CreateSubnet", elsewhere), "InvalidVpcID.Malformed");
}

#[test]
fn a_subnet_is_placed_by_name_or_id_of_its_zone() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let zones = ec2.get("DescribeAvailabilityZones", json!({}));
    let zone = zones["AvailabilityZones"][2].clone();
    for (at, (member, value)) in
        [("AvailabilityZone", &zone["ZoneName"]), ("AvailabilityZoneId", &zone["ZoneId"])].into_iter().enumerate()
    {
        let made =
            ec2.get("CreateSubnet", json!({ "VpcId": vpc, "CidrBlock": format!("10.0.{at}.0/24"), member: value }));
        assert_eq!(made["Subnet"]["AvailabilityZone"], zone["ZoneName"]);
        assert_eq!(made["Subnet"]["AvailabilityZoneId"], zone["ZoneId"]);
    }
    let wrong = json!({ "VpcId": vpc, "CidrBlock": "10.0.9.0/24", "AvailabilityZoneId": "usw2-az9" });
    let error = ec2.ask("CreateSubnet", wrong).expect_err("a refusal");
    assert!(error.code == "InvalidParameterValue" && error.message.contains("usw2-az1"), "{error}");
}

#[test]
fn secondary_blocks_join_under_the_rules_and_leave_when_empty() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.192.0.0/16");
    let ask = |cidr: &str| json!({ "VpcId": vpc, "CidrBlock": cidr });
    for (cidr, code) in
        [("10.192.128.0/17", "CidrConflict"), ("172.20.0.0/16", "InvalidVpc.Range"), ("10.0.0.0/8", "InvalidVpc.Range")]
    {
        assert_eq!(ec2.refusal("AssociateVpcCidrBlock", ask(cidr)), code, "{cidr}");
    }
    let path = "/CidrBlockAssociation/AssociationId";
    let association = ec2.id("AssociateVpcCidrBlock", ask("10.1.0.0/16"), path);
    let subnet = ec2.subnet(&vpc, "10.1.0.0/20");
    let leave = json!({ "AssociationId": association });
    assert_eq!(ec2.refusal("DisassociateVpcCidrBlock", leave.clone()), "DependencyViolation");
    ec2.get("DeleteSubnet", json!({ "SubnetId": subnet }));
    ec2.get("DisassociateVpcCidrBlock", leave.clone());
    assert_eq!(ec2.refusal("DisassociateVpcCidrBlock", leave), "InvalidVpcCidrBlockAssociationID.NotFound");
    let vpcs = ec2.get("DescribeVpcs", json!({ "VpcIds": [vpc] }));
    let primary = vpcs["Vpcs"][0]["CidrBlockAssociationSet"][0]["AssociationId"].clone();
    assert_eq!(ec2.refusal("DisassociateVpcCidrBlock", json!({ "AssociationId": primary })), "OperationNotPermitted");
    for second in 1..5 {
        ec2.get("AssociateVpcCidrBlock", ask(&format!("10.{second}.0.0/16")));
    }
    assert_eq!(ec2.refusal("AssociateVpcCidrBlock", ask("10.5.0.0/16")), "CidrLimitExceeded");
}

#[test]
fn one_attribute_is_changed_at_a_time() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let (support, names) = (json!({ "Value": true }), json!({ "Value": true }));
    let both = json!({ "VpcId": vpc, "EnableDnsSupport": support, "EnableDnsHostnames": names });
    assert_eq!(ec2.refusal("ModifyVpcAttribute", both), "InvalidParameterCombination");
    let ask = json!({ "VpcId": vpc, "Attribute": "enableDnsHostnames" });
    assert_eq!(ec2.get("DescribeVpcAttribute", ask.clone())["EnableDnsHostnames"]["Value"], false);
    ec2.get("ModifyVpcAttribute", json!({ "VpcId": vpc, "EnableDnsHostnames": { "Value": true } }));
    assert_eq!(ec2.get("DescribeVpcAttribute", ask)["EnableDnsHostnames"]["Value"], true);
}

#[test]
fn interfaces_of_services_take_addresses_until_there_are_none() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let subnet = ec2.subnet(&vpc, "10.0.0.0/25");
    let group = ec2.group(&vpc, "nodes");
    let free = |ec2: &mut Ec2| {
        ec2.get("DescribeSubnets", json!({ "SubnetIds": [subnet] }))["Subnets"][0]["AvailableIpAddressCount"].clone()
    };
    assert_eq!(free(&mut ec2), 123);
    let claim =
        |ec2: &mut Ec2| claim_interface(&mut ec2.world, REGION, &subnet, &[group.clone()], "a node", "sagemaker", 81);
    let id = claim(&mut ec2).expect("an interface");
    assert_eq!(free(&mut ec2), 42);
    assert_eq!(claim(&mut ec2).expect_err("a refusal").code, "InsufficientFreeAddressesInSubnet");
    let listed = ec2.get("DescribeNetworkInterfaces", json!({ "NetworkInterfaceIds": [id] }));
    let listed = &listed["NetworkInterfaces"][0];
    assert_eq!(listed["PrivateIpAddress"], "10.0.0.4");
    assert_eq!(listed["PrivateIpAddresses"].as_array().map(Vec::len), Some(81));
    assert_eq!((&listed["Status"], &listed["RequesterManaged"]), (&json!("in-use"), &json!(true)));
    assert_eq!(ec2.refusal("DeleteNetworkInterface", json!({ "NetworkInterfaceId": id })), "InvalidParameterValue");
    release_interface(&mut ec2.world, REGION, &id, ec2.now);
    ec2.pass(59);
    assert_eq!(free(&mut ec2), 42, "a released interface lingers");
    ec2.pass(241);
    assert_eq!(free(&mut ec2), 123);
}

#[test]
fn an_interface_has_groups_of_its_own_vpc() {
    let mut ec2 = Ec2::new();
    let (here, there) = (ec2.vpc("10.0.0.0/16"), ec2.vpc("10.1.0.0/16"));
    let subnet = ec2.subnet(&here, "10.0.0.0/24");
    let group = ec2.group(&there, "other");
    let ask = |groups: serde_json::Value| json!({ "SubnetId": subnet, "Groups": groups });
    assert_eq!(ec2.refusal("CreateNetworkInterface", ask(json!([group]))), "InvalidParameter");
    assert_eq!(ec2.refusal("CreateNetworkInterface", ask(json!(["sg-0123456789abcdef0"]))), "InvalidGroup.NotFound");
    let made = ec2.get("CreateNetworkInterface", ask(json!([])));
    assert_eq!(made["NetworkInterface"]["Groups"][0]["GroupName"], "default");
    let id = made["NetworkInterface"]["NetworkInterfaceId"].clone();
    ec2.get("DeleteNetworkInterface", json!({ "NetworkInterfaceId": id }));
}

proptest! {
    #[test]
    fn accepted_subnets_never_share_an_address(wanted in prop::collection::vec((0u8..4, 0u8..=255, 20u8..=28), 1..24)) {
        let mut ec2 = Ec2::new();
        let vpc = ec2.vpc("10.0.0.0/20");
        let mut accepted: Vec<ipnet::Ipv4Net> = Vec::new();
        for (third, fourth, length) in wanted {
            let block: ipnet::Ipv4Net = format!("10.0.{third}.{fourth}/{length}").parse().expect("a block");
            let block = block.trunc();
            let clash = accepted.iter().any(|other| block.contains(other) || other.contains(&block));
            let answer = ec2.ask("CreateSubnet", json!({ "VpcId": vpc, "CidrBlock": block.to_string() }));
            prop_assert_eq!(answer.is_err(), clash, "{} beside {:?}", block, accepted);
            if answer.is_ok() {
                accepted.push(block);
            }
        }
    }
}
