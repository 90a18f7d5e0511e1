//! Taking an existing cluster under management.

use domain::{
    decisions::{HyperPodDecision, StorageDecision},
    ids::{ClusterTag, Region},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What an import may mend in things that it borrows, asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fix {
    /// Adds the self-referencing rules to the cluster's security group.
    SelfRules,
    /// Adds a NAT route for private subnets that have none.
    Nat,
    /// Adds the S3 gateway endpoint to the private route tables.
    Endpoints,
    /// Moves the authentication mode from CONFIG_MAP to API_AND_CONFIG_MAP.
    AuthenticationMode,
}

/// Input of `import_cluster`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportCluster {
    /// Name of the EKS cluster.
    #[schemars(length(min = 1, max = 100), regex(pattern = "^[0-9A-Za-z][A-Za-z0-9_-]*$"))]
    #[schema(min_length = 1, max_length = 100, pattern = "^[0-9A-Za-z][A-Za-z0-9_-]*$")]
    pub eks_cluster_name: String,
    /// Its Region.
    pub region: Region,
    /// The tag under which it is managed; the EKS cluster's name if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ClusterTag")]
    pub tag: Option<ClusterTag>,
    /// What may be mended; nothing if left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 4))]
    #[schema(max_items = 4)]
    pub fixes: Vec<Fix>,
    /// Whether an access entry for this control plane may be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub grant_access: Option<bool>,
    /// Instance groups to make on a cluster that has no HyperPod cluster yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HyperPodDecision")]
    pub hyperpod: Option<HyperPodDecision>,
    /// What of the project bucket the claim shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StorageDecision")]
    pub storage: Option<StorageDecision>,
}
