//! Access entries: one for each IAM principal that may use the cluster.

use super::{Effective, associations::Associated, policies};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call, Caller},
    eks::{
        Cluster,
        cluster::{named, named_mut, served},
        life::Event,
        paging::page,
        refusals::{in_use, invalid, not_found, refused},
        updates::new_id,
        wire::{seconds, tags, texts},
        world_access,
    },
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const TYPES: [&str; 7] =
    ["STANDARD", "EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "EC2", "HYBRID_LINUX", "HYPERPOD_LINUX"];

/// Beginnings that user names and groups of an entry must not have.
const RESERVED: [&str; 5] = ["system:", "eks:", "aws:", "amazon:", "iam:"];

/// An access entry as the API shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::eks) struct Entry {
    pub(in crate::eks) arn: String,
    pub(in crate::eks) tags: BTreeMap<String, String>,
    pub(super) principal: String,
    pub(super) kind: String,
    pub(super) username: String,
    pub(super) groups: Vec<String>,
    pub(super) created_at: Timestamp,
    pub(super) modified_at: Timestamp,
    pub(super) policies: Vec<Associated>,
}

impl Entry {
    fn described(&self, cluster: &Cluster) -> Value {
        json!({
            "clusterName": cluster.name,
            "principalArn": self.principal,
            "kubernetesGroups": self.groups,
            "accessEntryArn": self.arn,
            "createdAt": seconds(self.created_at),
            "modifiedAt": seconds(self.modified_at),
            "tags": self.tags,
            "username": self.username,
            "type": self.kind,
        })
    }

    fn effective(&self) -> Effective {
        Effective {
            username: self.username.clone(),
            groups: self.groups.clone(),
            policies: self.policies.iter().map(|one| (one.policy.clone(), one.namespaces.clone())).collect(),
        }
    }
}

/// `CreateAccessEntry`.
pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    if let Some(earlier) = world.eks.tokens.earlier(call)? {
        let cluster = named(world, call)?;
        return Ok(json!({ "accessEntry": entry(cluster, &earlier.thing)?.described(cluster) }));
    }
    let cluster_arn = usable(world, call)?;
    let principal = call.required("principalArn");
    let kind = call.text("type").unwrap_or("STANDARD");
    if !TYPES.contains(&kind) {
        return Err(invalid(format!("The specified type is invalid: {kind}. Valid types: {}", TYPES.join(", "))));
    }
    principal_can_have_entry(world, principal, call.now)?;
    if kind != "STANDARD" && (call.text("username").is_some() || !call.list("kubernetesGroups").is_empty()) {
        return Err(invalid(format!(
            "username and kubernetesGroups can't be specified for an access entry of type {kind}"
        )));
    }
    let groups = checked_groups(call)?;
    let username = checked_username(call)?;
    if named(world, call)?.entries.contains_key(principal) {
        return Err(in_use("The specified access entry resource is already in use on this cluster.")
            .with("clusterName", call.required("clusterName")));
    }
    let mut entry = new_entry(world, &cluster_arn, principal, kind, call.now);
    entry.tags = tags(call);
    entry.groups.extend(groups);
    if let Some(username) = username {
        entry.username = username;
    }
    world.eks.tokens.remember(call, principal);
    let answer = json!({ "accessEntry": entry.described(named(world, call)?) });
    named_mut(world, call)?.entries.insert(principal.to_owned(), entry);
    let_spread(world, &cluster_arn, principal, call.now);
    Ok(answer)
}

/// The cluster's ARN, if it is served and uses access entries.
pub(super) fn usable(world: &World, call: &Call) -> Result<String, AwsError> {
    let arn = served(world, call)?;
    if named(world, call)?.uses_access_entries() {
        return Ok(arn);
    }
    let message =
        "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.";
    Err(refused(message).with("clusterName", call.required("clusterName")))
}

