//! Keeping records small: what is told in them is cut before they are written, whatever AWS or a plan had to say.
//!
//! Never cut: decisions, states and the ledger, from which acting is decided.

use crate::record::{Operation, StageRecord, Waiting};
use contract::journal::JournalEntry;
use domain::{failure::Failure, limits::OPERATION_RECORD};
use serde::Serialize;
use serde_json::{Value, json};

/// Most of a failure's message, in characters.
const MESSAGE: usize = 4_000;

/// Most of a reason, an action or an upstream word, in characters.
const SENTENCE: usize = 1_000;

/// Most of one line of a list, in characters.
const LINE: usize = 250;

/// Most bytes of a value of free form: what was seen, what came of it.
const VALUE: usize = 16 * 1024;

/// Lines of a list that are kept when the record is too large all the same.
const FEW: usize = 10;

/// Cuts `operation` to its size.
pub(crate) fn operation(operation: &mut Operation) {
    operation.failure.iter_mut().for_each(failure);
    operation.waiting.iter_mut().chain(&mut operation.interrupted).for_each(waiting);
    operation.left.iter_mut().for_each(|line| cut(line, LINE));
    operation.outcome = value(std::mem::take(&mut operation.outcome));
    if bytes(operation) > OPERATION_RECORD {
        operation.outcome = too_large(&operation.outcome);
        operation.left.truncate(FEW);
    }
}

/// Cuts `stage` to its size.
pub(crate) fn stage(stage: &mut StageRecord) {
    stage.failure.iter_mut().for_each(failure);
    stage.waiting.iter_mut().for_each(waiting);
    stage.remaining.iter_mut().for_each(|line| cut(line, LINE));
    stage.observed = value(std::mem::take(&mut stage.observed));
    stage.outcome = value(std::mem::take(&mut stage.outcome));
    if bytes(stage) > OPERATION_RECORD {
        stage.observed = too_large(&stage.observed);
        stage.remaining.truncate(FEW);
    }
    if bytes(stage) > OPERATION_RECORD {
        stage.outcome = too_large(&stage.outcome);
    }
}

/// Cuts `entry` to its size.
pub(crate) fn journal(entry: &mut JournalEntry) {
    entry.failure.iter_mut().for_each(failure);
    cut(&mut entry.title, SENTENCE);
}

/// Bytes of a record as JSON, which DynamoDB's own count of an item stays near.
pub(crate) fn bytes(record: &impl Serialize) -> usize {
    serde_json::to_vec(record).map_or(usize::MAX, |text| text.len())
}

fn failure(failure: &mut Failure) {
    cut(&mut failure.message, MESSAGE);
    cut(&mut failure.action, SENTENCE);
    if let Some(upstream) = failure.upstream.as_mut() {
        cut(&mut upstream.code, LINE);
    }
}

fn waiting(waiting: &mut Waiting) {
    cut(&mut waiting.reason, SENTENCE);
}

fn cut(text: &mut String, characters: usize) {
    if let Some((at, _)) = text.char_indices().nth(characters) {
        text.truncate(at);
        text.push('…');
    }
}

fn value(given: Value) -> Value {
    if bytes(&given) > VALUE { too_large(&given) } else { given }
}

fn too_large(given: &Value) -> Value {
    match given {
        Value::Null => Value::Null,
        small if small.get("tooLargeToKeep").is_some() => small.clone(),
        large => json!({ "tooLargeToKeep": { "bytes": bytes(large) } }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::SCHEMA;
    use domain::{codes::ErrorCode, ids::OperationId, states::Stage};
    use jiff::Timestamp;

    fn noisy(letter: &str) -> Failure {
        Failure::new(ErrorCode::Internal, letter.repeat(100_000)).with_action(letter.repeat(100_000))
    }

    #[test]
    fn a_stage_that_saw_failed_and_planned_too_much_still_fits_and_keeps_its_ledger() {
        let mut record = StageRecord::pending(Stage::Dependencies);
        record.failure = Some(noisy("ü"));
        record.remaining = vec!["r".repeat(5_000); 60];
        record.observed = json!({ "seen": "s".repeat(15_000) });
        record.outcome = json!({ "came": "c".repeat(15_000) });
        for change in 0..60 {
            let told = (OperationId::from_parts(1_790_000_000_000, 7), change);
            record.ledger.intend(&format!("create-something-with-a-long-name/{change}"), Timestamp::UNIX_EPOCH, told);
        }
        let ledger = record.ledger.clone();
        stage(&mut record);
        assert!(bytes(&record) <= OPERATION_RECORD, "{}", bytes(&record));
        assert_eq!(record.ledger, ledger);
        assert!(record.failure.unwrap().message.ends_with("ü…"), "cut between characters, and said so");
        assert!(!record.remaining.is_empty());
    }

    #[test]
    fn br_142_an_operation_with_much_to_tell_fits() {
        let told = json!({
            "schema": SCHEMA, "id": "01KBXZ3V8Y0000000000000002", "kind": "create_cluster",
            "clusterId": "01KBXZ3V8Y0000000000000000", "clusterTag": "demo",
            "principal": { "id": "x", "agent": false }, "input": { "much": "i".repeat(30_000) }, "inputHash": "",
            "machine": "cluster", "lane": "cluster", "state": "failed", "attempt": 1, "journalLength": 0, "version": 1,
            "nonce": "", "createdAt": "2026-12-01T08:00:00Z", "updatedAt": "2026-12-01T08:00:00Z",
            "left": vec!["l".repeat(5_000); 40], "outcome": { "came": "c".repeat(15_900) },
        });
        let mut record: Operation = serde_json::from_value(told).unwrap();
        record.failure = Some(noisy("f"));
        operation(&mut record);
        assert!(bytes(&record) <= OPERATION_RECORD, "{}", bytes(&record));
        assert_eq!(record.left.len(), 40);
        assert_eq!(record.failure.unwrap().message.chars().count(), MESSAGE + 1);
    }

    #[test]
    fn what_is_small_is_kept_as_it_is() {
        let mut record = StageRecord::pending(Stage::Storage);
        record.observed = json!({ "claim": "Bound" });
        record.remaining = vec!["make the claim".to_owned()];
        let before = record.clone();
        stage(&mut record);
        assert_eq!(record, before);
    }
}
