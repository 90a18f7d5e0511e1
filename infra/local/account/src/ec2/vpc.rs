//! VPCs: their blocks, attributes, DHCP options, and the default VPC of a fresh account.

use super::{
    Network, cidr, enter, gateway, group,
    ids::{DHCP, VPC},
    listing::{self, Listing},
    missing, need, routing, subnet, tags, within_quota,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    geography,
    world::World,
};
use ipnet::Ipv4Net;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One block of a VPC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// `vpc-cidr-assoc-…`.
    pub association: String,
    /// The block.
    pub cidr: Ipv4Net,
}

/// A VPC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Vpc {
    /// `vpc-…`.
    pub id: String,
    /// Its blocks; the first is the primary one and stays.
    pub blocks: Vec<Block>,
    /// Whether it is the region's default VPC.
    pub default: bool,
    /// Whether the resolver answers inside.
    pub dns_support: bool,
    /// Whether instances get public host names.
    pub dns_hostnames: bool,
    /// Whether address usage metrics are on.
    pub usage_metrics: bool,
    /// `dopt-…`.
    pub dhcp_options: String,
}

impl Vpc {
    /// All blocks, the primary first.
    pub fn cidrs(&self) -> Vec<Ipv4Net> {
        self.blocks.iter().map(|block| block.cidr).collect()
    }

    fn row(&self) -> Value {
        let blocks: Value = self.blocks.iter().map(|block| association(block, "associated")).collect();
        json!({
            "VpcId": self.id,
            "CidrBlock": self.blocks.first().map(|block| block.cidr),
            "State": "available",
            "OwnerId": ACCOUNT_ID,
            "InstanceTenancy": "default",
            "IsDefault": self.default,
            "DhcpOptionsId": self.dhcp_options,
            "Ipv6CidrBlockAssociationSet": [],
            "CidrBlockAssociationSet": blocks,
        })
    }
}

fn association(block: &Block, state: &str) -> Value {
    json!({ "AssociationId": block.association, "CidrBlock": block.cidr, "CidrBlockState": { "State": state } })
}

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateVpc" => create(world, call),
        "DeleteVpc" => delete(world, call),
        "DescribeVpcs" => describe(world, call),
        "DescribeVpcAttribute" => describe_attribute(world, call),
        "ModifyVpcAttribute" => modify_attribute(world, call),
        "AssociateVpcCidrBlock" => associate(world, call),
        "DisassociateVpcCidrBlock" => disassociate(world, call),
        "DescribeDhcpOptions" => describe_dhcp(world, call),
        _ => return None,
    })
}

/// Makes the default VPC of a fresh account: 172.31.0.0/16, a public /20 in every zone, a gateway. Answers its id.
pub fn make_default_vpc(world: &mut World, region: &str) -> String {
    let block = Ipv4Net::new_assert(std::net::Ipv4Addr::new(172, 31, 0, 0), 16);
    let id = build(world, region, block, true);
    let gateway = gateway::build(world, region, Some(&id));
    routing::send_to_gateway(world.ec2.network(region), &id, &gateway);
    let zones = geography::zones(region);
    for (zone, cidr) in zones.iter().zip(block.subnets(20).into_iter().flatten()) {
        subnet::build(world, region, &id, cidr, zone, true);
    }
    id
}

/// Puts a VPC into the region with what AWS makes along: main route table and default security group.
fn build(world: &mut World, region: &str, cidr: Ipv4Net, default: bool) -> String {
    let id = world.new_id(VPC.prefix);
    let association = world.new_id("vpc-cidr-assoc-");
    let known = world.ec2.network(region).vpcs.values().next().map(|vpc| vpc.dhcp_options.clone());
    let dhcp_options = known.unwrap_or_else(|| world.new_id(DHCP.prefix));
    let vpc = Vpc {
        id: id.clone(),
        blocks: vec![Block { association, cidr }],
        default,
        dns_support: true,
        dns_hostnames: default,
        usage_metrics: false,
        dhcp_options,
    };
    world.ec2.network(region).vpcs.insert(id.clone(), vpc);
    routing::build(world, region, &id, true);
    group::build(world, region, &id, "default", "default VPC security group");
    id
}

