//! The call log: what was asked of the account, by whom, and how it ended. Bounded, so that a long-lived account keeps
//! its size.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};

/// How many single calls are kept.
const KEPT: usize = 4096;

/// Name prefixes of actions that change nothing.
const READS: &[&str] = &[
    "Describe",
    "List",
    "Get",
    "Head",
    "Search",
    "Query",
    "Scan",
    "BatchGet",
    "TransactGet",
    "Assume",
    "Simulate",
    "Lookup",
    "Poll",
    "Filter",
    "Decode",
    "Validate",
    "Test",
];

/// Whether a call of `action` changes the account if it succeeds; EC2's dry runs do not.
pub fn mutates(action: &str, input: &Value) -> bool {
    !READS.iter().any(|prefix| action.starts_with(prefix)) && input.get("DryRun") != Some(&Value::Bool(true))
}

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When it arrived.
    pub at: Timestamp,
    /// Service, by its credential scope name.
    pub service: String,
    /// Action.
    pub action: String,
    /// Role of the caller; none for users and root.
    pub role: Option<String>,
    /// Whether the action changes something if it succeeds.
    pub mutating: bool,
    /// `ok`, or the error's code.
    pub outcome: String,
}

/// How often an action was called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// All calls.
    pub all: u64,
    /// Those that succeeded.
    pub succeeded: u64,
    /// Those that succeeded and change something.
    pub mutating: u64,
}

/// The log of a world.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Log {
    counts: BTreeMap<String, Count>,
    latest: VecDeque<Record>,
}

impl Log {
    /// Adds a call.
    pub(crate) fn add(&mut self, record: Record) {
        let count = self.counts.entry(format!("{}:{}", record.service, record.action)).or_default();
        let succeeded = record.outcome == "ok";
        count.all += 1;
        count.succeeded += u64::from(succeeded);
        count.mutating += u64::from(succeeded && record.mutating);
        if self.latest.len() == KEPT {
            self.latest.pop_front();
        }
        self.latest.push_back(record);
    }

    /// How often `action` of `service` was called.
    pub fn count(&self, service: &str, action: &str) -> Count {
        self.counts.get(&format!("{service}:{action}")).copied().unwrap_or_default()
    }

    /// All counts by `service:Action`.
    pub fn counts(&self) -> &BTreeMap<String, Count> {
        &self.counts
    }

    /// How many calls changed something.
    pub fn mutations(&self) -> u64 {
        self.counts.values().map(|count| count.mutating).sum()
    }

    /// The latest calls, oldest first; at most 4,096.
    pub fn latest(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.latest.iter()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_and_dry_runs_change_nothing() {
        for read in
            ["DescribeVpcs", "ListClusters", "AssumeRole", "BatchGetItem", "TransactGetItems", "FilterLogEvents"]
        {
            assert!(!mutates(read, &json!({})), "{read}");
        }
        for write in ["CreateVpc", "PutItem", "StartExecution", "BatchWriteItem", "ExecuteStatement"] {
            assert!(mutates(write, &json!({})), "{write}");
        }
        assert!(!mutates("CreateVpc", &json!({"DryRun": true})));
    }

    #[test]
    fn the_log_keeps_its_size_and_its_counts() {
        let mut log = Log::default();
        let record = Record {
            at: Timestamp::UNIX_EPOCH,
            service: "ec2".into(),
            action: "CreateVpc".into(),
            role: None,
            mutating: true,
            outcome: "ok".into(),
        };
        for _ in 0..KEPT + 1 {
            log.add(record.clone());
        }
        log.add(Record { outcome: "VpcLimitExceeded".into(), ..record });
        assert_eq!(log.latest().count(), KEPT);
        let all = KEPT as u64 + 2;
        assert_eq!(log.count("ec2", "CreateVpc"), Count { all, succeeded: all - 1, mutating: all - 1 });
        assert_eq!(log.mutations(), all - 1);
    }
}
