//! Route tables, their routes and associations, and gateway endpoints.

use super::{Ec2, Find, changing, incomplete, listed, made_before, tags};
use crate::Tags;
use aws_sdk_ec2::types::{ResourceType, VpcEndpointType};
use domain::failure::Trouble;
use serde::Serialize;

/// A route.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Route {
    /// CIDR or prefix list that it is for.
    pub destination: String,
    /// Id of what it leads to: gateway, NAT gateway, endpoint; `local` within the VPC.
    pub target: String,
    /// `active`, or `blackhole` when its target is gone.
    pub state: String,
}

/// A route table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RouteTable {
    /// Its id.
    pub id: String,
    /// Its VPC.
    pub vpc_id: String,
    /// Whether it serves subnets that have no table of their own.
    pub main: bool,
    /// Subnets associated with it by name.
    pub subnet_ids: Vec<String>,
    /// Its routes.
    pub routes: Vec<Route>,
    /// Its tags.
    pub tags: Tags,
}

impl RouteTable {
    /// The route for everything else, if there is one that works.
    pub fn default_route(&self) -> Option<&Route> {
        self.routes.iter().find(|route| route.destination == "0.0.0.0/0")
    }
}

/// A VPC endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VpcEndpoint {
    /// Its id.
    pub id: String,
    /// Its service: `com.amazonaws.us-west-2.s3`.
    pub service: String,
    /// Its state, lower case.
    pub state: String,
    /// Route tables that lead to it.
    pub route_table_ids: Vec<String>,
    /// Its tags.
    pub tags: Tags,
}

