//! Internet gateways, NAT gateways, addresses, routes and endpoints.

use super::{Ec2, REGION};
use crate::ec2::routing::Egress;
use serde_json::{Value, json};

/// A VPC with a public subnet and a gateway.
fn public(ec2: &mut Ec2) -> (String, String, String) {
    let vpc = ec2.vpc("10.0.0.0/16");
    let subnet = ec2.subnet(&vpc, "10.0.0.0/24");
    let gateway = ec2.gateway(&vpc);
    (vpc, subnet, gateway)
}

#[test]
fn a_nat_gateway_is_available_after_a_minute_or_two() {
    let mut ec2 = Ec2::new();
    let (_, subnet, _) = public(&mut ec2);
    let address = ec2.address();
    let nat = ec2.nat(&subnet, &address);
    ec2.pass(59);
    assert_eq!(ec2.nat_state(&nat), "pending");
    ec2.pass(61);
    assert_eq!(ec2.nat_state(&nat), "available");
    let held = ec2.get("DescribeAddresses", json!({ "AllocationIds": [address] }));
    assert!(held["Addresses"][0]["NetworkInterfaceId"].is_string());
    assert_eq!(ec2.refusal("ReleaseAddress", json!({ "AllocationId": address })), "InvalidIPAddress.InUse");
    let association = held["Addresses"][0]["AssociationId"].clone();
    assert_eq!(ec2.refusal("DisassociateAddress", json!({ "AssociationId": association })), "AuthFailure");
}

#[test]
fn an_old_token_answers_with_the_old_gateway_though_it_failed() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let subnet = ec2.subnet(&vpc, "10.0.0.0/24");
    let address = ec2.address();
    let ask = json!({ "SubnetId": subnet, "AllocationId": address, "ClientToken": "once" });
    let first = ec2.id("CreateNatGateway", ask.clone(), "/NatGateway/NatGatewayId");
    ec2.pass(60);
    ec2.gateway(&vpc);
    let again = ec2.get("CreateNatGateway", ask.clone());
    assert_eq!(again["NatGateway"]["NatGatewayId"], first.as_str());
    assert_eq!(again["NatGateway"]["State"], "failed");
    assert_eq!(again["NatGateway"]["FailureCode"], "Gateway.NotAttached");
    let mut other = ask.clone();
    other["ConnectivityType"] = "public".into();
    assert_eq!(ec2.refusal("CreateNatGateway", other), "IdempotentParameterMismatch");
    let mut fresh = ask;
    fresh["ClientToken"] = "twice".into();
    let second = ec2.id("CreateNatGateway", fresh, "/NatGateway/NatGatewayId");
    ec2.pass(120);
    assert_eq!(ec2.nat_state(&second), "available");
    ec2.pass(3600);
    assert_eq!(ec2.refusal("DescribeNatGateways", json!({ "NatGatewayIds": [first] })), "NatGatewayNotFound");
}

#[test]
fn a_nat_gateway_fails_for_an_address_in_use_or_a_full_subnet() {
    let mut ec2 = Ec2::new();
    let (vpc, subnet, _) = public(&mut ec2);
    let address = ec2.address();
    ec2.nat(&subnet, &address);
    let second = ec2.nat(&subnet, &address);
    let tiny = ec2.subnet(&vpc, "10.0.1.0/28");
    crate::ec2::claim_interface(&mut ec2.world, REGION, &tiny, &[], "all", "sagemaker", 11).expect("an interface");
    let other = ec2.address();
    let third = ec2.nat(&tiny, &other);
    ec2.pass(60);
    for (nat, code) in [(second, "Resource.AlreadyAssociated"), (third, "InsufficientFreeAddressesInSubnet")] {
        let seen = ec2.get("DescribeNatGateways", json!({ "NatGatewayIds": [nat] }));
        assert_eq!(seen["NatGateways"][0]["FailureCode"], code);
    }
}

