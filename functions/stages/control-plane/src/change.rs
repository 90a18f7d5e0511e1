//! What this stage can change, a step each: the network here, the EKS cluster and what an import mends beside it.

mod cluster;
mod mend;

pub(crate) use cluster::CREATE_CLUSTER;
pub use cluster::ClusterChange;
pub use mend::Mend;

use engine::plan::{self, Guard};
use ipnet::Ipv4Net;
use serde::Serialize;
use std::fmt;

/// An id that is known, or will be once an earlier step of the plan is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Known(pub Option<String>);

impl Known {
    /// The id of something seen.
    pub fn of(id: Option<&str>) -> Self {
        Self(id.map(str::to_owned))
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("(made by then)"))
    }
}

/// One of the four EKS subnets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Public, first zone.
    Public1,
    /// Public, second zone.
    Public2,
    /// Private, first zone.
    Private1,
    /// Private, second zone.
    Private2,
}

impl Place {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Public1, Self::Public2, Self::Private1, Self::Private2];

    /// As in keys and tags.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public1 => "public-1",
            Self::Public2 => "public-2",
            Self::Private1 => "private-1",
            Self::Private2 => "private-2",
        }
    }

    /// Whether it leads to the internet.
    pub const fn side(self) -> Side {
        match self {
            Self::Public1 | Self::Public2 => Side::Public,
            Self::Private1 | Self::Private2 => Side::Private,
        }
    }

    /// 0 for the first zone, 1 for the second.
    pub const fn zone(self) -> usize {
        match self {
            Self::Public1 | Self::Private1 => 0,
            Self::Public2 | Self::Private2 => 1,
        }
    }
}

/// Which route table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Leads to the internet gateway.
    Public,
    /// Leads to the NAT gateway.
    Private,
}

impl Side {
    /// As in keys and tags.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "change")]
pub enum Change {
    /// Makes the VPC.
    CreateVpc {
        /// Its block, free by overlap arithmetic or given.
        cidr: Ipv4Net,
    },
    /// Switches DNS host names on in the VPC.
    EnableDnsHostnames {
        /// The VPC.
        vpc: Known,
    },
    /// Makes one of the EKS subnets.
    CreateSubnet {
        /// Which.
        place: Place,
        /// The VPC.
        vpc: Known,
        /// Its block.
        cidr: Ipv4Net,
        /// Its zone, by id.
        zone_id: String,
    },
    /// Gives instances of a public subnet public addresses.
    MapPublicAddresses {
        /// Which.
        place: Place,
        /// The subnet.
        subnet: Known,
    },
    /// Makes the internet gateway.
    CreateInternetGateway,
    /// Attaches it.
    AttachInternetGateway {
        /// The gateway.
        gateway: Known,
        /// The VPC.
        vpc: Known,
    },
    /// Makes a route table.
    CreateRouteTable {
        /// Which.
        side: Side,
        /// The VPC.
        vpc: Known,
    },
    /// Leads the public route table to the internet.
    RouteToInternet {
        /// The table.
        table: Known,
        /// The gateway.
        gateway: Known,
    },
    /// Leads the private route table to the NAT gateway.
    RouteToNat {
        /// The table.
        table: Known,
        /// The NAT gateway.
        nat: Known,
        /// Whether a route to something else, or to nothing, is in its place.
        replace: bool,
    },
    /// Associates a subnet with its route table.
    AssociateRouteTable {
        /// Which subnet.
        place: Place,
        /// The table.
        table: Known,
        /// The subnet.
        subnet: Known,
    },
    /// Allocates the NAT gateway's address.
    AllocateAddress,
    /// Makes the NAT gateway.
    CreateNatGateway {
        /// Its public subnet.
        subnet: Known,
        /// Its address.
        address: Known,
    },
    /// Removes a NAT gateway of ours that failed, so that it can be made again.
    DeleteFailedNatGateway {
        /// The gateway.
        nat: String,
    },
    /// Makes the S3 gateway endpoint.
    CreateS3Endpoint {
        /// The VPC.
        vpc: Known,
        /// Route tables that lead to it.
        tables: Vec<Known>,
    },
    /// Leads further route tables to it.
    AddEndpointRouteTables {
        /// The endpoint.
        endpoint: String,
        /// The tables.
        tables: Vec<Known>,
    },
    /// Makes the security group of nodes and control plane.
    CreateSecurityGroup {
        /// The VPC.
        vpc: Known,
        /// Its name.
        name: String,
    },
    /// Allows all traffic from the group itself.
    AllowSelfIngress {
        /// The group.
        group: Known,
    },
    /// Allows all traffic to the group itself: EFA needs the rule to name the group.
    AllowSelfEgress {
        /// The group.
        group: Known,
    },
    /// Lets everything out.
    AllowEgress {
        /// The group.
        group: Known,
    },
    /// Changes around the EKS cluster.
    Cluster(ClusterChange),
    /// Changes to what an import borrows, asked for by name.
    Mend(Mend),
}

impl plan::Change for Change {
    fn key(&self) -> String {
        match self {
            Self::CreateVpc { .. } => "create-vpc".into(),
            Self::EnableDnsHostnames { .. } => "enable-dns-hostnames".into(),
            Self::CreateSubnet { place, .. } => subnet_key(*place),
            Self::MapPublicAddresses { place, .. } => format!("map-public-addresses/{}", place.as_str()),
            Self::CreateInternetGateway => INTERNET_GATEWAY.into(),
            Self::AttachInternetGateway { .. } => "attach-internet-gateway".into(),
            Self::CreateRouteTable { side, .. } => route_table_key(*side),
            Self::RouteToInternet { .. } => "route-to-internet".into(),
            Self::RouteToNat { .. } => "route-to-nat".into(),
            Self::AssociateRouteTable { place, .. } => format!("associate-route-table/{}", place.as_str()),
            Self::AllocateAddress => ADDRESS.into(),
            Self::CreateNatGateway { .. } => NAT.into(),
            Self::DeleteFailedNatGateway { nat } => format!("delete-failed-nat-gateway/{nat}"),
            Self::CreateS3Endpoint { .. } => S3_ENDPOINT.into(),
            Self::AddEndpointRouteTables { .. } => "add-endpoint-route-tables".into(),
            Self::CreateSecurityGroup { .. } => SECURITY_GROUP.into(),
            Self::AllowSelfIngress { .. } => "allow-self-ingress".into(),
            Self::AllowSelfEgress { .. } => "allow-self-egress".into(),
            Self::AllowEgress { .. } => "allow-egress".into(),
            Self::Cluster(change) => change.key(),
            Self::Mend(mend) => mend.key(),
        }
    }

