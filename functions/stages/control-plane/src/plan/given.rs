//! Subnets given by those who must: used, never changed; what is wrong with them is said before anything is made.

use crate::{
    change::Known,
    observe::{Network, network::Given},
};
use cloud::ec2::Subnet;
use domain::{codes::ErrorCode, failure::Failure, zones};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Free addresses that EKS wants in each subnet (EKS user guide, "Subnet requirements and considerations").
const ADDRESSES: u32 = 6;

/// The given subnets that the control plane can have: those in zones that EKS does not take are left out while two zones
/// remain (field report BR-001).
pub(super) fn accepted(network: &Network, given: &Given) -> Result<Vec<Known>, Failure> {
    if let Some(id) = given.missing.first() {
        return Err(wrong(id, "does not exist in this Region", "Give subnets of the cluster's Region and account."));
    }
    let vpcs: BTreeSet<&str> = given.subnets.iter().map(|subnet| subnet.vpc_id.as_str()).collect();
    if vpcs.len() > 1 {
        let all = vpcs.into_iter().collect::<Vec<_>>().join(", ");
        let text = format!("network.subnetIds are in several VPCs: {all}");
        return Err(Failure::new(ErrorCode::InvalidInput, text).with_action("Give subnets of one VPC."));
    }
    let usable: Vec<&Subnet> = given.subnets.iter().filter(|subnet| zones::eks_accepts(&subnet.zone_id)).collect();
    let distinct: BTreeSet<&str> = usable.iter().map(|subnet| subnet.zone_id.as_str()).collect();
    if distinct.len() < 2 {
        return Err(too_few_zones(given));
    }
    if let Some(subnet) = usable.iter().find(|subnet| subnet.free_addresses < ADDRESSES) {
        let text = format!("subnet {} has {} free addresses; EKS needs {ADDRESSES}", subnet.id, subnet.free_addresses);
        return Err(Failure::new(ErrorCode::SubnetCapacity, text).with_action("Give subnets with free addresses."));
    }
    if !given.dns_support || !network.dns_hostnames {
        let vpc = vpcs.into_iter().next().unwrap_or_default();
        let text = format!("DNS support and DNS host names must be on in {vpc}: EKS nodes find the API server by them");
        return Err(Failure::new(ErrorCode::InvalidInput, text).with_action("Switch both on, then run it again."));
    }
    Ok(usable.into_iter().map(|subnet| Known::of(Some(&subnet.id))).collect())
}

fn too_few_zones(given: &Given) -> Failure {
    let refused = given.subnets.iter().position(|subnet| !zones::eks_accepts(&subnet.zone_id));
    match refused.and_then(|index| Some((index, given.subnets.get(index)?))) {
        Some((index, subnet)) => {
            let text = format!(
                "network.subnetIds[{index}] ({}) is in {}, where EKS places no control plane, and fewer than two zones remain",
                subnet.id, subnet.zone_id
            );
            Failure::new(ErrorCode::InvalidInput, text)
                .with_action("Give subnets in two zones that EKS accepts instead.")
        }
        None => Failure::new(ErrorCode::InvalidInput, "network.subnetIds are all in one zone; EKS needs two")
            .with_action("Give subnets in two zones."),
    }
}

fn wrong(id: &str, what: &str, action: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("network.subnetIds: {id} {what}")).with_action(action)
}

pub(super) fn outcome(network: &Network, given: &Given) -> Value {
    let ids: Vec<&str> = given.subnets.iter().map(|subnet| subnet.id.as_str()).collect();
    json!({
        "vpcId": network.vpc.as_ref().map(|vpc| vpc.id.as_str()),
        "borrowedSubnetIds": ids,
        "securityGroupId": network.security_group.as_ref().map(|group| group.id.as_str()),
    })
}
