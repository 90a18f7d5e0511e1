//! The network that carries our tags: found by cluster and change, whatever the journal remembers.

use crate::change::{self, Place, Side};
use cloud::{
    Tags,
    ec2::{Address, Ec2, Find, InternetGateway, NatGateway, RouteTable, SecurityGroup, Subnet, Vpc, VpcEndpoint, Zone},
    is_owned,
};
use domain::{
    failure::Trouble,
    ids::SubnetId,
    naming::{Names, TAG_CHANGE, TAG_CLUSTER},
};
use engine::reconciler::Scene;
use ipnet::Ipv4Net;
use serde::Serialize;
use std::collections::BTreeMap;

/// The network of a cluster, as far as it is there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    /// The Region's zones, by id.
    pub zones: Vec<Zone>,
    /// Blocks of every other VPC of the Region.
    pub other_cidrs: Vec<Ipv4Net>,
    /// Our VPC.
    pub vpc: Option<Vpc>,
    /// Whether DNS host names are on in it.
    pub dns_hostnames: bool,
    /// Subnets that the request gives, in its order, and ids of those that are not there. Nothing if it gives none.
    pub given: Option<Given>,
    /// Our EKS subnets.
    pub subnets: BTreeMap<Place, Subnet>,
    /// Our internet gateway.
    pub internet_gateway: Option<InternetGateway>,
    /// Our route tables.
    pub route_tables: BTreeMap<Side, RouteTable>,
    /// The NAT gateway's address.
    pub address: Option<Address>,
    /// Our NAT gateway: the one that works or is coming up, else one that failed.
    pub nat: Option<NatGateway>,
    /// Our S3 gateway endpoint.
    pub s3_endpoint: Option<VpcEndpoint>,
    /// Our security group.
    pub security_group: Option<SecurityGroup>,
    /// Id of a security group of the VPC that has the name of ours and is not ours.
    pub foreign_security_group: Option<String>,
}

/// Subnets that are used instead of a new VPC: borrowed, never changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Given {
    /// Those that are there.
    pub subnets: Vec<Subnet>,
    /// Those that are not.
    pub missing: Vec<String>,
    /// Whether DNS support is on in their VPC; EKS needs it, as it needs host names.
    pub dns_support: bool,
}

/// Looks at the network of the scene's cluster.
pub(crate) async fn observe(ec2: &Ec2, scene: Scene<'_>) -> Result<Network, Trouble> {
    let id = scene.cluster.id;
    if let Some(given) = &scene.cluster.decisions.network {
        return borrowed(ec2, &given.subnet_ids, scene).await;
    }
    let everything = Find::default();
    let (zones, vpcs) = tokio::try_join!(ec2.zones(), ec2.vpcs(&everything))?;
    let is_ours = |vpc: &Vpc| is_owned(&vpc.tags, id);
    let other_cidrs = vpcs.iter().filter(|vpc| !is_ours(vpc)).flat_map(|vpc| vpc.cidrs.clone()).collect();
    let vpc = vpcs.into_iter().find(is_ours);
    let ours = Find::tagged(TAG_CLUSTER, id.to_string());
    let (gateways, addresses) = tokio::try_join!(ec2.internet_gateways(&ours), ec2.addresses(&ours))?;
    let network = Network {
        zones,
        other_cidrs,
        internet_gateway: gateways.into_iter().find(|gateway| made_by(&gateway.tags, change::INTERNET_GATEWAY)),
        address: addresses.into_iter().find(|address| made_by(&address.tags, change::ADDRESS)),
        ..Network::default()
    };
    match vpc {
        Some(vpc) => within(ec2, vpc, network, scene).await,
        None => Ok(network),
    }
}

