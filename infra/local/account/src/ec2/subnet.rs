//! Subnets: placement in a VPC's blocks and in a zone, and the addresses left in them.

use super::{
    Network, cidr, enter,
    ids::{SUBNET, VPC},
    invalid,
    listing::{self, Listing},
    missing, need, tags, vpc, within_quota,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    geography::{self, Zone},
    world::World,
};
use ipnet::Ipv4Net;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{collections::BTreeSet, net::Ipv4Addr};

/// A subnet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subnet {
    /// `subnet-…`.
    pub id: String,
    /// Its VPC.
    pub vpc: String,
    /// Its block.
    pub cidr: Ipv4Net,
    /// Name of its zone in this account: `us-west-2a`.
    pub zone: String,
    /// Id of its zone: `usw2-az2`.
    pub zone_id: String,
    /// Whether it is the zone's default subnet.
    pub default: bool,
    /// Whether instances get public addresses.
    pub public_addresses: bool,
}

impl Network {
    /// The addresses of `subnet` that interfaces hold.
    fn taken(&self, subnet: &str) -> BTreeSet<Ipv4Addr> {
        let inside = self.interfaces.values().filter(|interface| interface.subnet == subnet);
        inside.flat_map(|interface| interface.addresses.iter().copied()).collect()
    }

    /// How many addresses `subnet` has left: `AvailableIpAddressCount`.
    pub fn free_addresses(&self, subnet: &Subnet) -> u32 {
        let taken = u32::try_from(self.taken(&subnet.id).len()).unwrap_or(u32::MAX);
        cidr::usable(subnet.cidr).saturating_sub(taken)
    }

    /// The lowest `count` free addresses of `subnet`; none if fewer are left.
    pub fn lowest_free(&self, subnet: &Subnet, count: usize) -> Option<Vec<Ipv4Addr>> {
        let taken = self.taken(&subnet.id);
        let free: Vec<_> = cidr::assignable(subnet.cidr).filter(|one| !taken.contains(one)).take(count).collect();
        (free.len() == count).then_some(free)
    }

    fn subnet_row(&self, subnet: &Subnet, region: &str) -> Value {
        json!({
            "SubnetId": subnet.id,
            "SubnetArn": format!("arn:aws:ec2:{region}:{ACCOUNT_ID}:subnet/{}", subnet.id),
            "VpcId": subnet.vpc,
            "CidrBlock": subnet.cidr,
            "State": "available",
            "AvailabilityZone": subnet.zone,
            "AvailabilityZoneId": subnet.zone_id,
            "AvailableIpAddressCount": self.free_addresses(subnet),
            "DefaultForAz": subnet.default,
            "MapPublicIpOnLaunch": subnet.public_addresses,
            "AssignIpv6AddressOnCreation": false,
            "MapCustomerOwnedIpOnLaunch": false,
            "EnableDns64": false,
            "Ipv6Native": false,
            "Ipv6CidrBlockAssociationSet": [],
            "OwnerId": ACCOUNT_ID,
            "PrivateDnsNameOptionsOnLaunch": {
                "HostnameType": "ip-name",
                "EnableResourceNameDnsARecord": false,
                "EnableResourceNameDnsAAAARecord": false,
            },
        })
    }
}

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateSubnet" => create(world, call),
        "DeleteSubnet" => delete(world, call),
        "DescribeSubnets" => describe(world, call),
        "ModifySubnetAttribute" => modify(world, call),
        _ => return None,
    })
}

/// Puts a subnet into the region and answers its id.
pub(super) fn build(world: &mut World, region: &str, vpc: &str, cidr: Ipv4Net, zone: &Zone, default: bool) -> String {
    let id = world.new_id(SUBNET.prefix);
    let subnet = Subnet {
        id: id.clone(),
        vpc: vpc.to_owned(),
        cidr,
        zone: zone.name.clone(),
        zone_id: zone.id.clone(),
        default,
        public_addresses: default,
    };
    world.ec2.network(region).subnets.insert(id.clone(), subnet);
    id
}

fn create(world: &mut World, call: &Call) -> Answer {
    let vpc_id = need(call, "VpcId")?;
    let Some(text) = call.text("CidrBlock") else {
        let message = "Either 'cidrBlock' or 'ipv4IpamPoolId' should be provided.";
        return Err(AwsError::new("MissingParameter", message));
    };
    let block = cidr::parse("CidrBlock", text)?;
    let network = world.ec2.network(&call.region);
    let blocks = vpc::find(network, vpc_id)?.cidrs();
    if !cidr::sized(block) || !blocks.iter().any(|outer| outer.contains(&block)) {
        return Err(AwsError::new("InvalidSubnet.Range", format!("The CIDR '{text}' is invalid.")));
    }
    let siblings: Vec<&Subnet> = network.subnets.values().filter(|subnet| subnet.vpc == vpc_id).collect();
    if siblings.iter().any(|sibling| cidr::overlap(sibling.cidr, block)) {
        let message = format!("The CIDR '{text}' conflicts with another subnet");
        return Err(AwsError::new("InvalidSubnet.Conflict", message));
    }
    let used = siblings.len();
    let zone = wanted_zone(world, call)?;
    let tags = tags::specified(call, &SUBNET)?;
    let refusal = ("SubnetLimitExceeded", "The maximum number of subnets has been reached.");
    within_quota(world, &call.region, ("vpc", "L-407747CB"), used, refusal)?;
    let id = build(world, &call.region, vpc_id, block, &zone, false);
    enter(world, call, &id, tags);
    let network = world.ec2.network(&call.region);
    let mut row = network.subnets.get(&id).map(|subnet| network.subnet_row(subnet, &call.region)).unwrap_or_default();
    row["Tags"] = tags::row(network.tags.get(&id).unwrap_or(&tags::Tags::new()));
    Ok(json!({ "Subnet": row }))
}

