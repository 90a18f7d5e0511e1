//! Regions and zones of the account: how names map to ids, and which instance types a zone offers.
//!
//! What is here is fixed for an account; what can be changed by a test or runs out is in [`capacity`](crate::capacity).

use crate::call::ACCOUNT_ID;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A zone of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// Its name in this account: `us-west-2a`.
    pub name: String,
    /// The same for everyone: `usw2-az2`.
    pub id: String,
}

/// Region, its name in price lists, prefix of its usage types, prefix of its zone ids, and the numbers of those.
type Entry = (&'static str, &'static str, &'static str, &'static str, &'static [u8]);

/// Regions that are enabled for every account and offer HyperPod.
const REGIONS: [Entry; 15] = [
    ("ap-northeast-1", "Asia Pacific (Tokyo)", "APN1", "apne1", &[1, 2, 4]),
    ("ap-northeast-2", "Asia Pacific (Seoul)", "APN2", "apne2", &[1, 2, 3, 4]),
    ("ap-south-1", "Asia Pacific (Mumbai)", "APS3", "aps1", &[1, 2, 3]),
    ("ap-southeast-1", "Asia Pacific (Singapore)", "APS1", "apse1", &[1, 2, 3]),
    ("ap-southeast-2", "Asia Pacific (Sydney)", "APS2", "apse2", &[1, 2, 3]),
    ("ca-central-1", "Canada (Central)", "CAN1", "cac1", &[1, 2, 4]),
    ("eu-central-1", "EU (Frankfurt)", "EUC1", "euc1", &[1, 2, 3]),
    ("eu-north-1", "EU (Stockholm)", "EUN1", "eun1", &[1, 2, 3]),
    ("eu-west-1", "EU (Ireland)", "EU", "euw1", &[1, 2, 3]),
    ("eu-west-2", "EU (London)", "EUW2", "euw2", &[1, 2, 3]),
    ("sa-east-1", "South America (Sao Paulo)", "SAE1", "sae1", &[1, 2, 3]),
    ("us-east-1", "US East (N. Virginia)", "USE1", "use1", &[1, 2, 3, 4, 5, 6]),
    ("us-east-2", "US East (Ohio)", "USE2", "use2", &[1, 2, 3]),
    ("us-west-1", "US West (N. California)", "USW1", "usw1", &[1, 3]),
    ("us-west-2", "US West (Oregon)", "USW2", "usw2", &[1, 2, 3, 4]),
];

/// Regions that an account has to opt into, which this one has not.
const NOT_OPTED_IN: [&str; 3] = ["af-south-1", "ap-east-1", "me-south-1"];

/// Local zones, which the account has not opted into: region, name, id, group, parent's id.
const LOCAL_ZONES: [(&str, &str, &str, &str, &str); 2] = [
    ("us-east-1", "us-east-1-dfw-2a", "use1-dfw2-az1", "us-east-1-dfw-2", "use1-az6"),
    ("us-west-2", "us-west-2-lax-1a", "usw2-lax1-az1", "us-west-2-lax-1", "usw2-az2"),
];

/// Which zones offer the accelerated families; other types are offered in every zone but use1-az3, AWS's oldest.
const ACCELERATED: [(&str, &[&str]); 19] = [
    ("p4d", &["use1-az4", "use1-az6", "use2-az1", "use2-az2", "usw2-az1", "usw2-az2", "euw1-az1", "apne1-az4"]),
    ("p4de", &["use1-az6", "usw2-az2"]),
    ("p5", &["use1-az6", "use2-az1", "use2-az3", "usw2-az3", "usw2-az4", "euw2-az2", "apne1-az1", "aps1-az2"]),
    ("p5e", &["use2-az3", "usw2-az4"]),
    ("p5en", &["use1-az5", "use2-az1", "usw2-az4", "usw2-az2", "apne1-az4", "aps1-az2"]),
    ("p6-b200", &["use2-az2", "usw2-az2", "use1-az5"]),
    ("p6-b300", &["usw2-az1"]),
    ("p6e-gb200", &[]),
    ("trn1", &["use1-az6", "use2-az3", "usw2-az4"]),
    ("trn1n", &["use1-az6", "usw2-az4"]),
    ("trn2", &["use2-az3", "usw2-az4"]),
    ("g7e", &["use1-az6", "use2-az1", "usw2-az2"]),
    ("g7", &["usw2-az2", "use1-az4"]),
    (
        "g6e",
        &[
            "use1-az1",
            "use1-az4",
            "use1-az6",
            "use2-az1",
            "use2-az2",
            "usw2-az1",
            "usw2-az2",
            "usw2-az3",
            "euc1-az2",
            "apne1-az4",
        ],
    ),
    ("gr6", &["use1-az1", "use1-az4", "use2-az1", "usw2-az1", "usw2-az2"]),
    (
        "g6",
        &[
            "use1-az1",
            "use1-az2",
            "use1-az4",
            "use1-az6",
            "use2-az1",
            "use2-az2",
            "use2-az3",
            "usw2-az1",
            "usw2-az2",
            "usw2-az3",
            "euc1-az2",
            "euc1-az3",
            "euw2-az1",
            "apne1-az1",
            "apne1-az4",
        ],
    ),
    (
        "g5",
        &[
            "use1-az1",
            "use1-az2",
            "use1-az4",
            "use1-az5",
            "use1-az6",
            "use2-az1",
            "use2-az2",
            "use2-az3",
            "usw1-az1",
            "usw2-az1",
            "usw2-az2",
            "usw2-az3",
            "euw1-az1",
            "euw1-az3",
            "euc1-az1",
            "euc1-az2",
            "apne1-az1",
            "apne1-az4",
            "cac1-az1",
        ],
    ),
    (
        "g4dn",
        &[
            "use1-az1",
            "use1-az2",
            "use1-az4",
            "use1-az5",
            "use1-az6",
            "use2-az1",
            "use2-az2",
            "use2-az3",
            "usw1-az1",
            "usw1-az3",
            "usw2-az1",
            "usw2-az2",
            "usw2-az3",
            "euw1-az1",
            "euw1-az2",
            "euw1-az3",
            "euc1-az1",
            "euc1-az2",
            "apne1-az1",
            "sae1-az1",
        ],
    ),
    ("p3dn", &[]),
];

fn entry(region: &str) -> Option<&'static Entry> {
    REGIONS.iter().find(|entry| entry.0 == region)
}

