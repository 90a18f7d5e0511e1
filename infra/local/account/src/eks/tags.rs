//! Tags of clusters, add-ons, access entries and pod identity associations, by ARN.

use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde_json::json;
use std::collections::BTreeMap;

/// The most tags that one resource may carry.
const MOST: usize = 50;

/// `TagResource`.
pub(super) fn tag(world: &mut World, call: &Call) -> Answer {
    let wanted = super::wire::tags(call);
    if let Some(key) = wanted.keys().find(|key| key.to_ascii_lowercase().starts_with("aws:")) {
        return Err(bad(format!("Tag keys must not start with aws: {key}")));
    }
    let tags = tags_of(world, call.required("resourceArn"))?;
    let added = wanted.keys().filter(|key| !tags.contains_key(*key)).count();
    if tags.len() + added > MOST {
        return Err(bad(format!("A resource can have at most {MOST} tags.")));
    }
    tags.extend(wanted);
    Ok(json!({}))
}

/// `UntagResource`.
pub(super) fn untag(world: &mut World, call: &Call) -> Answer {
    let tags = tags_of(world, call.required("resourceArn"))?;
    for key in call.texts("tagKeys") {
        tags.remove(key);
    }
    Ok(json!({}))
}

/// `ListTagsForResource`.
pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    Ok(json!({ "tags": tags_of(world, call.required("resourceArn"))? }))
}

fn bad(message: String) -> AwsError {
    AwsError::new("BadRequestException", message)
}

/// The tags behind an ARN. Add-ons, entries and associations keep theirs in their cluster.
fn tags_of<'world>(world: &'world mut World, resource: &str) -> Result<&'world mut BTreeMap<String, String>, AwsError> {
    let missing = || AwsError::new("NotFoundException", format!("Resource not found: {resource}")).with_status(404);
    if world.eks.clusters.contains_key(resource) {
        return world.eks.clusters.get_mut(resource).map(|cluster| &mut cluster.tags).ok_or_else(missing);
    }
    let clusters = world.eks.clusters.values_mut();
    clusters.filter_map(|cluster| cluster.tags_of_part(resource)).next().ok_or_else(missing)
}
