//! The VPC as it is: what a compute subnet is chosen from, and what one is made of.

use cloud::{
    ec2::{Ec2, Find, NatGateway, RouteTable, Subnet, Vpc, VpcEndpoint},
    is_owned,
};
use domain::{failure::Trouble, ids::ClusterId};
use ipnet::Ipv4Net;
use serde::Serialize;

/// A VPC with its subnets and their ways out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ground {
    /// The VPC.
    pub vpc: Vpc,
    /// Its subnets.
    pub subnets: Vec<Subnet>,
    /// Its route tables.
    pub route_tables: Vec<RouteTable>,
    /// Its NAT gateways.
    pub nats: Vec<NatGateway>,
    /// Its endpoints.
    pub endpoints: Vec<VpcEndpoint>,
    /// Blocks of every other VPC of the Region: a new block should not overlap them.
    pub other_cidrs: Vec<Ipv4Net>,
    /// Whose tags are ours.
    pub cluster_id: ClusterId,
}

/// Looks at the VPC `vpc_id`; none if it does not show.
pub async fn observe(ec2: &Ec2, vpc_id: &str, cluster_id: ClusterId) -> Result<Option<Ground>, Trouble> {
    let (everything, inside) = (Find::default(), Find::by("vpc-id", vpc_id));
    let (vpcs, subnets, route_tables, nats, endpoints) = tokio::try_join!(
        ec2.vpcs(&everything),
        ec2.subnets(&inside),
        ec2.route_tables(&inside),
        ec2.nat_gateways(&inside),
        ec2.vpc_endpoints(&inside),
    )?;
    let (this, others): (Vec<Vpc>, Vec<Vpc>) = vpcs.into_iter().partition(|vpc| vpc.id == vpc_id);
    let other_cidrs = others.into_iter().flat_map(|vpc| vpc.cidrs).collect();
    Ok(this.into_iter().next().map(|vpc| Ground {
        vpc,
        subnets,
        route_tables,
        nats,
        endpoints,
        other_cidrs,
        cluster_id,
    }))
}

impl Ground {
    pub(crate) fn is_ours(&self, tags: &cloud::Tags) -> bool {
        is_owned(tags, self.cluster_id)
    }

    /// The table that a subnet uses: its own, else the VPC's main one.
    pub(crate) fn table_of(&self, subnet_id: &str) -> Option<&RouteTable> {
        let own = self.route_tables.iter().find(|table| table.subnet_ids.iter().any(|id| id == subnet_id));
        own.or_else(|| self.route_tables.iter().find(|table| table.main))
    }

    /// The NAT gateway that new routes lead to: one of ours that works, another that works, one that is coming up.
    pub(crate) fn nat(&self) -> Option<&NatGateway> {
        let rank = |nat: &NatGateway| match (nat.state.as_str(), self.is_ours(&nat.tags)) {
            ("available", true) => Some(0),
            ("available", false) => Some(1),
            ("pending", _) => Some(2),
            _ => None,
        };
        let usable = self.nats.iter().filter_map(|nat| Some((rank(nat)?, nat)));
        usable.min_by_key(|(rank, nat)| (*rank, nat.id.as_str())).map(|(_, nat)| nat)
    }

    /// Our S3 gateway endpoint. One that was there before us is left as it is: the NAT gateway leads to S3 as well.
    pub(crate) fn s3_endpoint(&self) -> Option<&VpcEndpoint> {
        let is_s3 = |endpoint: &&VpcEndpoint| endpoint.service.ends_with(".s3") && endpoint.state != "deleted";
        self.endpoints.iter().filter(is_s3).find(|endpoint| self.is_ours(&endpoint.tags))
    }
}
