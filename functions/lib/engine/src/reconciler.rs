//! What a stage or operation is: the three functions that its author writes.

use crate::{
    ledger::Ledger,
    plan::{Change, Plan},
    record::{Cluster, Operation},
};
use domain::{failure::Trouble, states::Stage};
use jiff::Timestamp;
use serde::Serialize;
use std::{collections::BTreeMap, future::Future};

/// What a reconciler may know besides the world: the records, and the time.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The cluster that it is about.
    pub cluster: &'a Cluster,
    /// The operation that asks for it.
    pub operation: &'a Operation,
    /// Which changes were sent, and the ids that they made: for finding what reads do not show yet.
    pub ledger: &'a Ledger,
    /// When this run began: of the stage, or of the operation's attempt if it has no stage. What happened in the world
    /// before is not this run's doing.
    pub began_at: Timestamp,
    /// The time at which this look began.
    pub now: Timestamp,
}

/// How a change marks what it makes, so that the next look finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Client token: the same while the answer is unknown, another for the next incarnation. 64 characters at most.
    pub token: String,
    /// Tags of everything made: cluster, operation and change.
    pub tags: BTreeMap<String, String>,
}

/// Ids of what a change made, by what they are: `{"vpcId": "vpc-…"}`.
pub type Made = BTreeMap<String, String>;

/// One stage or operation: level-triggered, safe to run at any time and any number of times.
pub trait Reconciler: Send + Sync {
    /// What was seen of the world; written down (small) as the actual side of the diff.
    type Observed: Serialize + Send + Sync;
    /// The kinds of change that it makes.
    type Change: Change;

    /// Which stage this is; none for an operation beside the stages.
    fn stage(&self) -> Option<Stage>;

    /// Looks at the world. Reads only. A read that fails or is forbidden is an error, never an absence.
    fn observe(&self, scene: Scene<'_>) -> impl Future<Output = Result<Self::Observed, Trouble>> + Send;

    /// Decides, from the decisions of the request and the world as seen. Pure: no clock, no chance, no I/O.
    fn plan(&self, scene: Scene<'_>, observed: &Self::Observed) -> Plan<Self::Change>;

    /// Makes one change. It may have been sent before (see the change's guard), and an answer that says so is success.
    fn apply(
        &self,
        scene: Scene<'_>,
        change: &Self::Change,
        mark: &Mark,
    ) -> impl Future<Output = Result<Made, Trouble>> + Send;
}