/// Whether the account can use `region`.
pub fn is_enabled(region: &str) -> bool {
    entry(region).is_some()
}

/// Enabled regions in the order of their names.
pub fn regions() -> impl Iterator<Item = &'static str> {
    REGIONS.iter().map(|entry| entry.0)
}

/// A region's name in price lists and the prefix of its usage types.
pub fn priced_as(region: &str) -> Option<(&'static str, &'static str)> {
    entry(region).map(|entry| (entry.1, entry.2))
}

/// The region that a zone id belongs to.
pub fn region_of_zone(zone_id: &str) -> Option<&'static str> {
    let prefix = zone_id.split("-az").next()?;
    REGIONS.iter().find(|entry| entry.3 == prefix).map(|entry| entry.0)
}

/// The standard zones of a region in the order of their names.
///
/// Letters stand for other zones in every account (EC2 user guide, "AZ IDs"): the order of ids derives from account and
/// region, and never is the plain one where there is a choice.
pub fn zones(region: &str) -> Vec<Zone> {
    let Some((_, _, _, prefix, numbers)) = entry(region) else { return Vec::new() };
    let mut ids: Vec<String> = numbers.iter().map(|number| format!("{prefix}-az{number}")).collect();
    let plain = ids.clone();
    ids.sort_by_key(|id| Sha256::digest(format!("{ACCOUNT_ID}/{id}")).to_vec());
    if ids == plain {
        ids.rotate_left(1);
    }
    let named = ids.into_iter().zip('a'..='z');
    named.map(|(id, letter)| Zone { name: format!("{region}{letter}"), id }).collect()
}

/// The zone of `region` with this name or id.
pub fn zone(region: &str, name_or_id: &str) -> Option<Zone> {
    zones(region).into_iter().find(|zone| zone.name == name_or_id || zone.id == name_or_id)
}

/// Whether a zone offers an instance type by AWS's own catalogue; `instance_type` with or without `ml.`.
pub fn offers(zone_id: &str, instance_type: &str) -> bool {
    let bare = instance_type.trim_start_matches("ml.");
    let family = bare.split('.').next().unwrap_or_default();
    ACCELERATED
        .iter()
        .find(|(known, _)| *known == family)
        .map_or(zone_id != "use1-az3", |(_, zones)| zones.contains(&zone_id))
}

/// Regions as `DescribeRegions` lists them; those not opted into only if `all` are wanted.
pub fn region_rows(all: bool) -> Vec<Value> {
    let row = |name: &str, status: &str| {
        let endpoint = format!("ec2.{name}.amazonaws.com");
        json!({ "RegionName": name, "Endpoint": endpoint, "OptInStatus": status })
    };
    let mut rows: Vec<Value> = regions().map(|name| row(name, "opt-in-not-required")).collect();
    if all {
        rows.extend(NOT_OPTED_IN.iter().map(|name| row(name, "not-opted-in")));
    }
    rows
}

/// Zones as `DescribeAvailabilityZones` lists them; those not opted into only if `all` are wanted.
pub fn zone_rows(region: &str, all: bool) -> Vec<Value> {
    let own = zones(region);
    let mut rows: Vec<Value> = own
        .iter()
        .map(|zone| {
            json!({
                "ZoneName": zone.name, "ZoneId": zone.id, "ZoneType": "availability-zone", "RegionName": region,
                "GroupName": region, "NetworkBorderGroup": region, "State": "available", "Messages": [],
                "OptInStatus": "opt-in-not-required",
            })
        })
        .collect();
    for (_, name, id, group, parent) in LOCAL_ZONES.iter().filter(|local| all && local.0 == region) {
        rows.push(json!({
            "ZoneName": name, "ZoneId": id, "ZoneType": "local-zone", "RegionName": region, "GroupName": group,
            "NetworkBorderGroup": group, "State": "available", "Messages": [], "OptInStatus": "not-opted-in",
            "ParentZoneId": parent, "ParentZoneName": own.iter().find(|zone| zone.id == *parent).map(|zone| &zone.name),
        }));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{offers, region_of_zone, regions, zones};
    use std::collections::BTreeSet;

    #[test]
    fn zone_names_map_to_ids_in_an_order_of_the_accounts_own() {
        for region in regions() {
            let zones = zones(region);
            let ids: Vec<_> = zones.iter().map(|zone| zone.id.clone()).collect();
            let mut sorted = ids.clone();
            sorted.sort();
            assert_ne!(ids, sorted, "{region}");
            assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
            assert!(ids.iter().all(|id| region_of_zone(id) == Some(region)));
        }
    }

    #[test]
    fn accelerators_are_offered_in_some_zones_only() {
        assert!(offers("usw2-az4", "ml.p5.48xlarge") && offers("usw2-az4", "p5.48xlarge"));
        assert!(!offers("usw2-az1", "p5.48xlarge"));
        assert!(offers("usw2-az1", "m5.large") && !offers("use1-az3", "m5.large"));
        assert!(!offers("usw2-az1", "p6e-gb200.36xlarge"));
    }
}
