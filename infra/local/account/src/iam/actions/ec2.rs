//! EC2's networking actions.

use super::{Asked, Need};
use serde_json::Value;

/// A resource of an action: its type, and the member that has its id or ids; none for what is about to be made.
type Target = (&'static str, Option<&'static str>);

/// Permissions for an EC2 call.
pub(super) fn needs(asked: &Asked) -> Vec<Need> {
    let action = asked.call.action.as_str();
    let targets = targets(action);
    let mut needs: Vec<Need> = targets.iter().flat_map(|target| on_target(asked, *target)).collect();
    if matches!(action, "CreateTags" | "DeleteTags") {
        let resources = asked.call.texts("Resources");
        needs.extend(resources.iter().map(|id| asked.on(asked.arn(&format!("{}/{id}", kind_of(id))))));
    }
    if needs.is_empty() {
        needs.push(asked.on("*"));
    }
    needs.extend(tagging(asked));
    for need in &mut needs {
        need.context.set("ec2:Region", asked.call.region.clone());
    }
    needs
}

fn on_target(asked: &Asked, (kind, member): Target) -> Vec<Need> {
    let resource = |id: &str| asked.on(asked.arn(&format!("{kind}/{id}")));
    let Some(member) = member else {
        // Tags of the request belong to what is made, not to what it is made in.
        return vec![resource("*")];
    };
    match asked.call.input.get(member) {
        Some(Value::String(id)) => vec![resource(id)],
        Some(Value::Array(ids)) => ids.iter().filter_map(Value::as_str).map(resource).collect(),
        _ => Vec::new(),
    }
}

/// Tags that are given while a resource is made need `ec2:CreateTags` with `ec2:CreateAction`.
fn tagging(asked: &Asked) -> Vec<Need> {
    let specifications = asked.call.list("TagSpecifications").iter();
    let kinds = specifications.filter(|one| one["Tags"].as_array().is_some_and(|tags| !tags.is_empty()));
    kinds
        .filter_map(|one| one["ResourceType"].as_str())
        .map(|kind| {
            let mut need = asked.other("ec2:CreateTags", asked.arn(&format!("{kind}/*")));
            need.context.set("ec2:CreateAction", asked.call.action.clone());
            need
        })
        .collect()
}

/// The type that an id's prefix stands for.
fn kind_of(id: &str) -> &'static str {
    match id.split('-').next().unwrap_or_default() {
        "vpc" => "vpc",
        "subnet" => "subnet",
        "rtb" => "route-table",
        "igw" => "internet-gateway",
        "nat" => "natgateway",
        "eipalloc" => "elastic-ip",
        "sg" => "security-group",
        "sgr" => "security-group-rule",
        "vpce" => "vpc-endpoint",
        "eni" => "network-interface",
        "vol" => "volume",
        "acl" => "network-acl",
        "dopt" => "dhcp-options",
        "i" => "instance",
        _ => "*",
    }
}

fn targets(action: &str) -> &'static [Target] {
    match action {
        "CreateVpc" => &[("vpc", None)],
        "DeleteVpc" | "ModifyVpcAttribute" | "AssociateVpcCidrBlock" => &[("vpc", Some("VpcId"))],
        "DisassociateVpcCidrBlock" => &[("vpc", None)],
        "CreateSubnet" => &[("subnet", None), ("vpc", Some("VpcId"))],
        "DeleteSubnet" | "ModifySubnetAttribute" => &[("subnet", Some("SubnetId"))],
        "CreateRouteTable" => &[("route-table", None), ("vpc", Some("VpcId"))],
        "DeleteRouteTable" | "CreateRoute" | "DeleteRoute" | "ReplaceRoute" => &[("route-table", Some("RouteTableId"))],
        "AssociateRouteTable" => &[("route-table", Some("RouteTableId")), ("subnet", Some("SubnetId"))],
        "DisassociateRouteTable" | "ReplaceRouteTableAssociation" => &[("route-table", None)],
        "CreateInternetGateway" => &[("internet-gateway", None)],
        "DeleteInternetGateway" => &[("internet-gateway", Some("InternetGatewayId"))],
        "AttachInternetGateway" | "DetachInternetGateway" => {
            &[("internet-gateway", Some("InternetGatewayId")), ("vpc", Some("VpcId"))]
        }
        "AllocateAddress" => &[("elastic-ip", None)],
        "ReleaseAddress" => &[("elastic-ip", Some("AllocationId"))],
        "CreateNatGateway" => {
            &[("natgateway", None), ("subnet", Some("SubnetId")), ("elastic-ip", Some("AllocationId"))]
        }
        "DeleteNatGateway" => &[("natgateway", Some("NatGatewayId"))],
        "CreateSecurityGroup" => &[("security-group", None), ("vpc", Some("VpcId"))],
        "DeleteSecurityGroup"
        | "AuthorizeSecurityGroupIngress"
        | "AuthorizeSecurityGroupEgress"
        | "RevokeSecurityGroupIngress"
        | "RevokeSecurityGroupEgress" => &[("security-group", Some("GroupId"))],
        "CreateVpcEndpoint" => &[
            ("vpc-endpoint", None),
            ("vpc", Some("VpcId")),
            ("route-table", Some("RouteTableIds")),
            ("subnet", Some("SubnetIds")),
            ("security-group", Some("SecurityGroupIds")),
        ],
        "ModifyVpcEndpoint" => &[
            ("vpc-endpoint", Some("VpcEndpointId")),
            ("route-table", Some("AddRouteTableIds")),
            ("route-table", Some("RemoveRouteTableIds")),
            ("subnet", Some("AddSubnetIds")),
            ("subnet", Some("RemoveSubnetIds")),
        ],
        "DeleteVpcEndpoints" => &[("vpc-endpoint", Some("VpcEndpointIds"))],
        "DeleteNetworkInterface" => &[("network-interface", Some("NetworkInterfaceId"))],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::test_world::{call, resources};
    use serde_json::json;

    #[test]
    fn a_subnet_needs_itself_and_its_vpc_and_the_right_to_tag() {
        let call = call(
            "ec2",
            "CreateSubnet",
            json!({"VpcId": "vpc-1", "TagSpecifications": [{"ResourceType": "subnet", "Tags": [{"Key": "a", "Value": "b"}]}]}),
        );
        assert_eq!(
            resources(&call),
            [
                "ec2:CreateSubnet arn:aws:ec2:us-west-2:111122223333:subnet/*",
                "ec2:CreateSubnet arn:aws:ec2:us-west-2:111122223333:vpc/vpc-1",
                "ec2:CreateTags arn:aws:ec2:us-west-2:111122223333:subnet/*",
            ]
        );
    }

    #[test]
    fn reads_have_no_resource() {
        assert_eq!(resources(&call("ec2", "DescribeVpcs", json!({}))), ["ec2:DescribeVpcs *"]);
    }
}
