//! Route tables: the main one of each VPC, associations with subnets, and where a subnet's traffic goes.

use super::{
    Network, enter,
    ids::{ROUTE_TABLE, SUBNET},
    listing::{self, Listing},
    made_before, need, remember_token,
    route::{Route, Target},
    tags, vpc, within_quota,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use ipnet::Ipv4Net;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A route table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RouteTable {
    /// `rtb-…`.
    pub id: String,
    /// Its VPC.
    pub vpc: String,
    /// Subnets by `rtbassoc-…`; no subnet means that it is the VPC's main table.
    pub associations: BTreeMap<String, Option<String>>,
    /// Routes besides the local ones.
    pub routes: Vec<Route>,
}

impl RouteTable {
    /// Whether subnets without an association use it.
    pub fn is_main(&self) -> bool {
        self.associations.values().any(Option::is_none)
    }

    fn row(&self, network: &Network, region: &str) -> Value {
        let associations = self.associations.iter().map(|(id, subnet)| {
            let mut row = json!({
                "RouteTableAssociationId": id,
                "RouteTableId": self.id,
                "Main": subnet.is_none(),
                "AssociationState": { "State": "associated" },
            });
            if let Some(subnet) = subnet {
                row["SubnetId"] = subnet.as_str().into();
            }
            row
        });
        json!({
            "RouteTableId": self.id,
            "VpcId": self.vpc,
            "OwnerId": ACCOUNT_ID,
            "Associations": associations.collect::<Value>(),
            "Routes": super::route::rows(network, self, region),
            "PropagatingVgws": [],
        })
    }
}

/// Where a subnet's traffic to the internet goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Egress {
    /// Nowhere: no default route, or a blackhole.
    None,
    /// Through a NAT gateway: a private subnet.
    Nat,
    /// Through an internet gateway: a public subnet.
    Gateway,
}

impl Network {
    /// The route table that `subnet` uses: its own or the VPC's main one.
    pub fn table_of(&self, subnet: &str) -> Option<&RouteTable> {
        let vpc = &self.subnets.get(subnet)?.vpc;
        let own = self
            .route_tables
            .values()
            .find(|table| table.associations.values().any(|associated| associated.as_deref() == Some(subnet)));
        own.or_else(|| self.route_tables.values().find(|table| table.vpc == *vpc && table.is_main()))
    }

    /// Where `subnet`'s default route leads, as far as its target is alive.
    pub fn egress(&self, subnet: &str) -> Egress {
        let default = self.table_of(subnet).and_then(|table| {
            table.routes.iter().find(|route| route.destination.prefix_len() == 0 && route.is_active(self, &table.vpc))
        });
        match default.map(|route| &route.target) {
            Some(Target::Nat(_)) => Egress::Nat,
            Some(Target::Gateway(_)) => Egress::Gateway,
            Some(Target::Interface(_)) | None => Egress::None,
        }
    }

    /// Whether `subnet` reaches S3 through a gateway endpoint.
    pub fn has_s3_endpoint(&self, subnet: &str) -> bool {
        let table = self.table_of(subnet).map(|table| table.id.as_str()).unwrap_or_default();
        self.endpoints.values().any(|one| one.service.ends_with(".s3") && one.route_tables.contains(table))
    }
}

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateRouteTable" => create(world, call),
        "DeleteRouteTable" => delete(world, call),
        "DescribeRouteTables" => describe(world, call),
        "AssociateRouteTable" => associate(world, call),
        "DisassociateRouteTable" => disassociate(world, call),
        "ReplaceRouteTableAssociation" => replace(world, call),
        _ => return None,
    })
}

/// Puts a route table into the region and answers its id.
pub(super) fn build(world: &mut World, region: &str, vpc: &str, main: bool) -> String {
    let id = world.new_id(ROUTE_TABLE.prefix);
    let mut associations = BTreeMap::new();
    if main {
        associations.insert(world.new_id("rtbassoc-"), None);
    }
    let table = RouteTable { id: id.clone(), vpc: vpc.to_owned(), associations, routes: Vec::new() };
    world.ec2.network(region).route_tables.insert(id.clone(), table);
    id
}

/// Gives a VPC's main table a default route to `gateway`.
pub(super) fn send_to_gateway(network: &mut Network, vpc: &str, gateway: &str) {
    let route = Route { destination: Ipv4Net::default(), target: Target::Gateway(gateway.to_owned()) };
    if let Some(table) = network.route_tables.values_mut().find(|table| table.vpc == vpc && table.is_main()) {
        table.routes.push(route);
    }
}

/// The route table `id`, or the refusal of a request that names it.
pub(super) fn find<'a>(network: &'a mut Network, id: &str) -> Result<&'a mut RouteTable, AwsError> {
    network.route_tables.get_mut(id).ok_or_else(|| ROUTE_TABLE.missing(id))
}