fn create(world: &mut World, call: &Call) -> Answer {
    let Some(text) = call.text("CidrBlock") else {
        let message = "Either 'cidrBlock' or 'ipv4IpamPoolId' should be provided.";
        return Err(AwsError::new("MissingParameter", message));
    };
    let block = cidr::parse("CidrBlock", text)?;
    if !cidr::sized(block) {
        return Err(AwsError::new("InvalidVpc.Range", format!("The CIDR '{text}' is invalid.")));
    }
    let tags = tags::specified(call, &VPC)?;
    let used = world.ec2.network(&call.region).vpcs.len();
    let refusal = ("VpcLimitExceeded", "The maximum number of VPCs has been reached.");
    within_quota(world, &call.region, ("vpc", "L-F678F1CE"), used, refusal)?;
    let id = build(world, &call.region, block, false);
    enter(world, call, &id, tags);
    let network = world.ec2.network(&call.region);
    let mut row = network.vpcs.get(&id).map(Vpc::row).unwrap_or_default();
    row["State"] = "pending".into();
    row["Tags"] = tags::row(network.tags.get(&id).unwrap_or(&tags::Tags::new()));
    Ok(json!({ "Vpc": row }))
}

/// The VPC `id`, or the refusal of a request that names it.
pub(super) fn find<'a>(network: &'a mut Network, id: &str) -> Result<&'a mut Vpc, AwsError> {
    network.vpcs.get_mut(id).ok_or_else(|| VPC.missing(id))
}

/// What stands in the way of deleting a VPC; its main route table and default group go with it.
fn has_dependents(network: &Network, id: &str) -> bool {
    network.subnets.values().any(|subnet| subnet.vpc == id)
        || network.gateways.values().any(|gateway| gateway.vpc.as_deref() == Some(id))
        || network.interfaces.values().any(|interface| interface.vpc == id)
        || network.endpoints.values().any(|endpoint| endpoint.vpc == id)
        || network.nats.values().any(|nat| nat.vpc == id && nat.is_alive())
        || network.groups.values().any(|group| group.vpc == id && group.name != "default")
        || network.route_tables.values().any(|table| table.vpc == id && !table.is_main())
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "VpcId")?;
    let network = world.ec2.network(&call.region);
    find(network, id)?;
    if has_dependents(network, id) {
        let message = format!("The vpc '{id}' has dependencies and cannot be deleted.");
        return Err(AwsError::new("DependencyViolation", message));
    }
    network.vpcs.remove(id);
    network.forget(id);
    network.route_tables.retain(|_, table| table.vpc != id);
    network.groups.retain(|_, group| group.vpc != id);
    Ok(json!({}))
}

fn describe(world: &mut World, call: &Call) -> Answer {
    const LISTING: Listing = Listing {
        rows: "Vpcs",
        ids: "VpcIds",
        id: "VpcId",
        kind: VPC,
        filters: &[
            ("cidr", "CidrBlock"),
            ("cidr-block-association.association-id", "CidrBlockAssociationSet.AssociationId"),
            ("cidr-block-association.cidr-block", "CidrBlockAssociationSet.CidrBlock"),
            ("cidr-block-association.state", "CidrBlockAssociationSet.CidrBlockState.State"),
            ("dhcp-options-id", "DhcpOptionsId"),
            ("is-default", "IsDefault"),
            ("isDefault", "IsDefault"),
            ("owner-id", "OwnerId"),
            ("state", "State"),
            ("vpc-id", "VpcId"),
        ],
    };
    let network = world.ec2.network(&call.region);
    listing::answer(network, call, &LISTING, network.vpcs.values().map(Vpc::row).collect())
}

fn describe_attribute(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "VpcId")?;
    let attribute = need(call, "Attribute")?;
    let vpc = find(world.ec2.network(&call.region), id)?;
    let (member, value) = match attribute {
        "enableDnsSupport" => ("EnableDnsSupport", vpc.dns_support),
        "enableDnsHostnames" => ("EnableDnsHostnames", vpc.dns_hostnames),
        _ => ("EnableNetworkAddressUsageMetrics", vpc.usage_metrics),
    };
    Ok(json!({ "VpcId": id, member: { "Value": value } }))
}

fn modify_attribute(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "VpcId")?;
    let vpc = find(world.ec2.network(&call.region), id)?;
    let members = ["EnableDnsSupport", "EnableDnsHostnames", "EnableNetworkAddressUsageMetrics"];
    let given: Vec<(&str, bool)> =
        members.into_iter().filter_map(|name| Some((name, call.input.get(name)?.get("Value")?.as_bool()?))).collect();
    match given.as_slice() {
        [] => return Err(missing("enableDnsSupport or enableDnsHostnames")),
        [("EnableDnsSupport", value)] => vpc.dns_support = *value,
        [("EnableDnsHostnames", value)] => vpc.dns_hostnames = *value,
        [(_, value)] => vpc.usage_metrics = *value,
        _ => {
            let message = "Fields for multiple attribute types specified: only one may be modified at a time.";
            return Err(AwsError::new("InvalidParameterCombination", message));
        }
    }
    Ok(json!({}))
}

