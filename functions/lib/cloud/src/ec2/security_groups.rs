//! Security groups. What matters to EFA is that a group allows all traffic with itself, both ways, by rules that name
//! the group: a rule for any address does not count.

use super::{Ec2, Find, creating, incomplete, listed, made_before, tags};
use crate::Tags;
use aws_sdk_ec2::types::{IpPermission, IpRange, ResourceType, UserIdGroupPair};
use domain::failure::Trouble;
use serde::Serialize;

/// Whether a group allows all traffic with itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelfRules {
    /// From itself.
    pub ingress: bool,
    /// To itself.
    pub egress: bool,
}

/// A security group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SecurityGroup {
    /// Its id.
    pub id: String,
    /// Its name, unique in the VPC.
    pub name: String,
    /// Its VPC.
    pub vpc_id: String,
    /// Whether it allows all traffic with itself.
    pub self_rules: SelfRules,
    /// Whether it lets everything out to any IPv4 address.
    pub egress_anywhere: bool,
    /// Its tags.
    pub tags: Tags,
}

impl Ec2 {
    /// Security groups that `find` fits; all pages.
    pub async fn security_groups(&self, find: &Find) -> Result<Vec<SecurityGroup>, Trouble> {
        let mut groups = Vec::new();
        let mut token = None;
        loop {
            let call = self.read.describe_security_groups();
            let call = call.set_group_ids(find.sdk_ids()).set_filters(find.sdk_filters());
            let Some(page) = listed("DescribeSecurityGroups", call.set_next_token(token.take()).send().await)? else {
                return Ok(groups);
            };
            groups.extend(page.security_groups().iter().filter_map(group));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(groups);
            }
        }
    }

    /// Makes a security group and answers its id. Its name guards against a second one: that the VPC has it
    /// already is uncertain, and the next look tells whose it is.
    pub async fn create_security_group(
        &self,
        vpc_id: &str,
        name: &str,
        description: &str,
        tags: &Tags,
    ) -> Result<String, Trouble> {
        let call = self.change.create_security_group().vpc_id(vpc_id).group_name(name).description(description);
        let made = call.tag_specifications(tags::specification(ResourceType::SecurityGroup, tags)).send().await;
        let made = made.map_err(|error| creating("CreateSecurityGroup", &error, "InvalidGroup.Duplicate"))?;
        made.group_id.ok_or_else(|| incomplete("CreateSecurityGroup", "groupId"))
    }

    /// Allows all traffic from the group itself; the same rule made before counts.
    pub async fn allow_self_ingress(&self, id: &str) -> Result<(), Trouble> {
        let call = self.change.authorize_security_group_ingress().group_id(id).ip_permissions(with_itself(id));
        made_before("AuthorizeSecurityGroupIngress", call.send().await, &["InvalidPermission.Duplicate"])
    }

    /// Allows all traffic to the group itself; the same rule made before counts.
    pub async fn allow_self_egress(&self, id: &str) -> Result<(), Trouble> {
        let call = self.change.authorize_security_group_egress().group_id(id).ip_permissions(with_itself(id));
        made_before("AuthorizeSecurityGroupEgress", call.send().await, &["InvalidPermission.Duplicate"])
    }

    /// Lets everything out to any IPv4 address; the same rule made before counts.
    pub async fn allow_egress_anywhere(&self, id: &str) -> Result<(), Trouble> {
        let anywhere = IpRange::builder().cidr_ip("0.0.0.0/0").build();
        let rule = IpPermission::builder().ip_protocol("-1").ip_ranges(anywhere).build();
        let call = self.change.authorize_security_group_egress().group_id(id).ip_permissions(rule);
        made_before("AuthorizeSecurityGroupEgress", call.send().await, &["InvalidPermission.Duplicate"])
    }
}

fn with_itself(id: &str) -> IpPermission {
    let itself = UserIdGroupPair::builder().group_id(id).build();
    IpPermission::builder().ip_protocol("-1").user_id_group_pairs(itself).build()
}

fn group(seen: &aws_sdk_ec2::types::SecurityGroup) -> Option<SecurityGroup> {
    let id = seen.group_id()?;
    let names_itself = |rule: &IpPermission| {
        rule.ip_protocol() == Some("-1") && rule.user_id_group_pairs().iter().any(|pair| pair.group_id() == Some(id))
    };
    let anywhere = |rule: &IpPermission| {
        rule.ip_protocol() == Some("-1") && rule.ip_ranges().iter().any(|range| range.cidr_ip() == Some("0.0.0.0/0"))
    };
    Some(SecurityGroup {
        id: id.to_owned(),
        name: seen.group_name().unwrap_or_default().to_owned(),
        vpc_id: seen.vpc_id().unwrap_or_default().to_owned(),
        self_rules: SelfRules {
            ingress: seen.ip_permissions().iter().any(names_itself),
            egress: seen.ip_permissions_egress().iter().any(names_itself),
        },
        egress_anywhere: seen.ip_permissions_egress().iter().any(anywhere),
        tags: tags::ours(seen.tags.as_deref()),
    })
}
