//! Pod identity associations: at most one for a namespace and service account.

use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    eks::{
        Cluster,
        cluster::{named, named_mut, served},
        life::Event,
        paging::page,
        refusals::{in_use, invalid, limit, not_found},
        wire::{seconds, tags},
    },
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How many associations a cluster may have.
const MOST: usize = 5000;

/// An association as the API shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::eks) struct Association {
    pub(in crate::eks) arn: String,
    pub(in crate::eks) tags: BTreeMap<String, String>,
    id: String,
    pub(super) namespace: String,
    pub(super) service_account: String,
    pub(super) role_arn: String,
    target_role_arn: Option<String>,
    policy: Option<String>,
    disable_session_tags: bool,
    /// The add-on that made it.
    owner: Option<String>,
    pub(super) created_at: Timestamp,
    modified_at: Timestamp,
    /// Deleted, and not gone for every reader yet.
    pub(super) deleted_at: Option<Timestamp>,
}

impl Association {
    fn described(&self, cluster: &Cluster) -> Value {
        let mut shown = self.summary(cluster);
        shown["roleArn"] = self.role_arn.as_str().into();
        shown["tags"] = json!(self.tags);
        shown["createdAt"] = seconds(self.created_at);
        shown["modifiedAt"] = seconds(self.modified_at);
        shown["disableSessionTags"] = self.disable_session_tags.into();
        if let Some(target) = &self.target_role_arn {
            shown["targetRoleArn"] = target.as_str().into();
            shown["externalId"] = format!("{}/{ACCOUNT_ID}/{}", cluster.region, self.id).into();
        }
        if let Some(policy) = &self.policy {
            shown["policy"] = policy.as_str().into();
        }
        shown
    }

    fn summary(&self, cluster: &Cluster) -> Value {
        let mut shown = json!({
            "clusterName": cluster.name,
            "namespace": self.namespace,
            "serviceAccount": self.service_account,
            "associationArn": self.arn,
            "associationId": self.id,
        });
        if let Some(owner) = &self.owner {
            shown["ownerArn"] = owner.as_str().into();
        }
        shown
    }
}

/// Answers the actions about associations.
pub(in crate::eks) fn handle(world: &mut World, call: &Call) -> Answer {
    match call.action.as_str() {
        "CreatePodIdentityAssociation" => create(world, call),
        "DescribePodIdentityAssociation" => describe(world, call),
        "ListPodIdentityAssociations" => list(world, call),
        "UpdatePodIdentityAssociation" => update(world, call),
        "DeletePodIdentityAssociation" => delete(world, call),
        action => Err(AwsError::new("UnknownOperationException", format!("{action} is not offered by this account"))),
    }
}

fn create(world: &mut World, call: &Call) -> Answer {
    if let Some(earlier) = world.eks.tokens.earlier(call)? {
        let cluster = named(world, call)?;
        if let Some(association) = cluster.associations.get(&earlier.thing).filter(|one| one.deleted_at.is_none()) {
            return Ok(json!({ "association": association.described(cluster) }));
        }
    }
    let cluster_arn = served(world, call)?;
    let (namespace, account) = (call.required("namespace"), call.required("serviceAccount"));
    for (member, name, most) in [("namespace", namespace, 63), ("serviceAccount", account, 253)] {
        if !is_name(name, most) {
            return Err(invalid(format!("The {member} {name} is not a valid Kubernetes name")));
        }
    }
    checked_role(call.required("roleArn"))?;
    let associations = &named(world, call)?.associations;
    let same = |one: &&Association| one.namespace == namespace && one.service_account == account;
    if let Some(existing) = associations.values().find(same) {
        return Err(in_use(format!("Association already exists: {}", existing.id))
            .with("clusterName", call.required("clusterName")));
    }
    if associations.len() >= MOST {
        return Err(limit("The maximum number of associations for the cluster has been reached."));
    }
    let mut association = new_association(world, &cluster_arn, namespace, account, call.required("roleArn"), call.now);
    association.tags = tags(call);
    association.target_role_arn = call.text("targetRoleArn").map(str::to_owned);
    association.policy = call.text("policy").map(str::to_owned);
    association.disable_session_tags = call.flag("disableSessionTags").unwrap_or(false);
    world.eks.tokens.remember(call, &association.id);
    let cluster = named_mut(world, call)?;
    let answer = json!({ "association": association.described(cluster) });
    cluster.associations.insert(association.id.clone(), association);
    Ok(answer)
}

fn is_name(name: &str, most: usize) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'.';
    !name.is_empty()
        && name.len() <= most
        && name.bytes().all(allowed)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

fn checked_role(role: &str) -> Result<(), AwsError> {
    if role.starts_with("arn:aws:iam::") && role.contains(":role/") {
        return Ok(());
    }
    Err(invalid(format!("Role provided in the request is not a valid role ARN: {role}")))
}

