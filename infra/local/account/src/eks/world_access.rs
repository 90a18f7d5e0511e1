//! What EKS asks of the services around it: EC2, IAM, Service Quotas and the Kubernetes API server of a cluster.
//!
//! The only file of EKS that knows how the others are called.

use crate::{call::Caller, world::World};
use ipnet::Ipv4Net;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What EKS needs to know of a subnet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Subnet {
    pub(super) id: String,
    pub(super) vpc_id: String,
    pub(super) zone_id: String,
    pub(super) zone_name: String,
    pub(super) free_addresses: u32,
}

/// A Kubernetes user as the API server knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// User name.
    pub name: String,
    /// Groups.
    pub groups: Vec<String>,
}

pub(super) fn subnet(world: &World, _region: &str, id: &str, _now: Timestamp) -> Option<Subnet> {
    world.eks.surroundings.subnets.get(id).cloned()
}

/// Zones of a region: name and id.
pub(super) fn zones(_world: &World, region: &str) -> Vec<(String, String)> {
    let short = if region == "us-east-1" { "use1" } else { "usw2" };
    ["a", "b", "c", "d"]
        .iter()
        .zip(1..)
        .map(|(letter, n)| (format!("{region}{letter}"), format!("{short}-az{n}")))
        .collect()
}

pub(super) fn vpc_blocks(_world: &World, _region: &str, _vpc: &str) -> Vec<Ipv4Net> {
    vec![Ipv4Net::new_assert([10, 0, 0, 0].into(), 16)]
}

pub(super) fn security_group_vpc(world: &World, _region: &str, id: &str) -> Option<String> {
    world.eks.surroundings.groups.get(id).cloned()
}

pub(super) fn make_cluster_security_group(
    world: &mut World,
    _region: &str,
    vpc: &str,
    _cluster: &str,
    _now: Timestamp,
) -> String {
    let id = world.new_id("sg-");
    world.eks.surroundings.groups.insert(id.clone(), vpc.to_owned());
    id
}

pub(super) fn remove_cluster_security_group(world: &mut World, _region: &str, id: &str, _now: Timestamp) {
    world.eks.surroundings.groups.remove(id);
}

pub(super) fn claim_interface(
    world: &mut World,
    _region: &str,
    subnet: &str,
    _groups: &[String],
    _description: &str,
    _now: Timestamp,
) -> Option<String> {
    let id = world.new_id("eni-");
    world.eks.surroundings.interfaces.insert(id.clone(), subnet.to_owned());
    Some(id)
}

/// Whether the interface is still there: it lingers when it is released.
pub(super) fn interface_exists(world: &World, _region: &str, id: &str) -> bool {
    world.eks.surroundings.interfaces.contains_key(id)
}

pub(super) fn release_interface(world: &mut World, _region: &str, id: &str, _now: Timestamp) {
    world.eks.surroundings.interfaces.remove(id);
}

/// How many clusters the account may have in the region (quota L-1194D53C).
pub(super) fn cluster_quota(world: &World, _region: &str) -> usize {
    world.eks.surroundings.cluster_quota.unwrap_or(100)
}

/// Whether `service` can assume the role by now: it exists, trusts the service, and IAM has spread it.
pub(super) fn role_assumable(world: &World, role_arn: &str, service: &str, now: Timestamp) -> bool {
    world.eks.surroundings.roles.get(role_arn).is_some_and(|(trusted, from)| trusted == service && *from <= now)
}

/// Whether the role or user with exactly this ARN exists.
pub(super) fn principal_exists(world: &World, arn: &str, _now: Timestamp) -> bool {
    world.eks.surroundings.roles.contains_key(arn)
}

/// The ARN, with path, of the role `name`.
pub(super) fn role_arn(world: &World, name: &str) -> Option<String> {
    world.eks.surroundings.roles.keys().find(|arn| arn.ends_with(&format!("/{name}"))).cloned()
}

/// Whether the role trusts a web identity of `issuer` with this subject and audience.
pub(super) fn role_trusts_web_identity(
    _world: &World,
    _role: &str,
    _issuer: &str,
    _subject: &str,
    _now: Timestamp,
) -> bool {
    false
}

/// Who presigned this URL with these signed headers, if the signature holds.
pub(super) fn presigner(world: &World, url: &url::Url, _headers: &[(&str, &str)], _now: Timestamp) -> Option<Caller> {
    let credential = url.query_pairs().find(|(name, _)| name == "X-Amz-Credential")?.1.into_owned();
    world.eks.surroundings.callers.get(credential.split('/').next()?).cloned()
}

pub(super) fn start_kubernetes(world: &mut World, arn: &str, _minor: &str, _now: Timestamp) {
    world.eks.surroundings.kubernetes.entry(arn.to_owned()).or_default();
}

/// The API server goes on as another minor.
pub(super) fn upgrade_kubernetes(_world: &mut World, _arn: &str, _minor: &str, _now: Timestamp) {}

pub(super) fn stop_kubernetes(world: &mut World, arn: &str) {
    world.eks.surroundings.kubernetes.remove(arn);
}

/// An object that is to be as given, as far as `manager` says.
pub(super) struct Change<'a> {
    pub(super) path: &'a str,
    pub(super) object: &'a Value,
    pub(super) manager: &'a str,
    /// Whether fields of other managers are taken over.
    pub(super) force: bool,
}

/// Why a change was not made.
#[derive(Debug)]
pub(super) enum NotApplied {
    /// Fields that another manager holds, as the API server names them.
    Conflict(Vec<String>),
    /// The API server's message.
    Denied(String),
}

/// Server-side apply.
pub(super) fn apply(world: &mut World, arn: &str, change: &Change<'_>, _now: Timestamp) -> Result<(), NotApplied> {
    let Some(objects) = world.eks.surroundings.kubernetes.get_mut(arn) else {
        return Err(NotApplied::Denied("the API server is gone".to_owned()));
    };
    let mut object = change.object.clone();
    if let Some((owner, before)) = objects.get(change.path) {
        if owner != change.manager && !change.force && before["spec"] != object["spec"] {
            return Err(NotApplied::Conflict(vec![".spec".to_owned()]));
        }
        if !before["status"].is_null() {
            object["status"] = before["status"].clone();
        }
    }
    objects.insert(change.path.to_owned(), (change.manager.to_owned(), object));
    Ok(())
}

/// The object at `path`.
pub(super) fn get(world: &mut World, arn: &str, path: &str, _now: Timestamp) -> Option<Value> {
    world.eks.surroundings.kubernetes.get(arn)?.get(path).map(|(_, object)| object.clone())
}

/// Deletes the object at `path`; nothing happens if there is none.
pub(super) fn remove(world: &mut World, arn: &str, path: &str, _now: Timestamp) {
    if let Some(objects) = world.eks.surroundings.kubernetes.get_mut(arn) {
        objects.remove(path);
    }
}

/// Gives `user` the rights of an access policy, cluster-wide or in namespaces.
pub(super) fn grant(world: &mut World, _arn: &str, user: &str, policy: &str, namespaces: &[String]) {
    world.eks.surroundings.grants.entry(user.to_owned()).or_default().push((policy.to_owned(), namespaces.join(",")));
}

/// Takes the rights of all access policies from `user`.
pub(super) fn revoke(world: &mut World, _arn: &str, user: &str) {
    world.eks.surroundings.grants.remove(user);
}
