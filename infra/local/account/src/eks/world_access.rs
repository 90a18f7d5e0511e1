//! What EKS asks of the services around it: EC2, IAM, STS, Service Quotas and the Kubernetes API server of a cluster.
//!
//! The only file of EKS that knows how the others are called.

use crate::{
    call::{Answer, Call, Caller},
    ec2, geography,
    iam::{
        self, RoleState,
        policy::{Context, Principal, Question, Verdict},
    },
    kubernetes::{AccessPolicy, Cluster, Reply, Request, Scope, User},
    quotas, signature, sts,
    world::World,
};
use ipnet::Ipv4Net;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// Who EKS is for EC2.
const EC2_OWNER: &str = "amazon-eks";

/// What EKS needs to know of a subnet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subnet {
    pub(super) id: String,
    pub(super) vpc_id: String,
    pub(super) zone_id: String,
    pub(super) zone_name: String,
    pub(super) free_addresses: u32,
}

/// The subnet as EC2 has it, whether or not its lists show it yet.
pub(super) fn subnet(world: &World, region: &str, id: &str) -> Option<Subnet> {
    let network = world.ec2.existing(region)?;
    let subnet = network.subnets.get(id)?;
    Some(Subnet {
        id: id.to_owned(),
        vpc_id: subnet.vpc.clone(),
        zone_id: subnet.zone_id.clone(),
        zone_name: subnet.zone.clone(),
        free_addresses: network.free_addresses(subnet),
    })
}

/// Zones of a region: name and id.
pub(super) fn zones(region: &str) -> Vec<(String, String)> {
    geography::zones(region).into_iter().map(|zone| (zone.name, zone.id)).collect()
}

/// The CIDR blocks of a VPC.
pub(super) fn vpc_blocks(world: &World, region: &str, vpc: &str) -> Vec<Ipv4Net> {
    let network = world.ec2.existing(region);
    network.and_then(|network| network.vpcs.get(vpc)).map(ec2::vpc::Vpc::cidrs).unwrap_or_default()
}

/// The VPC of a security group.
pub(super) fn security_group_vpc(world: &World, region: &str, id: &str) -> Option<String> {
    Some(world.ec2.existing(region)?.groups.get(id)?.vpc.clone())
}

/// Makes the group that EKS puts on control plane and nodes: all traffic among its members, everything outwards. Empty
/// if EC2 refuses, which a quota may do.
pub(super) fn make_cluster_security_group(
    world: &mut World,
    region: &str,
    vpc: &str,
    cluster: &str,
    now: Timestamp,
) -> String {
    let number = world.next_number("eks cluster security group") % 1_000_000_000;
    let made = as_eks(
        world,
        "ec2",
        region,
        "CreateSecurityGroup",
        now,
        json!({
            "GroupName": format!("eks-cluster-sg-{cluster}-{number}"),
            "Description": "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, as well as any managed workloads.",
            "VpcId": vpc,
            "TagSpecifications": [{
                "ResourceType": "security-group",
                "Tags": [
                    { "Key": format!("kubernetes.io/cluster/{cluster}"), "Value": "owned" },
                    { "Key": "Name", "Value": format!("eks-cluster-sg-{cluster}-{number}") },
                ],
            }],
        }),
    );
    let Some(id) = made.ok().and_then(|made| made["GroupId"].as_str().map(str::to_owned)) else { return String::new() };
    let itself = json!([{ "IpProtocol": "-1", "UserIdGroupPairs": [{ "GroupId": id }] }]);
    let rule = json!({ "GroupId": id, "IpPermissions": itself });
    // A fresh group takes its first rule: there is no quota to hit and nothing to duplicate.
    let _ = as_eks(world, "ec2", region, "AuthorizeSecurityGroupIngress", now, rule);
    id
}

/// Deletes the group, unless something else still holds it.
pub(super) fn remove_cluster_security_group(world: &mut World, region: &str, id: &str, now: Timestamp) {
    let _ = as_eks(world, "ec2", region, "DeleteSecurityGroup", now, json!({ "GroupId": id }));
}

