//! How a stage is kept: in two items of one version. `STAGE#…` tells where it is, and is all that lists and a cluster's page
//! read; `KNOWN#…` holds what it knows (ledger, what was seen, what came of it), which is long and is written when it has
//! changed.

use super::{
    Item, Store, from_item,
    keys::Key,
    transaction::{Condition, Transaction},
    trouble,
};
use crate::{
    ledger::Ledger,
    record::{SCHEMA, StageRecord},
};
use domain::{failure::Trouble, ids::ClusterId, states::Stage};
use serde_json::Value;

/// Members of a stage's record that `KNOWN#…` holds.
const KNOWN: [&str; 3] = ["ledger", "observed", "outcome"];

/// What a stage knew when it was read or written last.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known {
    ledger: Ledger,
    observed: Value,
    outcome: Value,
}

impl Known {
    /// What `record` knows.
    pub(crate) fn of(record: &StageRecord) -> Self {
        let StageRecord { ledger, observed, outcome, .. } = record.clone();
        Self { ledger, observed, outcome }
    }

    /// Whether `record` knows this and nothing else.
    pub(crate) fn is_of(&self, record: &StageRecord) -> bool {
        self.ledger == record.ledger && self.observed == record.observed && self.outcome == record.outcome
    }
}

impl Store {
    /// The whole record of one stage; a stage that was never run has one too, pending.
    pub async fn stage(&self, cluster: ClusterId, stage: Stage) -> Result<StageRecord, Trouble> {
        Ok(self.stage_as_kept(cluster, stage).await?.0)
    }

    /// The same, with what is in `KNOWN#…`, if that is there: not for a stage that was never run, nor for one of a release
    /// that kept everything in one item.
    pub(crate) async fn stage_as_kept(
        &self,
        cluster: ClusterId,
        stage: Stage,
    ) -> Result<(StageRecord, Option<Known>), Trouble> {
        let (head, known) = (Key::stage(cluster, stage), Key::known(cluster, stage));
        let mut found = self.read_all(&[head.clone(), known.clone()]).await?;
        let Some(mut item) = found.remove(&head) else { return Ok((StageRecord::pending(stage), None)) };
        let known = found.remove(&known);
        let is_kept = known.is_some();
        item.extend(known.unwrap_or_default().into_iter().filter(|(name, _)| KNOWN.contains(&name.as_str())));
        let record = record_of(item)?;
        let known = is_kept.then(|| Known::of(&record));
        Ok((record, known))
    }
}

impl Transaction {
    /// Puts the whole of `record`, a stage of `cluster`, under `condition`.
    #[must_use]
    pub fn put_stage(self, cluster: ClusterId, record: &StageRecord, condition: &Condition) -> Self {
        self.put_stage_over(cluster, record, condition, None)
    }

    /// The same where `kept` is in `KNOWN#…` already.
    #[must_use]
    pub(crate) fn put_stage_over(
        self,
        cluster: ClusterId,
        record: &StageRecord,
        condition: &Condition,
        kept: Option<&Known>,
    ) -> Self {
        let (mut head, mut known) = match split(record) {
            Ok(parts) => parts,
            Err(error) => return self.broken_by(trouble::unreadable(&error)),
        };
        head.extend(Key::stage(cluster, record.stage).attributes());
        let told = self.put_item(head, condition);
        if kept.is_some_and(|kept| kept.is_of(record)) {
            return told;
        }
        known.extend(Key::known(cluster, record.stage).attributes());
        told.put_item(known, &Condition::Any)
    }
}

/// A stage's record, unless a newer release wrote it: what it says beyond what we know would be lost at the next write.
pub(super) fn record_of(item: Item) -> Result<StageRecord, Trouble> {
    let record: StageRecord = from_item(item)?;
    if record.schema > SCHEMA {
        return Err(trouble::unreadable(&format!("the stage {} was written by a newer release", record.stage)));
    }
    Ok(record)
}

/// A record's two items, without their keys.
fn split(record: &StageRecord) -> Result<(Item, Item), serde_dynamo::Error> {
    let mut head: Item = serde_dynamo::to_item(record)?;
    let known = KNOWN.iter().filter_map(|name| head.remove_entry(*name)).collect();
    Ok((head, known))
}