fn associate(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "VpcId")?;
    let text = need(call, "CidrBlock")?;
    let block = cidr::parse("CidrBlock", text)?;
    let present = find(world.ec2.network(&call.region), id)?.cidrs();
    if !cidr::sized(block) {
        return Err(AwsError::new("InvalidVpc.Range", format!("The CIDR '{text}' is invalid.")));
    }
    if present.iter().any(|other| cidr::overlap(*other, block)) {
        let message = format!("The CIDR '{text}' conflicts with another CIDR of the VPC '{id}'.");
        return Err(AwsError::new("CidrConflict", message));
    }
    if !cidr::may_join(&present, block) {
        let message = format!(
            "The CIDR '{text}' is restricted. Use a CIDR from the same private address range as the current VPC CIDR, \
             or use a publicly-routable CIDR. For additional restrictions, see \
             https://docs.aws.amazon.com/vpc/latest/userguide/VPC_Subnets.html"
        );
        return Err(AwsError::new("InvalidVpc.Range", message));
    }
    let limit = crate::quotas::limit(world, "vpc", "L-83CA0A9D", &call.region);
    let message = format!("This network '{id}' has met its maximum number of allowed CIDRs: {limit}");
    within_quota(world, &call.region, ("vpc", "L-83CA0A9D"), present.len(), ("CidrLimitExceeded", &message))?;
    let block = Block { association: world.new_id("vpc-cidr-assoc-"), cidr: block };
    let answer = json!({ "VpcId": id, "CidrBlockAssociation": association(&block, "associating") });
    find(world.ec2.network(&call.region), id)?.blocks.push(block);
    Ok(answer)
}

fn disassociate(world: &mut World, call: &Call) -> Answer {
    let wanted = need(call, "AssociationId")?;
    let network = world.ec2.network(&call.region);
    let found = network.vpcs.values().find_map(|vpc| {
        let at = vpc.blocks.iter().position(|block| block.association == wanted)?;
        Some((vpc.id.clone(), at, vpc.blocks.get(at)?.clone()))
    });
    let Some((id, at, block)) = found else {
        let message = format!("The vpc CIDR block association ID '{wanted}' does not exist");
        return Err(AwsError::new("InvalidVpcCidrBlockAssociationID.NotFound", message));
    };
    if at == 0 {
        let message = format!(
            "The vpc CIDR block with association ID {wanted} may not be disassociated. It is the primary IPv4 CIDR \
             block of the VPC"
        );
        return Err(AwsError::new("OperationNotPermitted", message));
    }
    if network.subnets.values().any(|subnet| subnet.vpc == id && block.cidr.contains(&subnet.cidr)) {
        let message =
            format!("The vpc CIDR block with association ID {wanted} has dependencies and cannot be disassociated.");
        return Err(AwsError::new("DependencyViolation", message));
    }
    find(network, &id)?.blocks.remove(at);
    Ok(json!({ "VpcId": id, "CidrBlockAssociation": association(&block, "disassociating") }))
}

fn describe_dhcp(world: &mut World, call: &Call) -> Answer {
    const LISTING: Listing = Listing {
        rows: "DhcpOptions",
        ids: "DhcpOptionsIds",
        id: "DhcpOptionsId",
        kind: DHCP,
        filters: &[
            ("dhcp-options-id", "DhcpOptionsId"),
            ("key", "DhcpConfigurations.Key"),
            ("value", "DhcpConfigurations.Values.Value"),
            ("owner-id", "OwnerId"),
        ],
    };
    let domain = match call.region.as_str() {
        "us-east-1" => "ec2.internal".to_owned(),
        region => format!("{region}.compute.internal"),
    };
    let network = world.ec2.network(&call.region);
    let ids: std::collections::BTreeSet<&String> = network.vpcs.values().map(|vpc| &vpc.dhcp_options).collect();
    let rows = ids.into_iter().map(|id| {
        json!({ "DhcpOptionsId": id, "OwnerId": ACCOUNT_ID, "DhcpConfigurations": [
            { "Key": "domain-name", "Values": [{ "Value": domain }] },
            { "Key": "domain-name-servers", "Values": [{ "Value": "AmazonProvidedDNS" }] },
        ] })
    });
    listing::answer(network, call, &LISTING, rows.collect())
}