/// The zone that the request names by name or id, else one that AWS chooses.
fn wanted_zone(world: &World, call: &Call) -> Result<Zone, AwsError> {
    let zones = geography::zones(&call.region);
    let (member, wanted) = match (call.text("AvailabilityZone"), call.text("AvailabilityZoneId")) {
        (Some(_), Some(_)) => {
            let message = "Only one of AvailabilityZone and AvailabilityZoneId can be specified.";
            return Err(AwsError::new("InvalidParameterCombination", message));
        }
        (Some(name), None) => ("AvailabilityZone", name),
        (None, Some(id)) => ("AvailabilityZoneId", id),
        (None, None) => {
            let count = u64::try_from(zones.len()).unwrap_or(1).max(1);
            let pick = world.hash(&format!("zone of {}", call.request_id)) % count;
            let zone = usize::try_from(pick).ok().and_then(|pick| zones.get(pick).cloned());
            return zone.ok_or_else(|| invalid("AvailabilityZone", "", "The region has no zone."));
        }
    };
    let by_id = member == "AvailabilityZoneId";
    let found = zones.iter().find(|zone| wanted == if by_id { &zone.id } else { &zone.name });
    found.cloned().ok_or_else(|| {
        let names: Vec<&str> =
            zones.iter().map(|zone| if by_id { zone.id.as_str() } else { zone.name.as_str() }).collect();
        let why =
            format!("Subnets can currently only be created in the following availability zones: {}.", names.join(", "));
        invalid(member, wanted, &why)
    })
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "SubnetId")?;
    let network = world.ec2.network(&call.region);
    if !network.subnets.contains_key(id) {
        return Err(SUBNET.missing(id));
    }
    if network.interfaces.values().any(|interface| interface.subnet == id) {
        let message = format!("The subnet '{id}' has dependencies and cannot be deleted.");
        return Err(AwsError::new("DependencyViolation", message));
    }
    network.subnets.remove(id);
    network.forget(id);
    for table in network.route_tables.values_mut() {
        table.associations.retain(|_, associated| associated.as_deref() != Some(id));
    }
    Ok(json!({}))
}

fn describe(world: &mut World, call: &Call) -> Answer {
    const LISTING: Listing = Listing {
        rows: "Subnets",
        ids: "SubnetIds",
        id: "SubnetId",
        kind: SUBNET,
        filters: &[
            ("availability-zone", "AvailabilityZone"),
            ("availabilityZone", "AvailabilityZone"),
            ("availability-zone-id", "AvailabilityZoneId"),
            ("availabilityZoneId", "AvailabilityZoneId"),
            ("available-ip-address-count", "AvailableIpAddressCount"),
            ("cidr-block", "CidrBlock"),
            ("cidr", "CidrBlock"),
            ("cidrBlock", "CidrBlock"),
            ("default-for-az", "DefaultForAz"),
            ("defaultForAz", "DefaultForAz"),
            ("map-public-ip-on-launch", "MapPublicIpOnLaunch"),
            ("owner-id", "OwnerId"),
            ("state", "State"),
            ("subnet-arn", "SubnetArn"),
            ("subnet-id", "SubnetId"),
            ("vpc-id", "VpcId"),
        ],
    };
    let network = world.ec2.network(&call.region);
    let rows = network.subnets.values().map(|subnet| network.subnet_row(subnet, &call.region)).collect();
    listing::answer(network, call, &LISTING, rows)
}

fn modify(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "SubnetId")?;
    let network = world.ec2.network(&call.region);
    let subnet = network.subnets.get_mut(id).ok_or_else(|| SUBNET.missing(id))?;
    let value = call.input.get("MapPublicIpOnLaunch").and_then(|member| member.get("Value")).and_then(Value::as_bool);
    subnet.public_addresses = value.ok_or_else(|| missing("attribute"))?;
    Ok(json!({}))
}

/// The subnet `id`, or the refusal of a request that names it.
pub(super) fn find<'a>(network: &'a Network, id: &str) -> Result<&'a Subnet, AwsError> {
    network.subnets.get(id).ok_or_else(|| SUBNET.missing(id))
}

/// The subnets of a VPC; a refusal if there is no such VPC.
///
/// # Errors
/// `InvalidVpcID.NotFound`.
pub fn of_vpc<'a>(network: &'a Network, vpc: &str) -> Result<Vec<&'a Subnet>, AwsError> {
    if !network.vpcs.contains_key(vpc) {
        return Err(VPC.missing(vpc));
    }
    Ok(network.subnets.values().filter(|subnet| subnet.vpc == vpc).collect())
}
