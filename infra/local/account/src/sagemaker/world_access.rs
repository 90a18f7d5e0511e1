//! Everything that HyperPod asks of other services, in one place, so that what it depends on can be read at a glance.
//!
//! Until those services are joined, answers come from [`StandIns`], which tests fill; each function names whom it will
//! ask. Nothing else in this module knows of the stand-ins.

use crate::{call::Caller, world::World};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

use super::cluster::CapacityKind;

pub use domain::catalogue::{AcceleratorKind, Arch, Hardware};

/// A subnet as far as HyperPod looks at it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subnet {
    /// VPC.
    pub vpc: String,
    /// Zone name in this account.
    pub zone: String,
    /// Zone id.
    pub zone_id: String,
}

/// An EKS cluster as far as HyperPod looks at it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EksCluster {
    /// `ACTIVE`, `CREATING` …
    pub status: String,
    /// `API`, `API_AND_CONFIG_MAP` or `CONFIG_MAP`.
    pub authentication_mode: String,
    /// VPC of its control plane.
    pub vpc: String,
    /// Kubernetes minor version: `1.33`.
    pub version: String,
}

/// A network interface that was claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// `eni-…`.
    pub id: String,
    /// Its primary address.
    pub address: String,
}

/// Why an object cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// The role may not.
    Denied,
    /// There is no such bucket.
    NoSuchBucket,
    /// There is no such key.
    NoSuchKey,
}

/// What stands in for services that are not joined yet. Tests fill it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StandIns {
    /// Applied SageMaker quotas by name; what is not here is unlimited.
    pub quotas: BTreeMap<String, i64>,
    /// Zones: name and id.
    pub zones: Vec<(String, String)>,
    /// Subnets by id, with the addresses left.
    pub subnets: BTreeMap<String, (Subnet, u32)>,
    /// VPC by security group id, and whether the group allows all traffic to and from itself.
    pub groups: BTreeMap<String, (String, bool)>,
    /// Instances left by `zone id/type/kind`; what is not here is unlimited.
    pub capacity: BTreeMap<String, u32>,
    /// Service principals that a role trusts.
    pub roles: BTreeMap<String, BTreeSet<String>>,
    /// `role action resource` that is refused.
    pub denied: BTreeSet<(String, String, String)>,
    /// Objects by `bucket/key`.
    pub objects: BTreeMap<String, String>,
    /// EKS clusters by ARN.
    pub eks: BTreeMap<String, EksCluster>,
    /// Access entries: EKS cluster ARN and principal, with type.
    pub entries: BTreeMap<String, String>,
    /// Interfaces claimed and not yet released: id, subnet, addresses.
    pub interfaces: BTreeMap<String, (String, u32)>,
    /// Roles of service accounts by `cluster arn/namespace/name`.
    pub pod_roles: BTreeMap<String, String>,
    /// Kubernetes objects by `cluster arn` + path.
    pub kubernetes: BTreeMap<String, Value>,
}

fn stand_ins(world: &World) -> &StandIns {
    &world.sagemaker.stand_ins
}

/// Hardware of `instance_type`, from the instance catalogue.
pub fn hardware(instance_type: &str) -> Option<&'static Hardware> {
    domain::catalogue::hardware(&instance_type.parse().ok()?)
}

/// The applied value of a SageMaker quota; asks Service Quotas.
pub fn quota(world: &World, _region: &str, name: &str) -> i64 {
    stand_ins(world).quotas.get(name).copied().unwrap_or(i64::MAX)
}

/// The zones of a region, name and id; asks EC2.
pub fn zones(world: &World, _region: &str) -> Vec<(String, String)> {
    stand_ins(world).zones.clone()
}

/// A subnet; asks EC2.
pub fn subnet(world: &World, _region: &str, id: &str) -> Option<Subnet> {
    stand_ins(world).subnets.get(id).map(|(subnet, _)| subnet.clone())
}

/// The VPC of a security group; asks EC2.
pub fn security_group_vpc(world: &World, _region: &str, id: &str) -> Option<String> {
    stand_ins(world).groups.get(id).map(|(vpc, _)| vpc.clone())
}

/// Whether a security group allows all traffic to and from itself; asks `ec2::group_allows_self`.
pub fn group_allows_self(world: &World, _region: &str, id: &str) -> bool {
    stand_ins(world).groups.get(id).is_some_and(|(_, open)| *open)
}

/// Takes one instance of capacity in a zone, or says that there is none; asks `capacity::take`.
pub fn take_capacity(
    world: &mut World,
    _region: &str,
    zone_id: &str,
    instance_type: &str,
    kind: &CapacityKind,
) -> bool {
    match world.sagemaker.stand_ins.capacity.get_mut(&pool(zone_id, instance_type, kind)) {
        Some(0) => false,
        Some(left) => {
            *left -= 1;
            true
        }
        None => true,
    }
}

