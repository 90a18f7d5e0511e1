//! What a reconciler decides: a value, made by a pure function, printed by a dry run and followed by a tick.

use crate::ledger::VISIBILITY_WINDOW;
use domain::{failure::Failure, states::WaitingOn};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What makes it safe to send a change again whose answer was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guard {
    /// A client token, a name that is unique in its scope, an exact CIDR, or a call that sets rather than adds: the
    /// service itself refuses or absorbs a second one.
    Service,
    /// Nothing: it is sent again only after the visibility window has passed with the thing still absent.
    Window,
}

/// One typed step of a plan: `AddGroup { .. }`, `CreateSubnet { .. }`.
pub trait Change: Serialize + Clone + Send + Sync + 'static {
    /// What this change is called in ledger and journal, stable over ticks and attempts and unique within the subject:
    /// `create-subnet/public-1`.
    fn key(&self) -> String;

    /// One line for people, with the decisive figures: `create subnet hp-eks-public-1 10.0.0.0/24 in usw2-az2`.
    fn title(&self) -> String;

    /// What makes a second sending safe.
    fn guard(&self) -> Guard;

    /// How long what it makes may stay invisible to reads.
    fn visibility_window(&self) -> SignedDuration {
        VISIBILITY_WINDOW
    }
}

/// A wait that the plan has come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wait {
    /// What is waited for, for machines.
    pub on: WaitingOn,
    /// What exactly, as a stable key without figures: `addon/coredns`. Another subject is another wait, with a pace and a
    /// deadline of its own.
    pub subject: String,
    /// What is waited for, one sentence for people, with figures and dates.
    pub reason: String,
    /// When to look again; the tick grows it up to a minute, or takes `until` when that is further.
    pub seconds: u32,
    /// The known date of the end, if there is one (a training plan's start).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// After how long the wait is a failure; a day unless the wait is known to be longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<SignedDuration>,
    /// What it fails with then; `deadline_exceeded` if nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl Wait {
    /// A wait of this kind that is looked at again after a few seconds at first.
    pub fn new(on: WaitingOn, reason: impl Into<String>) -> Self {
        let (subject, reason) = (on.to_string(), reason.into());
        Self { on, subject, reason, seconds: 5, until: None, deadline: None, failure: None }
    }

    /// The same, for this subject; for waits that one stage may come to one after the other.
    #[must_use]
    pub fn of(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }
}

/// One step: a change to make, or something to wait for before the next.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Step<C> {
    /// To be applied.
    Change(C),
    /// To be waited for.
    Wait(Wait),
}

/// How things stand once no step is left.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum End {
    /// Desired and actual agree; the value is the outcome, small, for people and programs.
    Done(Value),
    /// Nothing more can be done before somebody decides; the text says what.
    Undecided(String),
    /// It cannot be done as things are.
    Failed(Failure),
}

/// Everything that would be done, in order, and how it ends.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan<C> {
    /// What remains; only the first is acted on, then the world is looked at again.
    pub steps: Vec<Step<C>>,
    /// What is so when no step remains.
    pub end: End,
}

impl<C: Change> Plan<C> {
    /// Nothing to do.
    pub fn done(outcome: Value) -> Self {
        Self { steps: Vec::new(), end: End::Done(outcome) }
    }

    /// Cannot go on.
    pub fn failed(failure: Failure) -> Self {
        Self { steps: Vec::new(), end: End::Failed(failure) }
    }

    /// Somebody must decide first.
    pub fn undecided(what: impl Into<String>) -> Self {
        Self { steps: Vec::new(), end: End::Undecided(what.into()) }
    }

    /// Keys of the changes that remain.
    pub fn keys(&self) -> Vec<String> {
        self.changes().map(Change::key).collect()
    }

    /// The changes that remain.
    pub fn changes(&self) -> impl Iterator<Item = &C> {
        self.steps.iter().filter_map(|step| match step {
            Step::Change(change) => Some(change),
            Step::Wait(_) => None,
        })
    }

    /// A digest of what would be done: an approval binds it, and a plan that differs voids the approval.
    pub fn hash(&self) -> String {
        let steps: Vec<_> = self.changes().collect();
        hex::encode(Sha256::digest(serde_json::to_vec(&steps).unwrap_or_default()))
    }
}
