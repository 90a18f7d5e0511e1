//! EKS: the cluster as it is.

use crate::{Cloud, Tags, Who, errors};
use aws_sdk_eks::Client;
use domain::{failure::Trouble, status::EksClusterStatus};
use engine::record::Target;
use serde::Serialize;

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
    /// Its tags.
    pub tags: Tags,
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
}

impl Eks {
    /// EKS of `target`.
    pub async fn new(cloud: &Cloud, target: &Target, who: &Who) -> Self {
        Self { read: Client::new(&cloud.configs(target, who).await.read) }
    }

    /// The cluster of this name.
    pub async fn cluster(&self, name: &str) -> Result<Option<EksCluster>, Trouble> {
        let answer = self.read.describe_cluster().name(name).send().await;
        let answer = errors::maybe("eks", "DescribeCluster", answer)?;
        Ok(answer.and_then(|answer| answer.cluster).map(|seen| {
            let network = seen.resources_vpc_config();
            let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
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
                    .map(str::to_owned),
                tags: seen.tags().map(|tags| tags.clone().into_iter().collect()).unwrap_or_default(),
            }
        }))
    }
}
