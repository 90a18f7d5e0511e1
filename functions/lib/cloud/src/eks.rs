//! EKS: the cluster as it is, its add-ons and who may enter it.

mod access;
mod addon_life;
mod addons;
mod creation;
mod names;
mod pod_identity;
mod versions;

pub use access::{AccessEntry, AccessPolicy};
pub use addons::{Addon, AddonIssue};
pub use creation::NewEksCluster;
pub use pod_identity::PodIdentity;
pub use versions::OfferedVersion;

use crate::{
    Cloud, Tags, Who,
    errors::{self, CallError},
};
use aws_sdk_eks::{Client, error::ProvideErrorMetadata, types::VpcConfigResponse};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    status::EksClusterStatus,
};
use engine::record::Target;
use serde::Serialize;
use std::collections::HashMap;

/// An EKS cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EksCluster {
    /// Its name.
    pub name: String,
    /// Its ARN.
    pub arn: String,
    /// Its status.
    pub status: EksClusterStatus,
    /// Kubernetes version, `1.33`.
    pub version: String,
    /// URL of its API server; empty before there is one.
    pub endpoint: String,
    /// Its certificate authority, PEM in base64; empty before there is one.
    pub certificate_authority: String,
    /// Its VPC.
    pub vpc_id: String,
    /// Subnets of its control plane's interfaces.
    pub subnet_ids: Vec<String>,
    /// Security groups that were given to it.
    pub security_group_ids: Vec<String>,
    /// The security group that EKS made for it.
    pub cluster_security_group_id: Option<String>,
    /// Its role.
    pub role_arn: String,
    /// `API`, `API_AND_CONFIG_MAP` or `CONFIG_MAP`.
    pub authentication_mode: String,
    /// Who can reach its API server.
    pub access: EndpointAccess,
    /// Its OIDC issuer, with scheme; none before there is one.
    pub issuer: Option<String>,
    /// What EKS says is wrong with it, a line each: code and message.
    pub issues: Vec<ClusterIssue>,
    /// Its tags.
    pub tags: Tags,
}

/// From where a cluster's API server can be reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndpointAccess {
    /// From the internet, as far as `public_cidrs` go.
    pub public: bool,
    /// From inside the VPC.
    pub private: bool,
    /// Who may use the public endpoint.
    pub public_cidrs: Vec<String>,
}

/// A health issue of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterIssue {
    /// EKS's code: `Ec2SubnetNotFound` …
    pub code: String,
    /// EKS's words.
    pub message: String,
}

impl EksCluster {
    /// Security groups for nodes: those that were given, which carry the rules for EFA; else the one that EKS made.
    pub fn node_security_groups(&self) -> Vec<String> {
        if self.security_group_ids.is_empty() {
            self.cluster_security_group_id.iter().cloned().collect()
        } else {
            self.security_group_ids.clone()
        }
    }
}

/// EKS of one target.
#[derive(Debug, Clone)]
pub struct Eks {
    read: Client,
    change: Client,
}

impl Eks {
    /// EKS of `target`.
    pub async fn new(cloud: &Cloud, target: &Target, who: &Who) -> Self {
        let configs = cloud.configs(target, who).await;
        Self { read: Client::new(&configs.read), change: Client::new(&configs.change) }
    }

    /// The cluster of this name.
    pub async fn cluster(&self, name: &str) -> Result<Option<EksCluster>, Trouble> {
        let answer = self.read.describe_cluster().name(name).send().await;
        Ok(maybe("DescribeCluster", answer)?.and_then(|answer| answer.cluster).as_ref().map(cluster))
    }
}

fn cluster(seen: &aws_sdk_eks::types::Cluster) -> EksCluster {
    let network = seen.resources_vpc_config();
    let health = seen.health().map(|health| health.issues()).unwrap_or_default();
    let mode = seen.access_config().and_then(|access| access.authentication_mode());
    EksCluster {
        name: text(seen.name()),
        arn: text(seen.arn()),
        status: EksClusterStatus::read(seen.status().map_or("", |status| status.as_str())),
        version: text(seen.version()),
        endpoint: text(seen.endpoint()),
        certificate_authority: text(seen.certificate_authority().and_then(|authority| authority.data())),
        vpc_id: text(network.and_then(|network| network.vpc_id())),
        subnet_ids: network.map(|network| network.subnet_ids().to_vec()).unwrap_or_default(),
        security_group_ids: network.map(|network| network.security_group_ids().to_vec()).unwrap_or_default(),
        cluster_security_group_id: network
            .and_then(|network| network.cluster_security_group_id())
            .filter(|id| !id.is_empty())
            .map(str::to_owned),
        role_arn: text(seen.role_arn()),
        authentication_mode: text(mode.map(|mode| mode.as_str())),
        access: network.map(endpoint_access).unwrap_or_default(),
        issuer: seen.identity().and_then(|it| it.oidc()).and_then(|oidc| oidc.issuer()).map(str::to_owned),
        issues: health
            .iter()
            .map(|issue| ClusterIssue {
                code: text(issue.code().map(|code| code.as_str())),
                message: text(issue.message()),
            })
            .collect(),
        tags: tags(seen.tags()),
    }
}

fn endpoint_access(network: &VpcConfigResponse) -> EndpointAccess {
    EndpointAccess {
        public: network.endpoint_public_access(),
        private: network.endpoint_private_access(),
        public_cidrs: network.public_access_cidrs().to_vec(),
    }
}

fn text(text: Option<&str>) -> String {
    text.unwrap_or_default().to_owned()
}

fn tags(tags: Option<&HashMap<String, String>>) -> Tags {
    tags.map(|tags| tags.clone().into_iter().collect()).unwrap_or_default()
}

fn sdk_tags(tags: &Tags) -> Option<HashMap<String, String>> {
    Some(tags.clone().into_iter().collect())
}

fn maybe<T, E: ProvideErrorMetadata>(operation: &str, result: Result<T, CallError<E>>) -> Result<Option<T>, Trouble> {
    errors::maybe("eks", operation, result)
}

fn reading<E: ProvideErrorMetadata>(operation: &str, error: &CallError<E>) -> Trouble {
    errors::read("eks", operation, error)
}

/// The error of a call that makes something of which there is one.
fn creating<E: ProvideErrorMetadata>(operation: &str, error: &CallError<E>) -> Trouble {
    errors::create("eks", operation, error, &["ResourceInUseException"])
}

fn changing<E: ProvideErrorMetadata>(operation: &str, error: &CallError<E>) -> Trouble {
    errors::change("eks", operation, error)
}

/// An answer without a member that it always has.
fn incomplete(operation: &str, member: &str) -> Trouble {
    let text = format!("eks {operation} answered without {member}");
    Trouble::Uncertain(Failure::new(ErrorCode::UpstreamUnavailable, text))
}
