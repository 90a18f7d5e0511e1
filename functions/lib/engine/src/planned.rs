//! The plan record: what an operation would do, part by part, as ticks that may not act have planned it.
//!
//! The request is in it as it would be recorded, so that a plan needs no operation: nothing is accepted, no lane is
//! taken, no decision is kept.

use crate::{
    plan::{Change, End, Plan, Step},
    record::{Cluster, Operation},
};
use contract::plan::PlannedChange;
use domain::{failure::Failure, states::Stage};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Most bytes of what one stage would do; what is more is counted. Six stages and the request stay below
/// [`OPERATION_RECORD`](domain::limits::OPERATION_RECORD).
const PART_BYTES: usize = 6 * 1024;

/// What an operation would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanRecord {
    /// Schema version.
    pub schema: u32,
    /// The operation as it was or would be recorded; its stages are those that are planned.
    pub operation: Operation,
    /// The cluster as it is or would be recorded.
    pub cluster: Cluster,
    /// What each stage would do, in the order of planning; one part for an operation beside the stages.
    pub parts: Vec<Part>,
    /// Counts writes; fences every one of them.
    pub version: u64,
    /// When DynamoDB may forget it, seconds since 1970; never for the plan of an operation that is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<i64>,
}

/// What one stage would do over the world as it was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// The stage; none for an operation beside the stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Its changes, in order.
    pub changes: Vec<PlannedChange>,
    /// What it would wait for, a line each.
    pub waits: Vec<String>,
    /// Changes and waits that had no room here.
    #[serde(default)]
    pub left_out: u32,
    /// How it would end.
    pub end: Ending,
    /// Digest of all its changes, of those without room too.
    pub hash: String,
    /// When the world was seen so.
    pub planned_at: Timestamp,
}

/// How a stage would end once its changes are made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Ending {
    /// As desired.
    Done,
    /// Somebody must decide first; the text says what.
    Undecided(String),
    /// It cannot be done as things are.
    Failed(Failure),
    /// The world could not be seen, so nothing is known.
    Unknown(Failure),
}

impl PlanRecord {
    /// Whether everything that would run is planned.
    pub fn is_complete(&self) -> bool {
        self.parts
            .last()
            .is_some_and(|last| last.stage == self.operation.last_stage || matches!(last.end, Ending::Undecided(_)))
    }

    /// The part of `stage`.
    pub fn part(&self, stage: Option<Stage>) -> Option<&Part> {
        self.parts.iter().find(|part| part.stage == stage)
    }

    /// A digest of all changes: an approval binds it, and a plan that differs voids the approval.
    pub fn hash(&self) -> String {
        let hashes: Vec<&str> = self.parts.iter().map(|part| part.hash.as_str()).collect();
        hex::encode(Sha256::digest(hashes.join("\n")))
    }
}

impl Part {
    /// What `plan` says.
    pub fn of<C: Change>(stage: Option<Stage>, plan: &Plan<C>, planned_at: Timestamp) -> Self {
        let end = match &plan.end {
            End::Done(_) => Ending::Done,
            End::Undecided(what) => Ending::Undecided(what.clone()),
            End::Failed(failure) => Ending::Failed(failure.clone()),
        };
        let (changes, waits, left_out, hash) = (Vec::new(), Vec::new(), 0, plan.hash());
        let mut part = Self { stage, changes, waits, left_out, end, hash, planned_at };
        let mut room = PART_BYTES;
        for step in &plan.steps {
            let bytes = match step {
                Step::Change(change) => change.key().len() + change.title().len(),
                Step::Wait(wait) => wait.reason.len(),
            };
            // Once one has no room, those after it have none either: what is told is a beginning without gaps.
            room = if bytes <= room { room - bytes } else { 0 };
            match step {
                _ if room == 0 => part.left_out += 1,
                Step::Change(change) => {
                    part.changes.push(PlannedChange { change: change.key(), title: change.title() });
                }
                Step::Wait(wait) => part.waits.push(wait.reason.clone()),
            }
        }
        part
    }

    /// Nothing is known of it.
    pub fn unknown(stage: Option<Stage>, why: Failure, planned_at: Timestamp) -> Self {
        let hash = hex::encode(Sha256::digest(format!("unknown: {why}")));
        let (changes, waits) = (Vec::new(), Vec::new());
        Self { stage, changes, waits, left_out: 0, end: Ending::Unknown(why), hash, planned_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Guard, Wait};
    use domain::states::WaitingOn;
    use serde_json::json;

    #[derive(Debug, Clone, Serialize)]
    struct Make(u32);

    impl Change for Make {
        fn key(&self) -> String {
            format!("make/{}", self.0)
        }

        fn title(&self) -> String {
            format!("make number {} of something with a rather long description", self.0)
        }

        fn guard(&self) -> Guard {
            Guard::Service
        }
    }

    fn now() -> Timestamp {
        Timestamp::from_second(1_796_000_000).unwrap()
    }

    fn plan(changes: u32) -> Plan<Make> {
        let mut steps: Vec<Step<Make>> = (0..changes).map(|number| Step::Change(Make(number))).collect();
        steps.push(Step::Wait(Wait::new(WaitingOn::Aws, "it comes up")));
        Plan { steps, end: End::Done(json!({})) }
    }

    #[test]
    fn a_part_lists_every_change_in_order_and_every_wait() {
        let part = Part::of(Some(Stage::Storage), &plan(3), now());
        let keys: Vec<&str> = part.changes.iter().map(|change| change.change.as_str()).collect();
        assert_eq!(
            (keys, part.waits.as_slice()),
            (vec!["make/0", "make/1", "make/2"], &["it comes up".to_owned()][..])
        );
        assert_eq!((part.left_out, &part.end), (0, &Ending::Done));
    }

    #[test]
    fn a_long_plan_is_cut_counted_and_hashed_whole() {
        let (long, longer) = (Part::of(None, &plan(1000), now()), Part::of(None, &plan(1001), now()));
        assert_eq!(long.changes.len() + long.left_out as usize, 1001);
        assert!(serde_json::to_string(&long).unwrap().len() < 2 * PART_BYTES);
        assert_ne!(long.hash, longer.hash, "what has no room is hashed too");
    }
}
