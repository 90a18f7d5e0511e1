//! Quotas that EC2 enforces.

use super::{Ec2, REGION};
use crate::{ec2::claim_interface, quotas};
use serde_json::json;

#[test]
fn a_region_has_five_vpcs_addresses_and_gateways_unless_more_are_granted() {
    let mut ec2 = Ec2::new();
    for number in 0..4 {
        ec2.vpc(&format!("10.{number}.0.0/16"));
        ec2.id("CreateInternetGateway", json!({}), "/InternetGateway/InternetGatewayId");
    }
    for _ in 0..5 {
        ec2.address();
    }
    assert_eq!(ec2.refusal("CreateVpc", json!({ "CidrBlock": "10.9.0.0/16" })), "VpcLimitExceeded");
    assert_eq!(ec2.refusal("CreateInternetGateway", json!({})), "InternetGatewayLimitExceeded");
    assert_eq!(ec2.refusal("AllocateAddress", json!({})), "AddressLimitExceeded");
    assert!(quotas::set(&mut ec2.world, "vpc", "L-F678F1CE", REGION, 6.0));
    ec2.vpc("10.9.0.0/16");
}

#[test]
fn a_zone_has_five_nat_gateways_and_those_being_deleted_count() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let zones = ec2.get("DescribeAvailabilityZones", json!({}));
    let made = |ec2: &mut Ec2, cidr: &str, at: usize| {
        let zone = &zones["AvailabilityZones"][at]["ZoneName"];
        let ask = json!({ "VpcId": vpc, "CidrBlock": cidr, "AvailabilityZone": zone });
        ec2.id("CreateSubnet", ask, "/Subnet/SubnetId")
    };
    let (full, other) = (made(&mut ec2, "10.0.0.0/24", 0), made(&mut ec2, "10.0.1.0/24", 1));
    let ask = |subnet: &str| json!({ "SubnetId": subnet, "ConnectivityType": "private" });
    let mut first = String::new();
    for _ in 0..5 {
        first = ec2.id("CreateNatGateway", ask(&full), "/NatGateway/NatGatewayId");
    }
    assert_eq!(ec2.refusal("CreateNatGateway", ask(&full)), "NatGatewayLimitExceeded");
    ec2.get("CreateNatGateway", ask(&other));
    ec2.get("DeleteNatGateway", json!({ "NatGatewayId": first }));
    assert_eq!(ec2.refusal("CreateNatGateway", ask(&full)), "NatGatewayLimitExceeded");
    ec2.pass(90);
    ec2.get("CreateNatGateway", ask(&full));
}

#[test]
fn interfaces_of_services_count_against_the_regions_quota() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let subnet = ec2.subnet(&vpc, "10.0.0.0/24");
    quotas::set(&mut ec2.world, "vpc", "Network interfaces per Region", REGION, 2.0);
    let claim = |ec2: &mut Ec2| claim_interface(&mut ec2.world, REGION, &subnet, &[], "n", "sagemaker", 1);
    assert!(claim(&mut ec2).is_ok() && claim(&mut ec2).is_ok());
    assert_eq!(claim(&mut ec2).expect_err("a refusal").code, "NetworkInterfaceLimitExceeded");
}

#[test]
fn a_group_has_sixty_rules_in_a_direction() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let group = ec2.group(&vpc, "nodes");
    let ask = |first: u8, last: u8| {
        let ranges: Vec<_> = (first..last).map(|n| json!({ "CidrIp": format!("10.0.{n}.0/24") })).collect();
        json!({ "GroupId": group, "IpPermissions": [{ "IpProtocol": "-1", "IpRanges": ranges }] })
    };
    ec2.get("AuthorizeSecurityGroupIngress", ask(0, 60));
    let code = ec2.refusal("AuthorizeSecurityGroupIngress", ask(60, 61));
    assert_eq!(code, "RulesPerSecurityGroupLimitExceeded");
    ec2.get("AuthorizeSecurityGroupEgress", ask(0, 59));
}

#[test]
fn a_table_has_fifty_routes_besides_the_local_ones() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let gateway = ec2.gateway(&vpc);
    let table = ec2.table(&vpc);
    let ask = |n: u8| {
        let destination = format!("20.0.{n}.0/24");
        json!({ "RouteTableId": table, "DestinationCidrBlock": destination, "GatewayId": gateway })
    };
    for n in 0..50 {
        ec2.get("CreateRoute", ask(n));
    }
    assert_eq!(ec2.refusal("CreateRoute", ask(50)), "RouteLimitExceeded");
}
