//! Making one change: written down, sent, its answer written down.

use super::{Flow, Tick};
use crate::{
    ledger::Sent,
    plan::{Change, End, Guard, Plan, Step, Wait},
    reconciler::{Made, Mark, Reconciler},
    record::SCHEMA,
};
use contract::journal::{Fate, JournalEntry, Refusals};
use domain::{
    failure::{Failure, Trouble},
    states::WaitingOn,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Most lines of a plan that are kept for people.
const REMAINING_LINES: usize = 60;

impl<R: Reconciler> Tick<'_, R> {
    /// Keeps what was seen and what remains, and settles changes whose answer was lost and that turn out to be done.
    pub(super) async fn note_seen(&mut self, observed: &R::Observed, plan: &Plan<R::Change>) -> Flow<()> {
        let keys = plan.keys();
        self.operation.remaining = u32::try_from(keys.len()).unwrap_or(u32::MAX);
        if let Some(stage) = self.stage.as_mut() {
            stage.observed = serde_json::to_value(observed).unwrap_or_default();
            stage.remaining = plan.steps.iter().take(REMAINING_LINES).map(line).collect();
        }
        // A plan that fails or must be decided has no steps to tell what is still absent from what is there.
        if !matches!(plan.end, End::Done(_)) {
            return Ok(());
        }
        let found: Vec<(String, _)> =
            self.ledger().found_done(&keys).map(|(key, journal)| (key.to_owned(), journal)).collect();
        for (key, (operation, sequence)) in found {
            self.ledger_mut().saw(&key);
            if operation == self.operation.id {
                self.note_fate(sequence, Fate::Observed, Made::new(), None).await?;
            }
        }
        Ok(())
    }

    /// The wait before `change` may be sent (again), if there must be one: it was sent not long ago, and what it made may
    /// not show yet.
    pub(super) fn not_yet(&self, change: &R::Change) -> Option<Wait> {
        let (key, now) = (change.key(), self.engine.context.now());
        let entry = self.ledger().get(&key)?;
        if !self.ledger().may_be_invisible(&key, now, change.visibility_window()) {
            return None;
        }
        match (entry.sent, change.guard()) {
            (Sent::Applied, _) => Some(Wait {
                seconds: 2,
                ..Wait::new(WaitingOn::Aws, format!("waiting for this to show: {}", change.title()))
                    .of(format!("change/{key}"))
            }),
            (Sent::Intended, Guard::Window) => Some(Wait {
                seconds: 5,
                ..Wait::new(
                    WaitingOn::UncertainChange,
                    format!("the answer was lost, looking whether it happened: {}", change.title()),
                )
                .of(format!("change/{key}"))
            }),
            (Sent::Intended, Guard::Service) | (Sent::Refused, _) => None,
        }
    }

    /// Sends `change`; answers the trouble that it met, if any.
    pub(super) async fn carry_out(&mut self, change: &R::Change) -> Flow<Option<Trouble>> {
        let (mark, mut entry, again) = self.intend(change);
        if again {
            let before = self.engine.store.journal_entry(self.operation.id, entry.sequence).await;
            entry.refusals = before.map_err(super::Stop::Store)?.and_then(|before| before.refusals);
        }
        self.save_journal(&entry).await?;
        let result = self.reconciler.apply(self.scene(), change, &mark).await;
        let (fate, made, trouble) = match result {
            Ok(made) => (Fate::Applied, made, None),
            Err(trouble @ Trouble::Uncertain(_)) => (Fate::Uncertain, Made::new(), Some(trouble)),
            Err(trouble) => (Fate::Refused, Made::new(), Some(trouble)),
        };
        match fate {
            Fate::Applied => self.ledger_mut().answer(&entry.change, Sent::Applied, made.clone()),
            Fate::Refused => self.ledger_mut().answer(&entry.change, Sent::Refused, Made::new()),
            Fate::Intended | Fate::Uncertain | Fate::Observed => {}
        }
        entry.fate = fate;
        entry.made = made;
        entry.failure = trouble.as_ref().map(|trouble| trouble.failure().clone());
        let now = self.engine.context.now();
        entry.answered_at = Some(now);
        if fate == Fate::Refused {
            let before = entry.refusals.unwrap_or(Refusals { count: 0, since: now });
            entry.refusals = Some(Refusals { count: before.count.saturating_add(1), ..before });
        }
        if trouble.is_none() {
            self.operation.stop_waiting();
            if let Some(stage) = self.stage.as_mut() {
                stage.waiting = None;
            }
        }
        self.save_journal(&entry).await?;
        Ok(trouble)
    }

    /// Notes `change` in the ledger and makes its mark and journal entry. A change that is sent again because nothing
    /// came of it before keeps its entry, and then the last is true: a throttled hour does not make a long journal.
    fn intend(&mut self, change: &R::Change) -> (Mark, JournalEntry, bool) {
        let key = change.key();
        let now = self.engine.context.now();
        let again = self.ledger().get(&key).filter(|entry| entry.sent != Sent::Applied);
        let again = again.map(|entry| entry.journal).filter(|(operation, _)| *operation == self.operation.id);
        let sequence = again.map(|(_, sequence)| sequence).unwrap_or_else(|| {
            self.operation.journal_length += 1;
            self.operation.journal_length
        });
        let told = (self.operation.id, sequence);
        let incarnation = self.ledger_mut().intend(&key, now, told);
        let entry = JournalEntry {
            schema: SCHEMA,
            sequence,
            attempt: self.operation.attempt,
            stage: self.reconciler.stage().map(|stage| stage.to_string()),
            change: key.clone(),
            title: change.title(),
            fate: Fate::Intended,
            intended_at: now,
            answered_at: None,
            made: Made::new(),
            failure: None,
            refusals: None,
        };
        (self.mark(&key, incarnation), entry, again.is_some())
    }

    fn mark(&self, key: &str, incarnation: u32) -> Mark {
        let stage = self.reconciler.stage().map_or("operation", |stage| stage.as_str());
        let label = format!("{}/{stage}/{key}/{incarnation}", self.cluster.id);
        let tags = BTreeMap::from([
            ("hyperpod-instantstart:cluster".to_owned(), self.cluster.id.to_string()),
            ("hyperpod-instantstart:operation".to_owned(), self.operation.id.to_string()),
            ("hyperpod-instantstart:change".to_owned(), key.to_owned()),
        ]);
        Mark { token: hex::encode(Sha256::digest(label)), tags }
    }

    /// Rewrites the fate of an earlier entry of this operation's journal.
    async fn note_fate(&mut self, sequence: u32, fate: Fate, made: Made, failure: Option<Failure>) -> Flow<()> {
        let id = self.operation.id;
        let stored = self.engine.store.journal_entry(id, sequence).await.map_err(super::Stop::Store)?;
        let Some(entry) = stored else { return Ok(()) };
        let answered_at = Some(self.engine.context.now());
        self.save_journal(&JournalEntry { fate, made, failure, answered_at, ..entry }).await
    }
}

fn line<C: Change>(step: &Step<C>) -> String {
    match step {
        Step::Change(change) => change.title(),
        Step::Wait(wait) => format!("wait: {}", wait.reason),
    }
}
