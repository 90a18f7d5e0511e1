//! What is told of an operation whose invocation holds the right to act and has not been heard of for a while: it may have
//! been ended before it could write anything down, and then nothing happens until its lease ends. Derived when it is read:
//! nobody is there to write it.

use contract::operations::Waiting;
use domain::states::WaitingOn;
use engine::record::{Operation, StageRecord};
use jiff::{SignedDuration, Timestamp};

/// An invocation that acts is heard of more often: no change takes longer than 15 seconds to be answered.
const SILENT: SignedDuration = SignedDuration::from_secs(20);

/// What `operation` waits for: what it has written down, or the end of a lease whose holder is silent.
pub(crate) fn waiting(operation: &Operation, now: Timestamp) -> Option<Waiting> {
    let lease = operation.lease.as_ref().filter(|lease| lease.until > now && !operation.is_terminal());
    let heard = operation.updated_at;
    let Some(lease) = lease.filter(|_| now.duration_since(heard) > SILENT) else { return operation.waiting.clone() };
    let before =
        operation.waiting.as_ref().map(|before| format!("; before that: {}", before.reason)).unwrap_or_default();
    let reason = format!(
        "another invocation acted last, at {heard}, and was perhaps ended before it could tell what came of it; the next \
         one may act at {}{before}",
        lease.until
    );
    let (until, on) = (lease.until, WaitingOn::Lane);
    let deadline = operation.waiting.as_ref().map_or(until, |before| before.deadline.max(until));
    Some(Waiting { on, reason, since: heard, deadline, next_look_at: until, looks: 0 })
}

/// `record` as the operation that runs it knows it.
pub(crate) fn of_stage(record: StageRecord, operation: Option<&Operation>, now: Timestamp) -> StageRecord {
    match operation.filter(|operation| record.operation_id == Some(operation.id)) {
        Some(operation) if operation.stage == Some(record.stage) => {
            let told = waiting(operation, now).filter(|waiting| waiting.on == WaitingOn::Lane);
            StageRecord { waiting: told.or(record.waiting), ..record }
        }
        _ => record,
    }
}
