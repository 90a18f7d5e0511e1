//! Zones and what they offer.

use super::{Ec2, reading};
use aws_sdk_ec2::types::{Filter, LocationType};
use domain::failure::Trouble;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A zone of the Region.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Zone {
    /// Its id: the same place in every account.
    pub id: String,
    /// This account's name for it.
    pub name: String,
}

impl Ec2 {
    /// The availability zones of the Region that are available, by id. Local and Wavelength Zones are left out: neither
    /// EKS control planes nor HyperPod go there.
    pub async fn zones(&self) -> Result<Vec<Zone>, Trouble> {
        let answer = self.read.describe_availability_zones().send().await;
        let answer = answer.map_err(|error| reading("DescribeAvailabilityZones", &error))?;
        let mut zones: Vec<Zone> = answer
            .availability_zones()
            .iter()
            .filter(|zone| zone.zone_type().is_none_or(|kind| kind == "availability-zone"))
            .filter(|zone| zone.state().is_none_or(|state| state.as_str() == "available"))
            .filter_map(|zone| Some(Zone { id: zone.zone_id()?.to_owned(), name: zone.zone_name()?.to_owned() }))
            .collect();
        zones.sort();
        Ok(zones)
    }

    /// Regions that this account has switched on.
    pub async fn regions(&self) -> Result<Vec<String>, Trouble> {
        let answer = self.read.describe_regions().send().await;
        let answer = answer.map_err(|error| reading("DescribeRegions", &error))?;
        let mut names: Vec<String> =
            answer.regions().iter().filter_map(|region| region.region_name().map(str::to_owned)).collect();
        names.sort();
        Ok(names)
    }

    /// Every Region there is, and whether this account has it switched on.
    pub async fn all_regions(&self) -> Result<Vec<(String, bool)>, Trouble> {
        let answer = self.read.describe_regions().all_regions(true).send().await;
        let answer = answer.map_err(|error| reading("DescribeRegions", &error))?;
        let mut regions: Vec<(String, bool)> = answer
            .regions()
            .iter()
            .filter_map(|seen| Some((seen.region_name()?.to_owned(), seen.opt_in_status() != Some("not-opted-in"))))
            .collect();
        regions.sort();
        Ok(regions)
    }

    /// Ids of the zones that offer each instance type (EC2's names, without `ml.`); all types if none are named.
    pub async fn offerings(&self, types: &[&str]) -> Result<BTreeMap<String, BTreeSet<String>>, Trouble> {
        let mut offered: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut token = None;
        loop {
            let mut call = self.read.describe_instance_type_offerings().location_type(LocationType::AvailabilityZoneId);
            if !types.is_empty() {
                let values = types.iter().map(|name| (*name).to_owned()).collect();
                call = call.filters(Filter::builder().name("instance-type").set_values(Some(values)).build());
            }
            let page = call.set_next_token(token.take()).send().await;
            let page = page.map_err(|error| reading("DescribeInstanceTypeOfferings", &error))?;
            for offering in page.instance_type_offerings() {
                if let (Some(kind), Some(zone)) = (offering.instance_type(), offering.location()) {
                    offered.entry(kind.as_str().to_owned()).or_default().insert(zone.to_owned());
                }
            }
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(offered);
            }
        }
    }
}
