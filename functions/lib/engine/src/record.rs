//! The records that operations leave in the table, as types. Their keys are `store`'s business.
//!
//! Records outlive code: each carries a schema version, fields are only ever added, and what is unknown to a reader
//! is refused by the version, never dropped.

use crate::ledger::Ledger;
pub use contract::operations::Waiting;
use domain::{
    decisions::CreateCluster,
    failure::Failure,
    ids::{ClusterId, ClusterTag, OperationId, Region},
    states::{OperationState, Stage, StageState, WaitingOn},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The schema version that this code writes.
pub const SCHEMA: u32 = 1;

/// Where a cluster is: every AWS client is made for one of these.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// Twelve digits.
    pub account: String,
    /// `us-west-2`.
    pub region: Region,
    /// Role to assume there; none to act as ourselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role_arn: Option<String>,
}

impl Target {
    /// ARN of an EKS cluster there.
    pub fn eks_arn(&self, name: &str) -> String {
        let Self { account, region, .. } = self;
        format!("arn:{}:eks:{region}:{account}:cluster/{name}", region.partition())
    }
}

/// What an import asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Import {
    /// Name of the EKS cluster that was there before.
    pub eks_cluster_name: String,
    /// What may be mended in borrowed things, by name.
    #[serde(default)]
    pub fixes: Vec<String>,
    /// Whether an access entry for ourselves may be made.
    #[serde(default)]
    pub grant_access: bool,
}

/// A cluster, from its first request to its tombstone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cluster {
    /// Schema version.
    pub schema: u32,
    /// The id in keys and AWS tags; another cluster may have the tag later.
    pub id: ClusterId,
    /// The name by which people know it.
    pub tag: ClusterTag,
    /// Where it is.
    pub target: Target,
    /// The decisions of the requests so far.
    pub decisions: CreateCluster,
    /// What an import asked for; none for a cluster that we make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import: Option<Import>,
    /// Counts changes of the decisions; what `If-Match` compares.
    pub generation: u64,
    /// Counts writes; what conditional writes compare.
    pub version: u64,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// Who asked for it.
    pub created_by: String,
    /// The operation that was asked for first: creation or import.
    pub first_operation: OperationId,
    /// When it was deleted; a tombstone keeps everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
}

impl Cluster {
    /// Name of its EKS cluster.
    pub fn eks_name(&self) -> &str {
        self.import.as_ref().map_or(self.tag.as_str(), |import| &import.eks_cluster_name)
    }
}

/// One of the six steps of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StageRecord {
    /// Schema version.
    pub schema: u32,
    /// Which stage.
    pub stage: Stage,
    /// Where it is.
    pub state: StageState,
    /// How often it was run.
    pub attempts: u32,
    /// The operation that ran it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<OperationId>,
    /// When the last run began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When the last run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// What it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// What is still to be done, a line each, as the last tick planned it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remaining: Vec<String>,
    /// What the last tick saw.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub observed: Value,
    /// What came of the last successful run.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub outcome: Value,
    /// Why the last run failed, or what must be decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What is known of its changes.
    #[serde(default)]
    pub ledger: Ledger,
    /// Counts writes.
    pub version: u64,
}

impl StageRecord {
    /// A stage that was never run.
    pub fn pending(stage: Stage) -> Self {
        Self {
            schema: SCHEMA,
            stage,
            state: StageState::Pending,
            attempts: 0,
            operation_id: None,
            started_at: None,
            finished_at: None,
            waiting: None,
            remaining: Vec::new(),
            observed: Value::Null,
            outcome: Value::Null,
            failure: None,
            ledger: Ledger::default(),
            version: 0,
        }
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Principal {
    /// Stable id: a user, a role, a token's id, or `schedule`.
    pub id: String,
    /// Whether an agent speaks; agents never approve.
    pub agent: bool,
}

/// What holds the right to act for one invocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The invocation's own nonce.
    pub holder: String,
    /// When others may take it.
    pub until: Timestamp,
}

/// A wait of an operation's attempt that is not known to be over: its pace and its deadline go on when something else
/// came between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenWait {
    /// What is waited for, as the plan's wait names it.
    pub subject: String,
    /// Since when, the time left out in which the plan waited for something else.
    pub since: Timestamp,
    /// Until when it was slept for last.
    pub until: Timestamp,
    /// How often it was looked at without change.
    pub looks: u32,
}