#[test]
fn a_deleted_nat_gateway_frees_its_address_and_is_listed_for_an_hour() {
    let mut ec2 = Ec2::new();
    let (vpc, subnet, gateway) = public(&mut ec2);
    let address = ec2.address();
    let nat = ec2.nat(&subnet, &address);
    ec2.pass(120);
    let detach = json!({ "InternetGatewayId": gateway, "VpcId": vpc });
    assert_eq!(ec2.refusal("DetachInternetGateway", detach.clone()), "DependencyViolation");
    ec2.get("DeleteNatGateway", json!({ "NatGatewayId": nat }));
    assert_eq!(ec2.nat_state(&nat), "deleting");
    assert_eq!(ec2.refusal("DeleteSubnet", json!({ "SubnetId": subnet })), "DependencyViolation");
    ec2.pass(90);
    assert_eq!(ec2.nat_state(&nat), "deleted");
    ec2.get("ReleaseAddress", json!({ "AllocationId": address }));
    ec2.get("DetachInternetGateway", detach);
    ec2.get("DeleteSubnet", json!({ "SubnetId": subnet }));
    ec2.pass(3600);
    assert_eq!(ec2.get("DescribeNatGateways", json!({}))["NatGateways"], json!([]));
}

#[test]
fn a_route_whose_target_is_gone_is_a_blackhole() {
    let mut ec2 = Ec2::new();
    let (vpc, subnet, _) = public(&mut ec2);
    let address = ec2.address();
    let nat = ec2.nat(&subnet, &address);
    ec2.pass(120);
    let table = ec2.table(&vpc);
    let inner = ec2.subnet(&vpc, "10.0.1.0/24");
    ec2.get("AssociateRouteTable", json!({ "RouteTableId": table, "SubnetId": inner }));
    let ask = json!({ "RouteTableId": table, "DestinationCidrBlock": "0.0.0.0/0", "NatGatewayId": nat });
    ec2.get("CreateRoute", ask.clone());
    assert_eq!(ec2.refusal("CreateRoute", ask), "RouteAlreadyExists");
    assert_eq!(ec2.route(&table, "0.0.0.0/0")["State"], "active");
    assert_eq!(ec2.world.ec2.network(REGION).egress(&inner), Egress::Nat);
    ec2.get("DeleteNatGateway", json!({ "NatGatewayId": nat }));
    ec2.pass(90);
    assert_eq!(ec2.route(&table, "0.0.0.0/0")["State"], "blackhole");
    assert_eq!(ec2.world.ec2.network(REGION).egress(&inner), Egress::None);
    assert_eq!(ec2.route(&table, "10.0.0.0/16")["GatewayId"], "local");
}

#[test]
fn routes_stay_in_their_network_and_out_of_the_local_one() {
    let mut ec2 = Ec2::new();
    let (vpc, _, gateway) = public(&mut ec2);
    let table = ec2.table(&vpc);
    let elsewhere = ec2.vpc("10.1.0.0/16");
    let foreign = ec2.table(&elsewhere);
    let ask =
        |table: &str, to: &str| json!({ "RouteTableId": table, "DestinationCidrBlock": to, "GatewayId": gateway });
    assert_eq!(ec2.refusal("CreateRoute", ask(&foreign, "0.0.0.0/0")), "InvalidParameterValue");
    assert_eq!(ec2.refusal("CreateRoute", ask(&table, "10.0.3.0/24")), "InvalidParameterValue");
    assert_eq!(ec2.refusal("ReplaceRoute", ask(&table, "0.0.0.0/0")), "InvalidParameterValue");
    let delete = json!({ "RouteTableId": table, "DestinationCidrBlock": "0.0.0.0/0" });
    assert_eq!(ec2.refusal("DeleteRoute", delete.clone()), "InvalidRoute.NotFound");
    ec2.get("CreateRoute", ask(&table, "0.0.0.0/0"));
    ec2.get("ReplaceRoute", ask(&table, "0.0.0.0/0"));
    ec2.get("DeleteRoute", delete);
    assert_eq!(ec2.route(&table, "0.0.0.0/0"), Value::Null);
}

