//! Customer managed policies and their versions; AWS's own are in `managed`.

use super::{
    identity::{arn, unique_id},
    lagged::Lagged,
    managed, paging,
    policy::{Document, Kind},
    refusals::{exists, in_use, invalid, limit, malformed, no_policy, no_such},
    roles::{check_name, checked_path, encoded},
    state::{ManagedPolicy, Version, effective_from},
    tags,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Versions that a policy can have at a time.
const VERSIONS: usize = 5;
/// Characters of a managed policy, white space not counted.
const SIZE: usize = 6144;

/// Answers an action on managed policies; none if it is not one.
pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreatePolicy" => create(world, call),
        "GetPolicy" => get(world, call),
        "ListPolicies" => list(world, call),
        "DeletePolicy" => delete(world, call),
        "CreatePolicyVersion" => create_version(world, call),
        "GetPolicyVersion" => get_version(world, call),
        "ListPolicyVersions" => list_versions(world, call),
        "SetDefaultPolicyVersion" => set_default(world, call),
        "DeletePolicyVersion" => delete_version(world, call),
        "TagPolicy" => changeable(world, call).and_then(|policy| tags::set(&mut policy.tags, call)),
        "UntagPolicy" => changeable(world, call).map(|policy| tags::unset(&mut policy.tags, call)),
        _ => return None,
    })
}

fn create(world: &mut World, call: &Call) -> Answer {
    let name = call.required("PolicyName");
    check_name("policyName", name, 128)?;
    let path = checked_path(call)?;
    let document = document(call)?;
    let tags = tags::requested(call)?;
    let arn = arn("policy", path, name);
    if world.iam.policies.values().any(|policy| policy.name.eq_ignore_ascii_case(name)) {
        return Err(exists(format!("A policy called {name} already exists. Duplicate names are not allowed.")));
    }
    let effective = effective_from(world, &arn, call.now);
    let policy = ManagedPolicy {
        name: name.to_owned(),
        path: path.to_owned(),
        id: unique_id(world, "ANPA"),
        description: call.text("Description").map(str::to_owned),
        created: call.now,
        updated: call.now,
        tags,
        versions: BTreeMap::from([(1, Version { document: document.clone(), created: call.now })]),
        default: 1,
        last_version: 1,
        in_force: Lagged::new(document, effective),
    };
    world.iam.policies.insert(arn.clone(), policy);
    Ok(json!({ "Policy": describe(world, &arn, false) }))
}

fn get(world: &World, call: &Call) -> Answer {
    let arn = call.required("PolicyArn");
    match describe(world, arn, true) {
        Value::Null => Err(no_policy(arn)),
        policy => Ok(json!({ "Policy": policy })),
    }
}

fn list(world: &World, call: &Call) -> Answer {
    let scope = call.text("Scope").unwrap_or("All");
    let prefix = call.text("PathPrefix").unwrap_or("/");
    let attached_only = call.flag("OnlyAttached").unwrap_or(false);
    let ours = world.iam.policies.keys().filter(|_| scope != "AWS").cloned();
    let aws = managed::all().map(|policy| policy.arn()).filter(|_| scope != "Local");
    let found = ours.chain(aws).map(|arn| (describe(world, &arn, false), arn)).filter(|(policy, _)| {
        policy["Path"].as_str().is_some_and(|path| path.starts_with(prefix))
            && (!attached_only || policy["AttachmentCount"] != 0)
    });
    let mut found: Vec<_> = found.map(|(policy, arn)| (arn, policy)).collect();
    found.sort_by(|left, right| left.0.cmp(&right.0));
    paging::page(call, "Policies", found)
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let policy = changeable(world, call)?;
    if policy.versions.len() > 1 {
        return Err(in_use(
            "This policy has more than one version. Before you delete a policy, you must delete the \
                           policy's versions. The default version is deleted with the policy.",
        ));
    }
    let arn = call.required("PolicyArn");
    if attachments(world, arn) > 0 || boundaries(world, arn) > 0 {
        return Err(in_use("Cannot delete a policy attached to entities."));
    }
    world.iam.policies.remove(arn);
    Ok(json!({}))
}

fn create_version(world: &mut World, call: &Call) -> Answer {
    let document = document(call)?;
    let effective = effective_from(world, call.required("PolicyArn"), call.now);
    let policy = changeable(world, call)?;
    if policy.versions.len() >= VERSIONS {
        return Err(limit(
            "A managed policy can have up to 5 versions. Before you create a new version, you must delete an existing \
             version.",
        ));
    }
    policy.last_version += 1;
    let number = policy.last_version;
    policy.versions.insert(number, Version { document: document.clone(), created: call.now });
    policy.updated = call.now;
    if call.flag("SetAsDefault").unwrap_or(false) {
        policy.default = number;
        policy.in_force.set(document, call.now, effective);
    }
    Ok(json!({ "PolicyVersion": version(policy, number, false) }))
}

