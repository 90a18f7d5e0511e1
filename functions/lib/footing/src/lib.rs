//! What an EKS cluster stands on: its subnets, their routes, the S3 endpoint and the nodes' security groups, seen once and
//! judged once.
//!
//! An import mends what it was asked to mend (control-plane), selection reports what is lacking: both by [`Lack`]. Nothing
//! here changes anything.

mod lack;

pub use lack::Lack;

use cloud::{
    Tags,
    ec2::{Ec2, Find, NatGateway, RouteTable, SecurityGroup, Subnet, VpcEndpoint},
    eks::EksCluster,
};
use domain::failure::Trouble;
use serde::Serialize;

/// The network of an EKS cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Footing {
    /// Its VPC.
    pub vpc_id: String,
    /// All subnets of the VPC.
    pub subnets: Vec<Subnet>,
    /// Those of them that the cluster was given.
    pub cluster_subnet_ids: Vec<String>,
    /// All route tables of the VPC.
    pub route_tables: Vec<RouteTable>,
    /// NAT gateways of the VPC that are there or coming.
    pub nats: Vec<NatGateway>,
    /// The VPC's gateway endpoint for S3.
    pub s3_endpoint: Option<VpcEndpoint>,
    /// The security groups that nodes get.
    pub node_groups: Vec<SecurityGroup>,
}

/// Looks at the network of `cluster`. Reads only.
///
/// # Errors
/// Whatever a read meets: what could not be read is not taken for absent.
pub async fn observe(ec2: &Ec2, cluster: &EksCluster) -> Result<Footing, Trouble> {
    let inside = Find::by("vpc-id", cluster.vpc_id.as_str());
    let (subnets, route_tables, nats, endpoints, groups) = tokio::try_join!(
        ec2.subnets(&inside),
        ec2.route_tables(&inside),
        ec2.nat_gateways(&inside),
        ec2.vpc_endpoints(&inside),
        ec2.security_groups(&inside),
    )?;
    let of_nodes = cluster.node_security_groups();
    Ok(Footing {
        vpc_id: cluster.vpc_id.clone(),
        subnets,
        cluster_subnet_ids: cluster.subnet_ids.clone(),
        route_tables,
        nats: nats.into_iter().filter(|nat| matches!(nat.state.as_str(), "available" | "pending")).collect(),
        s3_endpoint: endpoints
            .into_iter()
            .find(|endpoint| endpoint.service.ends_with(".s3") && !endpoint.state.starts_with("delet")),
        node_groups: groups.into_iter().filter(|group| of_nodes.contains(&group.id)).collect(),
    })
}

impl Footing {
    /// The route table that serves a subnet: its own, else the VPC's main one.
    pub fn table_of(&self, subnet_id: &str) -> Option<&RouteTable> {
        let own = self.route_tables.iter().find(|table| table.subnet_ids.iter().any(|id| id == subnet_id));
        own.or_else(|| self.route_tables.iter().find(|table| table.main))
    }

    /// Whether a subnet leads straight to the internet; HyperPod's nodes cannot be there.
    pub fn is_public(&self, subnet_id: &str) -> bool {
        let route = self.table_of(subnet_id).and_then(RouteTable::default_route);
        route.is_some_and(|route| route.target.starts_with("igw-"))
    }

    /// The cluster's subnets that are private.
    pub fn private_subnets(&self) -> impl Iterator<Item = &Subnet> {
        self.subnets.iter().filter(|subnet| self.cluster_subnet_ids.contains(&subnet.id) && !self.is_public(&subnet.id))
    }

    /// Route tables of the cluster's private subnets, each once.
    pub fn private_tables(&self) -> Vec<&RouteTable> {
        let mut tables: Vec<&RouteTable> = Vec::new();
        for subnet in self.private_subnets() {
            if let Some(table) = self.table_of(&subnet.id).filter(|table| !tables.iter().any(|it| it.id == table.id)) {
                tables.push(table);
            }
        }
        tables
    }

    /// A public subnet of the VPC, where a NAT gateway can be.
    pub fn public_subnet(&self) -> Option<&Subnet> {
        self.subnets.iter().find(|subnet| self.is_public(&subnet.id))
    }

    /// What HyperPod needs and this network has not.
    pub fn lacks(&self) -> Vec<Lack> {
        lack::of(self)
    }

    /// Tags of one of the VPC's NAT gateways, for those who ask whose it is.
    pub fn nat_tags(&self, id: &str) -> Option<&Tags> {
        self.nats.iter().find(|nat| nat.id == id).map(|nat| &nat.tags)
    }
}
