//! Everything that HyperPod asks of other services, in one place, so that what it depends on can be read at a glance.

use super::cluster::CapacityKind;
use crate::{
    capacity, ec2, eks, geography,
    hyperpod_nodes::mounts::{Kubelets, NodeHost},
    iam::{self, RoleState},
    kubernetes::{Reply, Request, User},
    quotas, s3,
    world::World,
};
use jiff::Timestamp;
use serde_json::{Value, json};

pub use domain::catalogue::{AcceleratorKind, Arch, Hardware};

/// Who HyperPod is for EC2.
const EC2_OWNER: &str = "sagemaker";

/// The access policies of HyperPod's own role in a cluster.
const OWN_POLICIES: [&str; 3] = [
    "AmazonSagemakerHyperpodClusterPolicy",
    "AmazonSagemakerHyperpodControllerPolicy",
    "AmazonSagemakerHyperpodSystemNamespacePolicy",
];

/// A subnet as far as HyperPod looks at it.
#[derive(Debug, Clone, PartialEq)]
pub struct Subnet {
    /// VPC.
    pub vpc: String,
    /// Zone name in this account.
    pub zone: String,
    /// Zone id.
    pub zone_id: String,
}

/// An EKS cluster as far as HyperPod looks at it.
#[derive(Debug, Clone, PartialEq)]
pub struct EksCluster {
    /// `ACTIVE`, `CREATING` …
    pub status: String,
    /// Whether its Kubernetes API is served, which an update does not interrupt.
    pub serving: bool,
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

/// Hardware of `instance_type`, from the instance catalogue.
pub fn hardware(instance_type: &str) -> Option<&'static Hardware> {
    domain::catalogue::hardware(&instance_type.parse().ok()?)
}

/// The applied value of a SageMaker quota, by its name.
#[expect(clippy::cast_possible_truncation, reason = "quotas are small whole numbers")]
pub fn quota(world: &World, region: &str, name: &str) -> i64 {
    quotas::limit(world, "sagemaker", name, region) as i64
}

/// The zones of a region, name and id.
pub fn zones(region: &str) -> Vec<(String, String)> {
    geography::zones(region).into_iter().map(|zone| (zone.name, zone.id)).collect()
}

/// A subnet.
pub fn subnet(world: &World, region: &str, id: &str) -> Option<Subnet> {
    let subnet = world.ec2.existing(region)?.subnets.get(id)?;
    Some(Subnet { vpc: subnet.vpc.clone(), zone: subnet.zone.clone(), zone_id: subnet.zone_id.clone() })
}

/// The VPC of a security group.
pub fn security_group_vpc(world: &World, region: &str, id: &str) -> Option<String> {
    Some(world.ec2.existing(region)?.groups.get(id)?.vpc.clone())
}

/// Whether a security group allows all traffic to and from itself.
pub fn group_allows_self(world: &World, region: &str, id: &str) -> bool {
    world.ec2.existing(region).is_some_and(|network| ec2::self_rules(network, id) == (true, true))
}

/// Takes one instance of capacity in a zone, or says that there is none.
pub fn take_capacity(world: &mut World, region: &str, zone_id: &str, instance_type: &str, kind: &CapacityKind) -> bool {
    capacity::take(world, region, zone_id, instance_type, pool(kind), 1) == 1
}

/// Gives one instance of capacity back.
pub fn return_capacity(world: &mut World, zone_id: &str, instance_type: &str, kind: &CapacityKind) {
    capacity::give_back(world, zone_id, instance_type, pool(kind), 1);
}

fn pool(kind: &CapacityKind) -> capacity::Kind {
    match kind {
        CapacityKind::Spot => capacity::Kind::Spot,
        CapacityKind::OnDemand | CapacityKind::Plan(_) => capacity::Kind::OnDemand,
    }
}

/// Claims one network interface with `addresses` addresses.
///
/// # Errors
/// EC2's refusal, in its words.
pub fn claim_interface(
    world: &mut World,
    region: &str,
    subnet: &str,
    groups: &[String],
    addresses: u32,
    description: &str,
) -> Result<Interface, String> {
    let count = usize::try_from(addresses).unwrap_or(usize::MAX);
    let id = ec2::claim_interface(world, region, subnet, groups, description, EC2_OWNER, count)
        .map_err(|refusal| refusal.message)?;
    let interface = world.ec2.existing(region).and_then(|network| network.interfaces.get(&id));
    let address = interface.and_then(|interface| interface.addresses.first()).map(ToString::to_string);
    Ok(Interface { id, address: address.unwrap_or_default() })
}

/// Deletes a network interface that was claimed.
pub fn release_interface(world: &mut World, region: &str, id: &str, now: Timestamp) {
    ec2::release_interface(world, region, id, now);
}

/// Whether `service` can assume `role` now.
pub fn can_assume(world: &World, role_arn: &str, service: &str, now: Timestamp) -> bool {
    iam::role_assumable_by(world, role_arn, service, now) == RoleState::Trusted
}

