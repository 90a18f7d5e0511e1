//! Updates of clusters and add-ons: what was asked for, whether it is done, and what is then true.

use super::{
    addons,
    cluster::{Cluster, Status, named},
    life::Event,
    paging::page,
    refusals::not_found,
    wire::seconds,
    world_access,
};
use crate::{
    call::{Answer, Call},
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::Range;

/// One update of a cluster or of one of its add-ons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Update {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) status: String,
    pub(super) created_at: Timestamp,
    pub(super) addon: Option<String>,
    /// `(UpdateParamType, value)`.
    pub(super) parameters: Vec<(String, String)>,
    pub(super) errors: Vec<Value>,
    pub(super) change: Change,
}

/// What becomes true when an update is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Change {
    /// Kubernetes minor.
    Version(String),
    /// Log types that are on.
    Logs(Vec<String>),
    /// Public, private, and who may use the public endpoint.
    Endpoint(bool, bool, Vec<String>),
    /// Subnets and security groups.
    Network(Vec<String>, Vec<String>),
    /// Authentication mode.
    Authentication(String),
    /// `STANDARD` or `EXTENDED`.
    Support(String),
    /// Whether the cluster is protected from deletion.
    Protection(bool),
    /// Whether zonal shift is on.
    ZonalShift(bool),
    /// The add-on's objects follow; the add-on itself says when that is done.
    Addon,
}

impl Update {
    pub(super) fn described(&self) -> Value {
        let parameters = self.parameters.iter().map(|(kind, value)| json!({ "type": kind, "value": value }));
        json!({
            "id": self.id,
            "status": self.status,
            "type": self.kind,
            "params": parameters.collect::<Vec<_>>(),
            "createdAt": seconds(self.created_at),
            "errors": self.errors,
        })
    }

    pub(super) fn is_running(&self) -> bool {
        self.status == "InProgress"
    }
}

/// A new update id, in the form of a UUID.
pub(super) fn new_id(world: &mut World) -> String {
    let (high, low) = (world.next_number("eks update"), world.next_number("eks update"));
    let hex = format!("{high:016x}{low:016x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// Starts an update of the cluster that takes a time drawn from `seconds`.
pub(super) fn start(world: &mut World, arn: &str, update: Update, seconds: Range<u32>, now: Timestamp) {
    let after = world.draw(&format!("update {}", update.id), seconds);
    world.schedule(now, after, Event::UpdateDone { arn: arn.to_owned(), update: update.id.clone() }.into());
    if let Some(cluster) = world.eks.clusters.get_mut(arn) {
        cluster.status = Status::Updating;
        cluster.updates.push(update);
    }
}

/// The end of a cluster's update.
pub(super) fn finish(world: &mut World, arn: &str, id: &str) {
    let Some(cluster) = world.eks.clusters.get_mut(arn) else { return };
    let Some(update) = cluster.updates.iter_mut().find(|update| update.id == id && update.is_running()) else { return };
    "Successful".clone_into(&mut update.status);
    let change = update.change.clone();
    let version = if let Change::Version(version) = &change { Some(version.clone()) } else { None };
    apply(cluster, change);
    if cluster.status == Status::Updating {
        cluster.status = Status::Active;
    }
    if let Some(version) = version {
        world_access::upgrade_kubernetes(world, arn, &version);
    }
}

fn apply(cluster: &mut Cluster, change: Change) {
    match change {
        Change::Version(version) => cluster.version = version,
        Change::Logs(logs) => cluster.logs = logs,
        Change::Endpoint(public, private, cidrs) => {
            cluster.network.endpoint_public = public;
            cluster.network.endpoint_private = private;
            cluster.network.public_cidrs = cidrs;
        }
        Change::Network(subnets, groups) => {
            cluster.network.subnet_ids = subnets;
            cluster.network.security_group_ids = groups;
        }
        Change::Authentication(mode) => cluster.authentication_mode = mode,
        Change::Support(kind) => cluster.support_type = kind,
        Change::Protection(on) => cluster.deletion_protection = on,
        Change::ZonalShift(on) => cluster.zonal_shift = on,
        Change::Addon => {}
    }
}

/// `DescribeUpdate`, of the cluster or of the add-on that is named.
pub(super) fn describe(world: &World, call: &Call) -> Answer {
    let (cluster, id) = (named(world, call)?, call.required("updateId"));
    let addon = call.text("addonName");
    let found = cluster.updates.iter().find(|update| update.id == id && update.addon.as_deref() == addon);
    let update = found.ok_or_else(|| not_found(format!("No update found for ID: {id}")))?;
    Ok(json!({ "update": update.described() }))
}

/// `ListUpdates`, newest first.
pub(super) fn list(world: &World, call: &Call) -> Answer {
    let (cluster, addon) = (named(world, call)?, call.text("addonName"));
    if let Some(name) = addon.filter(|name| !cluster.addons.contains_key(*name)) {
        return Err(addons::no_addon(&cluster.name, name));
    }
    let newest_first = cluster.updates.iter().filter(|update| update.addon.as_deref() == addon).map(|update| {
        let key = format!("{:020} {}", i64::MAX - update.created_at.as_millisecond(), update.id);
        (key, Value::from(update.id.as_str()))
    });
    page(call, "updateIds", newest_first)
}
