//! What can be had where: regions, zones, instance types, offerings, account attributes. There are no instances.

use super::{ids::INSTANCE, listing};
use crate::{
    call::{Answer, AwsError, Call},
    capacity, catalogue, geography, quotas,
    world::World,
};
use serde_json::{Value, json};

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "DescribeRegions" => describe_regions(call),
        "DescribeAvailabilityZones" => describe_zones(call),
        "DescribeInstanceTypes" => describe_types(world, call),
        "DescribeInstanceTypeOfferings" => describe_offerings(world, call),
        "DescribeInstances" => describe_instances(call),
        "DescribeAccountAttributes" => describe_account(world, call),
        _ => return None,
    })
}

fn describe_regions(call: &Call) -> Answer {
    let known = [("endpoint", "Endpoint"), ("opt-in-status", "OptInStatus"), ("region-name", "RegionName")];
    let wanted = call.texts("RegionNames");
    let all = call.flag("AllRegions") == Some(true) || !wanted.is_empty();
    let rows = chosen("RegionName", &wanted, geography::region_rows(all), "The specified region does not exist")?;
    Ok(json!({ "Regions": listing::filtered(call, &known, rows)? }))
}

fn describe_zones(call: &Call) -> Answer {
    let known = [
        ("group-name", "GroupName"),
        ("network-border-group", "NetworkBorderGroup"),
        ("opt-in-status", "OptInStatus"),
        ("parent-zone-id", "ParentZoneId"),
        ("parent-zone-name", "ParentZoneName"),
        ("region-name", "RegionName"),
        ("state", "State"),
        ("zone-id", "ZoneId"),
        ("zone-name", "ZoneName"),
        ("zone-type", "ZoneType"),
    ];
    let (names, ids) = (call.texts("ZoneNames"), call.texts("ZoneIds"));
    let rows = geography::zone_rows(&call.region, call.flag("AllAvailabilityZones") == Some(true));
    let rows = chosen("ZoneName", &names, rows, "Invalid availability zone")?;
    let rows = chosen("ZoneId", &ids, rows, "Invalid availability zone-id")?;
    Ok(json!({ "AvailabilityZones": listing::filtered(call, &known, rows)? }))
}

/// The rows whose `member` is wanted; all if none is named.
fn chosen(member: &str, wanted: &[&str], mut rows: Vec<Value>, refusal: &str) -> Result<Vec<Value>, AwsError> {
    if let Some(absent) = wanted.iter().find(|name| !rows.iter().any(|row| row[member] == **name)) {
        return Err(AwsError::new("InvalidParameterValue", format!("{refusal}: [{absent}]")));
    }
    rows.retain(|row| wanted.is_empty() || wanted.iter().any(|name| row[member] == *name));
    Ok(rows)
}

fn describe_types(world: &World, call: &Call) -> Answer {
    let known = [
        ("current-generation", "CurrentGeneration"),
        ("instance-storage-supported", "InstanceStorageSupported"),
        ("instance-type", "InstanceType"),
        ("memory-info.size-in-mib", "MemoryInfo.SizeInMiB"),
        ("network-info.efa-supported", "NetworkInfo.EfaSupported"),
        ("processor-info.supported-architecture", "ProcessorInfo.SupportedArchitectures"),
        ("supported-usage-class", "SupportedUsageClasses"),
        ("vcpu-info.default-vcpus", "VCpuInfo.DefaultVCpus"),
    ];
    let wanted = call.texts("InstanceTypes");
    let zones = geography::zones(&call.region);
    let sold = catalogue::instance_types()
        .iter()
        .filter(|known| zones.iter().any(|zone| capacity::offers(world, &zone.id, known.bare())));
    let mut rows: Vec<Value> = sold.map(catalogue::InstanceType::row).collect();
    let absent: Vec<&str> =
        wanted.iter().copied().filter(|name| !rows.iter().any(|row| row["InstanceType"] == *name)).collect();
    if !absent.is_empty() {
        let message = format!("The following supplied instance types do not exist: [{}]", absent.join(", "));
        return Err(AwsError::new("InvalidInstanceType", message));
    }
    rows.retain(|row| wanted.is_empty() || wanted.iter().any(|name| row["InstanceType"] == *name));
    listing::page(call, "InstanceTypes", listing::filtered(call, &known, rows)?)
}

fn describe_offerings(world: &World, call: &Call) -> Answer {
    let kind = call.text("LocationType").unwrap_or("region");
    let zones = geography::zones(&call.region);
    let mut rows = Vec::new();
    for known in catalogue::instance_types() {
        let offering: Vec<_> = zones.iter().filter(|zone| capacity::offers(world, &zone.id, known.bare())).collect();
        let places: Vec<&str> = match kind {
            "availability-zone" => offering.iter().map(|zone| zone.name.as_str()).collect(),
            "availability-zone-id" => offering.iter().map(|zone| zone.id.as_str()).collect(),
            "region" => offering.iter().take(1).map(|_| call.region.as_str()).collect(),
            _ => Vec::new(),
        };
        rows.extend(
            places
                .into_iter()
                .map(|place| json!({ "InstanceType": known.bare(), "LocationType": kind, "Location": place })),
        );
    }
    let filters = [("instance-type", "InstanceType"), ("location", "Location")];
    listing::page(call, "InstanceTypeOfferings", listing::filtered(call, &filters, rows)?)
}

/// The account has no instances; HyperPod's run in an account of the service.
fn describe_instances(call: &Call) -> Answer {
    match call.texts("InstanceIds").first() {
        Some(id) => Err(INSTANCE.missing(id)),
        None => Ok(json!({ "Reservations": [] })),
    }
}

fn describe_account(world: &mut World, call: &Call) -> Answer {
    let network = world.ec2.network(&call.region);
    let default = network.vpcs.values().find(|vpc| vpc.default).map_or("none", |vpc| vpc.id.as_str()).to_owned();
    let addresses = quotas::limit(world, "ec2", "L-0263D0A3", &call.region).to_string();
    let per_interface = quotas::limit(world, "vpc", "L-2AFB9258", &call.region).to_string();
    let wanted = call.texts("AttributeNames");
    let all = [
        ("supported-platforms", "VPC".to_owned()),
        ("vpc-max-security-groups-per-interface", per_interface),
        ("max-elastic-ips", addresses.clone()),
        ("max-instances", "20".to_owned()),
        ("vpc-max-elastic-ips", addresses),
        ("default-vpc", default),
    ];
    let rows = all
        .into_iter()
        .filter(|(name, _)| wanted.is_empty() || wanted.contains(name))
        .map(|(name, value)| json!({ "AttributeName": name, "AttributeValues": [{ "AttributeValue": value }] }));
    Ok(json!({ "AccountAttributes": rows.collect::<Value>() }))
}
