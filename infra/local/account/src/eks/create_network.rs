//! The network that a new or changed cluster asks for, checked as EKS checks it.

use super::{
    cluster::Network,
    refusals::invalid,
    wire::texts,
    world_access::{self, Subnet},
};
use crate::{
    call::{AwsError, Call},
    world::World,
};
use ipnet::Ipv4Net;
use serde_json::Value;
use std::{collections::BTreeSet, net::Ipv4Addr};

/// Zones where the control plane cannot be placed, by zone id (EKS user guide, network requirements).
const NOT_ACCEPTED: [&str; 3] = ["use1-az3", "usw1-az2", "cac1-az3"];

/// The free addresses that EKS wants in each subnet.
const ADDRESSES: u32 = 6;

const MOST_PUBLIC_CIDRS: usize = 40;

/// Checks `resourcesVpcConfig` of CreateCluster for a cluster called `name`.
///
/// # Errors
/// `InvalidParameterException`, or `UnsupportedAvailabilityZoneException` with the zones that would do.
pub(super) fn wanted(world: &World, call: &Call, name: &str) -> Result<Network, AwsError> {
    let config = call.input.get("resourcesVpcConfig").unwrap_or(&Value::Null);
    let subnet_ids = texts(config.get("subnetIds"));
    let vpc_id = subnets(world, &call.region, name, &subnet_ids)?;
    let security_group_ids = texts(config.get("securityGroupIds"));
    security_groups(world, &call.region, &security_group_ids, &vpc_id)?;
    let flag = |member, otherwise| config.get(member).and_then(Value::as_bool).unwrap_or(otherwise);
    let (endpoint_public, endpoint_private) =
        (flag("endpointPublicAccess", true), flag("endpointPrivateAccess", false));
    endpoint_access(endpoint_public, endpoint_private)?;
    Ok(Network {
        vpc_id,
        subnet_ids,
        security_group_ids,
        cluster_security_group_id: String::new(),
        endpoint_public,
        endpoint_private,
        public_cidrs: public_cidrs(config, endpoint_public)?,
        interfaces: Vec::new(),
    })
}

/// At least one way must lead to the endpoint.
pub(super) fn endpoint_access(public: bool, private: bool) -> Result<(), AwsError> {
    if public || private { Ok(()) } else { Err(invalid("Private and public endpoint access cannot be false")) }
}

/// Who may use the public endpoint: everyone unless said otherwise.
pub(super) fn public_cidrs(config: &Value, public: bool) -> Result<Vec<String>, AwsError> {
    let given = texts(config.get("publicAccessCidrs"));
    if given.is_empty() {
        return Ok(if public { vec!["0.0.0.0/0".to_owned()] } else { Vec::new() });
    }
    if given.len() > MOST_PUBLIC_CIDRS {
        return Err(invalid(format!("publicAccessCidrs can hold at most {MOST_PUBLIC_CIDRS} CIDR blocks")));
    }
    let bad = |cidr: &&String| cidr.parse::<Ipv4Net>().is_err();
    if given.iter().any(|cidr| bad(&cidr)) {
        let named: Vec<_> = given.iter().filter(bad).map(String::as_str).collect();
        return Err(invalid(format!("The following CIDRs are invalid in publicAccessCidrs: [{}]", named.join(", "))));
    }
    let inside = |cidr: &&String| cidr.parse::<Ipv4Net>().is_ok_and(|net| net.prefix_len() > 0 && is_reserved(net));
    if let Some(cidr) = given.iter().find(inside) {
        return Err(invalid(format!("The following CIDRs are not allowed in publicAccessCidrs: [{cidr}]")));
    }
    Ok(given)
}

fn is_reserved(net: Ipv4Net) -> bool {
    let address = net.network();
    address.is_private() || address.is_loopback() || address.is_link_local() || address.is_multicast()
}

