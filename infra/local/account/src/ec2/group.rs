//! Security groups, the default one of each VPC included.

use super::{
    Network, enter,
    ids::{GROUP, RULE},
    listing::{self, Listing},
    missing, need,
    rule::{Peer, Permission, Rule, permissions},
    tags, vpc, within_quota,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A security group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// `sg-…`.
    pub id: String,
    /// Unique in its VPC.
    pub name: String,
    /// Text for people.
    pub description: String,
    /// Its VPC.
    pub vpc: String,
    /// Its rules by `sgr-…`.
    pub rules: BTreeMap<String, Rule>,
}

impl Group {
    fn row(&self, region: &str) -> Value {
        json!({
            "GroupId": self.id,
            "GroupName": self.name,
            "Description": self.description,
            "VpcId": self.vpc,
            "OwnerId": ACCOUNT_ID,
            "SecurityGroupArn": arn(region, &self.id),
            "IpPermissions": permissions(self, false),
            "IpPermissionsEgress": permissions(self, true),
        })
    }
}

fn arn(region: &str, id: &str) -> String {
    format!("arn:aws:ec2:{region}:{ACCOUNT_ID}:security-group/{id}")
}

/// Whether all traffic of `group` with itself is allowed: (ingress, egress).
///
/// EFA traffic needs both by reference to the group itself; a rule for any address does not cover it.
pub fn self_rules(network: &Network, group: &str) -> (bool, bool) {
    let allows = |egress: bool| {
        network.groups.get(group).is_some_and(|known| {
            known.rules.values().any(|rule| rule.egress == egress && rule.permission.is_all_from(group))
        })
    };
    (allows(false), allows(true))
}

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateSecurityGroup" => create(world, call),
        "DeleteSecurityGroup" => delete(world, call),
        "DescribeSecurityGroups" => describe(world, call),
        _ => return None,
    })
}

/// Puts a group into the region and answers its id: egress to everywhere, and for a default group ingress from itself.
pub(super) fn build(world: &mut World, region: &str, vpc: &str, name: &str, description: &str) -> String {
    let id = world.new_id(GROUP.prefix);
    let mut first = vec![(true, Permission::all(Peer::Cidr4("0.0.0.0/0".to_owned())))];
    if name == "default" {
        first.push((false, Permission::all(Peer::Group(id.clone()))));
    }
    let mut rules = BTreeMap::new();
    for (egress, permission) in first {
        let rule = world.new_id(RULE.prefix);
        rules.insert(rule.clone(), Rule { id: rule, egress, permission, description: None });
    }
    let group = Group {
        id: id.clone(),
        name: name.to_owned(),
        description: description.to_owned(),
        vpc: vpc.to_owned(),
        rules,
    };
    world.ec2.network(region).groups.insert(id.clone(), group);
    id
}

/// The group `id`, or the refusal of a request that names it.
pub(super) fn find<'a>(network: &'a mut Network, id: &str) -> Result<&'a mut Group, AwsError> {
    network.groups.get_mut(id).ok_or_else(|| GROUP.missing(id))
}

fn create(world: &mut World, call: &Call) -> Answer {
    let name = need(call, "GroupName")?;
    let description = call.text("Description").ok_or_else(|| missing("GroupDescription"))?;
    checked(name, description)?;
    let network = world.ec2.network(&call.region);
    let default = network.vpcs.values().find(|vpc| vpc.default).map(|vpc| vpc.id.clone());
    let vpc_id = match call.text("VpcId") {
        Some(id) => id.to_owned(),
        None => default.ok_or_else(|| AwsError::new("VPCIdNotSpecified", "No default VPC for this user"))?,
    };
    vpc::find(network, &vpc_id)?;
    if network.groups.values().any(|group| group.vpc == vpc_id && group.name == name) {
        let message = format!("The security group '{name}' already exists for VPC '{vpc_id}'");
        return Err(AwsError::new("InvalidGroup.Duplicate", message));
    }
    let used = network.groups.len();
    let tags = tags::specified(call, &GROUP)?;
    let refusal = ("SecurityGroupLimitExceeded", "The maximum number of security groups has been reached.");
    within_quota(world, &call.region, ("vpc", "L-E79EC296"), used, refusal)?;
    let id = build(world, &call.region, &vpc_id, name, description);
    let listed = tags::row(&tags);
    enter(world, call, &id, tags);
    Ok(json!({ "GroupId": id, "Tags": listed, "SecurityGroupArn": arn(&call.region, &id) }))
}

