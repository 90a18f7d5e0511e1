//! Elastic IP addresses: allocated, associated with an interface, released.

use super::{
    Network, enter,
    ids::{ADDRESS, INTERFACE},
    listing::{self, Listing},
    need, tags, within_quota,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::net::Ipv4Addr;

/// An Elastic IP address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Address {
    /// `eipalloc-…`.
    pub id: String,
    /// The public address.
    pub public: Ipv4Addr,
    /// `eipassoc-…`, while associated.
    pub association: Option<String>,
    /// The interface it is mapped to.
    pub interface: Option<String>,
}

impl Address {
    fn row(&self, network: &Network, region: &str) -> Value {
        let mut row = json!({
            "AllocationId": self.id,
            "PublicIp": self.public,
            "Domain": "vpc",
            "PublicIpv4Pool": "amazon",
            "NetworkBorderGroup": region,
        });
        if let (Some(association), Some(interface)) = (&self.association, &self.interface) {
            row["AssociationId"] = association.as_str().into();
            row["NetworkInterfaceId"] = interface.as_str().into();
            row["NetworkInterfaceOwnerId"] = ACCOUNT_ID.into();
            let private = network.interfaces.get(interface).and_then(|interface| interface.addresses.first());
            row["PrivateIpAddress"] = json!(private);
        }
        row
    }
}

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "AllocateAddress" => allocate(world, call),
        "ReleaseAddress" => release(world, call),
        "DescribeAddresses" => describe(world, call),
        "AssociateAddress" => associate(world, call),
        "DisassociateAddress" => disassociate(world, call),
        _ => return None,
    })
}

fn allocate(world: &mut World, call: &Call) -> Answer {
    let tags = tags::specified(call, &ADDRESS)?;
    let used = world.ec2.network(&call.region).addresses.len();
    let refusal = ("AddressLimitExceeded", "The maximum number of addresses has been reached.");
    within_quota(world, &call.region, ("ec2", "L-0263D0A3"), used, refusal)?;
    let id = world.new_id(ADDRESS.prefix);
    // 198.51.100.0/24 and its like are too small to give everyone an own one; 52.0.0.0/8 is AWS's.
    let number = world.next_number("elastic address").to_be_bytes();
    let public = Ipv4Addr::new(52, number[0], number[1], number[2].max(1));
    let address = Address { id: id.clone(), public, association: None, interface: None };
    world.ec2.network(&call.region).addresses.insert(id.clone(), address);
    enter(world, call, &id, tags);
    Ok(json!({
        "AllocationId": id,
        "PublicIp": public,
        "Domain": "vpc",
        "PublicIpv4Pool": "amazon",
        "NetworkBorderGroup": call.region,
    }))
}

/// The address `id`, or the refusal of a request that names it.
pub(super) fn find<'a>(network: &'a mut Network, id: &str) -> Result<&'a mut Address, AwsError> {
    network.addresses.get_mut(id).ok_or_else(|| ADDRESS.missing(id))
}

fn release(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "AllocationId")?;
    let network = world.ec2.network(&call.region);
    let address = find(network, id)?;
    if address.association.is_some() {
        return Err(AwsError::new("InvalidIPAddress.InUse", format!("Address {} is in use.", address.public)));
    }
    network.addresses.remove(id);
    network.forget(id);
    Ok(json!({}))
}

/// Maps an address to an interface and answers the association's id.
pub(super) fn map(world: &mut World, region: &str, id: &str, interface: &str) -> Result<String, AwsError> {
    let association = world.new_id("eipassoc-");
    let address = find(world.ec2.network(region), id)?;
    address.association = Some(association.clone());
    address.interface = Some(interface.to_owned());
    Ok(association)
}

/// Frees every address that is mapped to `interface`.
pub(super) fn unmap(network: &mut Network, interface: &str) {
    for address in network.addresses.values_mut().filter(|one| one.interface.as_deref() == Some(interface)) {
        address.association = None;
        address.interface = None;
    }
}

fn associate(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "AllocationId")?;
    let interface = need(call, "NetworkInterfaceId")?;
    let network = world.ec2.network(&call.region);
    let vpc = network.interfaces.get(interface).ok_or_else(|| INTERFACE.missing(interface))?.vpc.clone();
    let taken = find(network, id)?.association.is_some();
    if taken && call.flag("AllowReassociation") == Some(false) {
        let message = format!("resource {id} is already associated with associate-id");
        return Err(AwsError::new("Resource.AlreadyAssociated", message));
    }
    if !network.has_gateway(&vpc) {
        let message = format!("Network {vpc} is not attached to any internet gateway");
        return Err(AwsError::new("Gateway.NotAttached", message));
    }
    let association = map(world, &call.region, id, interface)?;
    Ok(json!({ "AssociationId": association }))
}

fn disassociate(world: &mut World, call: &Call) -> Answer {
    let association = need(call, "AssociationId")?;
    let network = world.ec2.network(&call.region);
    let address = network.addresses.values_mut().find(|one| one.association.as_deref() == Some(association));
    let Some(address) = address else {
        let message = format!("The association ID '{association}' does not exist");
        return Err(AwsError::new("InvalidAssociationID.NotFound", message));
    };
    let managed = address.interface.as_ref().and_then(|id| network.interfaces.get(id));
    if managed.is_some_and(|interface| interface.requester.is_some()) {
        let message = "You do not have permission to access the specified resource.";
        return Err(AwsError::new("AuthFailure", message));
    }
    address.association = None;
    address.interface = None;
    Ok(json!({}))
}

fn describe(world: &mut World, call: &Call) -> Answer {
    const LISTING: Listing = Listing {
        rows: "Addresses",
        ids: "AllocationIds",
        id: "AllocationId",
        kind: ADDRESS,
        filters: &[
            ("allocation-id", "AllocationId"),
            ("association-id", "AssociationId"),
            ("domain", "Domain"),
            ("network-border-group", "NetworkBorderGroup"),
            ("network-interface-id", "NetworkInterfaceId"),
            ("network-interface-owner-id", "NetworkInterfaceOwnerId"),
            ("private-ip-address", "PrivateIpAddress"),
            ("public-ip", "PublicIp"),
        ],
    };
    let network = world.ec2.network(&call.region);
    let mut rows: Vec<Value> = network.addresses.values().map(|one| one.row(network, &call.region)).collect();
    let wanted = call.texts("PublicIps");
    if let Some(absent) = wanted.iter().find(|ip| !rows.iter().any(|row| row["PublicIp"] == **ip)) {
        return Err(AwsError::new("InvalidAddress.NotFound", format!("Address '{absent}' not found.")));
    }
    rows.retain(|row| wanted.is_empty() || wanted.iter().any(|ip| row["PublicIp"] == *ip));
    listing::answer(network, call, &LISTING, rows)
}
