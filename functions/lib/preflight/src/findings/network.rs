//! The ground of a new cluster: its block or the given subnets, two zones, and the quotas that it counts against.

use super::{blocking, unchecked, warning};
use crate::{
    Read,
    request::Request,
    scene::{NETWORK_QUOTAS, Seen},
};
use cloud::ec2::{Subnet, Zone};
use contract::plan::Finding;
use domain::{ErrorCode, cidr, ids::SubnetId, zones};
use ipnet::Ipv4Net;
use std::collections::BTreeSet;

/// Free addresses that EKS wants in each of its subnets (EKS user guide, "Subnet requirements and considerations").
const EKS_ADDRESSES: u32 = 6;

pub(super) fn of(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    match &request.cluster.decisions.network {
        Some(network) => given(&network.subnet_ids, &seen.network.subnets),
        None => {
            let mut found = block(request, seen);
            found.extend(two_zones(request, &seen.zones));
            found.extend(quotas(request, seen));
            found
        }
    }
}

/// The block given, or one to be chosen, beside every block of every VPC of the Region.
fn block(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let at = "/vpcCidr";
    let vpcs = match &seen.vpcs {
        Ok(vpcs) => vpcs,
        Err(trouble) => return vec![unchecked(at, "whether the VPC's block overlaps another", trouble)],
    };
    let blocks: Vec<Ipv4Net> = vpcs.iter().flat_map(|vpc| vpc.cidrs.clone()).collect();
    let free = cidr::choose_vpc_cidr(&blocks);
    let Some(wanted) = request.cluster.decisions.vpc_net() else {
        let none = || {
            let action = "Give a smaller vpcCidr that is free, or subnets that exist.";
            blocking(ErrorCode::SubnetCapacity, at, "no private /16 is free beside the VPCs of the Region", action)
        };
        return if free.is_none() { vec![none()] } else { Vec::new() };
    };
    let overlapped = vpcs.iter().find_map(|vpc| Some((vpc, cidr::first_overlap(wanted, &vpc.cidrs)?)));
    let Some((vpc, existing)) = overlapped else { return Vec::new() };
    let action = match free {
        Some(free) => format!("Give one that is free, such as {free}, or none: a free one is chosen then."),
        None => "Give one that is free.".to_owned(),
    };
    vec![blocking(ErrorCode::InvalidInput, at, format!("{wanted} overlaps {existing} of {}", vpc.id), action)]
}

/// The block that a new VPC would have: the given one, else the one that would be chosen.
pub(crate) fn free_block(request: &Request<'_>, seen: &Seen) -> Option<Ipv4Net> {
    let chosen = || {
        let vpcs = seen.vpcs.as_ref().ok()?;
        let blocks: Vec<Ipv4Net> = vpcs.iter().flat_map(|vpc| vpc.cidrs.clone()).collect();
        cidr::choose_vpc_cidr(&blocks)
    };
    request.cluster.decisions.vpc_net().or_else(chosen)
}

fn two_zones(request: &Request<'_>, zones: &Read<Vec<Zone>>) -> Vec<Finding> {
    let zones = match zones {
        Ok(zones) => zones,
        Err(trouble) => return vec![unchecked("/region", "the zones of the Region", trouble)],
    };
    let ids: Vec<String> = zones.iter().map(|zone| zone.id.clone()).collect();
    if eks_zones(request, &ids).is_some() {
        return Vec::new();
    }
    let message = format!("EKS needs two zones and accepts fewer of {}", ids.join(", "));
    vec![blocking(ErrorCode::InvalidInput, "/region", message, "Choose another Region.")]
}

/// The two zones that the control plane's subnets would be in: those of the groups first.
pub(crate) fn eks_zones(request: &Request<'_>, ids: &[String]) -> Option<[String; 2]> {
    let groups = request.cluster.decisions.hyperpod.iter().flat_map(|hyperpod| hyperpod.instance_groups.values());
    let preferred: Vec<String> = groups.map(|group| group.zone_id.to_string()).collect();
    zones::two_for_eks(ids, &preferred)
}