/// One requested change, from acceptance to its terminal state, which stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Schema version.
    pub schema: u32,
    /// Its id.
    pub id: OperationId,
    /// The descriptor's name: `create_cluster`, `run_stage` …
    pub kind: String,
    /// The cluster that it is about.
    pub cluster_id: ClusterId,
    /// That cluster's tag.
    pub cluster_tag: ClusterTag,
    /// Who asked.
    pub principal: Principal,
    /// The request's body as it was validated.
    pub input: Value,
    /// Digest of kind, cluster and input: the same request again is recognized by it.
    pub input_hash: String,
    /// Which state machine runs it: `cluster`, or the operation's own name.
    pub machine: String,
    /// The stage at which the machine enters; none for operations beside the stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_stage: Option<Stage>,
    /// The last stage that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_stage: Option<Stage>,
    /// The stage that it is at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The scope of the lane that it holds until it is terminal.
    pub lane: String,
    /// Whether a person has still to approve it: then it waits, and holds no lane, whoever tries it again.
    #[serde(default)]
    pub needs_approval: bool,
    /// Where it is.
    pub state: OperationState,
    /// Counts runs, from 1; `retry` adds one.
    pub attempt: u32,
    /// When the first tick of this attempt began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_at: Option<Timestamp>,
    /// What it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// The wait that a refused read or a lost answer broke into, for telling: what AWS goes on with meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<Waiting>,
    /// What this attempt waits for and has waited for since its last change, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<OpenWait>,
    /// How often this attempt's execution has waited: each time takes up some of the events that it may have.
    #[serde(default)]
    pub looks: u32,
    /// Whether somebody asked it to stop before the next change.
    #[serde(default)]
    pub cancel_requested: bool,
    /// Why it failed; or why it was cancelled, with what AWS goes on doing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What it left behind when it ended without success, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub outcome: Value,
    /// Entries in its journal.
    pub journal_length: u32,
    /// Changes that remain, as the last tick planned them.
    #[serde(default)]
    pub remaining: u32,
    /// Ledger of an operation beside the stages; stages keep theirs in their own record.
    #[serde(default)]
    pub ledger: Ledger,
    /// Who may act now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<Lease>,
    /// Counts writes; fences every one of them.
    pub version: u64,
    /// Nonce of the newest write: a conditional write that was refused although it had gone through is known by it.
    pub nonce: String,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When it was written last.
    pub updated_at: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
}

impl Operation {
    /// Name of the execution of this attempt.
    pub fn execution_name(&self) -> String {
        format!("{}-{}", self.id, self.attempt)
    }

    /// The scope of what it holds now: its lane; or, while it waits for a person, a place that only the same request wants.
    pub(crate) fn held(&self) -> String {
        if self.needs_approval { format!("awaiting-{}", self.input_hash) } else { self.lane.clone() }
    }

    /// The state in which an attempt of it begins.
    pub(crate) fn begins_as(needs_approval: bool) -> OperationState {
        if needs_approval { OperationState::AwaitingApproval } else { OperationState::Accepted }
    }

    /// Forgets all waits: something was done, or it has ended.
    pub(crate) fn stop_waiting(&mut self) {
        self.waiting = None;
        self.interrupted = None;
        self.waits.clear();
    }

    /// Whether it has ended.
    pub fn is_terminal(&self) -> bool {
        matches!(self.state, OperationState::Succeeded | OperationState::Failed | OperationState::Cancelled)
    }
}

/// The input of a state machine: ids only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineInput {
    /// Schema version.
    pub schema: u32,
    /// The operation.
    pub operation_id: OperationId,
    /// Its attempt.
    pub attempt: u32,
    /// The stage at which the cluster machine enters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Whether the machine ends after that stage.
    #[serde(default)]
    pub only: bool,
    /// Whether to act or only to plan.
    #[serde(default)]
    pub mode: Mode,
}

/// The input of every tick: ids only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TickRequest {
    /// Schema version.
    pub schema: u32,
    /// The operation.
    pub operation_id: OperationId,
    /// Its attempt; an execution of an older one does nothing.
    pub attempt: u32,
    /// The stage to tick; none for operations beside the stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Whether to act or only to plan.
    #[serde(default)]
    pub mode: Mode,
}

/// Whether a tick may change the world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It may.
    #[default]
    Act,
    /// It writes down what it would do.
    Plan,
}

/// What a tick answers, and all that a state machine looks at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TickAnswer {
    /// What the state machine does next.
    pub outcome: Outcome,
    /// Seconds until the next tick, at least 1; 0 if there is nothing to wait for.
    pub wait_seconds: u32,
    /// What is waited for; absent if nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
}

/// What a state machine does after a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Tick again at once.
    Continue,
    /// Wait `waitSeconds`, then tick again.
    Wait,
    /// Go on to the next stage, or end.
    Done,
    /// End: somebody must decide first.
    Undecided,
    /// End: the operation was cancelled, or this execution is of an older attempt.
    Cancelled,
}