/// A call of EKS's own to another service.
fn as_eks(
    world: &mut World,
    service: &'static str,
    region: &str,
    action: &str,
    now: Timestamp,
    input: Value,
) -> Answer {
    let (action, region) = (action.to_owned(), region.to_owned());
    let call = Call { service, action, region, caller: Caller::root(), input, now, request_id: String::new() };
    if service == "iam" { iam::handle(world, &call) } else { ec2::handle(world, &call) }
}

/// An interface of the control plane in `subnet`; none if EC2 has no room for it.
pub(super) fn claim_interface(
    world: &mut World,
    region: &str,
    subnet: &str,
    groups: &[String],
    description: &str,
) -> Option<String> {
    ec2::claim_interface(world, region, subnet, groups, description, EC2_OWNER, 1).ok()
}

/// Whether the interface is still there: it lingers when it is released.
pub(super) fn interface_exists(world: &World, region: &str, id: &str) -> bool {
    world.ec2.existing(region).is_some_and(|network| network.interfaces.contains_key(id))
}

/// Lets an interface go.
pub(super) fn release_interface(world: &mut World, region: &str, id: &str, now: Timestamp) {
    ec2::release_interface(world, region, id, now);
}

/// Whether the account may have one cluster more in the region than `clusters`.
pub(super) fn quota_allows_more_than(world: &World, region: &str, clusters: usize) -> bool {
    quotas::count(clusters) < quotas::limit(world, "eks", "L-1194D53C", region)
}

/// Whether `service` can assume the role by now: it exists, trusts the service, and IAM has spread it.
pub(super) fn role_assumable(world: &World, role_arn: &str, service: &str, now: Timestamp) -> bool {
    iam::role_assumable_by(world, role_arn, service, now) == RoleState::Trusted
}

/// Whether pods of the cluster can be given the role.
pub(super) fn role_assumable_by_pods(world: &World, role_arn: &str, cluster_arn: &str, now: Timestamp) -> bool {
    let actions = ["sts:AssumeRole", "sts:TagSession"];
    let conditions = [("aws:SourceArn", cluster_arn)];
    iam::role_assumable_with(world, role_arn, "pods.eks.amazonaws.com", &actions, &conditions, now)
        == RoleState::Trusted
}

/// Whether the role or user with exactly this ARN exists.
pub(super) fn principal_exists(world: &mut World, arn: &str, now: Timestamp) -> bool {
    if arn.contains(":role/") {
        return iam::role_by_arn(world, arn).is_some();
    }
    let name = arn.rsplit('/').next().unwrap_or_default();
    let found = as_eks(world, "iam", "us-east-1", "GetUser", now, json!({ "UserName": name }));
    found.is_ok_and(|found| found["User"]["Arn"] == arn)
}

/// The ARN, with path, of the role `name`.
pub(super) fn role_arn(world: &mut World, name: &str, now: Timestamp) -> Option<String> {
    let found = as_eks(world, "iam", "us-east-1", "GetRole", now, json!({ "RoleName": name })).ok()?;
    found["Role"]["Arn"].as_str().map(str::to_owned)
}

/// Whether the role trusts the issuer's tokens for this subject, by way of the account's identity provider.
pub(super) fn role_trusts_web_identity(world: &World, role: &str, issuer: &str, subject: &str, now: Timestamp) -> bool {
    let Some((provider, _)) = iam::provider_for(world, issuer) else { return false };
    let name = issuer.trim_start_matches("https://");
    let mut context = Context::default();
    context.set(&format!("{name}:aud"), "sts.amazonaws.com");
    context.set(&format!("{name}:sub"), subject);
    let who = Principal::Federated(provider);
    let action = "sts:AssumeRoleWithWebIdentity";
    let question = Question { action, resource: role, principal: Some(&who), context: &context };
    iam::trust_in_force(world, role, now).is_some_and(|trust| trust.verdict(&question) == Verdict::Allowed)
}

/// A service account token of a day, as the pod identity webhook asks for.
pub(super) fn mint_web_identity(world: &World, issuer: &str, subject: &str, now: Timestamp) -> String {
    sts::mint_web_identity_token(world, issuer, subject, "sts.amazonaws.com", now, SignedDuration::from_hours(24))
}

