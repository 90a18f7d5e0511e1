//! Who holds something: the entities with a policy, the instance profiles of a role.
//!
//! The account has no IAM groups and no instance profiles (HyperPod's nodes take their role by themselves), so their lists
//! are truly empty.

use super::{managed, paging, refusals::no_policy, roles, state::Grants};
use crate::{
    call::{Answer, Call},
    world::World,
};
use serde_json::{Value, json};

/// Answers an action that asks for holders; none if it is not one.
pub(super) fn handle(world: &World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "ListEntitiesForPolicy" => entities(world, call),
        "ListInstanceProfiles" => paging::page(call, "InstanceProfiles", Vec::new()),
        "ListInstanceProfilesForRole" => {
            roles::find(world, call).and_then(|_| paging::page(call, "InstanceProfiles", Vec::new()))
        }
        _ => return None,
    })
}

/// `ListEntitiesForPolicy`: roles and users in one sequence of pages, each in its own list.
fn entities(world: &World, call: &Call) -> Answer {
    let arn = call.required("PolicyArn");
    if managed::find(arn).is_none() && !world.iam.policies.contains_key(arn) {
        return Err(no_policy(arn));
    }
    let prefix = call.text("PathPrefix").unwrap_or("/");
    let asked = |kind: &str| call.text("EntityFilter").is_none_or(|filter| filter == kind);
    let roles = world.iam.roles.values().filter(|_| asked("Role")).map(|role| {
        (&role.path, role.grants.current(), "PolicyRoles", json!({"RoleName": role.name, "RoleId": role.id}))
    });
    let users = world.iam.users.values().filter(|_| asked("User")).map(|user| {
        (&user.path, user.grants.current(), "PolicyUsers", json!({"UserName": user.name, "UserId": user.id}))
    });
    let holders = roles.chain(users).filter(|(path, grants, ..)| path.starts_with(prefix) && holds(grants, arn, call));
    let items = holders.map(|(.., list, entity)| (key(list, &entity), json!([list, entity]))).collect();
    Ok(sorted_out(paging::page(call, "Entities", items)?))
}

/// Whether the policy is attached, or is the boundary, as `PolicyUsageFilter` asks.
fn holds(grants: &Grants, arn: &str, call: &Call) -> bool {
    let attached = grants.attached.contains(arn);
    let bounds = grants.boundary.as_deref() == Some(arn);
    match call.text("PolicyUsageFilter") {
        Some("PermissionsPolicy") => attached,
        Some("PermissionsBoundary") => bounds,
        _ => attached || bounds,
    }
}

fn key(list: &str, entity: &Value) -> String {
    let name = entity.get("RoleName").or(entity.get("UserName")).and_then(Value::as_str);
    format!("{list}/{}", name.unwrap_or_default())
}

/// The page's entities in the lists that the answer has for them.
fn sorted_out(mut page: Value) -> Value {
    let entities = page.as_object_mut().and_then(|page| page.remove("Entities")).unwrap_or_default();
    let of = |list: &str| -> Value {
        let entities = entities.as_array().into_iter().flatten();
        entities.filter(|entity| entity[0] == list).map(|entity| entity[1].clone()).collect()
    };
    for list in ["PolicyGroups", "PolicyRoles", "PolicyUsers"] {
        page[list] = of(list);
    }
    page
}