    fn title(&self) -> String {
        match self {
            Self::CreateVpc { cidr } => format!("create VPC {cidr}"),
            Self::EnableDnsHostnames { vpc } => format!("switch DNS host names on in {vpc}"),
            Self::CreateSubnet { place, cidr, zone_id, .. } => {
                format!("create subnet {} {cidr} in {zone_id}", place.as_str())
            }
            Self::MapPublicAddresses { place, .. } => format!("give public addresses in subnet {}", place.as_str()),
            Self::CreateInternetGateway => "create internet gateway".into(),
            Self::AttachInternetGateway { vpc, .. } => format!("attach internet gateway to {vpc}"),
            Self::CreateRouteTable { side, .. } => format!("create {} route table", side.as_str()),
            Self::RouteToInternet { .. } => "route public subnets to the internet gateway".into(),
            Self::RouteToNat { nat, .. } => format!("route private subnets to NAT gateway {nat}"),
            Self::AssociateRouteTable { place, .. } => format!("associate subnet {} with its routes", place.as_str()),
            Self::AllocateAddress => "allocate an elastic address for the NAT gateway".into(),
            Self::CreateNatGateway { .. } => "create NAT gateway (billed from now on)".into(),
            Self::DeleteFailedNatGateway { nat } => format!("delete failed NAT gateway {nat}"),
            Self::CreateS3Endpoint { .. } => "create S3 gateway endpoint".into(),
            Self::AddEndpointRouteTables { tables, .. } => {
                format!("lead {} more route tables to the S3 gateway endpoint", tables.len())
            }
            Self::CreateSecurityGroup { name, .. } => format!("create security group {name}"),
            Self::AllowSelfIngress { group } => format!("allow all traffic from {group} to itself"),
            Self::AllowSelfEgress { group } => format!("allow all traffic to {group} from itself"),
            Self::AllowEgress { group } => format!("let all traffic out of {group}"),
            Self::Cluster(change) => change.title(),
            Self::Mend(mend) => mend.title(),
        }
    }

    fn guard(&self) -> Guard {
        match self {
            Self::CreateVpc { .. } | Self::CreateInternetGateway | Self::AllocateAddress => Guard::Window,
            Self::EnableDnsHostnames { .. }
            | Self::CreateSubnet { .. }
            | Self::MapPublicAddresses { .. }
            | Self::AttachInternetGateway { .. }
            | Self::CreateRouteTable { .. }
            | Self::RouteToInternet { .. }
            | Self::RouteToNat { .. }
            | Self::AssociateRouteTable { .. }
            | Self::CreateNatGateway { .. }
            | Self::DeleteFailedNatGateway { .. }
            | Self::CreateS3Endpoint { .. }
            | Self::AddEndpointRouteTables { .. }
            | Self::CreateSecurityGroup { .. }
            | Self::AllowSelfIngress { .. }
            | Self::AllowSelfEgress { .. }
            | Self::AllowEgress { .. }
            | Self::Cluster(_)
            | Self::Mend(_) => Guard::Service,
        }
    }
}

/// Keys by which things made are found again: they stand in the change tag.
pub(crate) const INTERNET_GATEWAY: &str = "create-internet-gateway";
pub(crate) const ADDRESS: &str = "allocate-address";
pub(crate) const NAT: &str = "create-nat-gateway";
pub(crate) const S3_ENDPOINT: &str = "create-s3-endpoint";
pub(crate) const SECURITY_GROUP: &str = "create-security-group";

pub(crate) fn subnet_key(place: Place) -> String {
    format!("create-subnet/{}", place.as_str())
}

pub(crate) fn route_table_key(side: Side) -> String {
    format!("create-route-table/{}", side.as_str())
}
