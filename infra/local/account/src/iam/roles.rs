//! Roles: create, read, change, delete, trust, tags, permissions boundary.

use super::{
    identity::{arn, unique_id},
    lagged::Lagged,
    paging,
    policy::{Document, Kind},
    refusals::{exists, in_use, invalid, limit, malformed, no_policy, no_role, validation},
    state::{Grants, Role, effective_from},
    tags,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// RFC 3986's unreserved characters stay.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Roles in an account; a quota that AWS raises on request.
const ROLES: usize = 1000;

/// Answers an action on roles; none if it is not one.
pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateRole" => create(world, call),
        "GetRole" => get(world, call),
        "ListRoles" => list(world, call),
        "DeleteRole" => delete(world, call),
        "UpdateAssumeRolePolicy" => update_trust(world, call),
        "UpdateRole" | "UpdateRoleDescription" => update(world, call),
        "TagRole" => changeable(world, call).and_then(|role| tags::set(&mut role.tags, call)),
        "UntagRole" => changeable(world, call).map(|role| tags::unset(&mut role.tags, call)),
        "ListRoleTags" => find(world, call).and_then(|role| paging::page(call, "Tags", tags::entries(&role.tags))),
        "PutRolePermissionsBoundary" => put_boundary(world, call),
        "DeleteRolePermissionsBoundary" => delete_boundary(world, call),
        _ => return None,
    })
}

fn create(world: &mut World, call: &Call) -> Answer {
    let name = call.required("RoleName");
    check_name("roleName", name, 64)?;
    let path = checked_path(call)?;
    let trust = trust_document(world, call.required("AssumeRolePolicyDocument"))?;
    let boundary = checked_boundary(world, call)?;
    let max_session = session_length(call)?.unwrap_or(3600);
    let tags = tags::requested(call)?;
    if name_taken(&world.iam.roles, name) {
        return Err(exists(format!("Role with name {name} already exists.")));
    }
    if world.iam.roles.len() >= ROLES {
        return Err(limit(format!("Cannot exceed quota for RolesPerAccount: {ROLES}")));
    }
    let effective = effective_from(world, name, call.now);
    let role = Role {
        name: name.to_owned(),
        path: path.to_owned(),
        id: unique_id(world, "AROA"),
        arn: arn("role", path, name),
        description: call.text("Description").map(str::to_owned),
        created: call.now,
        max_session,
        tags,
        trust: Lagged::new(trust, effective),
        grants: Lagged::new(Grants { boundary, ..Grants::default() }, effective),
    };
    let answer = json!({ "Role": describe(&role, true) });
    world.iam.roles.insert(name.to_owned(), role);
    Ok(answer)
}

fn get(world: &World, call: &Call) -> Answer {
    find(world, call).map(|role| json!({ "Role": describe(role, true) }))
}

fn list(world: &World, call: &Call) -> Answer {
    let prefix = call.text("PathPrefix").unwrap_or("/");
    let roles = world.iam.roles.values().filter(|role| role.path.starts_with(prefix));
    paging::page(call, "Roles", roles.map(|role| (role.name.clone(), describe(role, false))).collect())
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let role = changeable(world, call)?;
    let grants = role.grants.current();
    if !grants.attached.is_empty() {
        return Err(in_use("Cannot delete entity, must detach all policies first."));
    }
    if !grants.inline.is_empty() {
        return Err(in_use("Cannot delete entity, must delete policies first."));
    }
    world.iam.roles.remove(call.required("RoleName"));
    Ok(json!({}))
}

fn update_trust(world: &mut World, call: &Call) -> Answer {
    changeable(world, call)?;
    let document = trust_document(world, call.required("PolicyDocument"))?;
    let effective = effective_from(world, call.required("RoleName"), call.now);
    changeable(world, call)?.trust.set(document, call.now, effective);
    Ok(json!({}))
}

fn update(world: &mut World, call: &Call) -> Answer {
    let length = session_length(call)?;
    let role = changeable(world, call)?;
    if let Some(description) = call.text("Description") {
        role.description = Some(description.to_owned());
    }
    role.max_session = length.unwrap_or(role.max_session);
    let described = describe(role, true);
    Ok(if call.action == "UpdateRole" { json!({}) } else { json!({ "Role": described }) })
}

fn put_boundary(world: &mut World, call: &Call) -> Answer {
    let boundary = checked_boundary(world, call)?;
    change_grants(world, call, |grants| grants.boundary = boundary)
}

fn delete_boundary(world: &mut World, call: &Call) -> Answer {
    change_grants(world, call, |grants| grants.boundary = None)
}

/// Changes what the call's role is granted; it works after a lag.
pub(super) fn change_grants(world: &mut World, call: &Call, change: impl FnOnce(&mut Grants)) -> Answer {
    changeable(world, call)?;
    let effective = effective_from(world, call.required("RoleName"), call.now);
    let role = changeable(world, call)?;
    let mut grants = role.grants.current().clone();
    change(&mut grants);
    role.grants.set(grants, call.now, effective);
    Ok(json!({}))
}

/// The call's role.
pub(super) fn find<'a>(world: &'a World, call: &Call) -> Result<&'a Role, AwsError> {
    let name = call.required("RoleName");
    world.iam.roles.get(name).ok_or_else(|| no_role(name))
}

