//! From needs to subnets: which are used, and the steps that make those that are missing.

use crate::{
    change::{Change, table_key},
    choose::Origin,
    ground::Ground,
};
use cloud::ec2::{RouteTable, Subnet};
use domain::{
    capacity::prefix_for,
    cidr::{next_free_subnet, propose_secondary},
    codes::ErrorCode,
    failure::Failure,
    ids::{SubnetId, ZoneId},
    limits::VPC_CIDR_BLOCKS,
    naming::TAG_CHANGE,
    states::WaitingOn,
};
use engine::plan::{Step, Wait};
use ipnet::Ipv4Net;
use serde::Serialize;

/// What is needed in one zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The zone.
    pub zone_id: ZoneId,
    /// Addresses that the nodes to come take, without a reserve.
    pub addresses: u64,
    /// The subnet that somebody chose.
    pub chosen: Option<SubnetId>,
}

/// A subnet that is used, and what it takes to have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ensured {
    /// Its zone.
    pub zone_id: ZoneId,
    /// Whose it is.
    pub origin: Origin,
    /// Its id, once it is there.
    pub subnet_id: Option<String>,
    /// Its block.
    pub cidr: Ipv4Net,
    /// What remains to be done before it can be used, in order.
    pub steps: Vec<Step<Change>>,
}

/// Finds or plans a subnet for each need. Needs of one zone should be one need: they share its subnet.
///
/// # Errors
/// The first need that cannot be met: `invalid_input`, `subnet_capacity`, `network_unreachable`, `dependency_missing`.
pub fn ensure(ground: &Ground, needs: &[Need]) -> Result<Vec<Ensured>, Failure> {
    let mut rooms =
        Rooms { blocks: ground.vpc.cidrs.clone(), taken: ground.subnets.iter().map(|subnet| subnet.cidr).collect() };
    needs.iter().map(|need| one(ground, need, &mut rooms)).collect()
}

/// What is free, as far as the plan has come.
struct Rooms {
    blocks: Vec<Ipv4Net>,
    taken: Vec<Ipv4Net>,
}

fn one(ground: &Ground, need: &Need, rooms: &mut Rooms) -> Result<Ensured, Failure> {
    let found = match &need.chosen {
        Some(id) => Some((Origin::Chosen, ground.chosen(id.as_str(), need)?)),
        None => ground.best(need),
    };
    let mut steps = Vec::new();
    let (origin, subnet, cidr) = match found {
        Some((origin, subnet)) => (origin, Some(subnet), subnet.cidr),
        None => (Origin::New, None, new_block(ground, need, rooms, &mut steps)?),
    };
    if matches!(origin, Origin::Ours | Origin::New) {
        route(ground, need, subnet, cidr, &mut steps)?;
    }
    let subnet_id = subnet.map(|subnet| subnet.id.clone());
    Ok(Ensured { zone_id: need.zone_id.clone(), origin, subnet_id, cidr, steps })
}

/// Takes the lowest free block that is large enough; a full VPC gets another block first.
fn new_block(
    ground: &Ground,
    need: &Need,
    rooms: &mut Rooms,
    steps: &mut Vec<Step<Change>>,
) -> Result<Ipv4Net, Failure> {
    let refuse = |text: String, action: &str| Failure::new(ErrorCode::SubnetCapacity, text).with_action(action);
    let prefix = prefix_for(need.addresses).map_err(|error| {
        refuse(format!("zone {}: {error}", need.zone_id), "Ask for fewer nodes in one zone, or for several groups.")
    })?;
    let vpc = &ground.vpc.id;
    let free = next_free_subnet(&rooms.blocks, &rooms.taken, prefix);
    let cidr = match free {
        Some(cidr) => cidr,
        None => {
            let full = format!("VPC {vpc} has no room for a /{prefix} in zone {}", need.zone_id);
            if rooms.blocks.len() >= VPC_CIDR_BLOCKS {
                let text = format!("{full}, and {VPC_CIDR_BLOCKS} blocks already, as many as a VPC may have");
                return Err(refuse(text, "Free a subnet, or have the VPC's quota of IPv4 blocks raised."));
            }
            if !ground.is_ours(&ground.vpc.tags) {
                let text = format!("{full}; the VPC was there before us, so no block is added to it");
                return Err(refuse(text, "Add an IPv4 block to the VPC, or free a subnet, then run it again."));
            }
            let block = propose_secondary(&rooms.blocks, &ground.other_cidrs)
                .ok_or_else(|| refuse(format!("{full}, and no free block to add"), "Free a subnet of the VPC."))?;
            steps.push(Step::Change(Change::AssociateCidr { vpc: vpc.clone(), cidr: block }));
            rooms.blocks.push(block);
            next_free_subnet(&[block], &rooms.taken, prefix)
                .ok_or_else(|| refuse(full, "Ask for fewer nodes in one zone."))?
        }
    };
    rooms.taken.push(cidr);
    let (vpc, zone_id) = (vpc.clone(), need.zone_id.clone());
    steps.push(Step::Change(Change::CreateSubnet { vpc, zone_id, cidr }));
    Ok(cidr)
}

/// The way out of a subnet of ours: its zone's route table, the NAT gateway, the S3 endpoint.
fn route(
    ground: &Ground,
    need: &Need,
    subnet: Option<&Subnet>,
    cidr: Ipv4Net,
    steps: &mut Vec<Step<Change>>,
) -> Result<(), Failure> {
    let zone_id = || need.zone_id.clone();
    let key = table_key(&need.zone_id);
    let is_ours = |table: &&RouteTable| ground.is_ours(&table.tags) && table.tags.get(TAG_CHANGE) == Some(&key);
    let seen = ground.route_tables.iter().find(is_ours);
    let table = seen.map(|table| table.id.clone());
    if seen.is_none() {
        steps.push(Step::Change(Change::CreateRouteTable { vpc: ground.vpc.id.clone(), zone_id: zone_id() }));
    }
    let default = seen.and_then(RouteTable::default_route);
    if default.is_none_or(|route| route.state != "active") {
        let nat = ground.nat().ok_or_else(|| {
            let text = format!("VPC {} has no NAT gateway: nodes could not reach AWS", ground.vpc.id);
            Failure::new(ErrorCode::DependencyMissing, text)
                .with_action("Run the control-plane stage, or import the cluster again with the fix `nat`.")
        })?;
        if nat.state == "pending" {
            let reason = format!("NAT gateway {} is coming up (usually 1 to 2 minutes)", nat.id);
            steps.push(Step::Wait(Wait::new(WaitingOn::Aws, reason).of("nat-gateway")));
        }
        let (nat, replace) = (nat.id.clone(), default.is_some());
        steps.push(Step::Change(Change::RouteToNat { zone_id: zone_id(), table: table.clone(), nat, replace }));
    }
    if let Some(endpoint) = ground.s3_endpoint() {
        let led = table.as_ref().is_some_and(|table| endpoint.route_table_ids.contains(table));
        if !led {
            let endpoint = endpoint.id.clone();
            steps.push(Step::Change(Change::AddEndpointRoute { zone_id: zone_id(), endpoint, table: table.clone() }));
        }
    }
    let subnet = subnet.map(|subnet| subnet.id.clone());
    let associated = subnet.as_ref().is_some_and(|id| seen.is_some_and(|table| table.subnet_ids.contains(id)));
    if !associated {
        steps.push(Step::Change(Change::AssociateRouteTable { zone_id: zone_id(), cidr, table, subnet }));
    }
    Ok(())
}

#[cfg(test)]
#[path = "make_tests.rs"]
mod tests;
