//! NAT gateways: pending for a minute or two, then available or failed; deleted ones are listed for an hour.
//!
//! A client token keeps answering with the gateway that was made under it, also when that gateway has failed.

use super::{
    Event, Network, address, enter,
    ids::{NAT, SUBNET},
    interface::{self, Wanted},
    invalid, later,
    listing::{self, Listing},
    made_before, need, remember_token, tags,
};
use crate::{
    call::{Answer, AwsError, Call},
    quotas,
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How long a failed or deleted gateway stays in lists (VPC user guide, "Delete a NAT gateway").
const LINGERS: SignedDuration = SignedDuration::from_hours(1);

/// Where a NAT gateway is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Being made.
    Pending,
    /// Could not be made.
    Failed,
    /// Forwards traffic.
    Available,
    /// On its way out; still forwards.
    Deleting,
    /// Gone, but listed.
    Deleted,
}

/// A NAT gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NatGateway {
    /// `nat-…`.
    pub id: String,
    /// Its subnet.
    pub subnet: String,
    /// Its VPC.
    pub vpc: String,
    /// Name of its zone.
    pub zone: String,
    /// Where it is.
    pub phase: Phase,
    /// `public` or `private`.
    pub connectivity: String,
    /// Elastic IP address it was made with.
    pub allocation: Option<String>,
    /// Its interface, once it has one.
    pub interface: Option<String>,
    /// Code and message of the failure that it ends in.
    pub failure: Option<(String, String)>,
    /// When it was made.
    pub created: Timestamp,
    /// When it was told to go.
    pub deleted: Option<Timestamp>,
}

/// Names a NAT gateway in an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Which {
    /// Region.
    pub region: String,
    /// `nat-…`.
    pub id: String,
}

impl NatGateway {
    /// Whether it counts against quotas and keeps its VPC.
    pub fn is_alive(&self) -> bool {
        matches!(self.phase, Phase::Pending | Phase::Available | Phase::Deleting)
    }

    fn row(&self, network: &Network) -> Value {
        let mut address = json!({ "IsPrimary": true, "Status": "succeeded" });
        if let Some(interface) = self.interface.as_ref().and_then(|id| network.interfaces.get(id)) {
            address["NetworkInterfaceId"] = interface.id.as_str().into();
            address["PrivateIp"] = json!(interface.addresses.first());
        }
        if let Some(allocation) = &self.allocation {
            address["AllocationId"] = allocation.as_str().into();
            if let Some(known) = network.addresses.get(allocation).filter(|_| self.interface.is_some()) {
                address["PublicIp"] = json!(known.public);
                if let Some(association) = &known.association {
                    address["AssociationId"] = association.as_str().into();
                }
            }
        }
        let mut row = json!({
            "NatGatewayId": self.id,
            "SubnetId": self.subnet,
            "VpcId": self.vpc,
            "State": self.phase,
            "ConnectivityType": self.connectivity,
            "CreateTime": self.created.as_second(),
        });
        if let (Phase::Failed, Some((code, message))) = (self.phase, &self.failure) {
            row["FailureCode"] = code.as_str().into();
            row["FailureMessage"] = message.as_str().into();
            address["Status"] = "failed".into();
        }
        if let Some(deleted) = self.deleted {
            row["DeleteTime"] = deleted.as_second().into();
        }
        row["NatGatewayAddresses"] = json!([address]);
        row
    }
}

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateNatGateway" => create(world, call),
        "DeleteNatGateway" => delete(world, call),
        "DescribeNatGateways" => describe(world, call),
        _ => return None,
    })
}

fn create(world: &mut World, call: &Call) -> Answer {
    let subnet_id = need(call, "SubnetId")?;
    if let Some(id) = made_before(world, call)? {
        return created(world, call, &id);
    }
    let tags = tags::specified(call, &NAT)?;
    let connectivity = call.text("ConnectivityType").unwrap_or("public");
    let allocation = call.text("AllocationId");
    match (connectivity, allocation) {
        ("public", None) => return Err(super::missing("AllocationId")),
        ("private", Some(id)) => {
            return Err(invalid("AllocationId", id, "A private NAT gateway has no Elastic IP address."));
        }
        _ => {}
    }
    let network = world.ec2.network(&call.region);
    let subnet = network.subnets.get(subnet_id).ok_or_else(|| SUBNET.missing(subnet_id))?.clone();
    if let Some(id) = allocation {
        address::find(network, id)?;
    }
    room_in_zone(world, &call.region, &subnet.zone)?;
    let id = world.new_id(NAT.prefix);
    let mut nat = NatGateway {
        id: id.clone(),
        subnet: subnet.id,
        vpc: subnet.vpc,
        zone: subnet.zone,
        phase: Phase::Pending,
        connectivity: connectivity.to_owned(),
        allocation: allocation.map(str::to_owned),
        interface: None,
        failure: None,
        created: call.now,
        deleted: None,
    };
    place(world, &call.region, &mut nat)?;
    let which = Which { region: call.region.clone(), id: id.clone() };
    // A failure shows within the minute, success takes one or two.
    let range = if nat.failure.is_some() { 10..40 } else { 60..120 };
    let after = world.draw(&format!("nat {id} settles"), range);
    world.ec2.network(&call.region).nats.insert(id.clone(), nat);
    later(world, call.now, after, Event::NatSettles(which));
    enter(world, call, &id, tags);
    remember_token(world, call, &id);
    created(world, call, &id)
}