/// Gives one instance of capacity back; tells `capacity::give_back`.
pub fn return_capacity(world: &mut World, _region: &str, zone_id: &str, instance_type: &str, kind: &CapacityKind) {
    if let Some(left) = world.sagemaker.stand_ins.capacity.get_mut(&pool(zone_id, instance_type, kind)) {
        *left += 1;
    }
}

fn pool(zone_id: &str, instance_type: &str, kind: &CapacityKind) -> String {
    match kind {
        CapacityKind::Spot => format!("{zone_id}/{instance_type}/spot"),
        _ => format!("{zone_id}/{instance_type}/on-demand"),
    }
}

/// Claims one network interface with `addresses` addresses; asks `ec2::claim_interface`.
///
/// # Errors
/// The subnet has too few addresses left.
pub fn claim_interface(
    world: &mut World,
    _region: &str,
    subnet: &str,
    _groups: &[String],
    addresses: u32,
    _description: &str,
) -> Result<Interface, String> {
    let Some((_, left)) = world.sagemaker.stand_ins.subnets.get_mut(subnet) else {
        return Err(format!("The subnet ID '{subnet}' does not exist"));
    };
    if *left < addresses {
        return Err(format!(
            "The specified subnet does not have enough free addresses to satisfy the request: {subnet}"
        ));
    }
    *left -= addresses;
    let number = 4 + *left % 4000;
    let address = format!("10.1.{}.{}", number / 250, 1 + number % 250);
    let id = world.new_id("eni-");
    world.sagemaker.stand_ins.interfaces.insert(id.clone(), (subnet.to_owned(), addresses));
    Ok(Interface { id, address })
}

/// Deletes a network interface that was claimed; tells `ec2::release_interface`.
pub fn release_interface(world: &mut World, _region: &str, id: &str, _now: Timestamp) {
    let stand_ins = &mut world.sagemaker.stand_ins;
    if let Some((subnet, addresses)) = stand_ins.interfaces.remove(id)
        && let Some((_, left)) = stand_ins.subnets.get_mut(&subnet)
    {
        *left += addresses;
    }
}

/// Whether `service` can assume `role` now; asks `iam::can_assume`.
pub fn can_assume(world: &World, role_arn: &str, service: &str, _now: Timestamp) -> bool {
    stand_ins(world).roles.get(role_arn).is_some_and(|trusted| trusted.contains(service))
}

/// Whether the policies of `role` allow `action` on `resource` now; asks `iam::allows`.
pub fn allows(world: &World, role_arn: &str, action: &str, resource: &str, _now: Timestamp) -> bool {
    let stand_ins = stand_ins(world);
    let denied = (role_arn.to_owned(), action.to_owned(), resource.to_owned());
    stand_ins.roles.contains_key(role_arn) && !stand_ins.denied.contains(&denied)
}

/// Whether a caller may do `action` on `resource`, in addition to the call itself; asks `iam::caller_allows`.
pub fn caller_may(world: &World, caller: &Caller, action: &str, resource: &str, _now: Timestamp) -> bool {
    !stand_ins(world).denied.contains(&(caller.arn.clone(), action.to_owned(), resource.to_owned()))
}

/// Reads an object as `role`; asks `iam::allows` and `s3::get_object`.
///
/// # Errors
/// The role may not read it, or it is not there.
pub fn object(world: &World, role_arn: &str, bucket: &str, key: &str, now: Timestamp) -> Result<Vec<u8>, Unreadable> {
    if !allows(world, role_arn, "s3:GetObject", &format!("arn:aws:s3:::{bucket}/{key}"), now) {
        return Err(Unreadable::Denied);
    }
    if bucket_region(world, bucket).is_none() {
        return Err(Unreadable::NoSuchBucket);
    }
    let found = stand_ins(world).objects.get(&format!("{bucket}/{key}"));
    found.map(|text| text.clone().into_bytes()).ok_or(Unreadable::NoSuchKey)
}

/// The region of a bucket; asks S3.
pub fn bucket_region(world: &World, bucket: &str) -> Option<String> {
    let prefix = format!("{bucket}/");
    stand_ins(world).objects.keys().any(|key| key.starts_with(&prefix)).then(|| "us-west-2".to_owned())
}

/// The keys of a bucket that begin with `prefix`; asks S3.
pub fn object_keys(world: &World, bucket: &str, prefix: &str) -> Vec<String> {
    let whole = format!("{bucket}/{prefix}");
    let keys =
        stand_ins(world).objects.range(whole.clone()..).map(|(key, _)| key).take_while(|key| key.starts_with(&whole));
    keys.map(|key| key[bucket.len() + 1..].to_owned()).collect()
}

