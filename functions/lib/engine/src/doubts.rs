//! What is told of changes whose answer nobody waits for any more, because their operation ends otherwise than well.
//!
//! While an operation runs, such an entry says `intended`, and the next tick finds out. In a record that stays, that would
//! be no answer: it is uncertain whether the change was made, and the entry says so. A retry finds out after all.

use crate::{
    record::Operation,
    store::{Condition, Store, Transaction, keys::Key},
};
use contract::journal::{Fate, JournalEntry};
use domain::failure::Trouble;

/// Most entries that one ending rewrites. A tick sends one change at a time, so there are seldom two.
const MOST: usize = 50;

/// Entries of the operation's journal that still say `intended`, as they are to be told now.
pub(crate) async fn of(store: &Store, operation: &Operation) -> Result<Vec<JournalEntry>, Trouble> {
    // One that cannot be read tells nothing new, and keeps no operation from ending.
    let journal = store.journal(operation.id, 0, usize::MAX).await?;
    let open = journal.items.into_iter().filter(|entry| entry.fate == Fate::Intended).take(MOST);
    Ok(open.map(|entry| JournalEntry { fate: Fate::Uncertain, ..entry }).collect())
}

/// Adds their writes to the transaction that ends the operation.
pub(crate) fn told(transaction: Transaction, operation: &Operation, doubts: &[JournalEntry]) -> Transaction {
    doubts.iter().fold(transaction, |transaction, entry| {
        transaction.put(&Key::journal(operation.id, entry.sequence), entry, &Condition::Any)
    })
}