#[test]
fn an_association_belongs_to_one_table_and_can_be_replaced() {
    let mut ec2 = Ec2::new();
    let (vpc, subnet, _) = public(&mut ec2);
    let (one, two) = (ec2.table(&vpc), ec2.table(&vpc));
    let ask = |table: &str| json!({ "RouteTableId": table, "SubnetId": subnet });
    let association = ec2.id("AssociateRouteTable", ask(&one), "/AssociationId");
    assert_eq!(ec2.id("AssociateRouteTable", ask(&one), "/AssociationId"), association);
    assert_eq!(ec2.refusal("AssociateRouteTable", ask(&two)), "Resource.AlreadyAssociated");
    let replace = json!({ "AssociationId": association, "RouteTableId": two });
    let new = ec2.id("ReplaceRouteTableAssociation", replace.clone(), "/NewAssociationId");
    assert_eq!(ec2.refusal("ReplaceRouteTableAssociation", replace), "InvalidAssociationID.NotFound");
    let used = json!({ "Filters": [{ "Name": "association.subnet-id", "Values": [subnet] }] });
    assert_eq!(ec2.get("DescribeRouteTables", used)["RouteTables"][0]["RouteTableId"], two.as_str());
    ec2.get("DisassociateRouteTable", json!({ "AssociationId": new }));
    let main = json!({ "Filters": [
        { "Name": "association.main", "Values": ["true"] }, { "Name": "vpc-id", "Values": [vpc] },
    ] });
    let main = ec2.get("DescribeRouteTables", main);
    let own = main["RouteTables"][0]["Associations"][0]["RouteTableAssociationId"].clone();
    assert_eq!(ec2.refusal("DisassociateRouteTable", json!({ "AssociationId": own })), "InvalidParameterValue");
}

#[test]
fn a_gateway_endpoint_is_a_route_in_each_of_its_tables() {
    let mut ec2 = Ec2::new();
    let (vpc, subnet, _) = public(&mut ec2);
    let table = ec2.table(&vpc);
    ec2.get("AssociateRouteTable", json!({ "RouteTableId": table, "SubnetId": subnet }));
    let service = format!("com.amazonaws.{REGION}.s3");
    let ask = json!({ "VpcId": vpc, "ServiceName": service });
    let endpoint = ec2.id("CreateVpcEndpoint", ask.clone(), "/VpcEndpoint/VpcEndpointId");
    assert!(!ec2.world.ec2.network(REGION).has_s3_endpoint(&subnet));
    ec2.get("ModifyVpcEndpoint", json!({ "VpcEndpointId": endpoint, "AddRouteTableIds": [table] }));
    assert!(ec2.world.ec2.network(REGION).has_s3_endpoint(&subnet));
    let listed = ec2.get("DescribeRouteTables", json!({ "RouteTableIds": [table] }));
    let routes = listed["RouteTables"][0]["Routes"].as_array().expect("routes").clone();
    let lists =
        ec2.get("DescribePrefixLists", json!({ "Filters": [{ "Name": "prefix-list-name", "Values": [service] }] }));
    let list = &lists["PrefixLists"][0]["PrefixListId"];
    assert!(
        routes.iter().any(|route| route["DestinationPrefixListId"] == *list && route["GatewayId"] == endpoint.as_str())
    );
    let mut second = ask.clone();
    second["RouteTableIds"] = json!([table]);
    assert_eq!(ec2.refusal("CreateVpcEndpoint", second), "RouteAlreadyExists");
    let mut unknown = ask;
    unknown["ServiceName"] = "com.amazonaws.us-west-2.nothing".into();
    assert_eq!(ec2.refusal("CreateVpcEndpoint", unknown), "InvalidServiceName");
    let gone = ec2.get("DeleteVpcEndpoints", json!({ "VpcEndpointIds": [endpoint, "vpce-0123456789abcdef0"] }));
    assert_eq!(gone["Unsuccessful"].as_array().map(Vec::len), Some(1));
    assert!(!ec2.world.ec2.network(REGION).has_s3_endpoint(&subnet));
}

#[test]
fn a_vpc_has_one_gateway_and_a_gateway_one_vpc() {
    let mut ec2 = Ec2::new();
    let (vpc, _, gateway) = public(&mut ec2);
    let other = ec2.vpc("10.1.0.0/16");
    let attach = |gateway: &str, vpc: &str| json!({ "InternetGatewayId": gateway, "VpcId": vpc });
    assert_eq!(ec2.refusal("AttachInternetGateway", attach(&gateway, &other)), "Resource.AlreadyAssociated");
    let second = ec2.id("CreateInternetGateway", json!({}), "/InternetGateway/InternetGatewayId");
    assert_eq!(ec2.refusal("AttachInternetGateway", attach(&second, &vpc)), "InvalidParameterValue");
    assert_eq!(ec2.refusal("DetachInternetGateway", attach(&second, &vpc)), "Gateway.NotAttached");
    assert_eq!(ec2.refusal("DeleteInternetGateway", json!({ "InternetGatewayId": gateway })), "DependencyViolation");
}