/// Roles and users have entries, by the ARN that IAM has for them, path included; sessions of roles have none.
fn principal_can_have_entry(world: &mut World, principal: &str, now: Timestamp) -> Result<(), AwsError> {
    let resource =
        principal.strip_prefix("arn:aws:iam::").and_then(|rest| rest.split_once(':')).map(|(_, resource)| resource);
    let Some(resource) = resource.filter(|resource| resource.starts_with("role/") || resource.starts_with("user/"))
    else {
        return Err(invalid("The specified principalArn is invalid: invalid format."));
    };
    if resource.starts_with("role/aws-service-role/") {
        return Err(invalid(
            "The caller is not allowed to modify access entries with a principalArn value of a Service Linked Role.",
        ));
    }
    if world_access::principal_exists(world, principal, now) {
        return Ok(());
    }
    Err(invalid("The specified principalArn is invalid: invalid principal."))
}

fn checked_groups(call: &Call) -> Result<Vec<String>, AwsError> {
    let groups = texts(call.input.get("kubernetesGroups"));
    if let Some(group) = groups.iter().find(|group| RESERVED.iter().any(|start| group.starts_with(start))) {
        return Err(invalid(format!(
            "The kubernetes group name {group} is invalid, it cannot start with {}",
            RESERVED.join(", ")
        )));
    }
    Ok(groups)
}

fn checked_username(call: &Call) -> Result<Option<String>, AwsError> {
    let Some(username) = call.text("username") else { return Ok(None) };
    if RESERVED.iter().any(|start| username.starts_with(start)) {
        return Err(invalid(format!(
            "The username {username} is invalid, it cannot start with {}",
            RESERVED.join(", ")
        )));
    }
    let session = username.find("{{SessionName}}");
    if session.is_some_and(|at| !username[..at].contains(':')) {
        return Err(invalid("The username must have a colon before {{SessionName}}"));
    }
    Ok(Some(username.to_owned()))
}

fn new_entry(world: &mut World, cluster_arn: &str, principal: &str, kind: &str, now: Timestamp) -> Entry {
    let id = new_id(world);
    let base = cluster_arn.replacen(":cluster/", ":access-entry/", 1);
    let (resource, name) = principal.rsplit_once(':').map_or(("role", principal), |(_, resource)| {
        (resource.split('/').next().unwrap_or("role"), resource.rsplit('/').next().unwrap_or(resource))
    });
    let (username, groups) = identity_of(principal, kind, name);
    Entry {
        arn: format!("{base}/{resource}/{ACCOUNT_ID}/{name}/{id}"),
        tags: BTreeMap::new(),
        principal: principal.to_owned(),
        kind: kind.to_owned(),
        username,
        groups,
        created_at: now,
        modified_at: now,
        policies: Vec::new(),
    }
}

/// User name and groups that an entry has without being told.
fn identity_of(principal: &str, kind: &str, name: &str) -> (String, Vec<String>) {
    match kind {
        "STANDARD" if principal.contains(":role/") => {
            (format!("arn:aws:sts::{ACCOUNT_ID}:assumed-role/{name}/{{{{SessionName}}}}"), Vec::new())
        }
        "STANDARD" => (principal.to_owned(), Vec::new()),
        "FARGATE_LINUX" | "HYBRID_LINUX" | "HYPERPOD_LINUX" => {
            ("system:node:{{SessionName}}".to_owned(), vec!["system:nodes".to_owned()])
        }
        _ => ("system:node:{{EC2PrivateDNSName}}".to_owned(), vec!["system:nodes".to_owned()]),
    }
}

/// The entry for `principal`.
pub(super) fn entry<'cluster>(cluster: &'cluster Cluster, principal: &str) -> Result<&'cluster Entry, AwsError> {
    cluster.entries.get(principal).ok_or_else(|| {
        not_found(
            "The specified principalArn could not be found. You can view your available access entries \
             with 'list-access-entries'.",
        )
        .with("clusterName", cluster.name.as_str())
    })
}

/// `DescribeAccessEntry`.
pub(super) fn describe(world: &World, call: &Call) -> Answer {
    usable(world, call)?;
    let cluster = named(world, call)?;
    Ok(json!({ "accessEntry": entry(cluster, call.required("principalArn"))?.described(cluster) }))
}

/// `ListAccessEntries`, all or those with a policy.
pub(super) fn list(world: &World, call: &Call) -> Answer {
    usable(world, call)?;
    let policy = call.text("associatedPolicyArn");
    let has = |entry: &&Entry| policy.is_none_or(|policy| entry.policies.iter().any(|one| one.policy == policy));
    let entries = named(world, call)?.entries.values().filter(has);
    page(call, "accessEntries", entries.map(|entry| (entry.principal.clone(), Value::from(entry.principal.as_str()))))
}

