//! Keys of the table, in one place.

use super::Item;
use crate::record::{Cluster, Target};
use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    ids::{ClusterId, ClusterTag, OperationId},
    states::Stage,
};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

/// Partition and sort key of one item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// Partition key.
    pub pk: String,
    /// Sort key.
    pub sk: String,
}

/// Keys of one item in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexKey {
    /// Partition key of `gsi1`.
    pub pk: &'static str,
    /// Sort key of `gsi1`.
    pub sk: String,
}

/// Name of the one index.
pub const INDEX: &str = "gsi1";

impl Key {
    fn new(pk: String, sk: impl Into<String>) -> Self {
        Self { pk, sk: sk.into() }
    }

    /// The key of an item as it was read.
    pub(crate) fn of(item: &Item) -> Option<Self> {
        let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).cloned();
        Some(Self { pk: text("pk")?, sk: text("sk")? })
    }

    /// As DynamoDB asks for it.
    pub(crate) fn attributes(&self) -> Item {
        let text = |value: &str| AttributeValue::S(value.to_owned());
        Item::from([("pk".to_owned(), text(&self.pk)), ("sk".to_owned(), text(&self.sk))])
    }

    /// The pointer from a tag to its living cluster.
    pub fn tag(tag: &ClusterTag) -> Self {
        Self::new(format!("TAG#{tag}"), "TAG")
    }

    /// The pointer from an EKS cluster to the living cluster that manages it: one alone does.
    pub fn eks_cluster(cluster: &Cluster) -> Self {
        let Target { account, region, .. } = &cluster.target;
        Self::new(format!("EKS#{account}#{region}#{}", cluster.eks_name()), "EKS")
    }

    /// A cluster.
    pub fn cluster(id: ClusterId) -> Self {
        Self::new(format!("CLUSTER#{id}"), "CLUSTER")
    }

    /// A stage of a cluster.
    pub fn stage(cluster: ClusterId, stage: Stage) -> Self {
        Self::new(format!("CLUSTER#{cluster}"), format!("STAGE#{}-{stage}", stage.number()))
    }

    /// What a stage of a cluster knows.
    pub fn known(cluster: ClusterId, stage: Stage) -> Self {
        Self::new(format!("CLUSTER#{cluster}"), format!("KNOWN#{}-{stage}", stage.number()))
    }

    /// The mention of an operation under its cluster.
    pub fn operation_of(cluster: ClusterId, id: OperationId) -> Self {
        Self::new(format!("CLUSTER#{cluster}"), format!("OP#{id}"))
    }

    /// An operation.
    pub fn operation(id: OperationId) -> Self {
        Self::new(format!("OP#{id}"), "OP")
    }

    /// An entry of an operation's journal.
    pub fn journal(id: OperationId, sequence: u32) -> Self {
        Self::new(format!("OP#{id}"), format!("J#{sequence:06}"))
    }

    /// What an operation would do.
    pub fn plan(id: OperationId) -> Self {
        Self::new(format!("OP#{id}"), "PLAN")
    }

    /// The right to change a cluster within a scope.
    pub fn lane(cluster: ClusterId, scope: &str) -> Self {
        Self::new(format!("LANE#{cluster}#{scope}"), "LANE")
    }

    /// The use of an idempotency key; hashed, since callers choose it.
    pub fn idempotency(principal: &str, key: &str) -> Self {
        Self::new(format!("IDEM#{principal}#{}", hex::encode(Sha256::digest(key))), "IDEM")
    }

    /// Where the last sweep stopped that could not look at everything.
    pub fn sweep() -> Self {
        Self::new("SWEEP".to_owned(), "SWEEP")
    }

    /// An audit entry; `ulid` orders within the day.
    pub fn audit(at: Timestamp, ulid: &str) -> Self {
        Self::new(format!("AUDIT#{}", at.strftime("%Y-%m-%d")), ulid)
    }
}

impl IndexKey {
    /// Lists clusters by tag; those of one tag, tombstones and the living one, by age. `#` sorts before every character
    /// of a tag, so that `demo` comes before `demo-2`.
    pub fn clusters(tag: &ClusterTag, id: ClusterId) -> Self {
        Self { pk: "CLUSTERS", sk: format!("{tag}#{id}") }
    }

    /// Lists operations that have not ended, by age.
    pub fn open(id: OperationId) -> Self {
        Self { pk: "OPEN", sk: id.to_string() }
    }

    /// Lists operations by age.
    pub fn operations(id: OperationId) -> Self {
        Self { pk: "OPS", sk: id.to_string() }
    }
}
