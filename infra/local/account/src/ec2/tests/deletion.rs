//! What must go before what.

use super::{Ec2, REGION};
use crate::ec2::{claim_interface, release_interface};
use serde_json::json;

#[test]
fn a_vpc_goes_after_everything_in_it() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let subnet = ec2.subnet(&vpc, "10.0.0.0/24");
    let table = ec2.table(&vpc);
    let gateway = ec2.gateway(&vpc);
    let group = ec2.group(&vpc, "nodes");
    let service = format!("com.amazonaws.{REGION}.s3");
    let ask = json!({ "VpcId": vpc, "ServiceName": service });
    let endpoint = ec2.id("CreateVpcEndpoint", ask, "/VpcEndpoint/VpcEndpointId");
    let steps = [
        ("DeleteSubnet", json!({ "SubnetId": subnet })),
        ("DeleteVpcEndpoints", json!({ "VpcEndpointIds": [endpoint] })),
        ("DeleteRouteTable", json!({ "RouteTableId": table })),
        ("DeleteSecurityGroup", json!({ "GroupId": group })),
        ("DetachInternetGateway", json!({ "InternetGatewayId": gateway, "VpcId": vpc })),
    ];
    for (action, input) in steps {
        assert_eq!(ec2.refusal("DeleteVpc", json!({ "VpcId": vpc })), "DependencyViolation", "before {action}");
        ec2.get(action, input);
    }
    ec2.get("DeleteVpc", json!({ "VpcId": vpc }));
    assert_eq!(ec2.refusal("DeleteVpc", json!({ "VpcId": vpc })), "InvalidVpcID.NotFound");
    let left = json!({ "Filters": [{ "Name": "vpc-id", "Values": [vpc] }] });
    assert_eq!(ec2.get("DescribeSecurityGroups", left.clone())["SecurityGroups"], json!([]));
    assert_eq!(ec2.get("DescribeRouteTables", left)["RouteTables"], json!([]));
}

#[test]
fn interfaces_that_linger_keep_their_subnet_and_groups() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let subnet = ec2.subnet(&vpc, "10.0.0.0/24");
    let group = ec2.group(&vpc, "nodes");
    let interface = claim_interface(&mut ec2.world, REGION, &subnet, &[group.clone()], "n", "sagemaker", 1);
    release_interface(&mut ec2.world, REGION, &interface.expect("an interface"), ec2.now);
    assert_eq!(ec2.refusal("DeleteSubnet", json!({ "SubnetId": subnet })), "DependencyViolation");
    assert_eq!(ec2.refusal("DeleteSecurityGroup", json!({ "GroupId": group })), "DependencyViolation");
    ec2.pass(300);
    ec2.get("DeleteSubnet", json!({ "SubnetId": subnet }));
    ec2.get("DeleteSecurityGroup", json!({ "GroupId": group }));
}

#[test]
fn a_group_that_another_names_in_a_rule_stays() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let (one, two) = (ec2.group(&vpc, "one"), ec2.group(&vpc, "two"));
    let rule =
        json!({ "GroupId": one, "IpPermissions": [{ "IpProtocol": "-1", "UserIdGroupPairs": [{ "GroupId": two }] }] });
    ec2.get("AuthorizeSecurityGroupIngress", rule.clone());
    assert_eq!(ec2.refusal("DeleteSecurityGroup", json!({ "GroupId": two })), "DependencyViolation");
    ec2.get("RevokeSecurityGroupIngress", rule);
    ec2.get("DeleteSecurityGroup", json!({ "GroupId": two }));
}

#[test]
fn an_associated_route_table_stays() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let subnet = ec2.subnet(&vpc, "10.0.0.0/24");
    let table = ec2.table(&vpc);
    let ask = json!({ "RouteTableId": table, "SubnetId": subnet });
    ec2.get("AssociateRouteTable", ask);
    assert_eq!(ec2.refusal("DeleteRouteTable", json!({ "RouteTableId": table })), "DependencyViolation");
    ec2.get("DeleteSubnet", json!({ "SubnetId": subnet }));
    ec2.get("DeleteRouteTable", json!({ "RouteTableId": table }));
}
