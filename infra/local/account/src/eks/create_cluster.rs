//! `CreateCluster`: what EKS checks at once, and the record that it answers. The rest happens by itself (`life`).

use super::{
    Cluster,
    cluster::{LOG_TYPES, Status, arn},
    create_network,
    life::{self, Event},
    refusals::{in_use, invalid, limit},
    versions,
    wire::{tags, texts},
    world_access,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Why a cluster ends as FAILED: a `ClusterIssueCode` and its message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreationFailure {
    /// For example `InsufficientFreeAddresses` or `Ec2SubnetNotFound`.
    pub code: String,
    /// What DescribeCluster's health issue says.
    pub message: String,
}

/// Members for kinds of cluster that this account does not offer.
const NOT_OFFERED: [&str; 6] = [
    "outpostConfig",
    "remoteNetworkConfig",
    "controlPlaneScalingConfig",
    "kubeApiServerConfig",
    "kubeSchedulerConfig",
    "kubeControllerManagerConfig",
];

/// The rule for cluster names: `^[0-9A-Za-z][A-Za-z0-9\-_]{0,99}$`.
fn is_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    name.len() <= 100
        && name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && name.bytes().all(inner)
}

fn is_role_arn(arn: &str) -> bool {
    let (account, name) =
        arn.strip_prefix("arn:aws:iam::").and_then(|rest| rest.split_once(":role/")).unwrap_or_default();
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_+=,.@-/".contains(&byte);
    account.len() == 12
        && account.bytes().all(|byte| byte.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(allowed)
}

/// `CreateCluster`.
pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let name = call.required("name");
    if let Some(earlier) = world.eks.tokens.earlier(call)? {
        let living = world.eks.clusters.values().find(|cluster| cluster.id == earlier.thing).map(Cluster::described);
        return Ok(json!({ "cluster": living.or(earlier.last_seen) }));
    }
    if !is_name(name) {
        return Err(invalid(
            "The cluster name must start with a letter or digit and can contain letters, digits, hyphens and \
                 underscores, at most 100.",
        ));
    }
    let key = arn(&call.region, name);
    if world.eks.clusters.contains_key(&key) {
        return Err(in_use(format!("Cluster already exists with name: {name}")).with("clusterName", name));
    }
    let here = world.eks.clusters.values().filter(|cluster| cluster.region == call.region).count();
    if !world_access::quota_allows_more_than(world, &call.region, here) {
        return Err(limit("Cluster limit exceeded for account.").with("clusterName", name));
    }
    let cluster = checked(world, call, key.clone())?;
    world.eks.tokens.remember(call, &cluster.id);
    life::start_creation(world, &cluster, call.now);
    let answer = json!({ "cluster": cluster.described() });
    world.eks.clusters.insert(key, cluster);
    Ok(answer)
}

/// The record of a cluster whose request is in order.
fn checked(world: &mut World, call: &Call, key: String) -> Result<Cluster, AwsError> {
    let name = call.required("name").to_owned();
    let version = call.text("version").unwrap_or_else(|| versions::default(call.now)).to_owned();
    if !versions::is_offered(&version, call.now) {
        return Err(invalid("unsupported Kubernetes version").with("clusterName", name));
    }
    kind_is_offered(&call.input)?;
    let network = create_network::wanted(world, call, &name)?;
    let service_cidr = create_network::service_cidr(world, call, &network.vpc_id)?;
    let access = call.input.get("accessConfig").unwrap_or(&Value::Null);
    let role_arn = assumable_role(world, call)?;
    let number = world.next_number("eks cluster");
    let id = format!("{:016X}{:016X}", number, world.hash(&format!("eks cluster id {number}")));
    Ok(Cluster {
        arn: key,
        region: call.region.clone(),
        created_at: call.now,
        version,
        role_arn,
        status: Status::Creating,
        network,
        authentication_mode: text(access, "authenticationMode", "CONFIG_MAP"),
        tags: tags(call),
        issues: Vec::new(),
        service_cidr,
        logs: logs(&[], call.input.get("logging")),
        id,
        endpoint: String::new(),
        port: None,
        authority: String::new(),
        token: call.text("clientRequestToken").map(str::to_owned),
        creator: call.caller.clone(),
        creator_is_admin: flag(access, "bootstrapClusterCreatorAdminPermissions", true),
        bootstrap_addons: call.flag("bootstrapSelfManagedAddons").unwrap_or(true),
        support_type: text(call.input.get("upgradePolicy").unwrap_or(&Value::Null), "supportType", "EXTENDED"),
        deletion_protection: call.flag("deletionProtection").unwrap_or(false),
        zonal_shift: flag(call.input.get("zonalShiftConfig").unwrap_or(&Value::Null), "enabled", false),
        encryption: call.list("encryptionConfig").to_vec(),
        updates: Vec::new(),
        addons: BTreeMap::new(),
        entries: BTreeMap::new(),
        effective: BTreeMap::new(),
        granted: BTreeMap::new(),
        associations: BTreeMap::new(),
        name,
    })
}

fn kind_is_offered(input: &Value) -> Result<(), AwsError> {
    if let Some(member) = NOT_OFFERED.iter().find(|member| input.get(**member).is_some()) {
        return Err(invalid(format!("{member} is not offered by this account")));
    }
    let auto = [
        "/computeConfig/enabled",
        "/storageConfig/blockStorage/enabled",
        "/kubernetesNetworkConfig/elasticLoadBalancing/enabled",
    ];
    if auto.iter().any(|path| input.pointer(path).and_then(Value::as_bool).unwrap_or(false)) {
        return Err(invalid("EKS Auto Mode is not offered by this account"));
    }
    Ok(())
}

/// The cluster role, if EKS can assume it already: IAM spreads slowly.
fn assumable_role(world: &World, call: &Call) -> Result<String, AwsError> {
    let role = call.required("roleArn");
    if !is_role_arn(role) {
        return Err(invalid(format!("Invalid roleArn: {role}")));
    }
    if world_access::role_assumable(world, role, "eks.amazonaws.com", call.now) {
        return Ok(role.to_owned());
    }
    let message = format!(
        "Role with arn: {role}, could not be assumed because it does not exist or the trusted entity is not correct"
    );
    Err(invalid(message).with("clusterName", call.required("name")))
}

/// Log types that are on after `change`, in EKS's order.
pub(super) fn logs(before: &[String], change: Option<&Value>) -> Vec<String> {
    let mut on: Vec<String> = before.to_vec();
    let setups = change.and_then(|logging| logging.get("clusterLogging")).and_then(Value::as_array);
    for setup in setups.into_iter().flatten() {
        let types = texts(setup.get("types"));
        on.retain(|kind| !types.contains(kind));
        if flag(setup, "enabled", false) {
            on.extend(types);
        }
    }
    LOG_TYPES.iter().filter(|kind| on.iter().any(|log| log == *kind)).map(|kind| (*kind).to_owned()).collect()
}

pub(super) fn flag(value: &Value, member: &str, otherwise: bool) -> bool {
    value.get(member).and_then(Value::as_bool).unwrap_or(otherwise)
}

fn text(value: &Value, member: &str, otherwise: &str) -> String {
    value.get(member).and_then(Value::as_str).unwrap_or(otherwise).to_owned()
}

/// The event with which creation ends.
pub(super) fn ready(cluster: &Cluster) -> Event {
    Event::ClusterReady { arn: cluster.arn.clone(), id: cluster.id.clone() }
}
