//! Gateway endpoints (S3, DynamoDB), the services there are, and their prefix lists.
//!
//! Interface endpoints are listed as services but not made: what runs in the account reaches AWS through NAT.

use super::{
    Network, enter,
    ids::{ENDPOINT, ROUTE_TABLE},
    listing::{self, Listing},
    made_before, need, remember_token, tags, vpc, within_quota,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    geography,
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

const OPEN_POLICY: &str =
    r#"{"Version":"2008-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"*","Resource":"*"}]}"#;

/// Services that can be reached through an interface endpoint, by the last part of their names.
const INTERFACE_SERVICES: [&str; 17] = [
    "aps-workspaces",
    "autoscaling",
    "ec2",
    "ec2messages",
    "ecr.api",
    "ecr.dkr",
    "eks",
    "eks-auth",
    "elasticloadbalancing",
    "fsx",
    "kms",
    "logs",
    "monitoring",
    "sagemaker.api",
    "ssm",
    "ssmmessages",
    "sts",
];

/// A gateway endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Endpoint {
    /// `vpce-…`.
    pub id: String,
    /// Its VPC.
    pub vpc: String,
    /// `com.amazonaws.REGION.s3`.
    pub service: String,
    /// Route tables that lead to it.
    pub route_tables: BTreeSet<String>,
    /// Its policy document.
    pub policy: String,
    /// When it was made.
    pub created: Timestamp,
}

impl Endpoint {
    fn row(&self) -> Value {
        json!({
            "VpcEndpointId": self.id,
            "VpcEndpointType": "Gateway",
            "VpcId": self.vpc,
            "ServiceName": self.service,
            "State": "available",
            "PolicyDocument": self.policy,
            "RouteTableIds": self.route_tables,
            "SubnetIds": [],
            "Groups": [],
            "NetworkInterfaceIds": [],
            "DnsEntries": [],
            "PrivateDnsEnabled": false,
            "RequesterManaged": false,
            "OwnerId": ACCOUNT_ID,
            "CreationTimestamp": self.created.as_second(),
        })
    }
}

/// The prefix list of a gateway service in a region; S3's in the two busiest regions are AWS's own ids.
pub(super) fn prefix_list(region: &str, service: &str) -> String {
    match (region, service.rsplit('.').next()) {
        ("us-east-1", Some("s3")) => "pl-63a5400a".to_owned(),
        ("us-west-2", Some("s3")) => "pl-68a54001".to_owned(),
        _ => format!("pl-{}", hex::encode(Sha256::digest(service)).chars().take(8).collect::<String>()),
    }
}

fn gateway_services(region: &str) -> [String; 2] {
    ["dynamodb", "s3"].map(|name| format!("com.amazonaws.{region}.{name}"))
}

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateVpcEndpoint" => create(world, call),
        "ModifyVpcEndpoint" => modify(world, call),
        "DeleteVpcEndpoints" => delete(world, call),
        "DescribeVpcEndpoints" => describe(world, call),
        "DescribeVpcEndpointServices" => describe_services(call),
        "DescribePrefixLists" => describe_prefix_lists(call),
        "DescribeManagedPrefixLists" => describe_managed_prefix_lists(call),
        _ => return None,
    })
}

fn create(world: &mut World, call: &Call) -> Answer {
    let vpc_id = need(call, "VpcId")?;
    let service = need(call, "ServiceName")?;
    if let Some(id) = made_before(world, call)? {
        return one(world, call, &id);
    }
    if !gateway_services(&call.region).iter().any(|known| known == service) {
        if services(&call.region).iter().any(|row| row["ServiceName"] == service) {
            let message = "Interface endpoints cannot be made in this account; use a NAT gateway.";
            return Err(AwsError::new("UnsupportedOperation", message));
        }
        let message = format!("The Vpc Endpoint Service '{service}' does not exist");
        return Err(AwsError::new("InvalidServiceName", message));
    }
    if let Some(kind) = call.text("VpcEndpointType").filter(|kind| *kind != "Gateway") {
        let message = format!("Endpoint type ({kind}) does not match available service types ([Gateway]).");
        return Err(AwsError::new("InvalidParameter", message));
    }
    let tags = tags::specified(call, &ENDPOINT)?;
    let network = world.ec2.network(&call.region);
    vpc::find(network, vpc_id)?;
    let mut endpoint = Endpoint {
        id: String::new(),
        vpc: vpc_id.to_owned(),
        service: service.to_owned(),
        route_tables: BTreeSet::new(),
        policy: policy(call)?.unwrap_or_else(|| OPEN_POLICY.to_owned()),
        created: call.now,
    };
    add_tables(network, &call.region, &mut endpoint, &call.texts("RouteTableIds"))?;
    let used = network.endpoints.len();
    let refusal = ("VpcEndpointLimitExceeded", "The maximum number of VPC endpoints has been reached.");
    within_quota(world, &call.region, ("vpc", "L-1B52E74A"), used, refusal)?;
    let id = world.new_id(ENDPOINT.prefix);
    endpoint.id.clone_from(&id);
    world.ec2.network(&call.region).endpoints.insert(id.clone(), endpoint);
    enter(world, call, &id, tags);
    remember_token(world, call, &id);
    one(world, call, &id)
}

