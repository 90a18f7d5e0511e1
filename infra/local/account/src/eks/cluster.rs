//! A cluster as EKS keeps it: its record, how it is described and found, and whether its endpoint can be reached.

use super::{
    access::{Effective, Entry},
    addons::Addon,
    identity::Association,
    paging::page,
    refusals::{no_cluster, not_found, refused},
    updates::Update,
    versions,
    wire::seconds,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call, Caller},
    world::World,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The kinds of control-plane log, in the order in which EKS writes them.
pub(super) const LOG_TYPES: [&str; 5] = ["api", "audit", "authenticator", "controllerManager", "scheduler"];

/// Where a cluster is in its life, in EKS's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// Being made; no endpoint yet.
    Creating,
    /// In service.
    Active,
    /// In service while an update runs.
    Updating,
    /// Being removed.
    Deleting,
    /// Creation ended without a cluster; the name is taken until it is deleted.
    Failed,
}

impl Status {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Creating => "CREATING",
            Self::Active => "ACTIVE",
            Self::Updating => "UPDATING",
            Self::Deleting => "DELETING",
            Self::Failed => "FAILED",
        }
    }
}

/// The network part of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// VPC of all subnets.
    pub vpc_id: String,
    /// Subnets that the control plane may put its interfaces into.
    pub subnet_ids: Vec<String>,
    /// Security groups given by the maker, on the control plane's interfaces.
    pub security_group_ids: Vec<String>,
    /// The group that EKS made for control plane and nodes; empty while there is none.
    pub cluster_security_group_id: String,
    /// Whether the endpoint answers from outside the VPC.
    pub endpoint_public: bool,
    /// Whether the endpoint answers inside the VPC.
    pub endpoint_private: bool,
    /// Who may use the public endpoint.
    pub public_cidrs: Vec<String>,
    pub(super) interfaces: Vec<String>,
}

/// One EKS cluster. Other services read it; only this one writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// Name, unique in its region.
    pub name: String,
    /// `arn:aws:eks:REGION:ACCOUNT:cluster/NAME`.
    pub arn: String,
    /// Region that it lives in.
    pub region: String,
    /// When CreateCluster was answered.
    pub created_at: Timestamp,
    /// Kubernetes minor, `1.33`.
    pub version: String,
    /// Role that the control plane acts as.
    pub role_arn: String,
    /// Where it is in its life.
    pub status: Status,
    /// Subnets, groups and endpoint access.
    pub network: Network,
    /// `API`, `API_AND_CONFIG_MAP` or `CONFIG_MAP`.
    pub authentication_mode: String,
    /// Tags of the cluster itself.
    pub tags: BTreeMap<String, String>,
    /// Health issues, in their wire form.
    pub(super) issues: Vec<Value>,
    pub(super) service_cidr: String,
    pub(super) logs: Vec<String>,
    /// The 32 hexadecimal digits that tell this cluster from another of its name.
    pub(super) id: String,
    pub(super) endpoint: String,
    pub(super) port: Option<u16>,
    /// Certificate of the API server's authority, PEM.
    pub(super) authority: String,
    pub(super) token: Option<String>,
    pub(super) creator: Caller,
    pub(super) creator_is_admin: bool,
    pub(super) bootstrap_addons: bool,
    pub(super) support_type: String,
    pub(super) deletion_protection: bool,
    pub(super) zonal_shift: bool,
    pub(super) encryption: Vec<Value>,
    pub(super) updates: Vec<Update>,
    pub(super) addons: BTreeMap<String, Addon>,
    pub(super) entries: BTreeMap<String, Entry>,
    /// Rights by principal as far as they have spread, and by the form of user names as the API server was told.
    pub(super) effective: BTreeMap<String, Effective>,
    pub(super) granted: BTreeMap<String, Vec<(String, Vec<String>)>>,
    pub(super) associations: BTreeMap<String, Association>,
}

impl Cluster {
    /// Whether its Kubernetes API is being served: an update does not interrupt it.
    pub fn is_serving(&self) -> bool {
        matches!(self.status, Status::Active | Status::Updating)
    }

    /// Whether access entries count (authentication mode `API` or `API_AND_CONFIG_MAP`).
    pub fn uses_access_entries(&self) -> bool {
        self.authentication_mode != "CONFIG_MAP"
    }

