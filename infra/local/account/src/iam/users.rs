//! Users and their access keys: for people and programs outside of AWS.

use super::{
    credentials::secret,
    identity::{arn, unique_id},
    lagged::Lagged,
    paging,
    refusals::{exists, in_use, limit, no_such, no_user},
    roles::{check_name, checked_boundary, checked_path, name_taken},
    state::{AccessKey, Grants, User, effective_from},
    tags,
};
use crate::{
    call::{Answer, AwsError, Call, Caller},
    world::World,
};
use serde_json::{Value, json};

/// Answers an action on users; none if it is not one.
pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateUser" => create(world, call),
        "GetUser" => get(world, call),
        "ListUsers" => list(world, call),
        "DeleteUser" => delete(world, call),
        "CreateAccessKey" => create_key(world, call),
        "ListAccessKeys" => list_keys(world, call),
        "UpdateAccessKey" => update_key(world, call),
        "DeleteAccessKey" => delete_key(world, call),
        "PutUserPermissionsBoundary" => checked_boundary(world, call)
            .and_then(|boundary| change_grants(world, call, |grants| grants.boundary = boundary)),
        "DeleteUserPermissionsBoundary" => change_grants(world, call, |grants| grants.boundary = None),
        "TagUser" => changeable(world, call).and_then(|user| tags::set(&mut user.tags, call)),
        "UntagUser" => changeable(world, call).map(|user| tags::unset(&mut user.tags, call)),
        _ => return None,
    })
}

fn create(world: &mut World, call: &Call) -> Answer {
    let name = call.required("UserName");
    check_name("userName", name, 64)?;
    let path = checked_path(call)?;
    let boundary = checked_boundary(world, call)?;
    let tags = tags::requested(call)?;
    if name_taken(&world.iam.users, name) {
        return Err(exists(format!("User with name {name} already exists.")));
    }
    if world.iam.users.len() >= 5000 {
        return Err(limit("Cannot exceed quota for UsersPerAccount: 5000"));
    }
    let effective = effective_from(world, name, call.now);
    let user = User {
        name: name.to_owned(),
        path: path.to_owned(),
        id: unique_id(world, "AIDA"),
        arn: arn("user", path, name),
        created: call.now,
        tags,
        grants: Lagged::new(Grants { boundary, ..Grants::default() }, effective),
    };
    let answer = json!({ "User": describe(&user, true) });
    world.iam.users.insert(name.to_owned(), user);
    Ok(answer)
}

/// Without a name: the caller, whom root is too.
fn get(world: &World, call: &Call) -> Answer {
    if call.text("UserName").is_none() && call.caller == Caller::root() {
        let root = &call.caller;
        return Ok(
            json!({ "User": { "UserId": root.user_id, "Arn": root.arn, "CreateDate": 0, "Path": "/", "UserName": "root" } }),
        );
    }
    if call.text("UserName").is_none() && call.caller.role.is_some() {
        return Err(super::refusals::validation("Must specify userName when calling with non-User credentials"));
    }
    find(world, call).map(|user| json!({ "User": describe(user, true) }))
}

fn list(world: &World, call: &Call) -> Answer {
    let prefix = call.text("PathPrefix").unwrap_or("/");
    let users = world.iam.users.values().filter(|user| user.path.starts_with(prefix));
    paging::page(call, "Users", users.map(|user| (user.name.clone(), describe(user, false))).collect())
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let user = find(world, call)?;
    let (name, grants) = (user.name.clone(), user.grants.current());
    if world.iam.access_keys.values().any(|key| key.user == name) {
        return Err(in_use("Cannot delete entity, must delete access keys first."));
    }
    if !grants.attached.is_empty() {
        return Err(in_use("Cannot delete entity, must detach all policies first."));
    }
    if !grants.inline.is_empty() {
        return Err(in_use("Cannot delete entity, must delete policies first."));
    }
    world.iam.users.remove(&name);
    Ok(json!({}))
}

fn create_key(world: &mut World, call: &Call) -> Answer {
    let user = find(world, call)?.name.clone();
    if world.iam.access_keys.values().filter(|key| key.user == user).count() >= 2 {
        return Err(limit("Cannot exceed quota for AccessKeysPerUser: 2"));
    }
    let id = unique_id(world, "AKIA");
    let answer = json!({ "AccessKey": {
        "UserName": user,
        "AccessKeyId": id,
        "Status": "Active",
        "SecretAccessKey": secret(world, &id),
        "CreateDate": call.now.as_second(),
    } });
    world.iam.access_keys.insert(id, AccessKey { user, active: true, created: call.now });
    Ok(answer)
}

fn list_keys(world: &World, call: &Call) -> Answer {
    let user = find(world, call)?;
    let keys = world.iam.access_keys.iter().filter(|(_, key)| key.user == user.name);
    let entries = keys.map(|(id, key)| {
        let status = if key.active { "Active" } else { "Inactive" };
        let created = key.created.as_second();
        (id.clone(), json!({ "UserName": key.user, "AccessKeyId": id, "Status": status, "CreateDate": created }))
    });
    paging::page(call, "AccessKeyMetadata", entries.collect())
}

fn update_key(world: &mut World, call: &Call) -> Answer {
    key(world, call)?.active = call.required("Status") == "Active";
    Ok(json!({}))
}

fn delete_key(world: &mut World, call: &Call) -> Answer {
    key(world, call)?;
    world.iam.access_keys.remove(call.required("AccessKeyId"));
    Ok(json!({}))
}

fn key<'a>(world: &'a mut World, call: &Call) -> Result<&'a mut AccessKey, AwsError> {
    let id = call.required("AccessKeyId");
    let user = find(world, call)?.name.clone();
    let key = world.iam.access_keys.get_mut(id).filter(|key| key.user == user);
    key.ok_or_else(|| no_such(format!("The Access Key with id {id} cannot be found.")))
}

/// Changes what the call's user is granted; it works after a lag.
pub(super) fn change_grants(world: &mut World, call: &Call, change: impl FnOnce(&mut Grants)) -> Answer {
    changeable(world, call)?;
    let effective = effective_from(world, call.required("UserName"), call.now);
    let user = changeable(world, call)?;
    let mut grants = user.grants.current().clone();
    change(&mut grants);
    user.grants.set(grants, call.now, effective);
    Ok(json!({}))
}

/// The call's user: the one named, or else the caller.
pub(super) fn find<'a>(world: &'a World, call: &Call) -> Result<&'a User, AwsError> {
    let name = name(call);
    world.iam.users.get(name).ok_or_else(|| no_user(name))
}

fn changeable<'a>(world: &'a mut World, call: &Call) -> Result<&'a mut User, AwsError> {
    let name = name(call);
    world.iam.users.get_mut(name).ok_or_else(|| no_user(name))
}

fn name(call: &Call) -> &str {
    call.text("UserName").unwrap_or_else(|| call.caller.arn.rsplit('/').next().unwrap_or_default())
}

fn describe(user: &User, full: bool) -> Value {
    let mut value = json!({
        "Path": user.path,
        "UserName": user.name,
        "UserId": user.id,
        "Arn": user.arn,
        "CreateDate": user.created.as_second(),
    });
    if full && !user.tags.is_empty() {
        value["Tags"] = tags::list(&user.tags);
    }
    if let Some(boundary) = user.grants.current().boundary.as_ref().filter(|_| full) {
        value["PermissionsBoundary"] =
            json!({ "PermissionsBoundaryType": "PermissionsBoundaryPolicy", "PermissionsBoundaryArn": boundary });
    }
    value
}
