//! The network: made in an order in which each step's ids are known, with the slow NAT gateway begun early.

use crate::{
    change::{Change, Known, Place, Side},
    observe::Network,
};
use domain::{
    cidr::{self, EksSubnets},
    codes::ErrorCode,
    failure::Failure,
    naming::Names,
    states::WaitingOn,
    zones,
};
use engine::{
    plan::{Step, Wait},
    reconciler::Scene,
};
use ipnet::Ipv4Net;
use serde_json::json;

/// Steps towards the network of the scene's cluster, all but the last: the way out through the NAT gateway, which takes a
/// minute or two and which the EKS cluster does not wait for.
pub(super) fn begin(scene: Scene<'_>, network: &Network, steps: &mut Vec<Step<Change>>) -> Result<(), Failure> {
    let (vpc_cidr, carved, zone_ids) = ground(scene, network)?;
    vpc(network, vpc_cidr, steps);
    subnets(network, &carved, &zone_ids, steps);
    public_side(network, steps);
    nat(network, steps);
    private_side(network, steps);
    security_group(scene, network, steps)
}

/// The VPC's block, its subnets' blocks and the two zones.
fn ground(scene: Scene<'_>, network: &Network) -> Result<(Ipv4Net, EksSubnets, [String; 2]), Failure> {
    let seen = network.vpc.as_ref().and_then(|vpc| vpc.cidrs.first().copied());
    let wanted = seen.or_else(|| scene.cluster.decisions.vpc_net());
    let vpc_cidr = wanted.or_else(|| cidr::choose_vpc_cidr(&network.other_cidrs)).ok_or_else(|| {
        Failure::new(ErrorCode::Conflict, "no private /16 is free: the VPCs of this Region take them all")
            .with_action("Give a vpcCidr that is free, or remove a VPC that is not needed.")
    })?;
    let carved = cidr::carve_eks_subnets(vpc_cidr).ok_or_else(|| {
        Failure::new(ErrorCode::InvalidInput, format!("{vpc_cidr} is too small for the EKS subnets"))
            .with_action("Give a vpcCidr of /24 or larger.")
    })?;
    Ok((vpc_cidr, carved, zone_ids(scene, network)?))
}

/// The zones of the subnets that are there; else those of the wanted groups first, so that the network is where the
/// capacity is, among zones that EKS accepts.
fn zone_ids(scene: Scene<'_>, network: &Network) -> Result<[String; 2], Failure> {
    let seen = |index: usize| {
        network.subnets.iter().find(|(place, _)| place.zone() == index).map(|(_, subnet)| subnet.zone_id.clone())
    };
    let groups = scene.cluster.decisions.hyperpod.iter().flat_map(|hyperpod| hyperpod.instance_groups.values());
    let preferred: Vec<String> = groups.map(|group| group.zone_id.to_string()).collect();
    let there: Vec<String> = network.zones.iter().map(|zone| zone.id.clone()).collect();
    let chosen = zones::two_for_eks(&there, &preferred);
    match (seen(0), seen(1), chosen) {
        (Some(first), Some(second), _) => Ok([first, second]),
        (Some(first), None, Some(chosen)) => {
            let second = chosen.iter().find(|zone| **zone != first).cloned().unwrap_or_default();
            Ok([first, second])
        }
        (None, Some(second), Some(chosen)) => {
            let first = chosen.iter().find(|zone| **zone != second).cloned().unwrap_or_default();
            Ok([first, second])
        }
        (None, None, Some(chosen)) => Ok(chosen),
        (_, _, None) => Err(Failure::new(
            ErrorCode::InvalidInput,
            format!("EKS needs two zones that it accepts; this Region has {}", there.join(", ")),
        )
        .with_action("Choose another Region.")),
    }
}

fn vpc(network: &Network, cidr: Ipv4Net, steps: &mut Vec<Step<Change>>) {
    match &network.vpc {
        None => steps.push(Step::Change(Change::CreateVpc { cidr })),
        Some(vpc) if vpc.state != "available" => {
            steps.push(Step::Wait(Wait::new(WaitingOn::Aws, format!("VPC {} is {}", vpc.id, vpc.state)).of("vpc")));
        }
        Some(_) => {}
    }
    if !network.dns_hostnames {
        steps.push(Step::Change(Change::EnableDnsHostnames { vpc: network.vpc_id() }));
    }
}