/// An EKS cluster; asks EKS.
pub fn eks_cluster(world: &World, arn: &str) -> Option<EksCluster> {
    stand_ins(world).eks.get(arn).cloned()
}

/// Makes an access entry unless the principal has one; asks EKS.
pub fn ensure_access_entry(
    world: &mut World,
    eks_arn: &str,
    principal: &str,
    kind: &str,
    _user: Option<&str>,
    _now: Timestamp,
) {
    world.sagemaker.stand_ins.entries.entry(format!("{eks_arn} {principal}")).or_insert_with(|| kind.to_owned());
}

/// Whether a principal has an access entry that works by now; asks EKS.
pub fn has_access_entry(world: &World, eks_arn: &str, principal: &str, _now: Timestamp) -> bool {
    stand_ins(world).entries.contains_key(&format!("{eks_arn} {principal}"))
}

/// The role that pods of a service account get by Pod Identity or IRSA; asks `eks::pod_role`.
pub fn pod_role(world: &World, eks_arn: &str, namespace: &str, account: &str, _now: Timestamp) -> Option<String> {
    stand_ins(world).pod_roles.get(&format!("{eks_arn}/{namespace}/{account}")).cloned()
}

/// Puts an event of SageMaker's on the region's default bus and answers the id of its envelope.
pub fn send_event(world: &mut World, region: &str, arn: &str, at: Timestamp, kind: &str, detail: &Value) -> String {
    let entry = crate::events::Entry {
        source: "aws.sagemaker".to_owned(),
        detail_type: kind.to_owned(),
        region: region.to_owned(),
        resources: vec![arn.to_owned()],
        detail: detail.clone(),
        time: at,
    };
    crate::events::put(world, entry, at)
}

/// Whether a cluster has a network plugin; asks Kubernetes for the DaemonSet `aws-node`.
pub fn has_network_plugin(world: &mut World, eks_arn: &str, now: Timestamp) -> bool {
    let path = "/apis/apps/v1/namespaces/kube-system/daemonsets/aws-node";
    kubernetes(world, eks_arn, "GET", path, None, now).is_some_and(|(status, _)| status == 200)
}

/// Lets the controllers of every Kubernetes cluster act and answers when they want to act next; asks
/// `kubernetes::Cluster::reconcile` with a [`crate::hyperpod_nodes::mounts::NodeHost`].
pub fn run_controllers(_world: &mut World, _now: Timestamp) -> Option<Timestamp> {
    None
}

/// One request to the API server of an EKS cluster, as the node's own components make it; none if there is no such
/// cluster. Asks `kubernetes::Cluster::handle`.
pub fn kubernetes(
    world: &mut World,
    eks_arn: &str,
    method: &str,
    path: &str,
    body: Option<&Value>,
    _now: Timestamp,
) -> Option<(u16, Value)> {
    let objects = &mut world.sagemaker.stand_ins.kubernetes;
    let key = format!("{eks_arn}{path}");
    Some(match (method, body) {
        ("GET", _) if path.ends_with("/nodes") || path.ends_with("/pods") => {
            let prefix = format!("{key}/");
            let items: Vec<&Value> = objects
                .range(prefix.clone()..)
                .take_while(|(name, _)| name.starts_with(&prefix))
                .map(|(_, object)| object)
                .collect();
            (200, json!({ "items": items }))
        }
        ("GET", _) => objects.get(&key).map_or((404, json!({})), |object| (200, object.clone())),
        ("DELETE", _) => objects.remove(&key).map_or((404, json!({})), |object| (200, object)),
        ("POST", Some(body)) => {
            let name = body["metadata"]["name"].as_str().unwrap_or_default();
            objects.insert(format!("{key}/{name}"), body.clone());
            (201, body.clone())
        }
        ("PATCH", Some(body)) => match objects.get_mut(key.trim_end_matches("/status")) {
            Some(object) => {
                merge(object, body);
                (200, object.clone())
            }
            None => (404, json!({})),
        },
        _ => (405, json!({})),
    })
}

fn merge(object: &mut Value, patch: &Value) {
    let (Value::Object(object), Value::Object(patch)) = (object, patch) else { return };
    for (name, value) in patch {
        match value {
            Value::Null => {
                object.remove(name);
            }
            Value::Object(_) if object.get(name).is_some_and(Value::is_object) => merge(&mut object[name], value),
            _ => {
                object.insert(name.clone(), value.clone());
            }
        }
    }
}
