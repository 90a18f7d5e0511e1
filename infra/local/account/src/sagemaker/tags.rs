//! Tags of clusters and training plans.

use super::{invalid, paging::page};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Tags of one resource at most.
const LIMIT: usize = 50;

/// `AddTags`.
pub(super) fn add(world: &mut World, call: &Call) -> Answer {
    let arn = known(world, call)?;
    let mut tags = world.sagemaker.tags.get(&arn).cloned().unwrap_or_default();
    tags.extend(read(call.list("Tags")));
    if tags.len() > LIMIT {
        return Err(invalid(format!("The number of tags exceeds the limit of {LIMIT} tags per resource")));
    }
    world.sagemaker.tags.insert(arn.clone(), tags);
    Ok(json!({ "Tags": of(world, &arn) }))
}

/// `ListTags`.
pub(super) fn list(world: &World, call: &Call) -> Answer {
    let arn = known(world, call)?;
    let Value::Array(tags) = of(world, &arn) else { return Ok(json!({ "Tags": [] })) };
    page(call, "Tags", tags)
}

/// `DeleteTags`.
pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let arn = known(world, call)?;
    if let Some(tags) = world.sagemaker.tags.get_mut(&arn) {
        for key in call.texts("TagKeys") {
            tags.remove(key);
        }
    }
    Ok(json!({}))
}

/// The tags of a resource as the API writes them.
pub(super) fn of(world: &World, arn: &str) -> Value {
    let tags = world.sagemaker.tags.get(arn).into_iter().flatten();
    tags.map(|(key, value)| json!({ "Key": key, "Value": value })).collect()
}

/// Tags from a request.
pub(super) fn read(tags: &[Value]) -> BTreeMap<String, String> {
    let text = |tag: &Value, name: &str| tag[name].as_str().unwrap_or_default().to_owned();
    tags.iter().map(|tag| (text(tag, "Key"), text(tag, "Value"))).collect()
}

fn known(world: &World, call: &Call) -> Result<String, AwsError> {
    let arn = call.required("ResourceArn");
    let state = &world.sagemaker;
    if state.clusters.contains_key(arn) || state.plans.contains_key(arn) {
        return Ok(arn.to_owned());
    }
    Err(AwsError::new("ResourceNotFound", format!("Resource {arn} not found")))
}