fn subnets(network: &Network, carved: &EksSubnets, zone_ids: &[String; 2], steps: &mut Vec<Step<Change>>) {
    for place in Place::ALL {
        let zone = place.zone();
        let blocks = match place.side() {
            Side::Public => &carved.public,
            Side::Private => &carved.private,
        };
        let subnet = network.subnets.get(&place);
        if subnet.is_none() {
            let (vpc, zone_id) = (network.vpc_id(), zone_ids[zone].clone());
            steps.push(Step::Change(Change::CreateSubnet { place, vpc, cidr: blocks[zone], zone_id }));
        }
        if place.side() == Side::Public && !subnet.is_some_and(|subnet| subnet.maps_public_addresses) {
            steps.push(Step::Change(Change::MapPublicAddresses { place, subnet: network.subnet_id(place) }));
        }
    }
}

fn public_side(network: &Network, steps: &mut Vec<Step<Change>>) {
    let gateway = network.internet_gateway.as_ref();
    let gateway_id = Known::of(gateway.map(|gateway| gateway.id.as_str()));
    if gateway.is_none() {
        steps.push(Step::Change(Change::CreateInternetGateway));
    }
    let attached = gateway.is_some_and(|gateway| network.vpc_id().0.is_some_and(|vpc| gateway.vpc_ids.contains(&vpc)));
    if !attached {
        let (gateway, vpc) = (gateway_id.clone(), network.vpc_id());
        steps.push(Step::Change(Change::AttachInternetGateway { gateway, vpc }));
    }
    table(network, Side::Public, steps);
    let routed = network.route_tables.get(&Side::Public).and_then(|table| table.default_route());
    if !routed.is_some_and(|route| route.state == "active") {
        let table = network.table_id(Side::Public);
        steps.push(Step::Change(Change::RouteToInternet { table, gateway: gateway_id }));
    }
    associations(network, Side::Public, steps);
}

fn nat(network: &Network, steps: &mut Vec<Step<Change>>) {
    if network.address.is_none() {
        steps.push(Step::Change(Change::AllocateAddress));
    }
    let create = || {
        let address = Known::of(network.address.as_ref().map(|address| address.allocation_id.as_str()));
        Step::Change(Change::CreateNatGateway { subnet: network.subnet_id(Place::Public1), address })
    };
    match &network.nat {
        None => steps.push(create()),
        Some(nat) if nat.state == "failed" => {
            steps.push(Step::Change(Change::DeleteFailedNatGateway { nat: nat.id.clone() }));
            steps.push(create());
        }
        Some(_) => {}
    }
}

fn private_side(network: &Network, steps: &mut Vec<Step<Change>>) {
    table(network, Side::Private, steps);
    associations(network, Side::Private, steps);
    let private = network.table_id(Side::Private);
    match &network.s3_endpoint {
        None => {
            steps.push(Step::Change(Change::CreateS3Endpoint { vpc: network.vpc_id(), tables: vec![private] }));
        }
        Some(endpoint) => {
            let led = private.0.as_ref().is_some_and(|table| endpoint.route_table_ids.contains(table));
            if !led {
                let (endpoint, tables) = (endpoint.id.clone(), vec![private]);
                steps.push(Step::Change(Change::AddEndpointRouteTables { endpoint, tables }));
            }
        }
    }
}