/// Refuses when a zone has as many living gateways as the quota allows.
fn room_in_zone(world: &World, region: &str, zone: &str) -> Result<(), AwsError> {
    let all = world.ec2.existing(region).map(|network| network.nats.values());
    let used = all.into_iter().flatten().filter(|nat| nat.zone == zone && nat.is_alive()).count();
    let limit = quotas::limit(world, "vpc", "L-FE5A380F", region);
    if quotas::count(used) < limit {
        return Ok(());
    }
    let message = format!("Performing this operation would exceed the limit of {limit} NAT gateways");
    Err(AwsError::new("NatGatewayLimitExceeded", message))
}

/// Gives the gateway its interface and address, or notes the failure that it will show.
///
/// Source of the codes: VPC user guide, "Troubleshoot NAT gateways".
fn place(world: &mut World, region: &str, nat: &mut NatGateway) -> Result<(), AwsError> {
    let network = world.ec2.network(region);
    if nat.connectivity == "public" && !network.has_gateway(&nat.vpc) {
        let message = format!("Network {} has no Internet gateway attached", nat.vpc);
        nat.failure = Some(("Gateway.NotAttached".to_owned(), message));
        return Ok(());
    }
    if let Some(allocation) = &nat.allocation
        && address::find(network, allocation)?.association.is_some()
    {
        let message = format!("Elastic IP address {allocation} is already associated");
        nat.failure = Some(("Resource.AlreadyAssociated".to_owned(), message));
        return Ok(());
    }
    let description = format!("Interface for NAT Gateway {}", nat.id);
    let wanted = Wanted {
        subnet: &nat.subnet,
        groups: &[],
        description: &description,
        requester: Some("amazon-nat"),
        addresses: 1,
        interface_type: "nat_gateway",
    };
    match interface::build(world, region, &wanted) {
        Ok(interface) => {
            if let Some(allocation) = &nat.allocation {
                address::map(world, region, allocation, &interface)?;
            }
            nat.interface = Some(interface);
        }
        Err(error) if error.code == "InsufficientFreeAddressesInSubnet" => {
            let message = "Subnet has insufficient free addresses to create this NAT gateway".to_owned();
            nat.failure = Some((error.code, message));
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

fn created(world: &mut World, call: &Call, id: &str) -> Answer {
    let network = world.ec2.network(&call.region);
    let mut row = network.nats.get(id).ok_or_else(|| NAT.missing(id))?.row(network);
    row["Tags"] = tags::row(network.tags.get(id).unwrap_or(&tags::Tags::new()));
    let mut output = json!({ "NatGateway": row });
    if let Some(token) = call.text("ClientToken") {
        output["ClientToken"] = token.into();
    }
    Ok(output)
}

/// A pending gateway becomes what its placement allows.
pub(super) fn settle(world: &mut World, which: &Which, at: Timestamp) {
    let nat = world.ec2.network(&which.region).nats.get_mut(&which.id);
    let Some(nat) = nat.filter(|nat| nat.phase == Phase::Pending) else { return };
    if nat.failure.is_none() {
        nat.phase = Phase::Available;
        return;
    }
    nat.phase = Phase::Failed;
    nat.deleted = Some(at);
    later(world, at, LINGERS, Event::NatIsForgotten(which.clone()));
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "NatGatewayId")?;
    let nat = world.ec2.network(&call.region).nats.get_mut(id).ok_or_else(|| NAT.missing(id))?;
    let which = Which { region: call.region.clone(), id: id.to_owned() };
    if matches!(nat.phase, Phase::Pending | Phase::Available) {
        nat.phase = Phase::Deleting;
        nat.deleted = Some(call.now);
        let after = world.draw(&format!("nat {id} goes"), 30..90);
        later(world, call.now, after, Event::NatIsDeleted(which));
    }
    Ok(json!({ "NatGatewayId": id }))
}

/// A deleting gateway is gone: its address is free, its interface too.
pub(super) fn finish_deletion(world: &mut World, which: &Which, at: Timestamp) {
    let nat = world.ec2.network(&which.region).nats.get_mut(&which.id);
    let Some(nat) = nat.filter(|nat| nat.phase == Phase::Deleting) else { return };
    nat.phase = Phase::Deleted;
    if let Some(interface) = nat.interface.take() {
        interface::remove(world, &which.region, &interface);
    }
    later(world, at, LINGERS, Event::NatIsForgotten(which.clone()));
}

/// A failed or deleted gateway is not listed any more, and its token is free.
pub(super) fn leave_list(world: &mut World, which: &Which) {
    let network = world.ec2.network(&which.region);
    network.nats.remove(&which.id);
    network.forget(&which.id);
    network.tokens.retain(|_, (_, id)| *id != which.id);
}

fn describe(world: &mut World, call: &Call) -> Answer {
    const LISTING: Listing = Listing {
        rows: "NatGateways",
        ids: "NatGatewayIds",
        id: "NatGatewayId",
        kind: NAT,
        filters: &[
            ("nat-gateway-id", "NatGatewayId"),
            ("state", "State"),
            ("subnet-id", "SubnetId"),
            ("vpc-id", "VpcId"),
        ],
    };
    let network = world.ec2.network(&call.region);
    let rows = network.nats.values().map(|nat| nat.row(network)).collect();
    listing::answer(network, call, &LISTING, rows)
}