fn get_version(world: &World, call: &Call) -> Answer {
    let arn = call.required("PolicyArn");
    if let Some(policy) = managed::find(arn) {
        let wanted = call.required("VersionId");
        return if wanted == policy.version {
            Ok(json!({ "PolicyVersion": policy.describe_version(true) }))
        } else {
            Err(no_version(arn, wanted))
        };
    }
    let policy = world.iam.policies.get(arn).ok_or_else(|| no_policy(arn))?;
    let number = number(policy, arn, call)?;
    Ok(json!({ "PolicyVersion": version(policy, number, true) }))
}

fn list_versions(world: &World, call: &Call) -> Answer {
    let arn = call.required("PolicyArn");
    if let Some(policy) = managed::find(arn) {
        return paging::page(call, "Versions", vec![(String::new(), policy.describe_version(false))]);
    }
    let policy = world.iam.policies.get(arn).ok_or_else(|| no_policy(arn))?;
    let newest_first = policy.versions.keys().rev();
    let entries = newest_first.map(|number| (format!("{:010}", u32::MAX - number), version(policy, *number, false)));
    paging::page(call, "Versions", entries.collect())
}

fn set_default(world: &mut World, call: &Call) -> Answer {
    let effective = effective_from(world, call.required("PolicyArn"), call.now);
    let policy = changeable(world, call)?;
    let number = number(policy, call.required("PolicyArn"), call)?;
    if let Some(version) = policy.versions.get(&number) {
        policy.default = number;
        policy.in_force.set(version.document.clone(), call.now, effective);
    }
    Ok(json!({}))
}

fn delete_version(world: &mut World, call: &Call) -> Answer {
    let policy = changeable(world, call)?;
    let number = number(policy, call.required("PolicyArn"), call)?;
    if number == policy.default {
        return Err(in_use("Cannot delete the default version of a policy."));
    }
    policy.versions.remove(&number);
    Ok(json!({}))
}

fn document(call: &Call) -> Result<Document, AwsError> {
    let text = call.required("PolicyDocument");
    if text.chars().filter(|letter| !letter.is_whitespace()).count() > SIZE {
        return Err(limit(format!("Cannot exceed quota for PolicySize: {SIZE}")));
    }
    Document::parse(text, Kind::Identity).map_err(|why| malformed(why.to_string()))
}

fn changeable<'a>(world: &'a mut World, call: &Call) -> Result<&'a mut ManagedPolicy, AwsError> {
    let arn = call.required("PolicyArn");
    if managed::find(arn).is_some() {
        let message = format!("Policy {arn} is managed by AWS and cannot be changed.");
        return Err(AwsError::new("AccessDenied", message).with_status(403));
    }
    if !arn.starts_with("arn:aws:iam::") {
        return Err(invalid(format!("ARN {arn} is not valid.")));
    }
    world.iam.policies.get_mut(arn).ok_or_else(|| no_policy(arn))
}

fn number(policy: &ManagedPolicy, arn: &str, call: &Call) -> Result<u32, AwsError> {
    let wanted = call.required("VersionId");
    let number = wanted.strip_prefix('v').and_then(|digits| digits.parse().ok());
    number.filter(|number| policy.versions.contains_key(number)).ok_or_else(|| no_version(arn, wanted))
}

fn no_version(arn: &str, wanted: &str) -> AwsError {
    no_such(format!("Policy {arn} version {wanted} does not exist or is not attachable."))
}

fn version(policy: &ManagedPolicy, number: u32, full: bool) -> Value {
    let Some(version) = policy.versions.get(&number) else { return Value::Null };
    let mut value = json!({
        "VersionId": format!("v{number}"),
        "IsDefaultVersion": number == policy.default,
        "CreateDate": version.created.as_second(),
    });
    if full {
        value["Document"] = encoded(&version.document).into();
    }
    value
}

/// A policy in IAM's form; null if there is none. Only GetPolicy tells description and tags.
fn describe(world: &World, arn: &str, full: bool) -> Value {
    let mut value = match (managed::find(arn), world.iam.policies.get(arn)) {
        (Some(policy), _) => policy.describe(),
        (None, Some(policy)) => {
            let mut value = json!({
                "PolicyName": policy.name,
                "PolicyId": policy.id,
                "Arn": arn,
                "Path": policy.path,
                "DefaultVersionId": format!("v{}", policy.default),
                "IsAttachable": true,
                "CreateDate": policy.created.as_second(),
                "UpdateDate": policy.updated.as_second(),
            });
            if let Some(description) = policy.description.as_ref().filter(|_| full) {
                value["Description"] = description.as_str().into();
            }
            if full && !policy.tags.is_empty() {
                value["Tags"] = tags::list(&policy.tags);
            }
            value
        }
        (None, None) => return Value::Null,
    };
    value["AttachmentCount"] = attachments(world, arn).into();
    value["PermissionsBoundaryUsageCount"] = boundaries(world, arn).into();
    value
}

fn attachments(world: &World, arn: &str) -> usize {
    grants(world).filter(|grants| grants.attached.contains(arn)).count()
}

fn boundaries(world: &World, arn: &str) -> usize {
    grants(world).filter(|grants| grants.boundary.as_deref() == Some(arn)).count()
}

fn grants(world: &World) -> impl Iterator<Item = &super::state::Grants> {
    let roles = world.iam.roles.values().map(|role| role.grants.current());
    roles.chain(world.iam.users.values().map(|user| user.grants.current()))
}
