//! The network's changes.

use super::{known, made};
use crate::change::{Change, Known, Place, Side};
use cloud::{Tags, ec2::Ec2};
use domain::{
    failure::Trouble,
    ids::ZoneId,
    naming::{Names, NetworkPart},
};
use engine::reconciler::{Made, Mark, Scene};

/// Makes one change of the network.
pub(crate) async fn apply(ec2: &Ec2, scene: Scene<'_>, change: &Change, mark: &Mark) -> Result<Made, Trouble> {
    let tags = tagged(scene, change, mark);
    match change {
        Change::CreateVpc { cidr } => ec2.create_vpc(*cidr, &tags).await.map(|id| made("vpcId", id)),
        Change::CreateSubnet { vpc, cidr, zone_id, .. } => {
            subnet(ec2.create_subnet(known(vpc)?, *cidr, zone_id, &tags).await)
        }
        Change::CreateInternetGateway => {
            ec2.create_internet_gateway(&tags).await.map(|id| made("internetGatewayId", id))
        }
        Change::CreateRouteTable { vpc, .. } => {
            ec2.create_route_table(known(vpc)?, &mark.token, &tags).await.map(|id| made("routeTableId", id))
        }
        Change::AllocateAddress => ec2.allocate_address(&tags).await.map(|id| made("allocationId", id)),
        Change::CreateNatGateway { subnet, address } => {
            let id = ec2.create_nat_gateway(known(subnet)?, known(address)?, &mark.token, &tags).await;
            id.map(|id| made("natGatewayId", id))
        }
        Change::CreateS3Endpoint { vpc, tables } => {
            let service = format!("com.amazonaws.{}.s3", scene.cluster.target.region);
            let id = ec2.create_gateway_endpoint(known(vpc)?, &service, &ids(tables)?, &mark.token, &tags).await;
            id.map(|id| made("vpcEndpointId", id))
        }
        Change::CreateSecurityGroup { vpc, name } => {
            let description = "HyperPod nodes and EKS control plane of one cluster";
            let id = ec2.create_security_group(known(vpc)?, name, description, &tags).await;
            id.map(|id| made("securityGroupId", id))
        }
        settings => set(ec2, settings).await.map(|()| Made::new()),
    }
}

/// Changes that set something on what is there, and make nothing of their own.
async fn set(ec2: &Ec2, change: &Change) -> Result<(), Trouble> {
    match change {
        Change::EnableDnsHostnames { vpc } => ec2.enable_dns_hostnames(known(vpc)?).await,
        Change::MapPublicAddresses { subnet, .. } => ec2.map_public_addresses(known(subnet)?).await,
        Change::AttachInternetGateway { gateway, vpc } => {
            ec2.attach_internet_gateway(known(gateway)?, known(vpc)?).await
        }
        Change::RouteToInternet { table, gateway } => ec2.route_to_internet(known(table)?, known(gateway)?).await,
        Change::RouteToNat { table, nat, replace: false } => ec2.route_to_nat(known(table)?, known(nat)?).await,
        Change::RouteToNat { table, nat, replace: true } => ec2.replace_route_to_nat(known(table)?, known(nat)?).await,
        Change::AssociateRouteTable { table, subnet, .. } => {
            ec2.associate_route_table(known(table)?, known(subnet)?).await
        }
        Change::DeleteFailedNatGateway { nat } => ec2.delete_nat_gateway(nat).await,
        Change::AddEndpointRouteTables { endpoint, tables } => {
            ec2.add_endpoint_route_tables(endpoint, &ids(tables)?).await
        }
        Change::AllowSelfIngress { group } => ec2.allow_self_ingress(known(group)?).await,
        Change::AllowSelfEgress { group } => ec2.allow_self_egress(known(group)?).await,
        Change::AllowEgress { group } => ec2.allow_egress_anywhere(known(group)?).await,
        Change::CreateVpc { .. }
        | Change::CreateSubnet { .. }
        | Change::CreateInternetGateway
        | Change::CreateRouteTable { .. }
        | Change::AllocateAddress
        | Change::CreateNatGateway { .. }
        | Change::CreateS3Endpoint { .. }
        | Change::CreateSecurityGroup { .. }
        | Change::Cluster(_)
        | Change::Mend(_) => Ok(()),
    }
}

/// A subnet of this very CIDR that is there already is the one whose answer was lost: the next look finds it by its
/// tags, and a foreign one in its place shows as a step that never goes away.
fn subnet(result: Result<String, Trouble>) -> Result<Made, Trouble> {
    match result {
        Ok(id) => Ok(made("subnetId", id)),
        Err(trouble) if trouble.is_upstream("InvalidSubnet.Conflict") => {
            Err(Trouble::Uncertain(trouble.failure().clone()))
        }
        Err(trouble) => Err(trouble),
    }
}

fn ids(known_ids: &[Known]) -> Result<Vec<String>, Trouble> {
    known_ids.iter().map(|id| known(id).map(str::to_owned)).collect()
}

/// The mark's tags with a name for people, and with what the load-balancer controller looks for in subnets.
fn tagged(scene: Scene<'_>, change: &Change, mark: &Mark) -> Tags {
    let names = Names::of(&scene.cluster.tag, scene.cluster.id);
    let mut tags = mark.tags.clone();
    let part = match change {
        Change::CreateVpc { .. } => Some(NetworkPart::Vpc),
        Change::CreateSubnet { place, zone_id, .. } => zone_id.parse().ok().map(|zone| subnet_part(*place, zone)),
        Change::CreateInternetGateway => Some(NetworkPart::InternetGateway),
        Change::CreateRouteTable { side: Side::Public, .. } => Some(NetworkPart::PublicRoutes),
        Change::CreateRouteTable { side: Side::Private, .. } => Some(NetworkPart::PrivateRoutes),
        Change::AllocateAddress => Some(NetworkPart::NatAddress),
        Change::CreateNatGateway { .. } => Some(NetworkPart::NatGateway),
        Change::CreateS3Endpoint { .. } => Some(NetworkPart::S3Endpoint),
        Change::CreateSecurityGroup { .. } => Some(NetworkPart::SecurityGroup),
        _ => None,
    };
    if let Some(part) = part {
        tags.insert("Name".to_owned(), names.network(&part));
    }
    if let Change::CreateSubnet { place, .. } = change {
        let role = match place.side() {
            Side::Public => "kubernetes.io/role/elb",
            Side::Private => "kubernetes.io/role/internal-elb",
        };
        tags.insert(role.to_owned(), "1".to_owned());
    }
    tags
}

fn subnet_part(place: Place, zone: ZoneId) -> NetworkPart {
    match place.side() {
        Side::Public => NetworkPart::PublicSubnet(zone),
        Side::Private => NetworkPart::PrivateSubnet(zone),
    }
}
