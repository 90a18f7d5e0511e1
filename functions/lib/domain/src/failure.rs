//! What went wrong, in our words, and how a tick should take it.
//!
//! AWS and Kubernetes errors are translated into these once per service, in `cloud` and `kubernetes`; nothing else
//! looks at an upstream code.

use crate::{codes::ErrorCode, states::WaitingOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The service's own account of a refusal, kept so that it can be searched for and quoted to AWS support.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Upstream {
    /// Service as in its endpoint: `eks`, `ec2`, `kubernetes` …
    pub service: String,
    /// Operation that was refused: `CreateCluster`.
    pub operation: String,
    /// The service's error code: `ResourceLimitExceededException`.
    pub code: String,
    /// The service's request id; absent if the answer carried none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub request_id: Option<String>,
}

/// Why something cannot be done, and what the user can do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, thiserror::Error)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Our code; its class decides what a state machine and a surface do with it.
    pub code: ErrorCode,
    /// The cause, one or two sentences for people.
    pub message: String,
    /// What the user can do next, one sentence; empty if nothing but asking again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// The upstream refusal behind it, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Upstream")]
    pub upstream: Option<Upstream>,
}

impl Failure {
    /// A failure of our own finding.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), action: String::new(), upstream: None }
    }

    /// The same, saying what to do next.
    #[must_use]
    pub fn with_action(mut self, action: impl Into<String>) -> Self {
        self.action = action.into();
        self
    }

    /// The same, with the upstream refusal behind it.
    #[must_use]
    pub fn from_upstream(mut self, upstream: Upstream) -> Self {
        self.upstream = Some(upstream);
        self
    }
}

/// How a tick should take a call that did not answer as hoped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// Nothing was changed and it may get better by itself (throttling, a 5xx on a read, a role that spreads): wait.
    #[error("{failure}")]
    Later {
        /// What is waited for.
        on: WaitingOn,
        /// What was answered, as it would be told if the wait passes its deadline.
        failure: Failure,
    },
    /// The answer was lost: the change may have been made. The next tick looks before anything else.
    #[error("the answer was lost: {0}")]
    Uncertain(Failure),
    /// It will not get better by itself.
    #[error("{0}")]
    Fatal(#[from] Failure),
}

impl Trouble {
    /// The failure inside.
    pub fn failure(&self) -> &Failure {
        match self {
            Self::Later { failure, .. } | Self::Uncertain(failure) | Self::Fatal(failure) => failure,
        }
    }

    /// Whether an upstream code says so; for callers that know what this code means for their call.
    pub fn is_upstream(&self, code: &str) -> bool {
        self.failure().upstream.as_ref().is_some_and(|upstream| upstream.code == code)
    }
}
