//! Several records in one call: what a page shows of a cluster lies under half a dozen keys, and each call costs the caller
//! a round trip.

use super::{Item, Lane, Store, TagPointer, from_item, keys::Key, stages::record_of, trouble};
use crate::record::{Cluster, StageRecord};
use aws_sdk_dynamodb::types::KeysAndAttributes;
use domain::{
    failure::Trouble,
    ids::{ClusterId, ClusterTag},
    limits::DYNAMODB_BATCH_GET_KEYS,
    states::Stage,
};
use futures::future::try_join_all;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// How often the keys that DynamoDB left out of an answer are asked for again; it answers at least one a time unless it
/// throttles.
const ROUNDS: usize = 10;

/// What is told of one cluster. As all records of this file the stages tell where they are; what a stage knows is read with
/// [`stage`](Store::stage).
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterPage {
    /// The cluster.
    pub cluster: Cluster,
    /// Its six stages, in order; those never run are pending.
    pub stages: Vec<StageRecord>,
    /// Who may change it now.
    pub lane: Option<Lane>,
}

/// Which cluster each tag meant last: a guess that saves a call, checked by the answer itself.
#[derive(Debug, Default)]
pub(super) struct Meant(Mutex<HashMap<ClusterTag, ClusterId>>);

/// Tags that are remembered at the most.
const REMEMBERED: usize = 1000;

impl Meant {
    fn get(&self, tag: &ClusterTag) -> Option<ClusterId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(tag).copied()
    }

    fn note(&self, tag: &ClusterTag, id: ClusterId) {
        let mut meant = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if meant.len() >= REMEMBERED {
            meant.clear();
        }
        meant.insert(tag.clone(), id);
    }
}

impl Store {
    /// All six stages of `cluster`, in order; those never run are pending.
    pub async fn stages(&self, cluster: ClusterId) -> Result<Vec<StageRecord>, Trouble> {
        let mut found = self.read_all(&stage_keys(cluster)).await?;
        stages_in(&mut found, cluster)
    }

    /// The six stages of each of `clusters` in order, in the order of `clusters`; those never run are pending. One that
    /// cannot be read is trouble of its cluster alone.
    pub async fn stages_of(&self, clusters: &[ClusterId]) -> Result<Vec<Result<Vec<StageRecord>, Trouble>>, Trouble> {
        let keys: Vec<Key> = clusters.iter().flat_map(|cluster| stage_keys(*cluster)).collect();
        let mut found = self.read_all(&keys).await?;
        Ok(clusters.iter().map(|cluster| stages_in(&mut found, *cluster)).collect())
    }

    /// The living cluster of `tag` with its stages, and who holds its lane `scope`; none if there is none.
    ///
    /// One call where the tag still means the cluster that it meant when it was asked for last, two otherwise.
    pub async fn page_of(&self, tag: &ClusterTag, scope: &str) -> Result<Option<ClusterPage>, Trouble> {
        if let Some(id) = self.meant.get(tag)
            && let Some(page) = self.page_if_meant(tag, id, scope).await?
        {
            return Ok(Some(page));
        }
        let Some(pointer) = self.read::<TagPointer>(&Key::tag(tag)).await? else { return Ok(None) };
        self.meant.note(tag, pointer.cluster_id);
        self.page_if_meant(tag, pointer.cluster_id, scope).await
    }

    /// The page of cluster `id` if `tag` points to it.
    async fn page_if_meant(
        &self,
        tag: &ClusterTag,
        id: ClusterId,
        scope: &str,
    ) -> Result<Option<ClusterPage>, Trouble> {
        let (pointer, cluster, lane) = (Key::tag(tag), Key::cluster(id), Key::lane(id, scope));
        let mut keys = stage_keys(id);
        keys.extend([pointer.clone(), cluster.clone(), lane.clone()]);
        let mut found = self.read_all(&keys).await?;
        let pointer: Option<TagPointer> = found.remove(&pointer).map(from_item).transpose()?;
        let Some(cluster) = found.remove(&cluster).filter(|_| pointer.is_some_and(|at| at.cluster_id == id)) else {
            return Ok(None);
        };
        let lane = found.remove(&lane).map(from_item).transpose()?;
        Ok(Some(ClusterPage { cluster: from_item(cluster)?, stages: stages_in(&mut found, id)?, lane }))
    }

    /// The items of `keys` that are there, each read consistently.
    pub(super) async fn read_all(&self, keys: &[Key]) -> Result<HashMap<Key, Item>, Trouble> {
        let parts = try_join_all(keys.chunks(DYNAMODB_BATCH_GET_KEYS).map(|keys| self.read_batch(keys))).await?;
        Ok(parts.into_iter().flatten().collect())
    }

    async fn read_batch(&self, keys: &[Key]) -> Result<Vec<(Key, Item)>, Trouble> {
        let mut open = KeysAndAttributes::builder().consistent_read(true);
        for key in keys {
            open = open.keys(key.attributes());
        }
        let mut open = open.build().map_err(|error| trouble::unreadable(&error))?;
        let mut found = Vec::new();
        for _ in 0..ROUNDS {
            let asked = self.reads.batch_get_item().request_items(&self.table, open).send().await;
            let answer = asked.map_err(|error| trouble::of_read("BatchGetItem", error))?;
            let items = answer.responses.unwrap_or_default().remove(&self.table).unwrap_or_default();
            found.extend(items.into_iter().filter_map(|item| Some((Key::of(&item)?, item))));
            match answer.unprocessed_keys.unwrap_or_default().remove(&self.table) {
                Some(rest) if !rest.keys.is_empty() => open = rest,
                _ => return Ok(found),
            }
        }
        Err(trouble::left_open("BatchGetItem"))
    }
}

fn stage_keys(cluster: ClusterId) -> Vec<Key> {
    Stage::ALL.iter().map(|stage| Key::stage(cluster, *stage)).collect()
}

fn stages_in(found: &mut HashMap<Key, Item>, cluster: ClusterId) -> Result<Vec<StageRecord>, Trouble> {
    let record = |stage: &Stage| match found.remove(&Key::stage(cluster, *stage)) {
        Some(item) => record_of(item),
        None => Ok(StageRecord::pending(*stage)),
    };
    Stage::ALL.iter().map(record).collect()
}
