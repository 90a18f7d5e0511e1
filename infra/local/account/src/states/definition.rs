//! A state machine definition as the interpreter reads it. Whether a text is a good one is `validate`'s to say.

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A state machine, or the part of one that runs in a Map or Parallel state.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Definition {
    pub(super) start_at: String,
    pub(super) states: IndexMap<String, Step>,
    pub(super) timeout_seconds: Option<i64>,
}

/// The eight types of state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Kind {
    Task,
    Pass,
    Choice,
    Wait,
    Map,
    Parallel,
    Succeed,
    Fail,
}

impl Kind {
    /// The type's name, as in `TaskStateEntered`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Task => "Task",
            Self::Pass => "Pass",
            Self::Choice => "Choice",
            Self::Wait => "Wait",
            Self::Map => "Map",
            Self::Parallel => "Parallel",
            Self::Succeed => "Succeed",
            Self::Fail => "Fail",
        }
    }
}

/// One state with the fields of all types.
///
/// The three paths distinguish absent (the default `$`) from null (outer and inner `Option`).
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Step {
    #[serde(rename = "Type")]
    pub(super) kind: Kind,
    pub(super) next: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub(super) input_path: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    pub(super) output_path: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    pub(super) result_path: Option<Option<String>>,
    pub(super) parameters: Option<Value>,
    pub(super) result_selector: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    pub(super) result: Option<Value>,
    #[serde(default)]
    pub(super) retry: Vec<Retrier>,
    #[serde(default)]
    pub(super) catch: Vec<Catcher>,
    #[serde(default)]
    pub(super) resource: String,
    pub(super) timeout_seconds: Option<i64>,
    pub(super) timeout_seconds_path: Option<String>,
    #[serde(default)]
    pub(super) choices: Vec<Value>,
    pub(super) default: Option<String>,
    pub(super) seconds: Option<i64>,
    pub(super) seconds_path: Option<String>,
    pub(super) timestamp: Option<String>,
    pub(super) timestamp_path: Option<String>,
    pub(super) error: Option<String>,
    pub(super) error_path: Option<String>,
    pub(super) cause: Option<String>,
    pub(super) cause_path: Option<String>,
    pub(super) items_path: Option<String>,
    pub(super) item_selector: Option<Value>,
    #[serde(alias = "Iterator")]
    pub(super) item_processor: Option<Definition>,
    #[serde(default)]
    pub(super) branches: Vec<Definition>,
    pub(super) max_concurrency: Option<usize>,
    pub(super) max_concurrency_path: Option<String>,
}

/// One entry of `Retry`, with the defaults of the language.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Retrier {
    pub(super) error_equals: Vec<String>,
    #[serde(default = "one")]
    pub(super) interval_seconds: u32,
    #[serde(default = "three")]
    pub(super) max_attempts: u32,
    #[serde(default = "two")]
    pub(super) backoff_rate: f64,
    pub(super) max_delay_seconds: Option<u32>,
    #[serde(default)]
    pub(super) jitter_strategy: Option<String>,
}

/// One entry of `Catch`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Catcher {
    pub(super) error_equals: Vec<String>,
    pub(super) next: String,
    #[serde(default, deserialize_with = "present")]
    pub(super) result_path: Option<Option<String>>,
}

fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn one() -> u32 {
    1
}

fn two() -> f64 {
    2.0
}

fn three() -> u32 {
    3
}