    /// The issuer of its service account tokens, with `https://`.
    pub fn issuer(&self) -> String {
        format!("https://oidc.eks.{}.amazonaws.com/id/{}", self.region, self.id)
    }

    /// The tags of the add-on, access entry or association with this ARN.
    pub(super) fn tags_of_part(&mut self, resource: &str) -> Option<&mut BTreeMap<String, String>> {
        let addon = self.addons.values_mut().find(|addon| addon.arn == resource).map(|addon| &mut addon.tags);
        let entry = self.entries.values_mut().find(|entry| entry.arn == resource).map(|entry| &mut entry.tags);
        let associations = &mut self.associations;
        addon.or(entry).or_else(|| associations.values_mut().find(|one| one.arn == resource).map(|one| &mut one.tags))
    }

    /// The cluster as DescribeCluster shows it. Endpoint, authority and issuer appear when it is first served.
    pub(super) fn described(&self) -> Value {
        let mut shown = json!({
            "name": self.name,
            "arn": self.arn,
            "createdAt": seconds(self.created_at),
            "version": self.version,
            "roleArn": self.role_arn,
            "resourcesVpcConfig": self.network.described(),
            "kubernetesNetworkConfig": {
                "serviceIpv4Cidr": self.service_cidr,
                "ipFamily": "ipv4",
                "elasticLoadBalancing": { "enabled": false },
            },
            "logging": { "clusterLogging": self.described_logs() },
            "status": self.status,
            "certificateAuthority": {},
            "platformVersion": versions::platform(&self.version),
            "tags": self.tags,
            "health": { "issues": self.issues },
            "accessConfig": {
                "bootstrapClusterCreatorAdminPermissions": self.creator_is_admin,
                "authenticationMode": self.authentication_mode,
            },
            "upgradePolicy": { "supportType": self.support_type },
            "zonalShiftConfig": { "enabled": self.zonal_shift },
            "deletionProtection": self.deletion_protection,
        });
        if let Some(token) = &self.token {
            shown["clientRequestToken"] = token.as_str().into();
        }
        if !self.encryption.is_empty() {
            shown["encryptionConfig"] = json!(self.encryption);
        }
        if !self.endpoint.is_empty() {
            shown["endpoint"] = self.endpoint.as_str().into();
            shown["identity"] = json!({ "oidc": { "issuer": self.issuer() } });
            shown["certificateAuthority"] = json!({ "data": STANDARD.encode(&self.authority) });
        }
        shown
    }

    fn described_logs(&self) -> Vec<Value> {
        let (on, off): (Vec<&str>, Vec<&str>) =
            LOG_TYPES.iter().copied().partition(|kind| self.logs.iter().any(|log| log == kind));
        let setups = [(on, true), (off, false)].into_iter().filter(|(types, _)| !types.is_empty());
        setups.map(|(types, enabled)| json!({ "types": types, "enabled": enabled })).collect()
    }
}

impl Network {
    fn described(&self) -> Value {
        let mut shown = json!({
            "subnetIds": self.subnet_ids,
            "securityGroupIds": self.security_group_ids,
            "vpcId": self.vpc_id,
            "endpointPublicAccess": self.endpoint_public,
            "endpointPrivateAccess": self.endpoint_private,
            "publicAccessCidrs": self.public_cidrs,
        });
        if !self.cluster_security_group_id.is_empty() {
            shown["clusterSecurityGroupId"] = self.cluster_security_group_id.as_str().into();
        }
        shown
    }
}

/// The ARN of the cluster `name` in `region`.
pub fn arn(region: &str, name: &str) -> String {
    format!("arn:aws:eks:{region}:{ACCOUNT_ID}:cluster/{name}")
}

/// The cluster `name` in `region`, in whatever state.
pub fn cluster<'world>(world: &'world World, region: &str, name: &str) -> Option<&'world Cluster> {
    cluster_by_arn(world, &arn(region, name))
}

/// The cluster with this ARN, in whatever state.
pub fn cluster_by_arn<'world>(world: &'world World, arn: &str) -> Option<&'world Cluster> {
    world.eks.clusters.get(arn)
}