/// Looks at given subnets, and at the one thing that is ours beside them.
async fn borrowed(ec2: &Ec2, ids: &[SubnetId], scene: Scene<'_>) -> Result<Network, Trouble> {
    let mut given = Given::default();
    for id in ids {
        // One by one: a list that names one unknown id is refused as a whole.
        match ec2.subnets(&Find::id(id.to_string())).await?.into_iter().next() {
            Some(subnet) => given.subnets.push(subnet),
            None => given.missing.push(id.to_string()),
        }
    }
    let Some(vpc_id) = given.subnets.first().map(|subnet| subnet.vpc_id.clone()) else {
        return Ok(Network { given: Some(given), ..Network::default() });
    };
    let inside = Find::by("vpc-id", vpc_id.as_str());
    let vpc = Find::id(vpc_id.as_str());
    let (vpcs, dns, groups) = tokio::try_join!(ec2.vpcs(&vpc), ec2.vpc_dns(&vpc_id), ec2.security_groups(&inside))?;
    let (security_group, foreign_security_group) = node_group(groups, scene);
    given.dns_support = dns.0;
    Ok(Network {
        vpc: vpcs.into_iter().next(),
        dns_hostnames: dns.1,
        given: Some(given),
        security_group,
        foreign_security_group,
        ..Network::default()
    })
}

/// Adds what is inside the VPC.
async fn within(ec2: &Ec2, vpc: Vpc, network: Network, scene: Scene<'_>) -> Result<Network, Trouble> {
    let inside = Find::by("vpc-id", vpc.id.as_str());
    let (dns, subnets, tables, nats, endpoints, groups) = tokio::try_join!(
        ec2.vpc_dns(&vpc.id),
        ec2.subnets(&inside),
        ec2.route_tables(&inside),
        ec2.nat_gateways(&inside),
        ec2.vpc_endpoints(&inside),
        ec2.security_groups(&inside),
    )?;
    let ours = |tags: &Tags, key: &str| is_owned(tags, scene.cluster.id) && made_by(tags, key);
    let place = |subnet: &Subnet| Place::ALL.into_iter().find(|place| ours(&subnet.tags, &change::subnet_key(*place)));
    let side = |table: &RouteTable| {
        [Side::Public, Side::Private].into_iter().find(|side| ours(&table.tags, &change::route_table_key(*side)))
    };
    let (security_group, foreign_security_group) = node_group(groups, scene);
    Ok(Network {
        vpc: Some(vpc),
        dns_hostnames: dns.1,
        subnets: subnets.into_iter().filter_map(|subnet| Some((place(&subnet)?, subnet))).collect(),
        route_tables: tables.into_iter().filter_map(|table| Some((side(&table)?, table))).collect(),
        nat: best_nat(nats.into_iter().filter(|nat| ours(&nat.tags, change::NAT))),
        s3_endpoint: endpoints
            .into_iter()
            .find(|endpoint| ours(&endpoint.tags, change::S3_ENDPOINT) && !endpoint.state.starts_with("delet")),
        security_group,
        foreign_security_group,
        ..network
    })
}

/// Our security group among those of the VPC, and the id of one that has its name without being ours: an earlier life of
/// the tag may have left it in a VPC that was given.
fn node_group(groups: Vec<SecurityGroup>, scene: Scene<'_>) -> (Option<SecurityGroup>, Option<String>) {
    let ours =
        |group: &SecurityGroup| is_owned(&group.tags, scene.cluster.id) && made_by(&group.tags, change::SECURITY_GROUP);
    let name = Names::of(&scene.cluster.tag, scene.cluster.id).security_group();
    let foreign = groups.iter().find(|group| group.name == name && !ours(group)).map(|group| group.id.clone());
    (groups.into_iter().find(ours), foreign)
}

/// A NAT gateway lingers for an hour after its deletion; what is deleted does not count.
fn best_nat(nats: impl Iterator<Item = NatGateway>) -> Option<NatGateway> {
    let rank = |nat: &NatGateway| match nat.state.as_str() {
        "available" => 0,
        "pending" => 1,
        "failed" => 2,
        _ => 3,
    };
    nats.filter(|nat| rank(nat) < 3).min_by_key(rank)
}

pub(crate) fn made_by(tags: &Tags, key: &str) -> bool {
    tags.get(TAG_CHANGE).is_some_and(|change| change == key)
}
