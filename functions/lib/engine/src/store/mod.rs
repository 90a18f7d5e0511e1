//! The one table: where each record is, and how it is read and written.
//!
//! Every write is conditional on what was read; decisions read consistently; the index serves lists only.

pub mod keys;
mod lists;
mod stages;
mod together;
mod transaction;
pub(crate) mod trouble;
mod unreadable;

pub use lists::Page;
pub(crate) use stages::Known;
pub use together::ClusterPage;
pub use transaction::{Condition, Transaction, Written};

use crate::{
    planned::PlanRecord,
    record::{Cluster, Operation},
};
use aws_sdk_dynamodb::{Client, types::AttributeValue};
use contract::journal::JournalEntry;
use domain::{
    failure::Trouble,
    ids::{ClusterId, ClusterTag, OperationId},
};
use keys::Key;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{collections::HashMap, sync::Arc};
use together::Meant;

/// An item as the SDK has it.
pub(crate) type Item = HashMap<String, AttributeValue>;

/// What a tag, and an EKS cluster, points to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TagPointer {
    /// The living cluster of this tag.
    pub cluster_id: ClusterId,
}

/// Who may change a cluster within a scope. It is there exactly as long as its operation is open, which is how those are
/// found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lane {
    /// The operation that holds it until it is terminal.
    pub operation_id: OperationId,
    /// What that operation is, for the refusal's text.
    pub kind: String,
    /// Digest of its request: the same request again is that operation.
    pub input_hash: String,
}

/// What an idempotency key stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyUse {
    /// The operation that it made.
    pub operation_id: OperationId,
    /// Digest of the request that it came with.
    pub input_hash: String,
    /// When DynamoDB may forget it, seconds since 1970.
    pub ttl: i64,
}

/// The table.
#[derive(Debug, Clone)]
pub struct Store {
    reads: Client,
    writes: Client,
    table: String,
    meant: Arc<Meant>,
}

impl Store {
    /// The table `table` through two clients, whose retries are off: one for reads, and one for writes, which waits longer
    /// for an answer.
    pub fn new([reads, writes]: [Client; 2], table: impl Into<String>) -> Self {
        Self { reads, writes, table: table.into(), meant: Arc::default() }
    }

    /// The operation `id`.
    pub async fn operation(&self, id: OperationId) -> Result<Option<Operation>, Trouble> {
        self.read(&Key::operation(id)).await
    }

    /// The cluster `id`, living or not.
    pub async fn cluster(&self, id: ClusterId) -> Result<Option<Cluster>, Trouble> {
        self.read(&Key::cluster(id)).await
    }

    /// The living cluster of `tag`.
    pub async fn cluster_by_tag(&self, tag: &ClusterTag) -> Result<Option<Cluster>, Trouble> {
        match self.read::<TagPointer>(&Key::tag(tag)).await? {
            Some(pointer) => self.cluster(pointer.cluster_id).await,
            None => Ok(None),
        }
    }

    /// The living cluster that manages the EKS cluster of `wanted`; none if nothing manages it.
    pub async fn manager_of(&self, wanted: &Cluster) -> Result<Option<Cluster>, Trouble> {
        match self.read::<TagPointer>(&Key::eks_cluster(wanted)).await? {
            Some(pointer) => self.cluster(pointer.cluster_id).await,
            None => Ok(None),
        }
    }

    /// Who holds the lane `scope` of `cluster`.
    pub async fn lane(&self, cluster: ClusterId, scope: &str) -> Result<Option<Lane>, Trouble> {
        self.read(&Key::lane(cluster, scope)).await
    }

    /// What `principal` used `key` for.
    pub async fn key_use(&self, principal: &str, key: &str) -> Result<Option<KeyUse>, Trouble> {
        self.read(&Key::idempotency(principal, key)).await
    }

    /// What the operation `id` would do.
    pub async fn plan(&self, id: OperationId) -> Result<Option<PlanRecord>, Trouble> {
        self.read(&Key::plan(id)).await
    }

    /// One journal entry.
    pub async fn journal_entry(&self, id: OperationId, sequence: u32) -> Result<Option<JournalEntry>, Trouble> {
        self.read(&Key::journal(id, sequence)).await
    }

    /// Any record by its key, read consistently.
    pub async fn read<T: DeserializeOwned>(&self, key: &Key) -> Result<Option<T>, Trouble> {
        self.item(key).await?.map(from_item).transpose()
    }

    async fn item(&self, key: &Key) -> Result<Option<Item>, Trouble> {
        let answer = self
            .reads
            .get_item()
            .table_name(&self.table)
            .set_key(Some(key.attributes()))
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| trouble::of_read("GetItem", error))?;
        Ok(answer.item)
    }

    /// Carries out `transaction`: all of it, or nothing.
    ///
    /// A refusal by condition is an answer ([`Written::Refused`]); a lost answer is [`Trouble::Uncertain`].
    pub async fn write(&self, transaction: Transaction) -> Result<Written, Trouble> {
        transaction.send(&self.writes, &self.table).await
    }
}

/// A record from its item.
pub(crate) fn from_item<T: DeserializeOwned>(item: Item) -> Result<T, Trouble> {
    serde_dynamo::from_item(item).map_err(|error| trouble::unreadable(&error))
}
