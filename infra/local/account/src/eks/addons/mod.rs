//! Add-ons: what EKS installs into a cluster and looks after.
//!
//! EKS writes an add-on's objects into the cluster, then only watches them: the state of an add-on follows from what
//! its Deployments and DaemonSets say in the cluster.

mod catalogue;
mod configuration;
mod create;
mod delete;
mod health;
mod install;
mod objects;
mod update;

pub(super) use delete::finish as finish_deletion;
pub use health::AddonOutcome;
pub(super) use health::look;
pub(super) use install::bootstrap;
#[cfg(test)]
pub(super) use {catalogue::names, install::recorded};

use super::{
    cluster::{Cluster, named},
    paging::page,
    refusals::not_found,
    wire::seconds,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Where an add-on is in its life, in EKS's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Status {
    Creating,
    Active,
    CreateFailed,
    Updating,
    Deleting,
    Degraded,
    UpdateFailed,
}

/// An add-on of one cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Addon {
    pub(super) name: String,
    /// Ends in an id of its own: an add-on that is deleted and made again has another ARN.
    pub(super) arn: String,
    pub(super) tags: BTreeMap<String, String>,
    pub(super) status: Status,
    pub(super) version: String,
    pub(super) namespace: String,
    pub(super) created_at: Timestamp,
    pub(super) modified_at: Timestamp,
    pub(super) role_arn: Option<String>,
    pub(super) configuration: Option<String>,
    /// Ids of the pod identity associations that the add-on owns.
    pub(super) associations: Vec<String>,
    pub(super) issues: Vec<Value>,
    pub(super) watch: health::Watch,
}

impl Addon {
    pub(super) fn described(&self, cluster: &Cluster) -> Value {
        let publisher = catalogue::product(&self.name).map_or("eks", |product| product.publisher.as_str());
        let mut shown = json!({
            "addonName": self.name,
            "clusterName": cluster.name,
            "status": self.status,
            "addonVersion": self.version,
            "health": { "issues": self.issues },
            "addonArn": self.arn,
            "createdAt": seconds(self.created_at),
            "modifiedAt": seconds(self.modified_at),
            "tags": self.tags,
            "publisher": publisher,
            "owner": "aws",
            "namespaceConfig": { "namespace": self.namespace },
        });
        if let Some(role) = &self.role_arn {
            shown["serviceAccountRoleArn"] = role.as_str().into();
        }
        if let Some(values) = &self.configuration {
            shown["configurationValues"] = values.as_str().into();
        }
        if !self.associations.is_empty() {
            let arns = self.associations.iter().filter_map(|id| cluster.associations.get(id));
            shown["podIdentityAssociations"] = arns.map(|association| association.arn.as_str()).collect();
        }
        shown
    }
}

/// Answers the actions about add-ons.
pub(super) fn handle(world: &mut World, call: &Call) -> Answer {
    match call.action.as_str() {
        "CreateAddon" => create::create(world, call),
        "DescribeAddon" => describe(world, call),
        "ListAddons" => list(world, call),
        "UpdateAddon" => update::update(world, call),
        "DeleteAddon" => delete::delete(world, call),
        "DescribeAddonVersions" => catalogue::versions(call),
        "DescribeAddonConfiguration" => catalogue::configuration(call),
        action => Err(AwsError::new("UnknownOperationException", format!("{action} is not offered by this account"))),
    }
}

/// 404 for an add-on.
pub(super) fn no_addon(cluster: &str, addon: &str) -> AwsError {
    not_found(format!("No addon: {addon} found in cluster: {cluster}"))
        .with("clusterName", cluster)
        .with("addonName", addon)
}

fn addon<'cluster>(cluster: &'cluster Cluster, name: &str) -> Result<&'cluster Addon, AwsError> {
    cluster.addons.get(name).ok_or_else(|| no_addon(&cluster.name, name))
}

/// Tags of an add-on; its ARN may end in `*` in the place of the service's own id, as authorization asks.
pub fn addon_tags<'world>(world: &'world World, arn: &str) -> Option<&'world BTreeMap<String, String>> {
    let (place, resource) = arn.split_once(":addon/")?;
    let mut parts = resource.split('/');
    let cluster = world.eks.clusters.get(&format!("{place}:cluster/{}", parts.next()?))?;
    cluster.addons.get(parts.next()?).map(|addon| &addon.tags)
}

/// The add-on with this ARN, for writing.
fn by_arn<'world>(world: &'world mut World, cluster: &str, addon: &str) -> Option<&'world mut Addon> {
    world.eks.clusters.get_mut(cluster)?.addons.values_mut().find(|one| one.arn == addon)
}

fn describe(world: &World, call: &Call) -> Answer {
    let cluster = named(world, call)?;
    Ok(json!({ "addon": addon(cluster, call.required("addonName"))?.described(cluster) }))
}

fn list(world: &World, call: &Call) -> Answer {
    let names = named(world, call)?.addons.keys();
    page(call, "addons", names.map(|name| (name.clone(), Value::from(name.as_str()))))
}

/// Whether EKS has the add-on `name` ACTIVE in the cluster.
pub(super) fn is_active(cluster: &Cluster, name: &str) -> bool {
    cluster.addons.get(name).is_some_and(|addon| matches!(addon.status, Status::Active | Status::Updating))
}
