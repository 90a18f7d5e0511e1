//! Changes around the EKS cluster: its role, itself, its OIDC provider, its base add-ons, who may enter it. EKS takes a
//! client token for all that it makes; a role, a provider and an entry are unique by name.

use super::Known;
use domain::versions::KubernetesMinor;
use serde::Serialize;

/// The key of the EKS cluster's making.
pub(crate) const CREATE_CLUSTER: &str = "create-eks-cluster";

/// One change around the EKS cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "cluster")]
pub enum ClusterChange {
    /// Makes the role that the control plane acts as.
    CreateRole {
        /// Its name.
        name: String,
    },
    /// Gives the role EKS's own policy.
    AttachClusterPolicy {
        /// The role's name.
        role: String,
    },
    /// Makes the EKS cluster.
    CreateCluster {
        /// Its name.
        name: String,
        /// Its Kubernetes version.
        version: KubernetesMinor,
        /// Its role.
        role_arn: Known,
        /// Subnets of its control plane.
        subnets: Vec<Known>,
        /// The security group that it shares with nodes.
        group: Known,
    },
    /// Removes an EKS cluster of ours that failed and keeps the name.
    DeleteFailedCluster {
        /// Its name.
        name: String,
    },
    /// Makes the IAM OIDC provider of the cluster's issuer.
    CreateOidcProvider {
        /// The issuer.
        issuer: Known,
    },
    /// Lets the provider that is there accept tokens for STS.
    AddAudience {
        /// The provider's ARN.
        provider: String,
    },
    /// Installs a base add-on.
    CreateAddon {
        /// Its name.
        name: String,
        /// Its version: EKS's default for the cluster, known once that is there.
        version: Known,
    },
    /// Lets an IAM principal in.
    CreateAccessEntry {
        /// Its ARN.
        principal: String,
    },
    /// Says what it may do.
    AssociateAccessPolicy {
        /// Its ARN.
        principal: String,
        /// The policy's ARN.
        policy: String,
    },
}

impl ClusterChange {
    pub(super) fn key(&self) -> String {
        match self {
            Self::CreateRole { .. } => "create-cluster-role".into(),
            Self::AttachClusterPolicy { .. } => "attach-cluster-policy".into(),
            Self::CreateCluster { .. } => CREATE_CLUSTER.into(),
            Self::DeleteFailedCluster { .. } => "delete-failed-eks-cluster".into(),
            Self::CreateOidcProvider { .. } => "create-oidc-provider".into(),
            Self::AddAudience { .. } => "add-oidc-audience".into(),
            Self::CreateAddon { name, .. } => format!("create-addon/{name}"),
            Self::CreateAccessEntry { principal } => format!("create-access-entry/{principal}"),
            Self::AssociateAccessPolicy { principal, policy } => {
                format!("associate-access-policy/{principal}/{}", short(policy))
            }
        }
    }

    pub(super) fn title(&self) -> String {
        match self {
            Self::CreateRole { name } => format!("create role {name} for the EKS control plane"),
            Self::AttachClusterPolicy { role } => format!("attach AmazonEKSClusterPolicy to {role}"),
            Self::CreateCluster { name, version, .. } => {
                format!(
                    "create EKS cluster {name}, Kubernetes {version} (8 to 12 minutes at AWS's pace, billed from now on)"
                )
            }
            Self::DeleteFailedCluster { name } => format!("delete the failed EKS cluster {name}, which keeps the name"),
            Self::CreateOidcProvider { issuer: Known(Some(issuer)) } => format!("create the OIDC provider of {issuer}"),
            Self::CreateOidcProvider { issuer: Known(None) } => "create the OIDC provider of the cluster".into(),
            Self::AddAudience { provider } => format!("let {provider} accept tokens for sts.amazonaws.com"),
            Self::CreateAddon { name, version: Known(Some(version)) } => format!("install add-on {name} {version}"),
            Self::CreateAddon { name, version: Known(None) } => format!("install add-on {name}, EKS's default version"),
            Self::CreateAccessEntry { principal } => format!("create an access entry for {principal}"),
            Self::AssociateAccessPolicy { principal, policy } => format!("give {principal} {}", short(policy)),
        }
    }
}

impl From<ClusterChange> for super::Change {
    fn from(change: ClusterChange) -> Self {
        Self::Cluster(change)
    }
}

/// A policy's name without the rest of its ARN.
fn short(policy: &str) -> &str {
    policy.rsplit('/').next().unwrap_or(policy)
}