/// Given subnets: there, in one VPC, in two zones that EKS accepts (field reports BR-001, BR-016).
fn given(ids: &[SubnetId], seen: &Read<Vec<Subnet>>) -> Vec<Finding> {
    let subnets = match seen {
        Ok(subnets) => subnets,
        Err(trouble) => return vec![unchecked("/network/subnetIds", "the given subnets", trouble)],
    };
    let at = |index: usize| format!("/network/subnetIds/{index}");
    let mut found = Vec::new();
    let mut there: Vec<(usize, &Subnet)> = Vec::new();
    for (index, id) in ids.iter().enumerate() {
        match subnets.iter().find(|subnet| subnet.id == id.as_str()) {
            Some(subnet) => there.push((index, subnet)),
            None => {
                let message = format!("subnet {id} does not exist in this Region");
                let action = "Give subnets of the cluster's Region and account.";
                found.push(blocking(ErrorCode::InvalidInput, &at(index), message, action));
            }
        }
    }
    let first = there.first().map(|(_, subnet)| subnet.vpc_id.as_str());
    for (index, subnet) in there.iter().filter(|(_, subnet)| Some(subnet.vpc_id.as_str()) != first) {
        let message =
            format!("subnet {} is in {}, the first is in {}", subnet.id, subnet.vpc_id, first.unwrap_or_default());
        found.push(blocking(ErrorCode::InvalidInput, &at(*index), message, "Give subnets of one VPC."));
    }
    found.extend(in_zones(&there, &at));
    for (index, subnet) in there.iter().filter(|(_, subnet)| subnet.free_addresses < EKS_ADDRESSES) {
        let message =
            format!("subnet {} has {} free addresses; EKS needs {EKS_ADDRESSES}", subnet.id, subnet.free_addresses);
        found.push(blocking(ErrorCode::SubnetCapacity, &at(*index), message, "Give a subnet with free addresses."));
    }
    found
}

/// A subnet in a zone that EKS does not take is left out while two zones remain, else it is what is wrong.
fn in_zones(there: &[(usize, &Subnet)], at: &impl Fn(usize) -> String) -> Vec<Finding> {
    let (accepted, refused): (Vec<_>, Vec<_>) =
        there.iter().partition::<Vec<&(usize, &Subnet)>, _>(|(_, subnet)| zones::eks_accepts(&subnet.zone_id));
    let distinct: BTreeSet<&str> = accepted.iter().map(|(_, subnet)| subnet.zone_id.as_str()).collect();
    let enough = distinct.len() >= 2;
    let mut found: Vec<Finding> = Vec::new();
    for (index, subnet) in &refused {
        let message = format!("subnet {} is in {}, where EKS places no control plane", subnet.id, subnet.zone_id);
        found.push(match enough {
            true => warning(ErrorCode::InvalidInput, &at(*index), format!("{message}: it is left out"), ""),
            false => {
                let action = "Give subnets in two zones that EKS accepts.";
                blocking(ErrorCode::InvalidInput, &at(*index), message, action)
            }
        });
    }
    if !enough && refused.is_empty() && !there.is_empty() {
        let message = "the given subnets are in one zone; EKS needs two";
        found.push(blocking(ErrorCode::InvalidInput, "/network/subnetIds", message, "Give subnets in two zones."));
    }
    found
}

/// Quotas minus what is used (field report BR-004): one of each is needed.
fn quotas(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let network = &seen.network;
    let used = [
        count(&seen.vpcs, Vec::len),
        count(&network.internet_gateways, Vec::len),
        nats_in_zone(request, seen),
        count(&network.addresses, Vec::len),
        count(&seen.eks_names, Vec::len),
    ];
    let mut found = Vec::new();
    for ((quota, used), (_, code, name)) in network.quotas.iter().zip(used).zip(NETWORK_QUOTAS) {
        let (quota, used) = match (quota, used) {
            (Ok(Some(quota)), Ok(used)) => (quota, used),
            (Ok(None), _) => continue,
            (Err(trouble), _) | (_, Err(trouble)) => {
                found.push(unchecked("", &format!("the quota '{name}'"), trouble));
                continue;
            }
        };
        let free = usize::try_from(quota.value).unwrap_or(usize::MAX).saturating_sub(used);
        if free < 1 {
            let message = format!(
                "the quota '{name}' ({code}) is too small: limit {}, used {used}, needs 1, free {free}",
                quota.value
            );
            let action = format!("Ask for a higher '{name}' in Service Quotas, or delete one that is not needed.");
            found.push(blocking(ErrorCode::QuotaExceeded, "", message, action));
        }
    }
    found
}

fn count<'a, T>(read: &'a Read<T>, of: impl Fn(&T) -> usize) -> Result<usize, &'a domain::failure::Trouble> {
    read.as_ref().map(of)
}

/// NAT gateways of the zone in which ours would be.
fn nats_in_zone<'a>(request: &Request<'_>, seen: &'a Seen) -> Result<usize, &'a domain::failure::Trouble> {
    let (zones, nats, subnets) = (seen.zones.as_ref()?, seen.network.nats.as_ref()?, seen.network.subnets.as_ref()?);
    let ids: Vec<String> = zones.iter().map(|zone| zone.id.clone()).collect();
    let Some([zone, _]) = eks_zones(request, &ids) else { return Ok(0) };
    let alive = nats.iter().filter(|nat| matches!(nat.state.as_str(), "pending" | "available" | "deleting"));
    let there = alive.filter(|nat| subnets.iter().any(|subnet| subnet.id == nat.subnet_id && subnet.zone_id == zone));
    Ok(there.count())
}
