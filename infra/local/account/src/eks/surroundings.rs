//! A stand-in for the services around EKS until they are there: a few subnets, roles and Kubernetes objects.

use super::world_access::Subnet;
use crate::call::Caller;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything that the stand-in knows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Surroundings {
    pub(super) subnets: BTreeMap<String, Subnet>,
    pub(super) groups: BTreeMap<String, String>,
    pub(super) interfaces: BTreeMap<String, String>,
    /// Role ARN → who may assume it, from when.
    pub(super) roles: BTreeMap<String, (String, Timestamp)>,
    pub(super) callers: BTreeMap<String, Caller>,
    /// Cluster ARN → path → (manager, object).
    pub(super) kubernetes: BTreeMap<String, BTreeMap<String, (String, Value)>>,
    pub(super) grants: BTreeMap<String, Vec<(String, String)>>,
    pub(super) cluster_quota: Option<usize>,
}
