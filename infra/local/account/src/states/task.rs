//! Task states: a Lambda function, invoked through `lambda:invoke` or by its own ARN.

use super::{
    LAMBDA_INVOKE, Task,
    advance::Run,
    attempt::{DATA_LIMIT, too_large},
    definition::Step,
    execution::{At, Branch},
    failure::Failure,
};
use crate::lambda;
use jiff::Timestamp;
use serde_json::{Value, json};

impl Run<'_> {
    /// Puts the invocation on the list of those to be made.
    pub(super) fn task(&mut self, step: &Step, branch: &mut Branch) -> Result<(), Failure> {
        let arguments = self.arguments(step, branch)?;
        let timeout = match (&step.timeout_seconds_path, step.timeout_seconds) {
            (Some(path), _) => {
                let input = self.effective(step, branch)?;
                Some(self.seconds(path, "TimeoutSecondsPath", &input, branch)?.as_secs())
            }
            (None, seconds) => seconds,
        };
        let direct = step.resource != LAMBDA_INVOKE;
        let (function, payload) = match direct {
            true => (Some(step.resource.as_str()), arguments.clone()),
            false => {
                let payload = arguments.get("Payload").cloned().unwrap_or_else(|| json!({}));
                (arguments.get("FunctionName").and_then(Value::as_str), payload)
            }
        };
        let Some(function) = function.and_then(lambda::name_of) else {
            let cause = "The field 'FunctionName' must name a function.";
            return Err(self.at_state(branch, "States.Runtime", cause));
        };
        self.scheduled(branch, direct, &step.resource, &arguments, timeout);
        if arguments.get("InvocationType").and_then(Value::as_str) == Some("Event") && !direct {
            lambda::enqueue(self.world, &function, payload, self.now);
            return self.task_ended(step, branch, Ok(json!({"StatusCode": 202})));
        }
        let until = timeout.map(|seconds| {
            let until = self.now.saturating_add(jiff::SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX);
            self.wake(until);
            until
        });
        let states = &mut self.world.states;
        states.next_task += 1;
        let id = states.next_task;
        states.tasks.insert(id, Task { execution: self.execution.arn.clone(), function, payload, direct });
        branch.at = At::Task { id, until, result: None };
        Ok(())
    }

    fn scheduled(
        &mut self,
        branch: &mut Branch,
        direct: bool,
        resource: &str,
        arguments: &Value,
        timeout: Option<i64>,
    ) {
        let text = arguments.to_string();
        let mut details = match direct {
            true => json!({"resource": resource, "input": text, "inputDetails": {"truncated": false}}),
            false => {
                json!({"resourceType": "lambda", "resource": "invoke", "region": self.region(), "parameters": text})
            }
        };
        if let Some(seconds) = timeout {
            details["timeoutInSeconds"] = json!(seconds);
        }
        let (scheduled, started, none) = match direct {
            true => ("LambdaFunctionScheduled", "LambdaFunctionStarted", Value::Null),
            false => ("TaskScheduled", "TaskStarted", integration()),
        };
        self.record(branch, scheduled, details);
        self.record(branch, started, none);
    }

    fn region(&self) -> &str {
        self.execution.arn.split(':').nth(3).unwrap_or_default()
    }

    /// Takes the function's answer.
    pub(super) fn task_ended(
        &mut self,
        step: &Step,
        branch: &mut Branch,
        result: Result<Value, Failure>,
    ) -> Result<(), Failure> {
        let direct = step.resource != LAMBDA_INVOKE;
        let result = result.and_then(|result| match result.to_string().len() {
            size if size > DATA_LIMIT => Err(too_large(branch, false)),
            _ => Ok(result),
        });
        let (outcome, members) = match &result {
            Ok(output) => ("Succeeded", json!({"output": output.to_string(), "outputDetails": {"truncated": false}})),
            Err(failure) => ("Failed", failure.members()),
        };
        self.task_event(branch, direct, outcome, members);
        self.leave(step, branch, result?)
    }

    /// Gives the function up after the state's TimeoutSeconds.
    pub(super) fn task_timed_out(&mut self, step: &Step, branch: &mut Branch) -> Result<(), Failure> {
        let failure = Failure::new("States.Timeout", "");
        self.task_event(branch, step.resource != LAMBDA_INVOKE, "TimedOut", failure.members());
        Err(failure)
    }

    fn task_event(&mut self, branch: &mut Branch, direct: bool, outcome: &str, members: Value) {
        let (service, mut details) = if direct { ("LambdaFunction", json!({})) } else { ("Task", integration()) };
        if let (Some(details), Value::Object(members)) = (details.as_object_mut(), members) {
            details.extend(members);
        }
        self.record(branch, &format!("{service}{outcome}"), details);
    }
}

fn integration() -> Value {
    json!({"resourceType": "lambda", "resource": "invoke"})
}
