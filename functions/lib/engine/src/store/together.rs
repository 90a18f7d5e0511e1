//! Several records in one call: what a page shows of a cluster lies under half a dozen keys, and each call costs the caller
//! a round trip.

use super::{Item, Lane, Store, from_item, keys::Key, trouble};
use crate::record::StageRecord;
use aws_sdk_dynamodb::types::KeysAndAttributes;
use domain::{failure::Trouble, ids::ClusterId, limits::DYNAMODB_BATCH_GET_KEYS, states::Stage};
use futures::future::try_join_all;
use std::collections::HashMap;

/// How often the keys that DynamoDB left out of an answer are asked for again; it answers at least one a time unless it
/// throttles.
const ROUNDS: usize = 10;

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

    /// The six stages of `cluster`, and who holds its lane `scope`.
    pub async fn stages_and_lane(
        &self,
        cluster: ClusterId,
        scope: &str,
    ) -> Result<(Vec<StageRecord>, Option<Lane>), Trouble> {
        let lane = Key::lane(cluster, scope);
        let mut keys = stage_keys(cluster);
        keys.push(lane.clone());
        let mut found = self.read_all(&keys).await?;
        let lane = found.remove(&lane).map(from_item).transpose()?;
        Ok((stages_in(&mut found, cluster)?, lane))
    }

    /// The items of `keys` that are there, each read consistently.
    async fn read_all(&self, keys: &[Key]) -> Result<HashMap<Key, Item>, Trouble> {
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
        Some(item) => from_item(item),
        None => Ok(StageRecord::pending(*stage)),
    };
    Stage::ALL.iter().map(record).collect()
}