fn policy(call: &Call) -> Result<Option<String>, AwsError> {
    let Some(text) = call.text("PolicyDocument").filter(|text| !text.is_empty()) else { return Ok(None) };
    serde_json::from_str::<Value>(text)
        .map(|_| Some(text.to_owned()))
        .map_err(|_| AwsError::new("InvalidPolicyDocument", "The policy document is not valid JSON."))
}

/// Lets route tables lead to the endpoint; each must be of its VPC and lead to no other endpoint of the service.
fn add_tables(network: &Network, region: &str, endpoint: &mut Endpoint, tables: &[&str]) -> Result<(), AwsError> {
    for id in tables {
        let table = network.route_tables.get(*id).ok_or_else(|| ROUTE_TABLE.missing(id))?;
        if table.vpc != endpoint.vpc {
            let message = format!("Route table {id} does not belong to VPC {}.", endpoint.vpc);
            return Err(AwsError::new("InvalidParameter", message));
        }
        let others = network.endpoints.values().filter(|one| one.id != endpoint.id && one.service == endpoint.service);
        if others.into_iter().any(|one| one.route_tables.contains(*id)) {
            let list = prefix_list(region, &endpoint.service);
            let message = format!("route table {id} already has a route with destination-prefix-list-id {list}");
            return Err(AwsError::new("RouteAlreadyExists", message));
        }
        endpoint.route_tables.insert((*id).to_owned());
    }
    Ok(())
}

fn one(world: &mut World, call: &Call, id: &str) -> Answer {
    let network = world.ec2.network(&call.region);
    let mut row = network.endpoints.get(id).ok_or_else(|| ENDPOINT.missing(id))?.row();
    row["Tags"] = tags::row(network.tags.get(id).unwrap_or(&tags::Tags::new()));
    let mut output = json!({ "VpcEndpoint": row });
    if let Some(token) = call.text("ClientToken") {
        output["ClientToken"] = token.into();
    }
    Ok(output)
}

fn modify(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "VpcEndpointId")?;
    let network = world.ec2.network(&call.region);
    let mut endpoint = network.endpoints.get(id).ok_or_else(|| ENDPOINT.missing(id))?.clone();
    for table in call.texts("RemoveRouteTableIds") {
        if !endpoint.route_tables.remove(table) {
            return Err(ROUTE_TABLE.missing(table));
        }
    }
    add_tables(network, &call.region, &mut endpoint, &call.texts("AddRouteTableIds"))?;
    if call.flag("ResetPolicy") == Some(true) {
        OPEN_POLICY.clone_into(&mut endpoint.policy);
    } else if let Some(policy) = policy(call)? {
        endpoint.policy = policy;
    }
    network.endpoints.insert(id.to_owned(), endpoint);
    super::done()
}

/// Deletes what can be deleted; what cannot is answered, not refused.
fn delete(world: &mut World, call: &Call) -> Answer {
    let ids = call.texts("VpcEndpointIds");
    if ids.is_empty() {
        return Err(super::missing("VpcEndpointId"));
    }
    let network = world.ec2.network(&call.region);
    let mut unsuccessful = Vec::new();
    for id in ids {
        if network.endpoints.remove(id).is_none() {
            let error = ENDPOINT.missing(id);
            unsuccessful.push(json!({
                "ResourceId": id, "Error": { "Code": error.code, "Message": error.message },
            }));
        }
        network.forget(id);
        network.tokens.retain(|_, (_, made)| made != id);
    }
    Ok(json!({ "Unsuccessful": unsuccessful }))
}

