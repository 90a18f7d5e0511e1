//! Writing an add-on's objects into a cluster and taking them out again.

use super::{
    catalogue::{self, Product},
    configuration, objects,
};
use crate::{
    eks::{
        cluster::cluster_by_arn,
        world_access::{self, Change, NotApplied},
    },
    world::World,
};
use jiff::Timestamp;
use serde_json::Value;

/// Field manager of what EKS manages.
const MANAGER: &str = "eks";

/// Field manager of what a new cluster starts with.
const BOOTSTRAP_MANAGER: &str = "kubectl-client-side-apply";

/// What a cluster has from the start, in the order in which it is written.
const BOOTSTRAPPED: [&str; 3] = ["vpc-cni", "kube-proxy", "coredns"];

/// Why an add-on's objects are not all in the cluster.
#[derive(Debug, Default)]
pub(super) struct Obstacles {
    /// Fields that another manager holds, as `Kind.group name - field`.
    pub(super) conflicts: Vec<String>,
    /// What the API server said to objects that it did not admit.
    pub(super) denials: Vec<String>,
}

/// Writes the objects of the cluster's add-on `name` as it is recorded, and answers what kept some from being written.
/// `force` takes fields over from other managers.
pub(super) fn install(world: &mut World, cluster: &str, name: &str, force: bool, now: Timestamp) -> Obstacles {
    let objects = recorded(world, cluster, name);
    write(world, cluster, &objects, MANAGER, force, now)
}

/// Removes the objects of the cluster's add-on `name`, last written first; namespaces that others use stay.
pub(super) fn uninstall(world: &mut World, cluster: &str, name: &str, now: Timestamp) {
    for object in recorded(world, cluster, name).iter().rev() {
        let path = objects::path(object);
        if object["kind"] != "Namespace" {
            world_access::remove(world, cluster, &path, now);
        }
    }
}

/// The objects of the cluster's add-on `name`, as it is recorded.
pub(in crate::eks) fn recorded(world: &World, cluster: &str, name: &str) -> Vec<Value> {
    let found = cluster_by_arn(world, cluster).and_then(|cluster| Some((cluster, cluster.addons.get(name)?)));
    let Some(((cluster, addon), product)) = found.zip(catalogue::product(name)) else { return Vec::new() };
    let text = addon.configuration.as_deref().unwrap_or("{}");
    objects::of(&objects::Setting {
        addon: name,
        version: &addon.version,
        namespace: &addon.namespace,
        region: &cluster.region,
        service_cidr: &cluster.service_cidr,
        role_arn: addon.role_arn.as_deref(),
        values: configuration::checked(text, &product.schema).unwrap_or_default(),
    })
}

fn write(world: &mut World, cluster: &str, objects: &[Value], manager: &str, force: bool, now: Timestamp) -> Obstacles {
    let mut obstacles = Obstacles::default();
    for object in objects {
        let path = objects::path(object);
        let what = format!("{} {}", group_kind(object), object["metadata"]["name"].as_str().unwrap_or_default());
        let change = Change { path: &path, object, manager, force };
        match world_access::apply(world, cluster, &change, now) {
            Ok(()) => {}
            Err(NotApplied::Conflict(fields)) => {
                obstacles.conflicts.extend(fields.into_iter().map(|field| format!("{what} - {field}")));
            }
            Err(NotApplied::Denied(message)) => obstacles.denials.push(format!("{what}: {message}")),
        }
    }
    obstacles
}

/// `Deployment.apps`, or `ConfigMap` for the core group, as conflicts name it.
fn group_kind(object: &Value) -> String {
    let kind = object["kind"].as_str().unwrap_or_default();
    match object["apiVersion"].as_str().and_then(|version| version.split_once('/')) {
        Some((group, _)) => format!("{kind}.{group}"),
        None => kind.to_owned(),
    }
}

/// Writes the network plugin, kube-proxy and DNS that a new cluster has without asking, in their oldest fitting versions.
pub(in crate::eks) fn bootstrap(world: &mut World, arn: &str, now: Timestamp) {
    for name in BOOTSTRAPPED {
        let Some(objects) = catalogue::product(name).and_then(|product| self_managed(world, arn, product)) else {
            continue;
        };
        write(world, arn, &objects, BOOTSTRAP_MANAGER, true, now);
    }
}

fn self_managed(world: &World, arn: &str, product: &Product) -> Option<Vec<Value>> {
    let cluster = cluster_by_arn(world, arn)?;
    Some(objects::of(&objects::Setting {
        addon: &product.name,
        version: product.oldest_version(&cluster.version)?,
        namespace: &product.namespace,
        region: &cluster.region,
        service_cidr: &cluster.service_cidr,
        role_arn: None,
        values: Value::Object(serde_json::Map::new()),
    }))
}
