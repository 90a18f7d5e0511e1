//! Service-linked roles: roles that belong to a service, one for each service and account.

use super::{
    identity::{self, unique_id},
    lagged::Lagged,
    policy::{Document, Kind},
    refusals::{invalid, no_role, no_such},
    roles,
    state::{Grants, Role},
};
use crate::{
    call::{Answer, Call},
    world::World,
};
use jiff::Timestamp;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Services that have such a role here: principal, role name, managed policy.
const SERVICES: &[(&str, &str, Option<&str>)] = &[
    ("eks.amazonaws.com", "AWSServiceRoleForAmazonEKS", Some("AmazonEKSServiceRolePolicy")),
    (
        "hyperpod.sagemaker.amazonaws.com",
        "AWSServiceRoleForSageMakerHyperPod",
        Some("AmazonSageMakerHyperPodServiceRolePolicy"),
    ),
    ("fsx.amazonaws.com", "AWSServiceRoleForAmazonFSx", None),
    ("s3.data-source.lustre.fsx.amazonaws.com", "AWSServiceRoleForFSxS3Access", None),
    ("elasticloadbalancing.amazonaws.com", "AWSServiceRoleForElasticLoadBalancing", None),
];

/// Answers an action on service-linked roles; none if it is not one.
pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateServiceLinkedRole" => create(world, call),
        "DeleteServiceLinkedRole" => delete(world, call),
        "GetServiceLinkedRoleDeletionStatus" => deletion_status(world, call),
        _ => return None,
    })
}

/// Name and ARN of the role for `service`; none for a service that has none.
pub(super) fn name_and_arn(service: &str) -> Option<(&'static str, String)> {
    let (_, name, _) = SERVICES.iter().find(|(known, ..)| *known == service)?;
    Some((name, identity::arn("role", &path(service), name)))
}

/// Makes the role for `service` if it is not there, as services do at their first use; they work with it at once.
/// Whether the caller may is part of [`super::authorize`]. Returns the role's ARN; none for a service that has none.
pub fn ensure_service_linked_role(world: &mut World, service: &str, now: Timestamp) -> Option<String> {
    let (_, name, policy) = SERVICES.iter().find(|(known, ..)| *known == service)?;
    let path = path(service);
    let arn = identity::arn("role", &path, name);
    if world.iam.roles.contains_key(*name) {
        return Some(arn);
    }
    let trust = json!({ "Version": "2012-10-17", "Statement": [
        { "Effect": "Allow", "Principal": { "Service": service }, "Action": "sts:AssumeRole" }
    ] });
    let trust = Document::parse(&trust.to_string(), Kind::Trust).ok()?;
    let attached: BTreeSet<_> =
        policy.iter().map(|policy| format!("arn:aws:iam::aws:policy/aws-service-role/{policy}")).collect();
    let role = Role {
        name: (*name).to_owned(),
        path,
        id: unique_id(world, "AROA"),
        arn: arn.clone(),
        description: None,
        created: now,
        max_session: 3600,
        tags: BTreeMap::new(),
        trust: Lagged::new(trust, now),
        grants: Lagged::new(Grants { attached, ..Grants::default() }, now),
    };
    world.iam.roles.insert((*name).to_owned(), role);
    Some(arn)
}

fn create(world: &mut World, call: &Call) -> Answer {
    let service = call.required("AWSServiceName");
    let Some((name, _)) = name_and_arn(service) else {
        return Err(invalid(format!("Service {service} does not support service-linked roles.")));
    };
    if call.text("CustomSuffix").is_some() {
        return Err(invalid(format!("Custom suffix is not allowed for {service}")));
    }
    if world.iam.roles.contains_key(name) {
        return Err(invalid(format!(
            "Service role name {name} has been taken in this account, please try a different suffix."
        )));
    }
    ensure_service_linked_role(world, service, call.now);
    let role = world.iam.roles.get_mut(name).ok_or_else(|| no_role(name))?;
    role.description = call.text("Description").map(str::to_owned);
    Ok(json!({ "Role": roles::describe(role, true) }))
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let name = call.required("RoleName");
    let role = world.iam.roles.get(name).ok_or_else(|| no_role(name))?;
    if !role.path.starts_with("/aws-service-role/") {
        return Err(invalid(format!("The role {name} is not a service-linked role.")));
    }
    let path = role.path.clone();
    let task = format!("task{path}{name}/{:016x}", world.next_number("role-deletion"));
    world.iam.roles.remove(name);
    world.iam.deletions.insert(task.clone(), name.to_owned());
    Ok(json!({ "DeletionTaskId": task }))
}

fn deletion_status(world: &World, call: &Call) -> Answer {
    let task = call.required("DeletionTaskId");
    if !world.iam.deletions.contains_key(task) {
        return Err(no_such(format!("Deletion task {task} cannot be found.")));
    }
    Ok(json!({ "Status": "SUCCEEDED" }))
}

fn path(service: &str) -> String {
    format!("/aws-service-role/{service}/")
}
