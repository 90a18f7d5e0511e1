//! VPCs.

use super::{Ec2, Find, changing, incomplete, listed, tags};
use crate::Tags;
use aws_sdk_ec2::types::{AttributeBooleanValue, ResourceType};
use domain::failure::Trouble;
use ipnet::Ipv4Net;
use serde::Serialize;

/// A VPC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Vpc {
    /// Its id.
    pub id: String,
    /// Its CIDRs that are associated, the primary one first.
    pub cidrs: Vec<Ipv4Net>,
    /// `available`, or `pending`.
    pub state: String,
    /// Its tags.
    pub tags: Tags,
}

impl Ec2 {
    /// VPCs that `find` fits; all pages.
    pub async fn vpcs(&self, find: &Find) -> Result<Vec<Vpc>, Trouble> {
        let mut vpcs = Vec::new();
        let mut token = None;
        loop {
            let call = self.read.describe_vpcs().set_vpc_ids(find.sdk_ids()).set_filters(find.sdk_filters());
            let Some(page) = listed("DescribeVpcs", call.set_next_token(token.take()).send().await)? else {
                return Ok(vpcs);
            };
            vpcs.extend(page.vpcs().iter().filter_map(vpc));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(vpcs);
            }
        }
    }

    /// Whether DNS support and DNS host names are on: EKS nodes need both.
    pub async fn vpc_dns(&self, id: &str) -> Result<(bool, bool), Trouble> {
        use aws_sdk_ec2::types::VpcAttributeName::{EnableDnsHostnames, EnableDnsSupport};
        let on = |value: Option<&AttributeBooleanValue>| value.and_then(AttributeBooleanValue::value).unwrap_or(false);
        let call = self.read.describe_vpc_attribute().vpc_id(id);
        let support = listed("DescribeVpcAttribute", call.clone().attribute(EnableDnsSupport).send().await)?;
        let names = listed("DescribeVpcAttribute", call.attribute(EnableDnsHostnames).send().await)?;
        Ok((
            support.is_some_and(|answer| on(answer.enable_dns_support())),
            names.is_some_and(|answer| on(answer.enable_dns_hostnames())),
        ))
    }

    /// Makes a VPC and answers its id. The API takes no token: a lost answer is looked for by tag.
    pub async fn create_vpc(&self, cidr: Ipv4Net, tags: &Tags) -> Result<String, Trouble> {
        let call = self.change.create_vpc().cidr_block(cidr.to_string());
        let made = call.tag_specifications(tags::specification(ResourceType::Vpc, tags)).send().await;
        let made = made.map_err(|error| changing("CreateVpc", &error))?;
        made.vpc.and_then(|vpc| vpc.vpc_id).ok_or_else(|| incomplete("CreateVpc", "vpcId"))
    }

    /// Adds a block to a VPC. The exact CIDR guards against a second one.
    pub async fn associate_cidr(&self, id: &str, cidr: Ipv4Net) -> Result<(), Trouble> {
        let sent = self.change.associate_vpc_cidr_block().vpc_id(id).cidr_block(cidr.to_string()).send().await;
        sent.map(drop).map_err(|error| changing("AssociateVpcCidrBlock", &error))
    }

    /// Switches DNS host names on; DNS support is on in every new VPC.
    pub async fn enable_dns_hostnames(&self, id: &str) -> Result<(), Trouble> {
        let on = AttributeBooleanValue::builder().value(true).build();
        let sent = self.change.modify_vpc_attribute().vpc_id(id).enable_dns_hostnames(on).send().await;
        sent.map(drop).map_err(|error| changing("ModifyVpcAttribute", &error))
    }
}

fn vpc(seen: &aws_sdk_ec2::types::Vpc) -> Option<Vpc> {
    let associated = seen.cidr_block_association_set().iter().filter(|association| {
        association
            .cidr_block_state()
            .and_then(|state| state.state())
            .is_some_and(|state| state.as_str() == "associated")
    });
    let mut cidrs: Vec<Ipv4Net> = seen.cidr_block().and_then(|cidr| cidr.parse().ok()).into_iter().collect();
    for cidr in associated.filter_map(|association| association.cidr_block()?.parse().ok()) {
        if !cidrs.contains(&cidr) {
            cidrs.push(cidr);
        }
    }
    Some(Vpc {
        id: seen.vpc_id()?.to_owned(),
        cidrs,
        state: seen.state().map(|state| state.as_str().to_owned()).unwrap_or_default(),
        tags: tags::ours(seen.tags.as_deref()),
    })
}
