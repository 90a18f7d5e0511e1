//! Writing a tick's records: together, fenced, and sure of what was written.

use super::{Flow, Stop, Tick};
use crate::{
    fitting,
    reconciler::Reconciler,
    store::{
        Condition, Known, Transaction, Written,
        keys::{IndexKey, Key},
    },
};
use contract::journal::JournalEntry;
use domain::failure::Trouble;

impl<R: Reconciler> Tick<'_, R> {
    /// Writes operation and stage.
    pub(super) async fn save(&mut self) -> Flow<()> {
        self.save_with(|transaction| transaction).await
    }

    /// Writes operation, stage and one journal entry. The entry needs no condition of its own: it can only be written
    /// together with the operation, which is fenced.
    pub(super) async fn save_journal(&mut self, entry: &JournalEntry) -> Flow<()> {
        let key = Key::journal(self.operation.id, entry.sequence);
        let mut entry = entry.clone();
        fitting::journal(&mut entry);
        self.save_with(|transaction| transaction.put(&key, &entry, &Condition::Any)).await
    }

    /// Writes operation and stage, and what `more` adds, in one transaction.
    pub(super) async fn save_with(&mut self, more: impl Fn(Transaction) -> Transaction) -> Flow<()> {
        for _ in 0..2 {
            let written = self.send(&more).await;
            match written {
                Ok(Written::Done) => return Ok(self.note_kept()),
                // Somebody wrote one of the records at this moment, such as a wish to cancel: it is read, and written again.
                Err(trouble) if trouble.is_upstream("TransactionCanceledException") => {}
                Err(trouble @ (Trouble::Later { .. } | Trouble::Fatal(_))) => return Err(Stop::Store(trouble)),
                Ok(Written::Refused(_)) | Err(Trouble::Uncertain(_)) => {}
            }
            if self.went_through().await? {
                return Ok(self.note_kept());
            }
        }
        Err(Stop::Yield)
    }

    /// What was written is there.
    fn note_kept(&mut self) {
        let Some(stage) = self.stage.as_ref() else { return };
        if !self.known.as_ref().is_some_and(|known| known.is_of(stage)) {
            self.known = Some(Known::of(stage));
        }
    }

    async fn send(&mut self, more: &impl Fn(Transaction) -> Transaction) -> Result<Written, Trouble> {
        let before = self.operation.version;
        self.operation.version += 1;
        self.operation.nonce = self.engine.context.nonce();
        self.operation.updated_at = self.engine.context.now();
        fitting::operation(&mut self.operation);
        let mut transaction = Transaction::new().put_indexed(
            &Key::operation(self.operation.id),
            Some(IndexKey::operations(self.operation.id)),
            &self.operation,
            &Condition::Version(before),
        );
        if let Some(stage) = self.stage.as_mut() {
            let before = stage.version;
            stage.version += 1;
            fitting::stage(stage);
            let (id, kept) = (self.cluster.id, self.known.as_ref());
            transaction = transaction.put_stage_over(id, stage, &Condition::Version(before), kept);
        }
        self.engine.store.write(more(transaction)).await
    }

    /// After a write that was refused or not answered: whether it is there all the same.
    ///
    /// If it is not, and the lease is still ours, somebody only asked to cancel in between: their word is taken over and
    /// the write may be tried once more. In all other cases this tick has lost its right to act.
    async fn went_through(&mut self) -> Flow<bool> {
        let stored = self.engine.store.operation(self.operation.id).await.map_err(Stop::Store)?.ok_or(Stop::Yield)?;
        if stored.nonce == self.operation.nonce {
            return Ok(true);
        }
        let ours = stored.lease.as_ref().is_some_and(|lease| lease.holder == self.holder);
        if !ours {
            return Err(Stop::Yield);
        }
        self.operation.version = stored.version;
        self.operation.cancel_requested |= stored.cancel_requested;
        if let Some(stage) = self.stage.as_mut() {
            stage.version -= 1;
        }
        Ok(false)
    }
}
