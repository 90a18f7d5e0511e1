//! Internet gateways: one per VPC, attached and detached.

use super::{
    Network, enter,
    ids::GATEWAY,
    listing::{self, Listing},
    need, tags, vpc, within_quota,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An internet gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InternetGateway {
    /// `igw-…`.
    pub id: String,
    /// The VPC it is attached to.
    pub vpc: Option<String>,
}

impl InternetGateway {
    fn row(&self) -> Value {
        let attachments: Value = self.vpc.iter().map(|vpc| json!({ "VpcId": vpc, "State": "available" })).collect();
        json!({ "InternetGatewayId": self.id, "OwnerId": ACCOUNT_ID, "Attachments": attachments })
    }
}

impl Network {
    /// Whether `vpc` reaches the internet through a gateway.
    pub fn has_gateway(&self, vpc: &str) -> bool {
        self.gateways.values().any(|gateway| gateway.vpc.as_deref() == Some(vpc))
    }
}

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateInternetGateway" => create(world, call),
        "DeleteInternetGateway" => delete(world, call),
        "DescribeInternetGateways" => describe(world, call),
        "AttachInternetGateway" => attach(world, call),
        "DetachInternetGateway" => detach(world, call),
        _ => return None,
    })
}

/// Puts a gateway into the region and answers its id.
pub(super) fn build(world: &mut World, region: &str, vpc: Option<&str>) -> String {
    let id = world.new_id(GATEWAY.prefix);
    let gateway = InternetGateway { id: id.clone(), vpc: vpc.map(str::to_owned) };
    world.ec2.network(region).gateways.insert(id.clone(), gateway);
    id
}

fn create(world: &mut World, call: &Call) -> Answer {
    let tags = tags::specified(call, &GATEWAY)?;
    let used = world.ec2.network(&call.region).gateways.len();
    let refusal = ("InternetGatewayLimitExceeded", "The maximum number of internet gateways has been reached.");
    within_quota(world, &call.region, ("vpc", "L-A4707A72"), used, refusal)?;
    let id = build(world, &call.region, None);
    let listed = tags::row(&tags);
    enter(world, call, &id, tags);
    Ok(json!({ "InternetGateway": {
        "InternetGatewayId": id, "OwnerId": ACCOUNT_ID, "Attachments": [], "Tags": listed,
    } }))
}

fn find<'a>(network: &'a mut Network, id: &str) -> Result<&'a mut InternetGateway, AwsError> {
    network.gateways.get_mut(id).ok_or_else(|| GATEWAY.missing(id))
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "InternetGatewayId")?;
    let network = world.ec2.network(&call.region);
    if find(network, id)?.vpc.is_some() {
        let message = format!("The internetGateway '{id}' has dependencies and cannot be deleted.");
        return Err(AwsError::new("DependencyViolation", message));
    }
    network.gateways.remove(id);
    network.forget(id);
    Ok(json!({}))
}

fn attach(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "InternetGatewayId")?;
    let vpc_id = need(call, "VpcId")?;
    let network = world.ec2.network(&call.region);
    vpc::find(network, vpc_id)?;
    let taken = network.has_gateway(vpc_id);
    let gateway = find(network, id)?;
    if let Some(other) = &gateway.vpc {
        let message = format!("resource {id} is already attached to network {other}");
        return Err(AwsError::new("Resource.AlreadyAssociated", message));
    }
    if taken {
        let message = format!("Network {vpc_id} already has an internet gateway attached");
        return Err(AwsError::new("InvalidParameterValue", message));
    }
    gateway.vpc = Some(vpc_id.to_owned());
    Ok(json!({}))
}

fn detach(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "InternetGatewayId")?;
    let vpc_id = need(call, "VpcId")?;
    let network = world.ec2.network(&call.region);
    vpc::find(network, vpc_id)?;
    if find(network, id)?.vpc.as_deref() != Some(vpc_id) {
        let message = format!("resource {id} is not attached to network {vpc_id}");
        return Err(AwsError::new("Gateway.NotAttached", message));
    }
    let mapped = network.addresses.values().filter_map(|address| address.interface.as_ref());
    let mapped = mapped.filter_map(|interface| network.interfaces.get(interface));
    if mapped.into_iter().any(|interface| interface.vpc == vpc_id) {
        let message = format!(
            "Network {vpc_id} has some mapped public address(es). Please unmap those public address(es) before \
             detaching the gateway."
        );
        return Err(AwsError::new("DependencyViolation", message));
    }
    find(network, id)?.vpc = None;
    Ok(json!({}))
}

fn describe(world: &mut World, call: &Call) -> Answer {
    const LISTING: Listing = Listing {
        rows: "InternetGateways",
        ids: "InternetGatewayIds",
        id: "InternetGatewayId",
        kind: GATEWAY,
        filters: &[
            ("attachment.state", "Attachments.State"),
            ("attachment.vpc-id", "Attachments.VpcId"),
            ("internet-gateway-id", "InternetGatewayId"),
            ("owner-id", "OwnerId"),
        ],
    };
    let network = world.ec2.network(&call.region);
    listing::answer(network, call, &LISTING, network.gateways.values().map(InternetGateway::row).collect())
}
