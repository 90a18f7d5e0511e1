//! An execution as an explicit value: where it is, what it holds, and all that happened to it.

use super::failure::Failure;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The most events that a history can hold (Step Functions quota).
pub(super) const HISTORY_LIMIT: usize = 25_000;

/// Where an execution as a whole is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// Still going on.
    Running,
    /// Reached a Succeed or End state.
    Succeeded,
    /// Ended by an error that nothing caught.
    Failed,
    /// Ran longer than the machine's TimeoutSeconds.
    TimedOut,
    /// Ended by StopExecution.
    Aborted,
}

impl Status {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::TimedOut => "TIMED_OUT",
            Self::Aborted => "ABORTED",
        }
    }
}

/// One execution of a state machine, by the definition that the machine had when it started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// Execution ARN.
    pub arn: String,
    /// Name, unique in its machine for 90 days after it ended.
    pub name: String,
    /// ARN of the machine.
    pub machine: String,
    /// Definition and role at the start: an update of the machine does not touch a running execution.
    pub definition: String,
    /// Role of the machine at the start.
    pub role: String,
    /// Revision of the machine at the start.
    pub revision: String,
    /// The input text as it was given.
    pub input: String,
    /// When it started.
    pub started: Timestamp,
    /// When it ended.
    pub stopped: Option<Timestamp>,
    /// Where it is.
    pub status: Status,
    /// JSON text of the result of a succeeded execution.
    pub output: Option<String>,
    /// Why it did not succeed.
    pub failure: Option<Failure>,
    /// Everything that happened, oldest first.
    pub history: Vec<HistoryEvent>,
    pub(super) deadline: Option<Timestamp>,
    pub(super) root: Branch,
}

impl Execution {
    /// Writes down an event and gives its id; none once the history is full.
    ///
    /// One place is kept free for the event that ends the execution.
    pub(super) fn record(&mut self, now: Timestamp, previous: u64, kind: &str, details: Value) -> Option<u64> {
        let ends = matches!(kind, "ExecutionFailed" | "ExecutionSucceeded" | "ExecutionAborted" | "ExecutionTimedOut");
        if self.history.len() + usize::from(!ends) >= HISTORY_LIMIT {
            return None;
        }
        self.history.push(HistoryEvent { at: now, previous, kind: kind.to_owned(), details });
        u64::try_from(self.history.len()).ok()
    }

    /// Name of the machine, the last part of its ARN.
    pub fn machine_name(&self) -> &str {
        self.machine.rsplit(':').next().unwrap_or_default()
    }
}

/// One entry of a history; its id is its place in the list, from 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryEvent {
    /// When it happened.
    pub at: Timestamp,
    /// Id of the event that led to it, 0 for the first.
    pub previous: u64,
    /// `TaskScheduled`, `ExecutionStarted` …
    pub kind: String,
    /// The members of the details; null if this type has none.
    pub details: Value,
}

impl HistoryEvent {
    /// The event as GetExecutionHistory answers it, without execution data if `bare`.
    pub(super) fn wire(&self, id: usize, bare: bool) -> Value {
        let timestamp = super::seconds(self.at);
        let mut event = json!({"timestamp": timestamp, "type": self.kind, "id": id, "previousEventId": self.previous});
        if let (Some(member), Value::Object(details)) = (self.member(), &self.details) {
            let data = ["input", "output", "inputDetails", "outputDetails", "parameters"];
            let kept = details.iter().filter(|(name, _)| !(bare && data.contains(&name.as_str())));
            event[member] = Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect());
        }
        event
    }

    /// The member that carries the details, as in `taskScheduledEventDetails`.
    fn member(&self) -> Option<String> {
        let kind = match self.kind.as_str() {
            kind if kind.ends_with("StateEntered") => "StateEntered",
            kind if kind.ends_with("StateExited") => "StateExited",
            kind => kind,
        };
        let mut letters = kind.chars();
        letters.next().map(|first| format!("{}{}EventDetails", first.to_ascii_lowercase(), letters.as_str()))
    }
}

/// One thread of control: the whole execution, a branch of a Parallel, or an iteration of a Map.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Branch {
    /// Name of the current state.
    pub(super) state: String,
    /// The state's raw input.
    pub(super) input: Value,
    pub(super) at: At,
    pub(super) entered: Timestamp,
    /// Id of the event that entered the state.
    pub(super) entered_event: u64,
    /// Id of the last event of this thread.
    pub(super) last_event: u64,
    /// How often each retrier of the state was used.
    pub(super) retries: Vec<u32>,
    /// The item of a Map iteration.
    pub(super) item: Option<Item>,
}

/// What `$$.Map.Item` shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Item {
    pub(super) index: usize,
    pub(super) value: Value,
}

/// How far a thread is within its state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) enum At {
    /// Not entered yet.
    #[default]
    Enter,
    /// Entered, or about to be tried again.
    Attempt,
    /// Waiting for a function; the result stands here until the thread goes on.
    Task { id: u64, until: Option<Timestamp>, result: Option<Result<Value, Failure>> },
    /// In a Wait state.
    Wait { until: Timestamp },
    /// Waiting to be tried again.
    Backoff { until: Timestamp },
    /// In a Map or Parallel, with at most `limit` threads at a time.
    Children { branches: Vec<Branch>, limit: usize },
    /// Through, one way or the other.
    Ended(Result<Value, Failure>),
}

impl Branch {
    /// A thread that is about to enter `state`.
    pub(super) fn starting_at(state: &str, input: Value, item: Option<Item>) -> Self {
        Self { state: state.to_owned(), input, item, ..Self::default() }
    }

    /// Goes on to state `next`.
    pub(super) fn go(&mut self, next: &str, input: Value) {
        next.clone_into(&mut self.state);
        self.input = input;
        self.at = At::Enter;
    }

    /// The thread, here or below, that waits for task `sought`.
    pub(super) fn waiting_for(&mut self, sought: u64) -> Option<&mut Self> {
        match &self.at {
            At::Task { id, .. } if *id == sought => Some(self),
            At::Children { .. } => match &mut self.at {
                At::Children { branches, .. } => branches.iter_mut().find_map(|branch| branch.waiting_for(sought)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Ids of all tasks that this thread and those below wait for.
    pub(super) fn tasks(&self) -> Vec<u64> {
        match &self.at {
            At::Task { id, .. } => vec![*id],
            At::Children { branches, .. } => branches.iter().flat_map(Self::tasks).collect(),
            _ => Vec::new(),
        }
    }
}
