//! Errors of the language: what they are called, which names match them, what Retry and Catch do with them.

use super::{
    advance::Run,
    definition::{Retrier, Step},
    execution::{At, Branch},
    path::Path,
};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Why a state or execution failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Error name, `States.Timeout` or what a function threw; empty where a Fail state gives none.
    pub error: String,
    /// Text for people; empty where there is none.
    pub cause: String,
    /// Belongs to no state, so that no Retry or Catch sees it.
    #[serde(default)]
    pub terminal: bool,
}

impl Failure {
    /// A failure that Retry and Catch can match.
    pub fn new(error: &str, cause: impl Into<String>) -> Self {
        Self { error: error.to_owned(), cause: cause.into(), terminal: false }
    }

    pub(super) fn terminal(error: &str, cause: impl Into<String>) -> Self {
        Self { terminal: true, ..Self::new(error, cause) }
    }

    /// Members `error` and `cause` as history and descriptions carry them.
    pub(super) fn members(&self) -> Value {
        let both = [("error", &self.error), ("cause", &self.cause)];
        let given = both.into_iter().filter(|(_, text)| !text.is_empty());
        Value::Object(given.map(|(name, text)| (name.to_owned(), Value::String(text.clone()))).collect())
    }

    /// Whether one of `names` matches, by the rules for `States.ALL` and `States.TaskFailed`.
    pub(super) fn matches(&self, names: &[String]) -> bool {
        let hidden = self.terminal || matches!(self.error.as_str(), "States.DataLimitExceeded" | "States.Runtime");
        names.iter().any(|name| match name.as_str() {
            "States.ALL" => !hidden,
            "States.TaskFailed" => !hidden && !self.error.ends_with("Timeout"),
            "States.Timeout" => matches!(self.error.as_str(), "States.Timeout" | "States.HeartbeatTimeout"),
            name => name == self.error && !self.terminal && self.error != "States.Runtime",
        })
    }
}

impl Run<'_> {
    /// Gives the failure to Retry, then to Catch; ends the thread with it if neither wants it.
    pub(super) fn failed(&mut self, step: &Step, branch: &mut Branch, failure: Failure) {
        if !self.retries(step, branch, &failure) && !self.catches(step, branch, &failure) {
            branch.at = At::Ended(Err(failure));
        }
    }

    fn retries(&mut self, step: &Step, branch: &mut Branch, failure: &Failure) -> bool {
        let Some(index) = step.retry.iter().position(|retrier| failure.matches(&retrier.error_equals)) else {
            return false;
        };
        let (Some(retrier), Some(used)) = (step.retry.get(index), branch.retries.get_mut(index)) else { return false };
        if *used >= retrier.max_attempts {
            return false;
        }
        let label = format!("states/jitter/{}/{}/{used}", self.execution.arn, branch.entered_event);
        let delay = delay(retrier, *used, self.world.hash(&label));
        *used += 1;
        let until = self.after(delay);
        branch.at = At::Backoff { until };
        true
    }

    fn catches(&mut self, step: &Step, branch: &mut Branch, failure: &Failure) -> bool {
        let Some(catcher) = step.catch.iter().find(|catcher| failure.matches(&catcher.error_equals)) else {
            return false;
        };
        let caught = json!({"Error": failure.error, "Cause": failure.cause});
        let mut output = branch.input.clone();
        let placed = match &catcher.result_path {
            None => {
                output = caught;
                Some(())
            }
            Some(None) => Some(()),
            Some(Some(path)) => Path::parse(path).ok().and_then(|path| path.write(&mut output, caught)),
        };
        let exited = placed
            .ok_or_else(|| {
                self.at_state(branch, "States.ResultPathMatchFailure", "Unable to apply ResultPath of Catch.")
            })
            .and_then(|()| self.exit(step, branch, &output));
        match exited {
            Ok(()) => branch.go(&catcher.next, output),
            Err(failure) => branch.at = At::Ended(Err(failure)),
        }
        true
    }
}

/// How long to wait before attempt `used` + 1.
fn delay(retrier: &Retrier, used: u32, drawn: u64) -> SignedDuration {
    let exponent = i32::try_from(used).unwrap_or(i32::MAX);
    let longest = f64::from(retrier.max_delay_seconds.unwrap_or(31_622_400));
    let seconds = (f64::from(retrier.interval_seconds) * retrier.backoff_rate.powi(exponent)).min(longest);
    let share = match retrier.jitter_strategy.as_deref() {
        Some("FULL") => f64::from(u16::try_from(drawn % 1000).unwrap_or_default()) / 1000.0,
        _ => 1.0,
    };
    SignedDuration::from_secs_f64(seconds * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(error: &str, name: &str) -> bool {
        Failure::new(error, "").matches(&[name.to_owned()])
    }

    #[test]
    fn wildcards_match_as_documented() {
        assert!(
            matched("Custom", "States.ALL") && matched("Custom", "States.TaskFailed") && matched("Custom", "Custom")
        );
        assert!(matched("States.Timeout", "States.ALL") && !matched("States.Timeout", "States.TaskFailed"));
        assert!(matched("States.HeartbeatTimeout", "States.Timeout"));
        assert!(!matched("States.Runtime", "States.ALL") && !matched("States.Runtime", "States.TaskFailed"));
        assert!(!matched("States.DataLimitExceeded", "States.ALL"));
        assert!(matched("States.DataLimitExceeded", "States.DataLimitExceeded"));
        assert!(!Failure::terminal("X", "").matches(&["X".to_owned()]));
    }

    #[test]
    fn delays_grow_to_their_bound_and_jitter_keeps_below() {
        let mut retrier: Retrier = serde_json::from_value(json!({
            "ErrorEquals": ["E"], "IntervalSeconds": 2, "BackoffRate": 2, "MaxDelaySeconds": 60
        }))
        .unwrap();
        let delays: Vec<_> = (0..7).map(|used| delay(&retrier, used, 500).as_secs()).collect();
        assert_eq!(delays, [2, 4, 8, 16, 32, 60, 60]);
        retrier.jitter_strategy = Some("FULL".to_owned());
        assert_eq!(delay(&retrier, 1, 500), SignedDuration::from_secs(2));
    }
}