/// The call's role, to change it, which service-linked roles do not let happen.
pub(super) fn changeable<'a>(world: &'a mut World, call: &Call) -> Result<&'a mut Role, AwsError> {
    let name = call.required("RoleName");
    let role = world.iam.roles.get_mut(name).ok_or_else(|| no_role(name))?;
    if role.path.starts_with("/aws-service-role/") {
        let message = format!(
            "Cannot perform the operation on the protected role '{name}' - this role is only modifiable by AWS"
        );
        return Err(AwsError::new("UnmodifiableEntity", message));
    }
    Ok(role)
}

/// A role in the form that IAM answers it; lists leave out tags and boundary.
pub(super) fn describe(role: &Role, full: bool) -> Value {
    let mut value = json!({
        "Path": role.path,
        "RoleName": role.name,
        "RoleId": role.id,
        "Arn": role.arn,
        "CreateDate": role.created.as_second(),
        "AssumeRolePolicyDocument": encoded(role.trust.current()),
        "MaxSessionDuration": role.max_session,
    });
    if let Some(description) = &role.description {
        value["Description"] = description.as_str().into();
    }
    if full {
        value["RoleLastUsed"] = json!({});
        if !role.tags.is_empty() {
            value["Tags"] = tags::list(&role.tags);
        }
        if let Some(boundary) = &role.grants.current().boundary {
            value["PermissionsBoundary"] =
                json!({ "PermissionsBoundaryType": "PermissionsBoundaryPolicy", "PermissionsBoundaryArn": boundary });
        }
    }
    value
}

/// A document as IAM answers it: percent-encoded as RFC 3986 has it.
pub(super) fn encoded(document: &Document) -> String {
    utf8_percent_encode(document.text(), ENCODED).to_string()
}

/// Names are compared without case.
pub(super) fn name_taken<T>(things: &BTreeMap<String, T>, name: &str) -> bool {
    things.keys().any(|taken| taken.eq_ignore_ascii_case(name))
}

/// IAM's rule for names of things.
pub(super) fn check_name(field: &str, name: &str, longest: usize) -> Result<(), AwsError> {
    if name.chars().count() > longest {
        return Err(validation(format!(
            "1 validation error detected: Value at '{field}' failed to satisfy constraint: Member must have length \
             less than or equal to {longest}"
        )));
    }
    if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || "+=,.@_-".contains(letter)) {
        return Err(validation(format!(
            "The specified value for {field} is invalid. It must contain only alphanumeric characters and/or the \
             following: +=,.@_-"
        )));
    }
    Ok(())
}

/// The `Path` of the request, `/` by default.
pub(super) fn checked_path(call: &Call) -> Result<&str, AwsError> {
    let path = call.text("Path").unwrap_or("/");
    let printable = path.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
    if !(path.starts_with('/') && path.ends_with('/') && printable && path.len() <= 512) {
        return Err(validation(
            "The specified value for path is invalid. It must begin and end with / and contain only alphanumeric \
             characters and/or / characters.",
        ));
    }
    if path.starts_with("/aws-service-role/") {
        return Err(validation("The specified value for path is reserved for AWS services: /aws-service-role/"));
    }
    Ok(path)
}

/// The `PermissionsBoundary` of the request, which must be a policy that exists.
pub(super) fn checked_boundary(world: &World, call: &Call) -> Result<Option<String>, AwsError> {
    let Some(boundary) = call.text("PermissionsBoundary") else { return Ok(None) };
    if !boundary.starts_with("arn:aws:iam::") || !boundary.contains(":policy/") {
        return Err(validation(format!("ARN {boundary} is not valid.")));
    }
    if super::managed::find(boundary).is_none() && !world.iam.policies.contains_key(boundary) {
        return Err(no_policy(boundary));
    }
    Ok(Some(boundary.to_owned()))
}

/// Reads a trust policy; the users and roles that it names must exist, as AWS keeps their ids.
fn trust_document(world: &World, text: &str) -> Result<Document, AwsError> {
    if text.chars().filter(|letter| !letter.is_whitespace()).count() > 2048 {
        return Err(limit("Cannot exceed quota for ACLSizePerRole: 2048"));
    }
    let document = Document::parse(text, Kind::Trust).map_err(|why| malformed(why.to_string()))?;
    for arn in document.named_identities() {
        let ours = arn.starts_with(&format!("arn:aws:iam::{}:", crate::call::ACCOUNT_ID));
        let known =
            super::identity::find_role(world, arn).is_some() || world.iam.users.values().any(|user| user.arn == arn);
        if ours && !known {
            return Err(malformed(format!("Invalid principal in policy: \"AWS\":\"{arn}\"")));
        }
    }
    Ok(document)
}

fn session_length(call: &Call) -> Result<Option<i64>, AwsError> {
    let length = call.number("MaxSessionDuration");
    match length {
        Some(length) if !(3600..=43_200).contains(&length) => {
            Err(invalid(format!("MaxSessionDuration {length} is not valid: it must be between 3600 and 43200 seconds")))
        }
        length => Ok(length),
    }
}