/// Who presigned this URL with these headers, if the signature holds.
pub(super) fn presigner(world: &World, url: &url::Url, headers: &[(&str, &str)], now: Timestamp) -> Option<Caller> {
    signature::verify_presigned(world, url.as_str(), headers, now).ok().map(|presigned| presigned.caller)
}

/// Starts the cluster's API server and answers the certificate of its authority, PEM.
pub(super) fn start_kubernetes(world: &mut World, arn: &str, minor: &str, now: Timestamp) -> String {
    let server = world.kubernetes.entry(arn.to_owned()).or_insert_with(|| Cluster::new(minor, now).into());
    server.authority().map(|authority| authority.certificate.clone()).unwrap_or_default()
}

/// The API server goes on as another minor.
pub(super) fn upgrade_kubernetes(world: &mut World, arn: &str, minor: &str) {
    if let Some(server) = world.kubernetes.get_mut(arn) {
        server.set_minor(minor);
    }
}

/// The API server is no more.
pub(super) fn stop_kubernetes(world: &mut World, arn: &str) {
    world.kubernetes.remove(arn);
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
pub(super) fn apply(world: &mut World, arn: &str, change: &Change<'_>, now: Timestamp) -> Result<(), NotApplied> {
    let query = format!("fieldManager={}&force={}", change.manager, change.force);
    match ask(world, arn, http::Method::PATCH, change.path, query, Some(change.object), now) {
        Some((200 | 201, _)) => Ok(()),
        Some((409, status)) if status["details"]["causes"].is_array() => {
            let causes = status["details"]["causes"].as_array().into_iter().flatten();
            let fields = causes.filter_map(|cause| cause["field"].as_str().map(str::to_owned));
            Err(NotApplied::Conflict(fields.collect()))
        }
        Some((_, status)) => Err(NotApplied::Denied(status["message"].as_str().unwrap_or_default().to_owned())),
        None => Err(NotApplied::Denied("the API server does not answer".to_owned())),
    }
}

/// The object at `path`.
pub(super) fn get(world: &mut World, arn: &str, path: &str, now: Timestamp) -> Option<Value> {
    let (status, body) = ask(world, arn, http::Method::GET, path, String::new(), None, now)?;
    (status == 200).then_some(body)
}

/// Deletes the object at `path`; nothing happens if there is none.
pub(super) fn remove(world: &mut World, arn: &str, path: &str, now: Timestamp) {
    let options = json!({ "kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background" });
    ask(world, arn, http::Method::DELETE, path, String::new(), Some(&options), now);
}

/// A request to the cluster's API server as EKS itself, answered with status and body.
fn ask(
    world: &mut World,
    arn: &str,
    method: http::Method,
    path: &str,
    query: String,
    body: Option<&Value>,
    now: Timestamp,
) -> Option<(u16, Value)> {
    let kind = if method == http::Method::PATCH { "application/apply-patch+yaml" } else { "application/json" };
    let request = Request {
        method,
        path: path.to_owned(),
        query,
        content_type: body.map(|_| kind.to_owned()),
        accept: Some("application/json".to_owned()),
        body: body.map(|body| body.to_string().into_bytes()).unwrap_or_default(),
        user: User::system("eks"),
    };
    match world.kubernetes.get_mut(arn)?.handle(&request, now) {
        Reply::Json { status, body, .. } => Some((status, body)),
        Reply::Text { .. } | Reply::Watch(_) => None,
    }
}

/// Gives `user` the rights of an access policy, cluster-wide or in namespaces.
pub(super) fn grant(world: &mut World, arn: &str, user: &str, policy: &str, namespaces: &[String]) {
    let scope = if namespaces.is_empty() { Scope::Cluster } else { Scope::Namespaces(namespaces.to_vec()) };
    if let (Some(server), Some(policy)) = (world.kubernetes.get_mut(arn), AccessPolicy::from_arn(policy)) {
        server.grant(user, policy, scope);
    }
}

/// Takes the rights of all access policies from `user`.
pub(super) fn revoke(world: &mut World, arn: &str, user: &str) {
    if let Some(server) = world.kubernetes.get_mut(arn) {
        server.revoke_all(user);
    }
}