impl Ec2 {
    /// Route tables that `find` fits; all pages.
    pub async fn route_tables(&self, find: &Find) -> Result<Vec<RouteTable>, Trouble> {
        let mut tables = Vec::new();
        let mut token = None;
        loop {
            let call = self.read.describe_route_tables();
            let call = call.set_route_table_ids(find.sdk_ids()).set_filters(find.sdk_filters());
            let Some(page) = listed("DescribeRouteTables", call.set_next_token(token.take()).send().await)? else {
                return Ok(tables);
            };
            tables.extend(page.route_tables().iter().filter_map(route_table));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(tables);
            }
        }
    }

    /// Makes a route table and answers its id; `token` makes a second sending the same table.
    pub async fn create_route_table(&self, vpc_id: &str, token: &str, tags: &Tags) -> Result<String, Trouble> {
        let call = self.change.create_route_table().vpc_id(vpc_id).client_token(token);
        let made = call.tag_specifications(tags::specification(ResourceType::RouteTable, tags)).send().await;
        let made = made.map_err(|error| changing("CreateRouteTable", &error))?;
        made.route_table.and_then(|table| table.route_table_id).ok_or_else(|| incomplete("CreateRouteTable", "id"))
    }

    /// Adds the default route to an internet gateway; the same route made before counts.
    pub async fn route_to_internet(&self, table: &str, gateway: &str) -> Result<(), Trouble> {
        let call = self.change.create_route().route_table_id(table).destination_cidr_block("0.0.0.0/0");
        made_before("CreateRoute", call.gateway_id(gateway).send().await, &["RouteAlreadyExists"])
    }

    /// Adds the default route to a NAT gateway; the same route made before counts.
    pub async fn route_to_nat(&self, table: &str, nat: &str) -> Result<(), Trouble> {
        let call = self.change.create_route().route_table_id(table).destination_cidr_block("0.0.0.0/0");
        made_before("CreateRoute", call.nat_gateway_id(nat).send().await, &["RouteAlreadyExists"])
    }

    /// Leads the default route to another NAT gateway.
    pub async fn replace_route_to_nat(&self, table: &str, nat: &str) -> Result<(), Trouble> {
        let call = self.change.replace_route().route_table_id(table).destination_cidr_block("0.0.0.0/0");
        let sent = call.nat_gateway_id(nat).send().await;
        sent.map(drop).map_err(|error| changing("ReplaceRoute", &error))
    }

    /// Associates a subnet with a route table; the same association made before counts.
    pub async fn associate_route_table(&self, table: &str, subnet: &str) -> Result<(), Trouble> {
        let sent = self.change.associate_route_table().route_table_id(table).subnet_id(subnet).send().await;
        made_before("AssociateRouteTable", sent, &["Resource.AlreadyAssociated"])
    }

    /// VPC endpoints that `find` fits; all pages.
    pub async fn vpc_endpoints(&self, find: &Find) -> Result<Vec<VpcEndpoint>, Trouble> {
        let mut endpoints = Vec::new();
        let mut token = None;
        loop {
            let call = self.read.describe_vpc_endpoints();
            let call = call.set_vpc_endpoint_ids(find.sdk_ids()).set_filters(find.sdk_filters());
            let Some(page) = listed("DescribeVpcEndpoints", call.set_next_token(token.take()).send().await)? else {
                return Ok(endpoints);
            };
            endpoints.extend(page.vpc_endpoints().iter().filter_map(|seen| {
                Some(VpcEndpoint {
                    id: seen.vpc_endpoint_id()?.to_owned(),
                    service: seen.service_name().unwrap_or_default().to_owned(),
                    state: seen.state().map(|state| state.as_str().to_lowercase()).unwrap_or_default(),
                    route_table_ids: seen.route_table_ids().to_vec(),
                    tags: tags::ours(seen.tags.as_deref()),
                })
            }));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(endpoints);
            }
        }
    }

    /// Makes a gateway endpoint for `service` and answers its id; `token` makes a second sending the same endpoint.
    pub async fn create_gateway_endpoint(
        &self,
        vpc_id: &str,
        service: &str,
        route_table_ids: &[String],
        token: &str,
        tags: &Tags,
    ) -> Result<String, Trouble> {
        let call = self.change.create_vpc_endpoint().vpc_id(vpc_id).service_name(service).client_token(token);
        let call = call.vpc_endpoint_type(VpcEndpointType::Gateway).set_route_table_ids(Some(route_table_ids.to_vec()));
        let made = call.tag_specifications(tags::specification(ResourceType::VpcEndpoint, tags)).send().await;
        let made = made.map_err(|error| changing("CreateVpcEndpoint", &error))?;
        let id = made.vpc_endpoint.and_then(|endpoint| endpoint.vpc_endpoint_id);
        id.ok_or_else(|| incomplete("CreateVpcEndpoint", "vpcEndpointId"))
    }

    /// Leads further route tables to a gateway endpoint.
    pub async fn add_endpoint_route_tables(&self, endpoint: &str, route_table_ids: &[String]) -> Result<(), Trouble> {
        let call = self.change.modify_vpc_endpoint().vpc_endpoint_id(endpoint);
        let sent = call.set_add_route_table_ids(Some(route_table_ids.to_vec())).send().await;
        sent.map(drop).map_err(|error| changing("ModifyVpcEndpoint", &error))
    }
}

fn route_table(seen: &aws_sdk_ec2::types::RouteTable) -> Option<RouteTable> {
    Some(RouteTable {
        id: seen.route_table_id()?.to_owned(),
        vpc_id: seen.vpc_id().unwrap_or_default().to_owned(),
        main: seen.associations().iter().any(|association| association.main().unwrap_or(false)),
        subnet_ids: seen.associations().iter().filter_map(|with| with.subnet_id().map(str::to_owned)).collect(),
        routes: seen.routes().iter().filter_map(route).collect(),
        tags: tags::ours(seen.tags.as_deref()),
    })
}

fn route(seen: &aws_sdk_ec2::types::Route) -> Option<Route> {
    let target = seen.nat_gateway_id().or(seen.gateway_id()).or(seen.transit_gateway_id());
    Some(Route {
        destination: seen.destination_cidr_block().or(seen.destination_prefix_list_id())?.to_owned(),
        target: target.or(seen.network_interface_id()).unwrap_or_default().to_owned(),
        state: seen.state().map(|state| state.as_str().to_owned()).unwrap_or_default(),
    })
}
