//! Access policies associated with an entry, for the whole cluster or for namespaces.

use super::{
    entries::{entry, let_spread, usable},
    policies,
};
use crate::{
    call::{Answer, AwsError, Call},
    eks::{
        cluster::{named, named_mut},
        paging::page,
        refusals::{invalid, not_found, refused},
        wire::{seconds, texts},
    },
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A policy of an entry; no namespaces means the whole cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::eks) struct Associated {
    pub(super) policy: String,
    pub(super) namespaces: Vec<String>,
    associated_at: Timestamp,
    modified_at: Timestamp,
}

impl Associated {
    pub(super) fn new(policy: &str, namespaces: Vec<String>, now: Timestamp) -> Self {
        Self { policy: policy.to_owned(), namespaces, associated_at: now, modified_at: now }
    }

    fn described(&self) -> Value {
        let kind = if self.namespaces.is_empty() { "cluster" } else { "namespace" };
        json!({
            "policyArn": self.policy,
            "accessScope": { "type": kind, "namespaces": self.namespaces },
            "associatedAt": seconds(self.associated_at),
            "modifiedAt": seconds(self.modified_at),
        })
    }
}

/// `AssociateAccessPolicy`; again, it changes the scope.
pub(super) fn associate(world: &mut World, call: &Call) -> Answer {
    let arn = usable(world, call)?;
    let (principal, policy) = (call.required("principalArn"), call.required("policyArn"));
    let kind = &entry(named(world, call)?, principal)?.kind;
    if kind != "STANDARD" && kind != "EC2" {
        return Err(refused(format!("Access policies can't be associated with an access entry of type {kind}.")));
    }
    if !policies::is_published(policy) {
        return Err(not_found(
            "The specified policyArn could not be found. You can view available access policies with \
                 'list-access-policies'.",
        ));
    }
    let namespaces = scope(call)?;
    let cluster = named_mut(world, call)?;
    let name = cluster.name.clone();
    let Some(entry) = cluster.entries.get_mut(principal) else { return Ok(json!({})) };
    entry.modified_at = call.now;
    let mut associated = Associated::new(policy, namespaces, call.now);
    if let Some(before) = entry.policies.iter().find(|one| one.policy == policy) {
        associated.associated_at = before.associated_at;
    }
    let answer = json!({
        "clusterName": name,
        "principalArn": principal,
        "associatedAccessPolicy": associated.described(),
    });
    entry.policies.retain(|one| one.policy != policy);
    entry.policies.push(associated);
    let_spread(world, &arn, principal, call.now);
    Ok(answer)
}

fn scope(call: &Call) -> Result<Vec<String>, AwsError> {
    let scope = call.input.get("accessScope").unwrap_or(&Value::Null);
    let namespaces = texts(scope.get("namespaces"));
    match scope.get("type").and_then(Value::as_str) {
        Some("namespace") if namespaces.is_empty() => {
            Err(invalid("The accessScope of type namespace must name at least one namespace"))
        }
        Some("namespace") => Ok(namespaces),
        Some("cluster") if namespaces.is_empty() => Ok(Vec::new()),
        Some("cluster") => Err(invalid("The accessScope of type cluster can't name namespaces")),
        _ => Err(invalid("The accessScope must have a type, cluster or namespace")),
    }
}

/// `DisassociateAccessPolicy`.
pub(super) fn disassociate(world: &mut World, call: &Call) -> Answer {
    let arn = usable(world, call)?;
    let (principal, policy) = (call.required("principalArn"), call.required("policyArn"));
    if !entry(named(world, call)?, principal)?.policies.iter().any(|one| one.policy == policy) {
        return Err(not_found("The specified policyArn is not associated with the access entry."));
    }
    if let Some(entry) = named_mut(world, call)?.entries.get_mut(principal) {
        entry.policies.retain(|one| one.policy != policy);
        entry.modified_at = call.now;
    }
    let_spread(world, &arn, principal, call.now);
    Ok(json!({}))
}

/// `ListAssociatedAccessPolicies`.
pub(super) fn list(world: &World, call: &Call) -> Answer {
    usable(world, call)?;
    let cluster = named(world, call)?;
    let entry = entry(cluster, call.required("principalArn"))?;
    let policies = entry.policies.iter().map(|one| (one.policy.clone(), one.described()));
    let mut answer = page(call, "associatedAccessPolicies", policies)?;
    answer["clusterName"] = cluster.name.as_str().into();
    answer["principalArn"] = entry.principal.as_str().into();
    Ok(answer)
}