/// EC2's rules for names and descriptions: at most 255 of letters, digits, spaces and `._-:/()#,@[]+=&;{}!$*`.
fn checked(name: &str, description: &str) -> Result<(), AwsError> {
    let fits = |text: &str| {
        text.len() <= 255 && text.chars().all(|c| c.is_ascii_alphanumeric() || " ._-:/()#,@[]+=&;{}!$*".contains(c))
    };
    let message = if name.starts_with("sg-") {
        format!("Value ({name}) for parameter GroupName is invalid. Group names may not be in the format sg-*.")
    } else if name.eq_ignore_ascii_case("default") {
        return Err(AwsError::new("InvalidGroup.Reserved", "The security group 'default' is reserved"));
    } else if !fits(name) {
        format!("Value ({name}) for parameter GroupName is invalid. Character sets beyond ASCII are not supported.")
    } else if !fits(description) {
        format!(
            "Value ({description}) for parameter GroupDescription is invalid. Character sets beyond ASCII are not \
             supported."
        )
    } else {
        return Ok(());
    };
    Err(AwsError::new("InvalidParameterValue", message))
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let id = need(call, "GroupId")?;
    let network = world.ec2.network(&call.region);
    if find(network, id)?.name == "default" {
        let message = format!("the specified group: \"{id}\" name: \"default\" cannot be deleted by a user");
        return Err(AwsError::new("CannotDelete", message));
    }
    let holds = |rule: &Rule| rule.permission.peer == Peer::Group(id.to_owned());
    let referenced = network.groups.values().any(|other| other.id != id && other.rules.values().any(holds));
    let used = network.interfaces.values().any(|interface| interface.groups.iter().any(|group| group == id));
    if referenced || used {
        return Err(AwsError::new("DependencyViolation", format!("resource {id} has a dependent object")));
    }
    if let Some(group) = network.groups.remove(id) {
        group.rules.keys().for_each(|rule| network.forget(rule));
    }
    network.forget(id);
    Ok(json!({ "Return": true, "GroupId": id }))
}

fn describe(world: &mut World, call: &Call) -> Answer {
    const LISTING: Listing = Listing {
        rows: "SecurityGroups",
        ids: "GroupIds",
        id: "GroupId",
        kind: GROUP,
        filters: &[
            ("description", "Description"),
            ("egress.ip-permission.cidr", "IpPermissionsEgress.IpRanges.CidrIp"),
            ("egress.ip-permission.from-port", "IpPermissionsEgress.FromPort"),
            ("egress.ip-permission.group-id", "IpPermissionsEgress.UserIdGroupPairs.GroupId"),
            ("egress.ip-permission.protocol", "IpPermissionsEgress.IpProtocol"),
            ("egress.ip-permission.to-port", "IpPermissionsEgress.ToPort"),
            ("group-id", "GroupId"),
            ("group-name", "GroupName"),
            ("ip-permission.cidr", "IpPermissions.IpRanges.CidrIp"),
            ("ip-permission.from-port", "IpPermissions.FromPort"),
            ("ip-permission.group-id", "IpPermissions.UserIdGroupPairs.GroupId"),
            ("ip-permission.protocol", "IpPermissions.IpProtocol"),
            ("ip-permission.to-port", "IpPermissions.ToPort"),
            ("owner-id", "OwnerId"),
            ("vpc-id", "VpcId"),
        ],
    };
    let network = world.ec2.network(&call.region);
    let mut rows: Vec<Value> = network.groups.values().map(|group| group.row(&call.region)).collect();
    let names = call.texts("GroupNames");
    if !names.is_empty() {
        // Names are looked up in the default VPC alone.
        let default = network.vpcs.values().find(|vpc| vpc.default).map(|vpc| vpc.id.as_str()).unwrap_or_default();
        rows.retain(|row| row["VpcId"] == default && names.iter().any(|name| row["GroupName"] == *name));
        if let Some(absent) = names.iter().find(|name| !rows.iter().any(|row| row["GroupName"] == **name)) {
            let message = format!("The security group '{absent}' does not exist in default VPC '{default}'");
            return Err(AwsError::new("InvalidGroup.NotFound", message));
        }
    }
    listing::answer(network, call, &LISTING, rows)
}
