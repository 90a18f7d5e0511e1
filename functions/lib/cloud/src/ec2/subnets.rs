//! Subnets.

use super::{Ec2, Find, changing, incomplete, listed, tags};
use crate::Tags;
use aws_sdk_ec2::types::{AttributeBooleanValue, ResourceType};
use domain::failure::Trouble;
use ipnet::Ipv4Net;
use serde::Serialize;

/// A subnet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Subnet {
    /// Its id.
    pub id: String,
    /// Its VPC.
    pub vpc_id: String,
    /// Its CIDR.
    pub cidr: Ipv4Net,
    /// Zone id.
    pub zone_id: String,
    /// This account's name for the zone.
    pub zone_name: String,
    /// Addresses that are free now.
    pub free_addresses: u32,
    /// Whether instances get public addresses.
    pub maps_public_addresses: bool,
    /// Its tags.
    pub tags: Tags,
}

impl Ec2 {
    /// Subnets that `find` fits; all pages.
    pub async fn subnets(&self, find: &Find) -> Result<Vec<Subnet>, Trouble> {
        let mut subnets = Vec::new();
        let mut token = None;
        loop {
            let call = self.read.describe_subnets().set_subnet_ids(find.sdk_ids()).set_filters(find.sdk_filters());
            let Some(page) = listed("DescribeSubnets", call.set_next_token(token.take()).send().await)? else {
                return Ok(subnets);
            };
            subnets.extend(page.subnets().iter().filter_map(subnet));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(subnets);
            }
        }
    }

    /// Makes a subnet in a zone, by zone id, and answers its id. The exact CIDR guards against a second one.
    pub async fn create_subnet(
        &self,
        vpc_id: &str,
        cidr: Ipv4Net,
        zone_id: &str,
        tags: &Tags,
    ) -> Result<String, Trouble> {
        let call = self.change.create_subnet().vpc_id(vpc_id).cidr_block(cidr.to_string());
        let call = call.availability_zone_id(zone_id);
        let made = call.tag_specifications(tags::specification(ResourceType::Subnet, tags)).send().await;
        let made = made.map_err(|error| changing("CreateSubnet", &error))?;
        made.subnet.and_then(|subnet| subnet.subnet_id).ok_or_else(|| incomplete("CreateSubnet", "subnetId"))
    }

    /// Lets instances of a public subnet get public addresses.
    pub async fn map_public_addresses(&self, id: &str) -> Result<(), Trouble> {
        let on = AttributeBooleanValue::builder().value(true).build();
        let sent = self.change.modify_subnet_attribute().subnet_id(id).map_public_ip_on_launch(on).send().await;
        sent.map(drop).map_err(|error| changing("ModifySubnetAttribute", &error))
    }
}

fn subnet(seen: &aws_sdk_ec2::types::Subnet) -> Option<Subnet> {
    Some(Subnet {
        id: seen.subnet_id()?.to_owned(),
        vpc_id: seen.vpc_id()?.to_owned(),
        cidr: seen.cidr_block()?.parse().ok()?,
        zone_id: seen.availability_zone_id()?.to_owned(),
        zone_name: seen.availability_zone().unwrap_or_default().to_owned(),
        free_addresses: seen.available_ip_address_count().and_then(|count| count.try_into().ok()).unwrap_or(0),
        maps_public_addresses: seen.map_public_ip_on_launch().unwrap_or(false),
        tags: tags::ours(seen.tags.as_deref()),
    })
}