/// Our security group in the VPC, whosever the VPC is.
///
/// # Errors
/// Another group of the VPC has its name.
pub(super) fn security_group(
    scene: Scene<'_>,
    network: &Network,
    steps: &mut Vec<Step<Change>>,
) -> Result<(), Failure> {
    let seen = network.security_group.as_ref();
    let group = Known::of(seen.map(|group| group.id.as_str()));
    if seen.is_none() {
        let name = Names::of(&scene.cluster.tag, scene.cluster.id).security_group();
        if let Some(id) = &network.foreign_security_group {
            let text = format!("security group {id} is named {name} and was not made for this cluster");
            return Err(Failure::new(ErrorCode::Conflict, text)
                .with_action("Delete it if nothing is in it, or choose another tag for the cluster."));
        }
        steps.push(Step::Change(Change::CreateSecurityGroup { vpc: network.vpc_id(), name }));
    }
    if !seen.is_some_and(|seen| seen.self_rules.ingress) {
        steps.push(Step::Change(Change::AllowSelfIngress { group: group.clone() }));
    }
    if !seen.is_some_and(|seen| seen.self_rules.egress) {
        steps.push(Step::Change(Change::AllowSelfEgress { group: group.clone() }));
    }
    if !seen.is_some_and(|seen| seen.egress_anywhere) {
        steps.push(Step::Change(Change::AllowEgress { group }));
    }
    Ok(())
}

/// The way out through the NAT gateway, once there is one.
pub(super) fn finish(network: &Network, steps: &mut Vec<Step<Change>>) {
    let nat = network.nat.as_ref();
    if let Some(nat) = nat.filter(|nat| nat.state == "pending") {
        let reason = format!("NAT gateway {} is coming up (usually 1 to 2 minutes)", nat.id);
        steps.push(Step::Wait(Wait::new(WaitingOn::Aws, reason).of("nat-gateway")));
    }
    let route = network.route_tables.get(&Side::Private).and_then(|table| table.default_route());
    let good = route.is_some_and(|route| {
        route.state == "active" && nat.is_some_and(|nat| nat.state == "available" && nat.id == route.target)
    });
    if !good {
        let (table, nat) = (network.table_id(Side::Private), Known::of(nat.map(|nat| nat.id.as_str())));
        steps.push(Step::Change(Change::RouteToNat { table, nat, replace: route.is_some() }));
    }
}

fn table(network: &Network, side: Side, steps: &mut Vec<Step<Change>>) {
    if !network.route_tables.contains_key(&side) {
        steps.push(Step::Change(Change::CreateRouteTable { side, vpc: network.vpc_id() }));
    }
}

fn associations(network: &Network, side: Side, steps: &mut Vec<Step<Change>>) {
    for place in Place::ALL.into_iter().filter(|place| place.side() == side) {
        let subnet = network.subnet_id(place);
        let table = network.route_tables.get(&side);
        let associated = subnet.0.as_ref().is_some_and(|id| table.is_some_and(|table| table.subnet_ids.contains(id)));
        if !associated {
            let table = network.table_id(side);
            steps.push(Step::Change(Change::AssociateRouteTable { place, table, subnet }));
        }
    }
}

pub(super) fn outcome(network: &Network) -> serde_json::Value {
    let subnets = |side: Side| -> Vec<&str> {
        let of_side = network.subnets.iter().filter(|(place, _)| place.side() == side);
        of_side.map(|(_, subnet)| subnet.id.as_str()).collect()
    };
    json!({
        "vpcId": network.vpc.as_ref().map(|vpc| vpc.id.as_str()),
        "vpcCidr": network.vpc.as_ref().and_then(|vpc| vpc.cidrs.first()),
        "publicSubnetIds": subnets(Side::Public),
        "privateSubnetIds": subnets(Side::Private),
        "natGatewayId": network.nat.as_ref().map(|nat| nat.id.as_str()),
        "securityGroupId": network.security_group.as_ref().map(|group| group.id.as_str()),
    })
}

impl Network {
    /// The subnets of the EKS control plane.
    pub(super) fn eks_subnets(&self) -> Vec<Known> {
        [Place::Private1, Place::Private2].into_iter().map(|place| self.subnet_id(place)).collect()
    }

    /// Our security group.
    pub(super) fn group_id(&self) -> Known {
        Known::of(self.security_group.as_ref().map(|group| group.id.as_str()))
    }

    fn vpc_id(&self) -> Known {
        Known::of(self.vpc.as_ref().map(|vpc| vpc.id.as_str()))
    }

    fn subnet_id(&self, place: Place) -> Known {
        Known::of(self.subnets.get(&place).map(|subnet| subnet.id.as_str()))
    }

    fn table_id(&self, side: Side) -> Known {
        Known::of(self.route_tables.get(&side).map(|table| table.id.as_str()))
    }
}
