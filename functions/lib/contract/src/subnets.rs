//! Subnets of a cluster's VPC.

use domain::ids::ClusterTag;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Input of `list_subnets`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListSubnets {
    /// The cluster.
    pub tag: ClusterTag,
    /// Most items; default 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", range(min = 1, max = 100))]
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// Earlier page's nextCursor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 512))]
    #[schema(min_length = 1, max_length = 512)]
    pub cursor: Option<String>,
}

/// A subnet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubnetView {
    /// Its id.
    pub subnet_id: String,
    /// Its name tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
    /// Its CIDR.
    pub cidr: String,
    /// Zone id: the same place in every account.
    pub zone_id: String,
    /// Zone name: this account's word for it.
    pub zone_name: String,
    /// Free addresses now.
    #[schemars(with = "i64")]
    pub free_addresses: u32,
    /// Where its default route goes: `nat`, `internet`, `none`, or `other`.
    pub default_route: String,
    /// Whether its route table has the S3 gateway endpoint.
    pub s3_endpoint: bool,
    /// `owned`, `borrowed` or `foreign`.
    pub ownership: String,
    /// `eks-public`, `eks-private`, `compute` or `other`.
    pub purpose: String,
}

/// Subnets of a VPC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubnetList {
    /// The VPC; absent before it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub vpc_id: Option<String>,
    /// The subnets.
    pub items: Vec<SubnetView>,
    /// Where the next page starts; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub next_cursor: Option<String>,
}
