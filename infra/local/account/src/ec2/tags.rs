//! Tags: given at creation, changed later, listed.

use super::{
    ids::{Kind, RULE, kind_of},
    listing, missing,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Tags of one thing.
pub type Tags = BTreeMap<String, String>;

/// Tags that one thing can have (EC2 user guide, "Tag restrictions").
const MOST_TAGS: usize = 50;

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateTags" => create(world, call),
        "DeleteTags" => delete(world, call),
        "DescribeTags" => describe(world, call),
        _ => return None,
    })
}

/// Interfaces alone call their tags `TagSet` in lists.
pub(super) fn member_of(kind: &Kind) -> &'static str {
    if kind.prefix == "eni-" { "TagSet" } else { "Tags" }
}

/// Tags as EC2 lists them.
pub(super) fn row(tags: &Tags) -> Value {
    tags.iter().map(|(key, value)| json!({ "Key": key, "Value": value })).collect()
}

/// The tags that the call's `TagSpecifications` give to a new thing of `kind`.
///
/// # Errors
/// `InvalidParameterValue` for another resource type or a reserved key, `TagLimitExceeded` beyond 50 tags.
pub(super) fn specified(call: &Call, kind: &Kind) -> Result<Tags, AwsError> {
    let mut tags = Tags::new();
    for specification in call.list("TagSpecifications") {
        let resource_type = specification["ResourceType"].as_str().unwrap_or_default();
        // A group can be made with tags for its first rules as well.
        if resource_type == RULE.tagged_as && kind.tagged_as == "security-group" {
            continue;
        }
        if resource_type != kind.tagged_as {
            let message = format!("'{resource_type}' is not a valid taggable resource type for this operation.");
            return Err(AwsError::new("InvalidParameterValue", message));
        }
        tags.extend(read(specification["Tags"].as_array().map_or(&[], Vec::as_slice))?);
    }
    limited(tags)
}

fn limited(tags: Tags) -> Result<Tags, AwsError> {
    if tags.len() > MOST_TAGS {
        return Err(AwsError::new("TagLimitExceeded", "The maximum number of Tags for a resource has been reached."));
    }
    Ok(tags)
}

fn read(list: &[Value]) -> Result<Tags, AwsError> {
    let mut tags = Tags::new();
    for tag in list {
        let key = tag["Key"].as_str().unwrap_or_default();
        let value = tag["Value"].as_str().unwrap_or_default();
        checked(key, value)?;
        if tags.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(AwsError::new("InvalidParameterValue", "Duplicate tag key specified."));
        }
    }
    Ok(tags)
}

fn checked(key: &str, value: &str) -> Result<(), AwsError> {
    let refusal = if key.is_empty() {
        "Tag key must not be empty.".to_owned()
    } else if key.starts_with("aws:") {
        "Tag keys starting with 'aws:' are reserved for internal use".to_owned()
    } else if key.chars().count() > 128 {
        format!("Tag key exceeds the maximum length of 128 characters: {key}")
    } else if value.chars().count() > 256 {
        format!("Tag value exceeds the maximum length of 256 characters, for key {key}")
    } else {
        return Ok(());
    };
    Err(AwsError::new("InvalidParameterValue", refusal))
}

fn create(world: &mut World, call: &Call) -> Answer {
    let ids = existing(world, call)?;
    if call.list("Tags").is_empty() {
        return Err(missing("Tag"));
    }
    let new = read(call.list("Tags"))?;
    let network = world.ec2.network(&call.region);
    // All or nothing: EC2 tags none of the resources if one would have too many.
    let mut changed = Vec::new();
    for id in ids {
        let mut tags = network.tags.get(&id).cloned().unwrap_or_default();
        tags.extend(new.clone());
        changed.push((id, limited(tags)?));
    }
    network.tags.extend(changed);
    Ok(json!({}))
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let ids = existing(world, call)?;
    let network = world.ec2.network(&call.region);
    for id in ids {
        let Some(tags) = network.tags.get_mut(&id) else { continue };
        if call.list("Tags").is_empty() {
            tags.clear();
        }
        for tag in call.list("Tags") {
            let key = tag["Key"].as_str().unwrap_or_default();
            // A tag named without its value goes whatever its value is.
            if tag["Value"].as_str().is_none_or(|value| tags.get(key).is_some_and(|now| now == value)) {
                tags.remove(key);
            }
        }
    }
    Ok(json!({}))
}

/// The ids that the call names, all of which exist.
fn existing(world: &mut World, call: &Call) -> Result<Vec<String>, AwsError> {
    let ids = call.texts("Resources");
    if ids.is_empty() {
        return Err(missing("resourceIdSet"));
    }
    let network = world.ec2.network(&call.region);
    for id in &ids {
        let kind = kind_of(id).ok_or_else(|| AwsError::new("InvalidID", format!("The ID '{id}' is not valid")))?;
        let exists = match kind.prefix {
            "vpc-" => network.vpcs.contains_key(*id),
            "subnet-" => network.subnets.contains_key(*id),
            "igw-" => network.gateways.contains_key(*id),
            "nat-" => network.nats.contains_key(*id),
            "eipalloc-" => network.addresses.contains_key(*id),
            "rtb-" => network.route_tables.contains_key(*id),
            "sg-" => network.groups.contains_key(*id),
            "sgr-" => network.groups.values().any(|group| group.rules.contains_key(*id)),
            "vpce-" => network.endpoints.contains_key(*id),
            "eni-" => network.interfaces.contains_key(*id),
            "dopt-" => network.vpcs.values().any(|vpc| vpc.dhcp_options == **id),
            _ => false,
        };
        if !exists {
            return Err(kind.missing(id));
        }
    }
    Ok(ids.into_iter().map(str::to_owned).collect())
}

fn describe(world: &mut World, call: &Call) -> Answer {
    let network = world.ec2.network(&call.region);
    let rows = network.tags.iter().filter(|(id, _)| network.shows(id, call.now)).flat_map(|(id, tags)| {
        let kind = kind_of(id).map_or("", |kind| kind.tagged_as);
        tags.iter()
            .map(move |(key, value)| json!({ "ResourceId": id, "ResourceType": kind, "Key": key, "Value": value }))
    });
    let known = [("resource-id", "ResourceId"), ("resource-type", "ResourceType"), ("key", "Key"), ("value", "Value")];
    let mut rows: Vec<Value> = rows.collect();
    // Here `tag:Name` speaks of the row itself, which is one tag.
    let mut call = call.clone();
    for filter in call.input.get_mut("Filters").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(key) = filter["Name"].as_str().and_then(|name| name.strip_prefix("tag:")).map(str::to_owned) {
            filter["Name"] = "value".into();
            rows.retain(|row| row["Key"] == key.as_str());
        }
    }
    let rows = listing::filtered(&call, &known, rows)?;
    listing::page(&call, "Tags", rows)
}