/// Checks the subnets and answers their VPC.
pub(super) fn subnets(world: &World, region: &str, cluster: &str, ids: &[String]) -> Result<String, AwsError> {
    let found: Vec<Subnet> = ids.iter().map(|id| subnet(world, region, id)).collect::<Result<_, _>>()?;
    let zones: BTreeSet<_> = found.iter().map(|subnet| subnet.zone_id.as_str()).collect();
    let Some(first) = found.first().filter(|_| zones.len() >= 2) else {
        return Err(invalid("Subnets specified must be in at least two different AZs").with("clusterName", cluster));
    };
    if found.iter().any(|subnet| subnet.vpc_id != first.vpc_id) {
        return Err(invalid("Subnets specified must be in the same VPC").with("clusterName", cluster));
    }
    if let Some(subnet) = found.iter().find(|subnet| NOT_ACCEPTED.contains(&subnet.zone_id.as_str())) {
        return Err(zone_not_accepted(region, cluster, &subnet.zone_name));
    }
    if let Some(subnet) = found.iter().find(|subnet| subnet.free_addresses < ADDRESSES) {
        let message = format!("Subnet {} has less than {ADDRESSES} free IP addresses", subnet.id);
        return Err(invalid(message).with("clusterName", cluster));
    }
    Ok(first.vpc_id.clone())
}

fn subnet(world: &World, region: &str, id: &str) -> Result<Subnet, AwsError> {
    world_access::subnet(world, region, id).ok_or_else(|| {
        invalid(format!(
            "The subnet ID '{id}' does not exist (Service: AmazonEC2; Status Code: \
             400; Error Code: InvalidSubnetID.NotFound)"
        ))
    })
}

fn zone_not_accepted(region: &str, cluster: &str, zone: &str) -> AwsError {
    let zones = world_access::zones(region);
    let valid: Vec<_> =
        zones.into_iter().filter(|(_, id)| !NOT_ACCEPTED.contains(&id.as_str())).map(|(name, _)| name).collect();
    let message = format!(
        "Cannot create cluster '{cluster}' because {zone}, the targeted availability zone, does not currently \
             have sufficient capacity to support the cluster. Retry and choose from these availability zones: {}",
        valid.join(", ")
    );
    AwsError::new("UnsupportedAvailabilityZoneException", message)
        .with("clusterName", cluster)
        .with("validZones", valid)
}

/// Every group exists in the VPC.
pub(super) fn security_groups(world: &World, region: &str, ids: &[String], vpc_id: &str) -> Result<(), AwsError> {
    if ids.len() > 5 {
        return Err(invalid("A cluster can have at most 5 security groups"));
    }
    for id in ids {
        match world_access::security_group_vpc(world, region, id) {
            None => return Err(invalid(format!("The security group '{id}' does not exist"))),
            Some(vpc) if vpc != vpc_id => {
                return Err(invalid(format!("Security group {id} does not belong to VPC {vpc_id}")));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The CIDR of services: the one asked for, or AWS's default that does not overlap the VPC.
pub(super) fn service_cidr(world: &World, call: &Call, vpc_id: &str) -> Result<String, AwsError> {
    let network = call.input.get("kubernetesNetworkConfig").unwrap_or(&Value::Null);
    if network.get("ipFamily").and_then(Value::as_str).is_some_and(|family| family != "ipv4") {
        return Err(invalid("Clusters of ipFamily ipv6 are not offered by this account"));
    }
    let blocks = world_access::vpc_blocks(world, &call.region, vpc_id);
    let overlaps = |net: &Ipv4Net| blocks.iter().any(|block| block.contains(net) || net.contains(block));
    let Some(text) = network.get("serviceIpv4Cidr").and_then(Value::as_str) else {
        let usual = Ipv4Net::new_assert(Ipv4Addr::new(10, 100, 0, 0), 16);
        let near_ten = blocks.iter().any(|block| block.addr().octets()[0] == 10);
        return Ok(if near_ten || overlaps(&usual) { "172.20.0.0/16".to_owned() } else { usual.to_string() });
    };
    let net = text.parse::<Ipv4Net>().ok().filter(|net| net.trunc() == *net);
    let net = net.ok_or_else(|| invalid(format!("serviceIpv4Cidr is not a valid CIDR: {text}")))?;
    if !net.network().is_private() || !(12..=24).contains(&net.prefix_len()) {
        return Err(invalid(
            "serviceIpv4Cidr must be within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16, and between /24 and /12",
        ));
    }
    if overlaps(&net) {
        return Err(invalid(format!("serviceIpv4Cidr {net} overlaps with a CIDR block of VPC {vpc_id}")));
    }
    Ok(net.to_string())
}
