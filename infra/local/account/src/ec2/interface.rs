//! Network interfaces: those that services claim in our subnets, and those that a caller makes.
//!
//! A HyperPod node's interfaces are here though the node is not among EC2's instances; as long as they exist, their
//! subnet and groups cannot be deleted, and they linger for a while after their node.

use super::{
    Event, Network, address, enter,
    ids::{GROUP, INTERFACE},
    later,
    listing::{self, Listing},
    made_before, need, remember_token, subnet, tags, within_quota,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::net::Ipv4Addr;

/// A network interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interface {
    /// `eni-…`.
    pub id: String,
    /// Its subnet.
    pub subnet: String,
    /// Its VPC.
    pub vpc: String,
    /// Its security groups.
    pub groups: Vec<String>,
    /// What it is for.
    pub description: String,
    /// The service that holds it (`amazon-eks`, `sagemaker`); none if a caller made it.
    pub requester: Option<String>,
    /// Its addresses; the first is the primary one.
    pub addresses: Vec<Ipv4Addr>,
    /// `interface`, `nat_gateway`, `efa` …
    pub interface_type: String,
}

/// What [`build`] needs to know.
pub(super) struct Wanted<'a> {
    pub subnet: &'a str,
    pub groups: &'a [String],
    pub description: &'a str,
    pub requester: Option<&'a str>,
    pub addresses: usize,
    pub interface_type: &'a str,
}

impl Interface {
    fn row(&self, network: &Network) -> Value {
        let zone = network.subnets.get(&self.subnet);
        let groups = self.groups.iter().map(|id| {
            let name = network.groups.get(id).map(|group| group.name.as_str()).unwrap_or_default();
            json!({ "GroupId": id, "GroupName": name })
        });
        let public = network.addresses.values().find(|one| one.interface.as_deref() == Some(&self.id));
        let addresses =
            self.addresses.iter().enumerate().map(|(at, one)| json!({ "Primary": at == 0, "PrivateIpAddress": one }));
        let mut row = json!({
            "NetworkInterfaceId": self.id,
            "SubnetId": self.subnet,
            "VpcId": self.vpc,
            "AvailabilityZone": zone.map(|subnet| subnet.zone.as_str()).unwrap_or_default(),
            "AvailabilityZoneId": zone.map(|subnet| subnet.zone_id.as_str()).unwrap_or_default(),
            "Description": self.description,
            "Groups": groups.collect::<Value>(),
            "InterfaceType": self.interface_type,
            "OwnerId": ACCOUNT_ID,
            "PrivateIpAddress": self.addresses.first(),
            "PrivateIpAddresses": addresses.collect::<Value>(),
            "RequesterManaged": self.requester.is_some(),
            "SourceDestCheck": self.interface_type != "nat_gateway",
            "Status": if self.requester.is_some() { "in-use" } else { "available" },
        });
        if let Some(requester) = &self.requester {
            row["RequesterId"] = requester.as_str().into();
            let id = self.id.replacen("eni-", "ela-attach-", 1);
            row["Attachment"] = json!({
                "AttachmentId": id, "InstanceOwnerId": requester, "Status": "attached", "DeviceIndex": 1,
                "DeleteOnTermination": false,
            });
        }
        if let Some(address) = public {
            row["Association"] = json!({
                "AllocationId": address.id, "AssociationId": address.association, "IpOwnerId": ACCOUNT_ID,
                "PublicIp": address.public,
            });
        }
        row
    }
}

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateNetworkInterface" => create(world, call),
        "DeleteNetworkInterface" => delete(world, call),
        "DescribeNetworkInterfaces" => describe(world, call),
        _ => return None,
    })
}

/// Claims an interface with `addresses` addresses for a service (`owner`, such as `amazon-eks`); answers its id.
///
/// # Errors
/// `InvalidSubnetID.NotFound`, `InvalidGroup.NotFound`, `InvalidParameter` (group of another VPC),
/// `InsufficientFreeAddressesInSubnet`, `NetworkInterfaceLimitExceeded`.
pub fn claim_interface(
    world: &mut World,
    region: &str,
    subnet_id: &str,
    groups: &[String],
    description: &str,
    owner: &str,
    addresses: usize,
) -> Result<String, AwsError> {
    let wanted = Wanted {
        subnet: subnet_id,
        groups,
        description,
        requester: Some(owner),
        addresses,
        interface_type: "interface",
    };
    build(world, region, &wanted)
}

/// Lets go of a service's interface; it lingers for one to five minutes of AWS's before it is gone.
pub fn release_interface(world: &mut World, region: &str, id: &str, now: Timestamp) {
    let after = world.draw(&format!("interface {id} lingers"), 60..300);
    later(world, now, after, Event::InterfaceIsGone { region: region.to_owned(), id: id.to_owned() });
}

/// Takes an interface away at once.
pub(super) fn remove(world: &mut World, region: &str, id: &str) {
    let network = world.ec2.network(region);
    address::unmap(network, id);
    network.interfaces.remove(id);
    network.forget(id);
}