/// The cluster whose endpoint has this host, with its port if it has one.
pub fn cluster_at<'world>(world: &'world World, host: &str) -> Option<&'world Cluster> {
    let is_its = |endpoint: &str| {
        endpoint.strip_prefix("https://").is_some_and(|its| its.eq_ignore_ascii_case(host.trim_end_matches(":443")))
    };
    clusters(world).find(|cluster| is_its(&cluster.endpoint))
}

/// Every cluster of the account, in the order of their ARNs.
pub fn clusters(world: &World) -> impl Iterator<Item = &Cluster> {
    world.eks.clusters.values()
}

/// The loopback ports on which clusters have their endpoints, with their ARNs.
pub fn ports(world: &World) -> impl Iterator<Item = (u16, &str)> {
    clusters(world).filter_map(|cluster| Some((cluster.port?, cluster.arn.as_str())))
}

/// Whether the endpoint answers someone outside the VPC. Where it does not, a connection hangs rather than being refused.
///
/// Callers outside a VPC have no address of their own here, so a public endpoint is open to them only if its list
/// admits everyone.
pub fn reachable(world: &World, arn: &str) -> bool {
    cluster_by_arn(world, arn).is_some_and(|cluster| {
        let everyone = cluster.network.public_cidrs.iter().any(|cidr| cidr == "0.0.0.0/0");
        cluster.is_serving() && cluster.network.endpoint_public && everyone
    })
}

/// The cluster that a call names, for reading.
pub(super) fn named<'world>(world: &'world World, call: &Call) -> Result<&'world Cluster, AwsError> {
    let name = cluster_name(call);
    cluster(world, &call.region, name).ok_or_else(|| no_cluster(name))
}

/// The cluster that a call names, for writing.
pub(super) fn named_mut<'world>(world: &'world mut World, call: &Call) -> Result<&'world mut Cluster, AwsError> {
    let name = cluster_name(call);
    world.eks.clusters.get_mut(&arn(&call.region, name)).ok_or_else(|| no_cluster(name))
}

/// The ARN of the cluster that a call names, if it is being served.
///
/// # Errors
/// `InvalidRequestException` in any other state: nothing can be put into a cluster that is not there yet or any more.
pub(super) fn served(world: &World, call: &Call) -> Result<String, AwsError> {
    let cluster = named(world, call)?;
    if cluster.is_serving() {
        return Ok(cluster.arn.clone());
    }
    let message = format!("The {} operation can't be performed while the cluster status isn't ACTIVE.", call.action);
    Err(refused(message).with("clusterName", cluster.name.as_str()))
}

fn cluster_name(call: &Call) -> &str {
    call.text("clusterName").unwrap_or_else(|| call.required("name"))
}

/// `DescribeCluster`.
pub(super) fn describe(world: &World, call: &Call) -> Answer {
    Ok(json!({ "cluster": named(world, call)?.described() }))
}

/// `ListClusters`.
pub(super) fn list(world: &World, call: &Call) -> Answer {
    let here = clusters(world).filter(|cluster| cluster.region == call.region);
    page(call, "clusters", here.map(|cluster| (cluster.name.clone(), Value::from(cluster.name.as_str()))))
}

/// The list of something that no cluster of this account has.
pub(super) fn nothing(world: &World, call: &Call, list: &str) -> Answer {
    named(world, call)?;
    page(call, list, [])
}

/// `DescribeNodegroup` in an account without managed node groups.
pub(super) fn no_node_group(world: &World, call: &Call) -> Answer {
    named(world, call)?;
    Err(not_found(format!("No node group found for name: {}.", call.required("nodegroupName"))))
}

/// `DescribeInsight` in an account whose clusters have nothing to be warned of.
pub(super) fn no_insight(world: &World, call: &Call) -> Answer {
    named(world, call)?;
    Err(not_found(format!("Insight with ID {} not found.", call.required("id"))))
}

/// `DescribeFargateProfile` in an account without Fargate profiles.
pub(super) fn no_fargate_profile(world: &World, call: &Call) -> Answer {
    named(world, call)?;
    Err(not_found(format!("No Fargate Profile found with name: {}.", call.required("fargateProfileName"))))
}