fn describe(world: &mut World, call: &Call) -> Answer {
    const LISTING: Listing = Listing {
        rows: "VpcEndpoints",
        ids: "VpcEndpointIds",
        id: "VpcEndpointId",
        kind: ENDPOINT,
        filters: &[
            ("service-name", "ServiceName"),
            ("vpc-endpoint-id", "VpcEndpointId"),
            ("vpc-endpoint-state", "State"),
            ("vpc-endpoint-type", "VpcEndpointType"),
            ("vpc-id", "VpcId"),
        ],
    };
    let network = world.ec2.network(&call.region);
    listing::answer(network, call, &LISTING, network.endpoints.values().map(Endpoint::row).collect())
}

fn services(region: &str) -> Vec<Value> {
    let zones: Vec<String> = geography::zones(region).into_iter().map(|zone| zone.name).collect();
    let gateway = gateway_services(region).map(|name| (name, "Gateway"));
    let interface = INTERFACE_SERVICES.map(|name| (format!("com.amazonaws.{region}.{name}"), "Interface"));
    let all = gateway.into_iter().chain(interface);
    all.map(|(name, kind)| {
        let short = name.rsplit_once(&format!("{region}.")).map_or("", |(_, short)| short);
        let digits: String = hex::encode(Sha256::digest(&name)).chars().take(17).collect();
        json!({
            "ServiceName": name,
            "ServiceId": format!("vpce-svc-{digits}"),
            "ServiceType": [{ "ServiceType": kind }],
            "ServiceRegion": region,
            "AvailabilityZones": zones,
            "Owner": "amazon",
            "BaseEndpointDnsNames": [format!("{short}.{region}.vpce.amazonaws.com")],
            "VpcEndpointPolicySupported": true,
            "AcceptanceRequired": false,
            "ManagesVpcEndpoints": false,
            "Tags": [],
        })
    })
    .collect()
}

fn describe_services(call: &Call) -> Answer {
    let known = [("service-name", "ServiceName"), ("service-type", "ServiceType.ServiceType"), ("owner", "Owner")];
    let mut rows = services(&call.region);
    let wanted = call.texts("ServiceNames");
    if let Some(absent) = wanted.iter().find(|name| !rows.iter().any(|row| row["ServiceName"] == **name)) {
        let message = format!("The Vpc Endpoint Service '{absent}' does not exist");
        return Err(AwsError::new("InvalidServiceName", message));
    }
    rows.retain(|row| wanted.is_empty() || wanted.iter().any(|name| row["ServiceName"] == *name));
    let rows = listing::filtered(call, &known, rows)?;
    let mut output = listing::page(call, "ServiceDetails", rows)?;
    let names = output["ServiceDetails"].as_array().into_iter().flatten().map(|row| row["ServiceName"].clone());
    output["ServiceNames"] = names.collect();
    Ok(output)
}

fn describe_prefix_lists(call: &Call) -> Answer {
    let rows = gateway_services(&call.region).into_iter().map(|name| {
        // Illustrative blocks of the service in a region.
        let blocks =
            if name.ends_with(".s3") { ["52.92.128.0/17", "3.5.76.0/22"] } else { ["52.94.4.0/24", "52.94.10.0/24"] };
        json!({ "PrefixListId": prefix_list(&call.region, &name), "PrefixListName": name, "Cidrs": blocks })
    });
    chosen_lists(call, "PrefixLists", rows.collect())
}

fn describe_managed_prefix_lists(call: &Call) -> Answer {
    let rows = gateway_services(&call.region).into_iter().map(|name| {
        let id = prefix_list(&call.region, &name);
        json!({
            "PrefixListArn": format!("arn:aws:ec2:{}:aws:prefix-list/{id}", call.region),
            "PrefixListId": id,
            "PrefixListName": name,
            "AddressFamily": "IPv4",
            "State": "create-complete",
            "OwnerId": "AWS",
            "Tags": [],
        })
    });
    chosen_lists(call, "PrefixLists", rows.collect())
}

fn chosen_lists(call: &Call, member: &str, mut rows: Vec<Value>) -> Answer {
    let known = [("prefix-list-id", "PrefixListId"), ("prefix-list-name", "PrefixListName"), ("owner-id", "OwnerId")];
    let wanted = call.texts("PrefixListIds");
    if let Some(absent) = wanted.iter().find(|id| !rows.iter().any(|row| row["PrefixListId"] == **id)) {
        let message = format!("The prefix list ID '{absent}' does not exist");
        return Err(AwsError::new("InvalidPrefixListID.NotFound", message));
    }
    rows.retain(|row| wanted.is_empty() || wanted.iter().any(|id| row["PrefixListId"] == *id));
    let rows = listing::filtered(call, &known, rows)?;
    listing::page(call, member, rows)
}
