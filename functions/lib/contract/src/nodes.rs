//! Nodes: SageMaker's list joined with Kubernetes'.

use domain::ids::ClusterTag;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Input of `list_nodes`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListNodes {
    /// The cluster.
    pub tag: ClusterTag,
    /// Only of this instance group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 63))]
    #[schema(min_length = 1, max_length = 63)]
    pub instance_group: Option<String>,
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

/// A node as SageMaker and Kubernetes see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    /// Instance id; absent before there is an instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub instance_id: Option<String>,
    /// Name in Kubernetes; absent until it joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub node_name: Option<String>,
    /// Its instance group.
    pub instance_group: String,
    /// Its type.
    pub instance_type: String,
    /// Zone id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub zone_id: Option<String>,
    /// SageMaker's status, as it is: `Pending`, `Running` …
    pub status: String,
    /// SageMaker's message; may be of an earlier state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub message: Option<String>,
    /// Whether it joined Kubernetes.
    pub joined: bool,
    /// The condition Ready: `True`, `False` or `Unknown`; absent until it joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub ready: Option<String>,
    /// HyperPod's node-health-status label; absent is unknown, not healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub health_status: Option<String>,
    /// HyperPod's deep-health-check-status label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub deep_health_check_status: Option<String>,
    /// HyperPod's fault types, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub fault_types: Option<String>,
    /// Whether pods can be placed on it: joined, ready, Schedulable and without HyperPod taints.
    pub schedulable: bool,
    /// Taints, `key=value:Effect`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taints: Vec<String>,
    /// Allocatable accelerators: GPUs, or Neuron cores.
    #[schemars(with = "i64")]
    pub accelerators: u32,
    /// Allocatable EFA interfaces.
    #[schemars(with = "i64")]
    pub efa_interfaces: u32,
    /// Kubernetes version of its kubelet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub kubelet_version: Option<String>,
    /// When it was launched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub launched_at: Option<Timestamp>,
}

/// Nodes of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeList {
    /// The nodes.
    pub items: Vec<NodeView>,
    /// Nodes wanted by all groups.
    #[schemars(with = "i64")]
    pub wanted: u32,
    /// Nodes that SageMaker calls Running.
    #[schemars(with = "i64")]
    pub running: u32,
    /// Nodes on which pods can be placed.
    #[schemars(with = "i64")]
    pub schedulable: u32,
    /// Why Kubernetes' side is missing, if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub kubernetes_unknown: Option<String>,
    /// Where the next page starts; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub next_cursor: Option<String>,
}
