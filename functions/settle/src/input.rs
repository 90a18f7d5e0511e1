//! The two forms in which a death is told.

use domain::{codes::ErrorCode, failure::Failure, ids::OperationId};
use engine::{record::Mode, settle::Death};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

/// What the state machines' Catch tells.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    operation_id: OperationId,
    attempt: u32,
    /// An execution that only plans is no attempt: what it dies of is its plan's trouble, not the operation's.
    #[serde(default)]
    mode: Mode,
    outcome: Ending,
    #[serde(default)]
    failure: Option<Caught>,
}

/// How the state machine came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ending {
    /// A tick said so, and has written it down.
    Cancelled,
    /// An error was caught.
    Failed,
}

/// The error output of a Catch (Amazon States Language, "Error outputs").
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Caught {
    error: String,
    #[serde(default)]
    cause: String,
}

/// EventBridge's "Step Functions Execution Status Change".
#[derive(Debug, Deserialize)]
struct StatusChange {
    detail: Detail,
}

#[derive(Debug, Deserialize)]
struct Detail {
    name: String,
    status: String,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    cause: Option<String>,
}

/// The death that `payload` tells of; none if it is about no death, or about no operation.
pub(crate) fn death(payload: Value) -> Result<Option<Death>, Failure> {
    if payload.get("detail").is_some() { read(payload).map(died) } else { read(payload).map(caught) }
}

/// A failure that the state machine caught; a cancelled operation is written down already.
fn caught(told: Told) -> Option<Death> {
    let Told { operation_id, attempt, mode, outcome, failure } = told;
    let Caught { error, cause } = failure.unwrap_or(Caught { error: "Unknown".to_owned(), cause: String::new() });
    (outcome == Ending::Failed && mode == Mode::Act).then_some(Death { operation_id, attempt, error, cause })
}

/// An execution that died. One whose name is not `{operationId}-{attempt}` is not an operation's: the rule matches every
/// state machine of the product, and sweeps have executions too.
fn died(change: StatusChange) -> Option<Death> {
    let Detail { name, status, error, cause } = change.detail;
    let (id, attempt) = name.split_once('-')?;
    let (operation_id, attempt) = (id.parse().ok()?, attempt.parse().ok()?);
    Some(Death { operation_id, attempt, error: error.unwrap_or(status), cause: cause.unwrap_or_default() })
}

fn read<T: DeserializeOwned>(payload: Value) -> Result<T, Failure> {
    serde_json::from_value(payload).map_err(|error| {
        let text = format!("neither what a state machine tells nor an execution's status change: {error}");
        Failure::new(ErrorCode::InvalidInput, text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ID: &str = "01KBXZ3V8Y0000000000000002";

    fn told(outcome: &str, failure: Value) -> Value {
        json!({ "schema": 1, "operationId": ID, "attempt": 2, "outcome": outcome, "failure": failure })
    }

    /// As <https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html> shows it.
    fn changed(name: &str, status: &str, error: Value, cause: Value) -> Value {
        json!({
            "version": "0", "id": "315c1398-40ff-a850-213b-158f73e60175",
            "detail-type": "Step Functions Execution Status Change", "source": "aws.states",
            "account": "111122223333", "time": "2026-12-01T08:00:00Z", "region": "us-west-2",
            "resources": ["arn:aws:states:us-west-2:111122223333:execution:hyperpod-instantstart-cluster:x"],
            "detail": {
                "executionArn": "arn:aws:states:us-west-2:111122223333:execution:hyperpod-instantstart-cluster:x",
                "stateMachineArn": "arn:aws:states:us-west-2:111122223333:stateMachine:hyperpod-instantstart-cluster",
                "name": name, "status": status, "startDate": 1_796_000_000_000_i64, "stopDate": 1_796_000_060_000_i64,
                "input": "{}", "output": null, "error": error, "cause": cause,
            },
        })
    }

    fn of(payload: Value) -> Death {
        death(payload).unwrap().unwrap()
    }

    fn words(death: &Death) -> (String, u32, &str, &str) {
        (death.operation_id.to_string(), death.attempt, &death.error, &death.cause)
    }

    #[test]
    fn a_caught_error_is_a_death_with_error_and_cause() {
        let caught = of(told("failed", json!({ "Error": "Runtime.ExitError", "Cause": "signal: killed" })));
        assert_eq!(words(&caught), (ID.to_owned(), 2, "Runtime.ExitError", "signal: killed"));
        let bare = of(told("failed", json!({ "Error": "States.Timeout" })));
        assert_eq!(words(&bare), (ID.to_owned(), 2, "States.Timeout", ""));
        let silent = of(json!({ "operationId": ID, "attempt": 1, "outcome": "failed" }));
        assert_eq!(words(&silent), (ID.to_owned(), 1, "Unknown", ""));
    }

    #[test]
    fn a_cancelled_operation_has_nothing_to_settle() {
        assert_eq!(death(told("cancelled", Value::Null)).unwrap(), None);
    }

    #[test]
    fn a_plan_that_dies_is_not_the_operations_death() {
        let mut planning = told("failed", json!({ "Error": "Runtime.ExitError" }));
        planning["mode"] = json!("plan");
        assert_eq!(death(planning).unwrap(), None);
    }

    #[test]
    fn br_139_an_execution_that_died_is_the_death_of_the_operation_it_is_named_after() {
        let aborted = of(changed(&format!("{ID}-3"), "ABORTED", Value::Null, Value::Null));
        assert_eq!(words(&aborted), (ID.to_owned(), 3, "ABORTED", ""));
        let failed = of(changed(&format!("{ID}-1"), "FAILED", json!("States.DataLimitExceeded"), json!("too large")));
        assert_eq!(words(&failed), (ID.to_owned(), 1, "States.DataLimitExceeded", "too large"));
    }

    #[test]
    fn an_execution_that_is_no_operations_is_left_alone() {
        let plan = format!("{ID}-1-plan");
        for name in ["8e5f0b3a-1d2c-4c55-9f0e-0b1f6a7c8d9e", "sweep", plan.as_str()] {
            assert_eq!(death(changed(name, "FAILED", Value::Null, Value::Null)).unwrap(), None, "{name}");
        }
    }

    #[test]
    fn what_is_of_neither_form_is_refused_with_what_is_wrong() {
        let without_status = json!({ "detail": { "name": format!("{ID}-1") } });
        let unknown_outcome = told("perhaps", Value::Null);
        let no_id = json!({ "operationId": "x", "attempt": 1, "outcome": "failed" });
        for (payload, named) in [
            (json!({}), "operationId"),
            (json!([]), "expected"),
            (no_id, "not a valid operation id"),
            (unknown_outcome, "perhaps"),
            (without_status, "status"),
        ] {
            let refused = death(payload.clone()).unwrap_err();
            assert_eq!(refused.code, ErrorCode::InvalidInput);
            assert!(refused.message.contains(named), "{payload}: {refused}");
        }
    }
}