fn create(world: &mut World, call: &Call) -> Answer {
    let vpc_id = need(call, "VpcId")?;
    let earlier = made_before(world, call)?;
    let id = match earlier {
        Some(id) => id,
        None => {
            let tags = tags::specified(call, &ROUTE_TABLE)?;
            let network = world.ec2.network(&call.region);
            vpc::find(network, vpc_id)?;
            let used = network.route_tables.values().filter(|table| table.vpc == vpc_id).count();
            let refusal = ("RouteTableLimitExceeded", "The maximum number of route tables has been reached.");
            within_quota(world, &call.region, ("vpc", "L-589F43AA"), used, refusal)?;
            let id = build(world, &call.region, vpc_id, false);
            enter(world, call, &id, tags);
            remember_token(world, call, &id);
            id
        }
    };
    let network = world.ec2.network(&call.region);
    let table = network.route_tables.get(&id).ok_or_else(|| ROUTE_TABLE.missing(&id))?;
    let mut row = table.row(network, &call.region);
    row["Tags"] = tags::row(network.tags.get(&id).unwrap_or(&tags::Tags::new()));
    Ok(json!({ "RouteTable": row }))
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "RouteTableId")?;
    let network = world.ec2.network(&call.region);
    if !find(network, id)?.associations.is_empty() {
        let message = format!("The routeTable '{id}' has dependencies and cannot be deleted.");
        return Err(AwsError::new("DependencyViolation", message));
    }
    network.route_tables.remove(id);
    network.forget(id);
    for endpoint in network.endpoints.values_mut() {
        endpoint.route_tables.remove(id);
    }
    Ok(json!({}))
}

fn associate(world: &mut World, call: &Call) -> Answer {
    let table_id = need(call, "RouteTableId")?;
    let subnet_id = need(call, "SubnetId")?;
    let network = world.ec2.network(&call.region);
    let vpc = find(network, table_id)?.vpc.clone();
    let subnet = network.subnets.get(subnet_id).ok_or_else(|| SUBNET.missing(subnet_id))?;
    if subnet.vpc != vpc {
        let message = format!("Route table {table_id} and subnet {subnet_id} belong to different networks");
        return Err(AwsError::new("InvalidParameterValue", message));
    }
    let present = network.route_tables.values().find_map(|table| {
        let own = table.associations.iter().find(|(_, associated)| associated.as_deref() == Some(subnet_id))?;
        Some((table.id.clone(), own.0.clone()))
    });
    let association = match present {
        Some((table, association)) if table == table_id => association,
        Some(_) => {
            let message =
                format!("the specified association for route table {table_id} conflicts with an existing association");
            return Err(AwsError::new("Resource.AlreadyAssociated", message));
        }
        None => {
            let association = world.new_id("rtbassoc-");
            let table = find(world.ec2.network(&call.region), table_id)?;
            table.associations.insert(association.clone(), Some(subnet_id.to_owned()));
            association
        }
    };
    Ok(json!({ "AssociationId": association, "AssociationState": { "State": "associated" } }))
}

/// The table that an association belongs to, or the refusal of a request that names it.
fn holder<'a>(network: &'a mut Network, association: &str) -> Result<&'a mut RouteTable, AwsError> {
    let found = network.route_tables.values_mut().find(|table| table.associations.contains_key(association));
    found.ok_or_else(|| {
        let message = format!("The association ID '{association}' does not exist");
        AwsError::new("InvalidAssociationID.NotFound", message)
    })
}

fn disassociate(world: &mut World, call: &Call) -> Answer {
    let association = need(call, "AssociationId")?;
    let table = holder(world.ec2.network(&call.region), association)?;
    if table.associations.get(association) == Some(&None) {
        let message = format!("cannot disassociate the main route table association {association}");
        return Err(AwsError::new("InvalidParameterValue", message));
    }
    table.associations.remove(association);
    Ok(json!({}))
}

fn replace(world: &mut World, call: &Call) -> Answer {
    let association = need(call, "AssociationId")?;
    let table_id = need(call, "RouteTableId")?;
    let network = world.ec2.network(&call.region);
    let vpc = find(network, table_id)?.vpc.clone();
    let old = holder(network, association)?;
    if old.vpc != vpc {
        let message = format!("Route table {table_id} and association {association} belong to different networks");
        return Err(AwsError::new("InvalidParameterValue", message));
    }
    let subnet = old.associations.remove(association).flatten();
    let new = world.new_id("rtbassoc-");
    find(world.ec2.network(&call.region), table_id)?.associations.insert(new.clone(), subnet);
    Ok(json!({ "NewAssociationId": new, "AssociationState": { "State": "associated" } }))
}

fn describe(world: &mut World, call: &Call) -> Answer {
    const LISTING: Listing = Listing {
        rows: "RouteTables",
        ids: "RouteTableIds",
        id: "RouteTableId",
        kind: ROUTE_TABLE,
        filters: &[
            ("association.gateway-id", "Associations.GatewayId"),
            ("association.main", "Associations.Main"),
            ("association.route-table-association-id", "Associations.RouteTableAssociationId"),
            ("association.route-table-id", "Associations.RouteTableId"),
            ("association.subnet-id", "Associations.SubnetId"),
            ("owner-id", "OwnerId"),
            ("route-table-id", "RouteTableId"),
            ("route.destination-cidr-block", "Routes.DestinationCidrBlock"),
            ("route.destination-prefix-list-id", "Routes.DestinationPrefixListId"),
            ("route.gateway-id", "Routes.GatewayId"),
            ("route.nat-gateway-id", "Routes.NatGatewayId"),
            ("route.origin", "Routes.Origin"),
            ("route.state", "Routes.State"),
            ("vpc-id", "VpcId"),
        ],
    };
    let network = world.ec2.network(&call.region);
    let rows = network.route_tables.values().map(|table| table.row(network, &call.region)).collect();
    listing::answer(network, call, &LISTING, rows)
}
