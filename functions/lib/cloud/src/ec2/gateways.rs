//! Internet gateways, elastic addresses and NAT gateways.

use super::{Ec2, Find, changing, incomplete, listed, made_before, tags};
use crate::Tags;
use aws_sdk_ec2::types::{ConnectivityType, DomainType, ResourceType};
use domain::failure::Trouble;
use serde::Serialize;

/// An internet gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InternetGateway {
    /// Its id.
    pub id: String,
    /// The VPCs that it is attached to; one at most.
    pub vpc_ids: Vec<String>,
    /// Its tags.
    pub tags: Tags,
}

/// An elastic address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// Its allocation id.
    pub allocation_id: String,
    /// The address.
    pub public_ip: String,
    /// Whether something uses it.
    pub in_use: bool,
    /// Its tags.
    pub tags: Tags,
}

/// A NAT gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NatGateway {
    /// Its id.
    pub id: String,
    /// Its subnet.
    pub subnet_id: String,
    /// `pending`, `available`, `failed`, `deleting` or `deleted`.
    pub state: String,
    /// Why it failed; empty if it did not.
    pub failure: String,
    /// Its tags.
    pub tags: Tags,
}

impl Ec2 {
    /// Internet gateways that `find` fits.
    pub async fn internet_gateways(&self, find: &Find) -> Result<Vec<InternetGateway>, Trouble> {
        let mut gateways = Vec::new();
        let mut token = None;
        loop {
            let call = self.read.describe_internet_gateways();
            let call = call.set_internet_gateway_ids(find.sdk_ids()).set_filters(find.sdk_filters());
            let Some(page) = listed("DescribeInternetGateways", call.set_next_token(token.take()).send().await)? else {
                return Ok(gateways);
            };
            gateways.extend(page.internet_gateways().iter().filter_map(|seen| {
                let vpc_ids = seen.attachments().iter().filter_map(|attached| attached.vpc_id().map(str::to_owned));
                Some(InternetGateway {
                    id: seen.internet_gateway_id()?.to_owned(),
                    vpc_ids: vpc_ids.collect(),
                    tags: tags::ours(seen.tags.as_deref()),
                })
            }));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(gateways);
            }
        }
    }

    /// Makes an internet gateway and answers its id.
    pub async fn create_internet_gateway(&self, tags: &Tags) -> Result<String, Trouble> {
        let call = self.change.create_internet_gateway();
        let made = call.tag_specifications(tags::specification(ResourceType::InternetGateway, tags)).send().await;
        let made = made.map_err(|error| changing("CreateInternetGateway", &error))?;
        let id = made.internet_gateway.and_then(|gateway| gateway.internet_gateway_id);
        id.ok_or_else(|| incomplete("CreateInternetGateway", "internetGatewayId"))
    }

    /// Attaches an internet gateway; one that is attached already counts.
    pub async fn attach_internet_gateway(&self, id: &str, vpc_id: &str) -> Result<(), Trouble> {
        let sent = self.change.attach_internet_gateway().internet_gateway_id(id).vpc_id(vpc_id).send().await;
        made_before("AttachInternetGateway", sent, &["Resource.AlreadyAssociated"])
    }

    /// Elastic addresses that `find` fits (`ids` are allocation ids).
    pub async fn addresses(&self, find: &Find) -> Result<Vec<Address>, Trouble> {
        let call = self.read.describe_addresses();
        let call = call.set_allocation_ids(find.sdk_ids()).set_filters(find.sdk_filters());
        let answer = listed("DescribeAddresses", call.send().await)?;
        let address = |seen: &aws_sdk_ec2::types::Address| {
            Some(Address {
                allocation_id: seen.allocation_id()?.to_owned(),
                public_ip: seen.public_ip().unwrap_or_default().to_owned(),
                in_use: seen.association_id().is_some(),
                tags: tags::ours(seen.tags.as_deref()),
            })
        };
        Ok(answer.map(|answer| answer.addresses().iter().filter_map(address).collect()).unwrap_or_default())
    }

    /// Allocates an elastic address and answers its allocation id. The API takes no token.
    pub async fn allocate_address(&self, tags: &Tags) -> Result<String, Trouble> {
        let call = self.change.allocate_address().domain(DomainType::Vpc);
        let made = call.tag_specifications(tags::specification(ResourceType::ElasticIp, tags)).send().await;
        let made = made.map_err(|error| changing("AllocateAddress", &error))?;
        made.allocation_id.ok_or_else(|| incomplete("AllocateAddress", "allocationId"))
    }

    /// NAT gateways that `find` fits; all pages.
    pub async fn nat_gateways(&self, find: &Find) -> Result<Vec<NatGateway>, Trouble> {
        let mut gateways = Vec::new();
        let mut token = None;
        loop {
            let call = self.read.describe_nat_gateways();
            let call = call.set_nat_gateway_ids(find.sdk_ids()).set_filter(find.sdk_filters());
            let Some(page) = listed("DescribeNatGateways", call.set_next_token(token.take()).send().await)? else {
                return Ok(gateways);
            };
            gateways.extend(page.nat_gateways().iter().filter_map(|seen| {
                Some(NatGateway {
                    id: seen.nat_gateway_id()?.to_owned(),
                    subnet_id: seen.subnet_id().unwrap_or_default().to_owned(),
                    state: seen.state().map(|state| state.as_str().to_owned()).unwrap_or_default(),
                    failure: seen.failure_message().unwrap_or_default().to_owned(),
                    tags: tags::ours(seen.tags.as_deref()),
                })
            }));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(gateways);
            }
        }
    }

    /// Makes a NAT gateway and answers its id; `token` makes a second sending the same gateway.
    pub async fn create_nat_gateway(
        &self,
        subnet_id: &str,
        allocation_id: &str,
        token: &str,
        tags: &Tags,
    ) -> Result<String, Trouble> {
        let call = self.change.create_nat_gateway().subnet_id(subnet_id).allocation_id(allocation_id);
        let call = call.connectivity_type(ConnectivityType::Public).client_token(token);
        let made = call.tag_specifications(tags::specification(ResourceType::Natgateway, tags)).send().await;
        let made = made.map_err(|error| changing("CreateNatGateway", &error))?;
        let id = made.nat_gateway.and_then(|gateway| gateway.nat_gateway_id);
        id.ok_or_else(|| incomplete("CreateNatGateway", "natGatewayId"))
    }

    /// Deletes a NAT gateway; one that is gone counts.
    pub async fn delete_nat_gateway(&self, id: &str) -> Result<(), Trouble> {
        let sent = self.change.delete_nat_gateway().nat_gateway_id(id).send().await;
        made_before("DeleteNatGateway", sent, &["NatGatewayNotFound"])
    }
}
