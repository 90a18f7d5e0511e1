//! Tags of IAM's things, and IAM's rules for them.

use super::refusals::{invalid, limit};
use crate::{
    call::{AwsError, Call},
    world::World,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

type Tags = BTreeMap<String, String>;

/// The tags of the role, user, policy or provider with this ARN; `resource` is its part after the account.
pub(super) fn of_resource<'a>(world: &'a World, arn: &str, resource: &str) -> Option<&'a Tags> {
    let (kind, path) = resource.split_once('/')?;
    let name = path.rsplit('/').next()?;
    match kind {
        "role" => world.iam.roles.get(name).filter(|role| role.arn == arn).map(|role| &role.tags),
        "user" => world.iam.users.get(name).filter(|user| user.arn == arn).map(|user| &user.tags),
        "policy" => world.iam.policies.get(arn).map(|policy| &policy.tags),
        "oidc-provider" => world.iam.providers.get(path).map(|provider| &provider.tags),
        _ => None,
    }
}

/// The `Tags` of a request.
///
/// # Errors
/// `InvalidInput` for a key that is given twice or belongs to AWS.
pub(super) fn requested(call: &Call) -> Result<Tags, AwsError> {
    let mut tags = Tags::new();
    for tag in call.list("Tags") {
        let key = tag["Key"].as_str().unwrap_or_default();
        if key.to_lowercase().starts_with("aws:") {
            return Err(invalid(format!("Tag keys beginning with aws: are reserved for system use: {key}")));
        }
        let value = tag["Value"].as_str().unwrap_or_default();
        if tags.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(invalid("Duplicate tag keys found. Please note that Tag keys are case insensitive."));
        }
    }
    within_limit(&tags)?;
    Ok(tags)
}

/// Sets the request's tags on `tags`.
///
/// # Errors
/// As [`requested`], and `LimitExceeded` beyond 50 tags.
pub(super) fn set(tags: &mut Tags, call: &Call) -> Result<Value, AwsError> {
    let mut wanted = tags.clone();
    wanted.extend(requested(call)?);
    within_limit(&wanted)?;
    *tags = wanted;
    Ok(json!({}))
}

/// Removes the request's `TagKeys` from `tags`.
pub(super) fn unset(tags: &mut Tags, call: &Call) -> Value {
    for key in call.texts("TagKeys") {
        tags.remove(key);
    }
    json!({})
}

/// Tags in IAM's form, each with its key for paging.
pub(super) fn entries(tags: &Tags) -> Vec<(String, Value)> {
    tags.iter().map(|(key, value)| (key.clone(), json!({ "Key": key, "Value": value }))).collect()
}

/// Tags in IAM's form.
pub(super) fn list(tags: &Tags) -> Value {
    entries(tags).into_iter().map(|(_, tag)| tag).collect()
}

fn within_limit(tags: &Tags) -> Result<(), AwsError> {
    if tags.len() > 50 {
        return Err(limit("The number of tags has reached the maximum limit."));
    }
    Ok(())
}
