//! Authorizing, revoking and listing security group rules.

use super::{
    enter, group,
    ids::RULE,
    listing::{self, Listing},
    need, quotas_of_rules,
    rule::{self, Rule},
    tags,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde_json::{Value, json};

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "AuthorizeSecurityGroupIngress" => authorize(world, call, false),
        "AuthorizeSecurityGroupEgress" => authorize(world, call, true),
        "RevokeSecurityGroupIngress" => revoke(world, call, false),
        "RevokeSecurityGroupEgress" => revoke(world, call, true),
        "DescribeSecurityGroupRules" => describe(world, call),
        _ => return None,
    })
}

/// Adds rules; all or none, as EC2 does.
fn authorize(world: &mut World, call: &Call, egress: bool) -> Answer {
    let group_id = need(call, "GroupId")?;
    let tags = tags::specified(call, &RULE)?;
    let network = world.ec2.network(&call.region);
    let present: Vec<_> = group::find(network, group_id)?
        .rules
        .values()
        .filter(|rule| rule.egress == egress)
        .map(|rule| rule.permission.clone())
        .collect();
    let wanted = rule::read(network, call)?;
    for (at, (permission, _)) in wanted.iter().enumerate() {
        let twice = wanted.iter().take(at).any(|(earlier, _)| earlier == permission);
        if twice || present.contains(permission) {
            let message = format!("the specified rule \"{}\" already exists", permission.spoken());
            return Err(AwsError::new("InvalidPermission.Duplicate", message));
        }
    }
    quotas_of_rules(world, &call.region, present.len() + wanted.len())?;
    let mut rows = Vec::new();
    for (permission, description) in wanted {
        let id = world.new_id(RULE.prefix);
        let rule = Rule { id: id.clone(), egress, permission, description };
        let mut row = rule.row(group_id, &call.region);
        row["Tags"] = tags::row(&tags);
        rows.push(row);
        enter(world, call, &id, tags.clone());
        group::find(world.ec2.network(&call.region), group_id)?.rules.insert(id, rule);
    }
    Ok(json!({ "Return": true, "SecurityGroupRules": rows }))
}

/// Removes rules, named by id or by what they allow; all or none.
fn revoke(world: &mut World, call: &Call, egress: bool) -> Answer {
    let group_id = need(call, "GroupId")?;
    let network = world.ec2.network(&call.region);
    let ids = call.texts("SecurityGroupRuleIds");
    let of_direction = |group: &group::Group| -> Vec<Rule> {
        group.rules.values().filter(|rule| rule.egress == egress).cloned().collect()
    };
    let present = of_direction(group::find(network, group_id)?);
    let mut gone = Vec::new();
    if ids.is_empty() {
        for (permission, _) in rule::read(network, call)? {
            let found = present.iter().find(|rule| rule.permission == permission).ok_or_else(|| {
                AwsError::new("InvalidPermission.NotFound", "The specified rule does not exist in this security group.")
            })?;
            gone.push(found.clone());
        }
    } else {
        for id in ids {
            gone.push(present.iter().find(|rule| rule.id == id).ok_or_else(|| RULE.missing(id))?.clone());
        }
    }
    for rule in &gone {
        group::find(network, group_id)?.rules.remove(&rule.id);
        network.forget(&rule.id);
    }
    let rows: Vec<Value> = gone.iter().map(|rule| revoked(rule, group_id)).collect();
    Ok(json!({ "Return": true, "RevokedSecurityGroupRules": rows }))
}

/// A revoked rule: the answer names the referenced group by a plain id.
fn revoked(rule: &Rule, group: &str) -> Value {
    let mut row = rule.row(group, "");
    if let Some(members) = row.as_object_mut() {
        for member in ["SecurityGroupRuleArn", "GroupOwnerId"] {
            members.remove(member);
        }
        if let Some(referenced) = members.remove("ReferencedGroupInfo") {
            members.insert("ReferencedGroupId".to_owned(), referenced["GroupId"].clone());
        }
    }
    row
}

fn describe(world: &mut World, call: &Call) -> Answer {
    const LISTING: Listing = Listing {
        rows: "SecurityGroupRules",
        ids: "SecurityGroupRuleIds",
        id: "SecurityGroupRuleId",
        kind: RULE,
        filters: &[("group-id", "GroupId"), ("security-group-rule-id", "SecurityGroupRuleId")],
    };
    let network = world.ec2.network(&call.region);
    let rows =
        network.groups.values().flat_map(|group| group.rules.values().map(|rule| rule.row(&group.id, &call.region)));
    listing::answer(network, call, &LISTING, rows.collect())
}