/// Makes an interface, or says why it cannot be.
pub(super) fn build(world: &mut World, region: &str, wanted: &Wanted<'_>) -> Result<String, AwsError> {
    let network = world.ec2.network(region);
    let used = network.interfaces.len();
    let subnet = subnet::find(network, wanted.subnet)?;
    for id in wanted.groups {
        let group = network.groups.get(id).ok_or_else(|| GROUP.missing(id))?;
        if group.vpc != subnet.vpc {
            let message = "You have specified two resources that belong to different networks.";
            return Err(AwsError::new("InvalidParameter", message));
        }
    }
    let vpc = subnet.vpc.clone();
    let Some(addresses) = network.lowest_free(subnet, wanted.addresses.max(1)) else {
        let message = "The specified subnet does not have enough free addresses to satisfy the request.";
        return Err(AwsError::new("InsufficientFreeAddressesInSubnet", message));
    };
    let refusal = ("NetworkInterfaceLimitExceeded", "The maximum number of network interfaces has been reached.");
    within_quota(world, region, ("vpc", "L-DF5E4CA3"), used, refusal)?;
    let id = world.new_id(INTERFACE.prefix);
    let interface = Interface {
        id: id.clone(),
        subnet: wanted.subnet.to_owned(),
        vpc,
        groups: wanted.groups.to_vec(),
        description: wanted.description.to_owned(),
        requester: wanted.requester.map(str::to_owned),
        addresses,
        interface_type: wanted.interface_type.to_owned(),
    };
    world.ec2.network(region).interfaces.insert(id.clone(), interface);
    Ok(id)
}

fn create(world: &mut World, call: &Call) -> Answer {
    let subnet_id = need(call, "SubnetId")?;
    if let Some(id) = made_before(world, call)? {
        return one(world, call, &id);
    }
    let tags = tags::specified(call, &INTERFACE)?;
    let vpc = subnet::find(world.ec2.network(&call.region), subnet_id)?.vpc.clone();
    let mut groups: Vec<String> = call.texts("Groups").into_iter().map(str::to_owned).collect();
    if groups.is_empty() {
        let all = &world.ec2.network(&call.region).groups;
        groups.extend(all.values().find(|one| one.vpc == vpc && one.name == "default").map(|one| one.id.clone()));
    }
    let secondary = call.number("SecondaryPrivateIpAddressCount").and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let wanted = Wanted {
        subnet: subnet_id,
        groups: &groups,
        description: call.text("Description").unwrap_or_default(),
        requester: None,
        addresses: secondary.saturating_add(1),
        interface_type: call.text("InterfaceType").unwrap_or("interface"),
    };
    let id = build(world, &call.region, &wanted)?;
    enter(world, call, &id, tags);
    remember_token(world, call, &id);
    one(world, call, &id)
}

fn one(world: &mut World, call: &Call, id: &str) -> Answer {
    let network = world.ec2.network(&call.region);
    let mut row = network.interfaces.get(id).ok_or_else(|| INTERFACE.missing(id))?.row(network);
    row["TagSet"] = tags::row(network.tags.get(id).unwrap_or(&tags::Tags::new()));
    Ok(json!({ "NetworkInterface": row }))
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "NetworkInterfaceId")?;
    let network = world.ec2.network(&call.region);
    let interface = network.interfaces.get(id).ok_or_else(|| INTERFACE.missing(id))?;
    if interface.requester.is_some() {
        let message = format!("Network interface '{id}' is currently in use.");
        return Err(AwsError::new("InvalidParameterValue", message));
    }
    remove(world, &call.region, id);
    Ok(json!({}))
}

fn describe(world: &mut World, call: &Call) -> Answer {
    const LISTING: Listing = Listing {
        rows: "NetworkInterfaces",
        ids: "NetworkInterfaceIds",
        id: "NetworkInterfaceId",
        kind: INTERFACE,
        filters: &[
            ("addresses.private-ip-address", "PrivateIpAddresses.PrivateIpAddress"),
            ("association.allocation-id", "Association.AllocationId"),
            ("association.public-ip", "Association.PublicIp"),
            ("attachment.instance-owner-id", "Attachment.InstanceOwnerId"),
            ("attachment.status", "Attachment.Status"),
            ("availability-zone", "AvailabilityZone"),
            ("availability-zone-id", "AvailabilityZoneId"),
            ("description", "Description"),
            ("group-id", "Groups.GroupId"),
            ("group-name", "Groups.GroupName"),
            ("interface-type", "InterfaceType"),
            ("network-interface-id", "NetworkInterfaceId"),
            ("owner-id", "OwnerId"),
            ("private-ip-address", "PrivateIpAddress"),
            ("requester-id", "RequesterId"),
            ("requester-managed", "RequesterManaged"),
            ("status", "Status"),
            ("subnet-id", "SubnetId"),
            ("vpc-id", "VpcId"),
        ],
    };
    let network = world.ec2.network(&call.region);
    let rows = network.interfaces.values().map(|interface| interface.row(network)).collect();
    listing::answer(network, call, &LISTING, rows)
}