/// `UpdateAccessEntry`: what is sent replaces what was.
pub(super) fn update(world: &mut World, call: &Call) -> Answer {
    let cluster_arn = usable(world, call)?;
    let principal = call.required("principalArn");
    let before = entry(named(world, call)?, principal)?;
    if before.kind != "STANDARD" {
        return Err(invalid(format!("An access entry of type {} can't be updated", before.kind)));
    }
    let (groups, username) = (checked_groups(call)?, checked_username(call)?);
    let cluster = named_mut(world, call)?;
    if let Some(entry) = cluster.entries.get_mut(principal) {
        entry.modified_at = call.now;
        if call.input.get("kubernetesGroups").is_some() {
            entry.groups = groups;
        }
        entry.username = username.unwrap_or_else(|| entry.username.clone());
    }
    let_spread(world, &cluster_arn, principal, call.now);
    describe(world, call)
}

/// `DeleteAccessEntry`, with its policies.
pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let cluster_arn = usable(world, call)?;
    let principal = call.required("principalArn");
    entry(named(world, call)?, principal)?;
    named_mut(world, call)?.entries.remove(principal);
    let_spread(world, &cluster_arn, principal, call.now);
    Ok(json!({}))
}

/// Puts on the agenda that a principal's rights reach the API server.
pub(super) fn let_spread(world: &mut World, arn: &str, principal: &str, now: Timestamp) {
    let number = world.next_number("eks access");
    let after = world.draw(&format!("access {number}"), 5..60);
    let event = Event::AccessSpreads { arn: arn.to_owned(), principal: principal.to_owned() };
    world.schedule(now, after, event.into());
}

/// A principal's rights, as the entry has them now, reach the API server.
pub(in crate::eks) fn spread(world: &mut World, arn: &str, principal: &str, _now: Timestamp) {
    let Some(cluster) = world.eks.clusters.get_mut(arn) else { return };
    match cluster.entries.get(principal).map(Entry::effective) {
        Some(effective) => cluster.effective.insert(principal.to_owned(), effective),
        None => cluster.effective.remove(principal),
    };
}

/// The cluster's creator becomes its administrator at once.
pub(in crate::eks) fn admit_creator(world: &mut World, arn: &str, creator: &Caller, now: Timestamp) {
    let principal = match &creator.role {
        Some(role) => {
            world_access::role_arn(world, role, now).unwrap_or_else(|| format!("arn:aws:iam::{ACCOUNT_ID}:role/{role}"))
        }
        None => creator.arn.clone(),
    };
    let admin = [(policies::arn("AmazonEKSClusterAdminPolicy"), Vec::new())];
    add(world, arn, &principal, None, "STANDARD", &admin, now);
}

/// Makes an access entry as an AWS service does for its own roles: at once, also for service-linked roles, and without
/// asking whether the principal exists. `policies` are names of access policies with the namespaces that they are for
/// (none: the whole cluster). An entry that exists is left as it is.
pub fn grant_service_access(
    world: &mut World,
    cluster_arn: &str,
    principal: &str,
    username: Option<&str>,
    kind: &str,
    policies: &[(&str, Vec<String>)],
    now: Timestamp,
) {
    let policies: Vec<_> = policies.iter().map(|(name, scope)| (policies::arn(name), scope.clone())).collect();
    add(world, cluster_arn, principal, username, kind, &policies, now);
}

fn add(
    world: &mut World,
    arn: &str,
    principal: &str,
    username: Option<&str>,
    kind: &str,
    policies: &[(String, Vec<String>)],
    now: Timestamp,
) {
    let mut entry = new_entry(world, arn, principal, kind, now);
    if let Some(username) = username {
        username.clone_into(&mut entry.username);
    }
    entry.policies = policies.iter().map(|(policy, scope)| Associated::new(policy, scope.clone(), now)).collect();
    if let Some(cluster) = world.eks.clusters.get_mut(arn) {
        cluster.entries.entry(principal.to_owned()).or_insert(entry);
    }
    spread(world, arn, principal, now);
}
