//! Routes of a table: to gateways, NAT gateways and interfaces; a route whose target is gone is a blackhole.

use super::{
    Network, cidr, done, endpoint,
    ids::{GATEWAY, INTERFACE},
    missing,
    nat::Phase,
    need, routing,
    routing::RouteTable,
    within_quota,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use ipnet::Ipv4Net;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Where a route leads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Target {
    /// `igw-…`.
    Gateway(String),
    /// `nat-…`.
    Nat(String),
    /// `eni-…`.
    Interface(String),
}

/// A route that somebody made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Route {
    /// Which addresses it is for.
    pub destination: Ipv4Net,
    /// Where it leads.
    pub target: Target,
}

impl Route {
    /// Whether its target still is there for `vpc`.
    pub fn is_active(&self, network: &Network, vpc: &str) -> bool {
        match &self.target {
            Target::Gateway(id) => network.gateways.get(id).is_some_and(|one| one.vpc.as_deref() == Some(vpc)),
            Target::Nat(id) => {
                network.nats.get(id).is_some_and(|nat| matches!(nat.phase, Phase::Pending | Phase::Available))
            }
            Target::Interface(id) => network.interfaces.contains_key(id),
        }
    }
}

/// All routes of a table as EC2 lists them: local, made, and those of gateway endpoints.
pub(super) fn rows(network: &Network, table: &RouteTable, region: &str) -> Value {
    let blocks = network.vpcs.get(&table.vpc).map(super::vpc::Vpc::cidrs).unwrap_or_default();
    let local = blocks.into_iter().map(|block| {
        json!({ "DestinationCidrBlock": block, "GatewayId": "local", "Origin": "CreateRouteTable", "State": "active" })
    });
    let made = table.routes.iter().map(|route| {
        let state = if route.is_active(network, &table.vpc) { "active" } else { "blackhole" };
        let (member, id) = match &route.target {
            Target::Gateway(id) => ("GatewayId", id),
            Target::Nat(id) => ("NatGatewayId", id),
            Target::Interface(id) => ("NetworkInterfaceId", id),
        };
        json!({ "DestinationCidrBlock": route.destination, member: id, "Origin": "CreateRoute", "State": state })
    });
    let endpoints = network.endpoints.values().filter(|one| one.route_tables.contains(&table.id)).map(|one| {
        json!({
            "DestinationPrefixListId": endpoint::prefix_list(region, &one.service),
            "GatewayId": one.id,
            "Origin": "CreateRoute",
            "State": "active",
        })
    });
    local.chain(made).chain(endpoints).collect()
}

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateRoute" => create(world, call),
        "ReplaceRoute" => replace(world, call),
        "DeleteRoute" => delete(world, call),
        _ => return None,
    })
}

/// The destination and, checked for being in the table's VPC, the target that a request names.
fn read(world: &mut World, call: &Call, table_id: &str) -> Result<Route, AwsError> {
    let text = need(call, "DestinationCidrBlock")?;
    let destination = cidr::parse("DestinationCidrBlock", text)?;
    let network = world.ec2.network(&call.region);
    let vpc = routing::find(network, table_id)?.vpc.clone();
    let blocks = network.vpcs.get(&vpc).map(super::vpc::Vpc::cidrs).unwrap_or_default();
    let local = blocks.iter().any(|block| block.contains(&destination));
    let target = match (call.text("GatewayId"), call.text("NatGatewayId"), call.text("NetworkInterfaceId")) {
        (Some(id), None, None) => {
            let gateway = network.gateways.get(id).ok_or_else(|| GATEWAY.missing(id))?;
            if gateway.vpc.as_deref() != Some(&vpc) {
                let message = format!("route table {table_id} and network gateway {id} belong to different networks");
                return Err(AwsError::new("InvalidParameterValue", message));
            }
            Target::Gateway(id.to_owned())
        }
        (None, Some(id), None) => {
            let nat = network.nats.get(id).filter(|nat| nat.is_alive()).ok_or_else(|| {
                let message = format!("The natGateway ID '{id}' does not exist");
                AwsError::new("InvalidNatGatewayID.NotFound", message)
            })?;
            if nat.vpc != vpc {
                let message = format!("route table {table_id} and NAT gateway {id} belong to different networks");
                return Err(AwsError::new("InvalidParameterValue", message));
            }
            Target::Nat(id.to_owned())
        }
        (None, None, Some(id)) => {
            network.interfaces.get(id).ok_or_else(|| INTERFACE.missing(id))?;
            Target::Interface(id.to_owned())
        }
        (None, None, None) => return Err(missing("gatewayId or another route target")),
        _ => {
            let message = "Only one of gatewayId, natGatewayId and networkInterfaceId can be specified.";
            return Err(AwsError::new("InvalidParameterCombination", message));
        }
    };
    if local && !matches!(target, Target::Interface(_)) {
        let message = format!(
            "The destination CIDR block {destination} is equal to or more specific than one of this VPC's CIDR blocks. \
             This route can target only an interface or an instance."
        );
        return Err(AwsError::new("InvalidParameterValue", message));
    }
    Ok(Route { destination, target })
}

fn create(world: &mut World, call: &Call) -> Answer {
    let table_id = need(call, "RouteTableId")?;
    let route = read(world, call, table_id)?;
    let table = routing::find(world.ec2.network(&call.region), table_id)?;
    if table.routes.iter().any(|other| other.destination == route.destination) {
        let message = format!("The route identified by {} already exists.", route.destination);
        return Err(AwsError::new("RouteAlreadyExists", message));
    }
    let used = table.routes.len();
    let refusal = ("RouteLimitExceeded", "The maximum number of routes has been reached.");
    within_quota(world, &call.region, ("vpc", "L-93826ACB"), used, refusal)?;
    routing::find(world.ec2.network(&call.region), table_id)?.routes.push(route);
    done()
}

/// `InvalidRoute.NotFound`.
fn absent(destination: &str, table: &str) -> AwsError {
    let message = format!("no route with destination-cidr-block {destination} in route table {table}");
    AwsError::new("InvalidRoute.NotFound", message)
}

fn replace(world: &mut World, call: &Call) -> Answer {
    let table_id = need(call, "RouteTableId")?;
    let route = read(world, call, table_id)?;
    let table = routing::find(world.ec2.network(&call.region), table_id)?;
    let present = table.routes.iter_mut().find(|other| other.destination == route.destination);
    match present {
        Some(present) => present.target = route.target,
        None => {
            let message = format!(
                "There is no route defined for '{}' in the route table. Use CreateRoute instead.",
                route.destination
            );
            return Err(AwsError::new("InvalidParameterValue", message));
        }
    }
    Ok(json!({}))
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let table_id = need(call, "RouteTableId")?;
    let text = need(call, "DestinationCidrBlock")?;
    let destination = cidr::parse("DestinationCidrBlock", text)?;
    let network = world.ec2.network(&call.region);
    let vpc = routing::find(network, table_id)?.vpc.clone();
    if network.vpcs.get(&vpc).is_some_and(|vpc| vpc.cidrs().contains(&destination)) {
        let message = format!("cannot remove local route {destination} in route table {table_id}");
        return Err(AwsError::new("InvalidParameterValue", message));
    }
    let table = routing::find(network, table_id)?;
    let at = table.routes.iter().position(|route| route.destination == destination);
    table.routes.remove(at.ok_or_else(|| absent(text, table_id))?);
    Ok(json!({}))
}