fn new_association(
    world: &mut World,
    cluster_arn: &str,
    namespace: &str,
    service_account: &str,
    role_arn: &str,
    now: Timestamp,
) -> Association {
    let number = world.next_number("eks association");
    let id = format!("a-{}", letters(number));
    let base = cluster_arn.replacen(":cluster/", ":podidentityassociation/", 1);
    Association {
        arn: format!("{base}/{id}"),
        tags: BTreeMap::new(),
        id,
        namespace: namespace.to_owned(),
        service_account: service_account.to_owned(),
        role_arn: role_arn.to_owned(),
        target_role_arn: None,
        policy: None,
        disable_session_tags: false,
        owner: None,
        created_at: now,
        modified_at: now,
        deleted_at: None,
    }
}

/// 17 letters and digits, as in `a-9njjin9gfghecgocd`.
fn letters(number: u64) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz123456";
    let mut rest = number;
    let mut text = String::with_capacity(17);
    for _ in 0..17 {
        text.push(char::from(ALPHABET[usize::from(u8::try_from(rest % 32).unwrap_or(0))]));
        rest = rest.rotate_right(5) ^ 0x9e37;
    }
    text
}

fn find<'cluster>(cluster: &'cluster Cluster, id: &str) -> Result<&'cluster Association, AwsError> {
    let found = cluster.associations.get(id);
    found.ok_or_else(|| {
        not_found(format!("No association found with id: {id}")).with("clusterName", cluster.name.as_str())
    })
}

fn describe(world: &World, call: &Call) -> Answer {
    let cluster = named(world, call)?;
    Ok(json!({ "association": find(cluster, call.required("associationId"))?.described(cluster) }))
}

fn list(world: &World, call: &Call) -> Answer {
    let cluster = named(world, call)?;
    let wanted = |one: &&Association| {
        call.text("namespace").is_none_or(|namespace| namespace == one.namespace)
            && call.text("serviceAccount").is_none_or(|account| account == one.service_account)
    };
    let found = cluster.associations.values().filter(wanted);
    page(call, "associations", found.map(|one| (one.id.clone(), one.summary(cluster))))
}

fn update(world: &mut World, call: &Call) -> Answer {
    let id = call.required("associationId");
    find(named(world, call)?, id)?;
    if let Some(role) = call.text("roleArn") {
        checked_role(role)?;
    }
    let cluster = named_mut(world, call)?;
    if let Some(association) = cluster.associations.get_mut(id) {
        let text = |member| call.text(member).map(str::to_owned);
        association.role_arn = text("roleArn").unwrap_or_else(|| association.role_arn.clone());
        association.target_role_arn = text("targetRoleArn").or_else(|| association.target_role_arn.clone());
        association.policy = text("policy").or_else(|| association.policy.clone());
        association.disable_session_tags = call.flag("disableSessionTags").unwrap_or(association.disable_session_tags);
        association.modified_at = call.now;
    }
    describe(world, call)
}

/// Deletion reaches the readers within seconds: until then the association is listed and its place is taken.
fn delete(world: &mut World, call: &Call) -> Answer {
    let id = call.required("associationId");
    let answer = describe(world, call)?;
    let arn = named(world, call)?.arn.clone();
    disown(world, &arn, id, call.now);
    Ok(answer)
}

/// Deletes the association, as its owner or its maker asked.
pub(in crate::eks) fn disown(world: &mut World, cluster: &str, id: &str, now: Timestamp) {
    let Some(found) = world.eks.clusters.get_mut(cluster).and_then(|cluster| cluster.associations.get_mut(id)) else {
        return;
    };
    if found.deleted_at.is_none() {
        found.deleted_at = Some(now);
        let after = world.draw(&format!("deletion of {id}"), 2..15);
        let event = Event::AssociationGone { arn: cluster.to_owned(), association: id.to_owned() };
        world.schedule(now, after, event.into());
    }
}

/// The deletion has reached every reader.
pub(in crate::eks) fn finish_deletion(world: &mut World, cluster: &str, id: &str) {
    if let Some(cluster) = world.eks.clusters.get_mut(cluster) {
        cluster.associations.remove(id);
    }
}

/// Makes, or takes over and corrects, the association of an add-on's service account; answers its id.
pub(in crate::eks) fn own(
    world: &mut World,
    cluster: &str,
    namespace: &str,
    account: &str,
    role_arn: &str,
    owner: &str,
    now: Timestamp,
) -> String {
    let mut fresh = new_association(world, cluster, namespace, account, role_arn, now);
    fresh.owner = Some(owner.to_owned());
    let Some(cluster) = world.eks.clusters.get_mut(cluster) else { return fresh.id };
    let same = |one: &&mut Association| one.namespace == namespace && one.service_account == account;
    let id = match cluster.associations.values_mut().find(same) {
        Some(existing) => {
            role_arn.clone_into(&mut existing.role_arn);
            existing.owner = Some(owner.to_owned());
            existing.modified_at = now;
            existing.deleted_at = None;
            existing.id.clone()
        }
        None => fresh.id.clone(),
    };
    cluster.associations.entry(id.clone()).or_insert(fresh);
    id
}
