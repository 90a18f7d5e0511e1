//! The changes that make a compute subnet, a step each.

use cloud::{Tags, ec2::Ec2};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    ids::ZoneId,
    naming::{Names, NetworkPart},
    states::WaitingOn,
};
use engine::{
    plan::{self, Guard},
    reconciler::{Made, Mark, Scene},
};
use ipnet::Ipv4Net;
use serde::Serialize;

/// One change. Ids that an earlier step makes are absent until it is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "change")]
pub enum Change {
    /// Adds a block to a VPC that is full.
    AssociateCidr {
        /// The VPC.
        vpc: String,
        /// The block.
        cidr: Ipv4Net,
    },
    /// Makes the subnet.
    CreateSubnet {
        /// The VPC.
        vpc: String,
        /// Its zone.
        zone_id: ZoneId,
        /// Its block.
        cidr: Ipv4Net,
    },
    /// Makes the route table of a zone's compute subnets.
    CreateRouteTable {
        /// The VPC.
        vpc: String,
        /// The zone.
        zone_id: ZoneId,
    },
    /// Leads it to a NAT gateway.
    RouteToNat {
        /// The zone.
        zone_id: ZoneId,
        /// The table.
        table: Option<String>,
        /// The NAT gateway.
        nat: String,
        /// Whether a route that leads elsewhere is in its place.
        replace: bool,
    },
    /// Leads it to the S3 endpoint.
    AddEndpointRoute {
        /// The zone.
        zone_id: ZoneId,
        /// The endpoint.
        endpoint: String,
        /// The table.
        table: Option<String>,
    },
    /// Associates subnet and table.
    AssociateRouteTable {
        /// The zone.
        zone_id: ZoneId,
        /// The subnet's block, which names it before it has an id.
        cidr: Ipv4Net,
        /// The table.
        table: Option<String>,
        /// The subnet.
        subnet: Option<String>,
    },
}

/// Key of the change that makes a subnet in a zone: begins so, and ends with its block.
pub(crate) fn subnet_key(zone_id: &ZoneId) -> String {
    format!("create-compute-subnet/{zone_id}/")
}

/// Key of the change that makes a zone's route table.
pub(crate) fn table_key(zone_id: &ZoneId) -> String {
    format!("create-compute-route-table/{zone_id}")
}

impl plan::Change for Change {
    fn key(&self) -> String {
        match self {
            Self::AssociateCidr { cidr, .. } => format!("associate-cidr/{cidr}"),
            Self::CreateSubnet { zone_id, cidr, .. } => format!("{}{cidr}", subnet_key(zone_id)),
            Self::CreateRouteTable { zone_id, .. } => table_key(zone_id),
            Self::RouteToNat { zone_id, .. } => format!("route-compute-to-nat/{zone_id}"),
            Self::AddEndpointRoute { zone_id, .. } => format!("route-compute-to-s3/{zone_id}"),
            Self::AssociateRouteTable { zone_id, cidr, .. } => format!("associate-compute-routes/{zone_id}/{cidr}"),
        }
    }

    fn title(&self) -> String {
        match self {
            Self::AssociateCidr { vpc, cidr } => format!("add the block {cidr} to VPC {vpc}, which has no room left"),
            Self::CreateSubnet { vpc, zone_id, cidr } => {
                format!("create compute subnet {cidr} in zone {zone_id} of VPC {vpc}")
            }
            Self::CreateRouteTable { zone_id, .. } => format!("create the compute route table of zone {zone_id}"),
            Self::RouteToNat { zone_id, nat, .. } => format!("route compute traffic of zone {zone_id} to {nat}"),
            Self::AddEndpointRoute { zone_id, endpoint, .. } => {
                format!("route S3 traffic of zone {zone_id} to endpoint {endpoint}")
            }
            Self::AssociateRouteTable { zone_id, cidr, .. } => {
                format!("give compute subnet {cidr} the route table of zone {zone_id}")
            }
        }
    }

    fn guard(&self) -> Guard {
        // An exact block, a client token, or a call that sets.
        Guard::Service
    }
}

/// Makes `change`.
///
/// # Errors
/// What EC2 says. A block that somebody else took at the same moment is looked at again: the next plan takes another.
pub async fn apply(ec2: &Ec2, scene: Scene<'_>, change: &Change, mark: &Mark) -> Result<Made, Trouble> {
    let tags = tagged(scene, change, mark);
    let made = |name: &str, id: String| Made::from([(name.to_owned(), id)]);
    match change {
        Change::AssociateCidr { vpc, cidr } => again(ec2.associate_cidr(vpc, *cidr).await.map(|()| Made::new())),
        Change::CreateSubnet { vpc, zone_id, cidr } => {
            again(ec2.create_subnet(vpc, *cidr, zone_id.as_str(), &tags).await.map(|id| made("subnetId", id)))
        }
        Change::CreateRouteTable { vpc, .. } => {
            ec2.create_route_table(vpc, &mark.token, &tags).await.map(|id| made("routeTableId", id))
        }
        Change::RouteToNat { table, nat, replace: false, .. } => {
            ec2.route_to_nat(known(table)?, nat).await.map(|()| Made::new())
        }
        Change::RouteToNat { table, nat, replace: true, .. } => {
            ec2.replace_route_to_nat(known(table)?, nat).await.map(|()| Made::new())
        }
        Change::AddEndpointRoute { endpoint, table, .. } => {
            let tables = [known(table)?.to_owned()];
            ec2.add_endpoint_route_tables(endpoint, &tables).await.map(|()| Made::new())
        }
        Change::AssociateRouteTable { table, subnet, .. } => {
            ec2.associate_route_table(known(table)?, known(subnet)?).await.map(|()| Made::new())
        }
    }
}

/// A block that is taken is either ours, and its answer was lost, or another caller's: both show at the next look.
fn again(result: Result<Made, Trouble>) -> Result<Made, Trouble> {
    result.map_err(|trouble| match trouble {
        Trouble::Fatal(failure)
            if failure.upstream.as_ref().is_some_and(|upstream| {
                matches!(upstream.code.as_str(), "InvalidSubnet.Conflict" | "CidrConflict")
            }) =>
        {
            Trouble::Later { on: WaitingOn::Aws, failure }
        }
        trouble => trouble,
    })
}

fn known(id: &Option<String>) -> Result<&str, Trouble> {
    id.as_deref().ok_or_else(|| {
        Trouble::Fatal(Failure::new(ErrorCode::Internal, "a step was reached before the step that it needs"))
    })
}

fn tagged(scene: Scene<'_>, change: &Change, mark: &Mark) -> Tags {
    let names = Names::of(&scene.cluster.tag, scene.cluster.id);
    let mut tags = mark.tags.clone();
    match change {
        Change::CreateSubnet { zone_id, .. } => {
            tags.insert("Name".to_owned(), names.network(&NetworkPart::ComputeSubnet(zone_id.clone())));
            // Internal load balancers of inference endpoints find their subnets by this tag.
            tags.insert("kubernetes.io/role/internal-elb".to_owned(), "1".to_owned());
        }
        Change::CreateRouteTable { zone_id, .. } => {
            tags.insert("Name".to_owned(), names.network(&NetworkPart::ComputeRoutes(zone_id.clone())));
        }
        _ => {}
    }
    tags
}