/// Whether the policies of `role` allow `action` on `resource` now.
pub fn allows(world: &World, role_arn: &str, action: &str, resource: &str, now: Timestamp) -> bool {
    iam::allows(world, role_arn, action, resource, now).is_ok()
}

/// Makes HyperPod's role in the account, if it is not there, and answers its ARN.
pub fn own_role(world: &mut World, now: Timestamp) -> String {
    iam::ensure_service_linked_role(world, "hyperpod.sagemaker.amazonaws.com", now).unwrap_or_default()
}

/// Reads an object as `role`.
///
/// # Errors
/// The role may not read it, or it is not there.
pub fn object(world: &World, role_arn: &str, bucket: &str, key: &str, now: Timestamp) -> Result<Vec<u8>, Unreadable> {
    if !allows(world, role_arn, "s3:GetObject", &format!("arn:aws:s3:::{bucket}/{key}"), now) {
        return Err(Unreadable::Denied);
    }
    if s3::bucket_region(world, bucket).is_none() {
        return Err(Unreadable::NoSuchBucket);
    }
    s3::get_object(world, bucket, key).map(Vec::from).ok_or(Unreadable::NoSuchKey)
}

/// The region of a bucket.
pub fn bucket_region(world: &World, bucket: &str) -> Option<String> {
    s3::bucket_region(world, bucket).map(str::to_owned)
}

/// The keys of a bucket that begin with `prefix`.
pub fn object_keys(world: &World, bucket: &str, prefix: &str) -> Vec<String> {
    s3::list(world, bucket, prefix).unwrap_or_default()
}

/// An EKS cluster.
pub fn eks_cluster(world: &World, arn: &str) -> Option<EksCluster> {
    let cluster = eks::cluster_by_arn(world, arn)?;
    Some(EksCluster {
        status: cluster.status.word().to_owned(),
        serving: cluster.is_serving(),
        authentication_mode: cluster.authentication_mode.clone(),
        vpc: cluster.network.vpc_id.clone(),
        version: cluster.version.clone(),
    })
}

/// Lets the nodes of an execution role join a cluster, unless the role has an access entry.
pub fn admit_nodes(world: &mut World, eks_arn: &str, role: &str, now: Timestamp) {
    eks::grant_service_access(world, eks_arn, role, None, "HYPERPOD_LINUX", &[], now);
}

/// Lets HyperPod's own role into a cluster.
pub fn admit_itself(world: &mut World, eks_arn: &str, role: &str, now: Timestamp) {
    let policies = OWN_POLICIES.map(|name| (name, Vec::new()));
    eks::grant_service_access(world, eks_arn, role, Some("hyperpod-service-linked-role"), "STANDARD", &policies, now);
}

/// Whether a principal has an access entry that works by now.
pub fn has_access_entry(world: &World, eks_arn: &str, principal: &str) -> bool {
    eks::admits(world, eks_arn, principal)
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

/// Whether a cluster has a network plugin: the DaemonSet `aws-node`.
pub fn has_network_plugin(world: &mut World, eks_arn: &str, now: Timestamp) -> bool {
    let path = "/apis/apps/v1/namespaces/kube-system/daemonsets/aws-node";
    kubernetes(world, eks_arn, "GET", path, None, now).is_some_and(|(status, _)| status == 200)
}

/// Lets the controllers of every Kubernetes cluster act and answers when they want to act next.
pub fn run_controllers(world: &mut World, now: Timestamp) -> Option<Timestamp> {
    let clusters: Vec<String> = world.kubernetes.keys().cloned().collect();
    clusters.iter().filter_map(|arn| run_controllers_of(world, arn, now)).min()
}

/// The cluster leaves the world for as long as its kubelets look at the rest of it.
fn run_controllers_of(world: &mut World, arn: &str, now: Timestamp) -> Option<Timestamp> {
    if let Err(next) = world.kubernetes.get(arn)?.is_due(now) {
        return next;
    }
    let kubelets = Kubelets::look(world, arn, now);
    let mut cluster = world.kubernetes.remove(arn)?;
    let next = cluster.reconcile(&NodeHost::new(world, &kubelets, now), now);
    world.kubernetes.insert(arn.to_owned(), cluster);
    next
}

/// One request to the API server of an EKS cluster, as a part of AWS makes it; none if there is no such cluster.
pub fn kubernetes(
    world: &mut World,
    eks_arn: &str,
    method: &str,
    path: &str,
    body: Option<&Value>,
    now: Timestamp,
) -> Option<(u16, Value)> {
    let method: http::Method = method.parse().ok()?;
    let kind = if method == http::Method::PATCH { "application/merge-patch+json" } else { "application/json" };
    let request = Request {
        method,
        path: path.to_owned(),
        query: String::new(),
        content_type: body.map(|_| kind.to_owned()),
        accept: Some("application/json".to_owned()),
        body: body.map(|body| body.to_string().into_bytes()).unwrap_or_default(),
        user: User::system("hyperpod"),
    };
    match world.kubernetes.get_mut(eks_arn)?.handle(&request, now) {
        Reply::Json { status, body, .. } => Some((status, body)),
        Reply::Text { status, body } => Some((status, json!(body))),
        Reply::Watch(_) => None,
    }
}
