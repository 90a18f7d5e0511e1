//! What each type of state does once it is entered, and how data goes through it.

use super::{
    advance::Run,
    choice,
    definition::{Kind, Step},
    execution::{At, Branch},
    failure::Failure,
    path::Path,
    template::Scope,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// The most bytes that an input, result or output may have as JSON text (Step Functions quota).
pub(super) const DATA_LIMIT: usize = 262_144;

impl Run<'_> {
    /// Begins the work of the state that the thread is in.
    pub(super) fn attempt(&mut self, step: &Step, branch: &mut Branch) -> Result<(), Failure> {
        match step.kind {
            Kind::Task => self.task(step, branch),
            Kind::Map => self.map(step, branch),
            Kind::Parallel => self.parallel(step, branch),
            Kind::Wait => self.wait(step, branch),
            Kind::Choice => self.choose(step, branch),
            Kind::Succeed => self.pass_through(step, branch),
            Kind::Fail => Err(self.fail(step, branch)),
            Kind::Pass => {
                let input = self.arguments(step, branch)?;
                self.leave(step, branch, step.result.clone().unwrap_or(input))
            }
        }
    }

    /// The state's input after InputPath.
    pub(super) fn effective(&self, step: &Step, branch: &Branch) -> Result<Value, Failure> {
        self.through(&step.input_path, "InputPath", &branch.input, branch)
    }

    /// The state's input after InputPath and Parameters.
    pub(super) fn arguments(&self, step: &Step, branch: &Branch) -> Result<Value, Failure> {
        let input = self.effective(step, branch)?;
        let filled = match &step.parameters {
            Some(template) => self.filled(template, &input, branch)?,
            None => input,
        };
        self.bounded(branch, filled)
    }

    /// `template` filled from `input` and the context object.
    pub(super) fn filled(&self, template: &Value, input: &Value, branch: &Branch) -> Result<Value, Failure> {
        let context = self.context(branch);
        let label = self.label(branch);
        let scope = Scope::new(input, &context, self.world.seed, &label);
        scope.fill(template).map_err(|(error, cause)| self.at_state(branch, error, &cause))
    }

    /// What path or intrinsic `text` gives in `input`.
    pub(super) fn value(&self, text: &str, input: &Value, branch: &Branch) -> Result<Value, Failure> {
        let (context, label) = (self.context(branch), self.label(branch));
        let scope = Scope::new(input, &context, self.world.seed, &label);
        scope.value(text).map_err(|cause| self.at_state(branch, "States.Runtime", &cause))
    }

    fn label(&self, branch: &Branch) -> String {
        let item = branch.item.as_ref().map_or(0, |item| item.index);
        format!("{}/{}/{item}", self.execution.arn, branch.last_event)
    }

    fn through(
        &self,
        path: &Option<Option<String>>,
        name: &str,
        value: &Value,
        branch: &Branch,
    ) -> Result<Value, Failure> {
        match path {
            None => Ok(value.clone()),
            Some(None) => Ok(json!({})),
            Some(Some(path)) => self.value(path, value, branch).map_err(|_| {
                let cause = format!("Invalid path '{path}' in {name}: the path leads nowhere in the input '{value}'.");
                self.at_state(branch, "States.Runtime", &cause)
            }),
        }
    }

    fn context(&self, branch: &Branch) -> Value {
        let execution = &self.execution;
        let input: Value = serde_json::from_str(&execution.input).unwrap_or_default();
        let mut context = json!({
            "Execution": {
                "Id": execution.arn, "Input": input, "Name": execution.name, "RoleArn": execution.role,
                "StartTime": format!("{:.3}", execution.started), "RedriveCount": 0,
            },
            "State": {
                "EnteredTime": format!("{:.3}", branch.entered), "Name": branch.state,
                "RetryCount": branch.retries.iter().sum::<u32>(),
            },
            "StateMachine": {"Id": execution.machine, "Name": execution.machine_name()},
        });
        if let Some(item) = &branch.item {
            context["Map"] = json!({"Item": {"Index": item.index, "Value": item.value}});
        }
        context
    }

    fn bounded(&self, branch: &Branch, value: Value) -> Result<Value, Failure> {
        match value.to_string().len() {
            size if size > DATA_LIMIT => Err(too_large(branch, true)),
            _ => Ok(value),
        }
    }

    /// Takes a result through ResultSelector, ResultPath and OutputPath, and goes on to the next state.
    pub(super) fn leave(&mut self, step: &Step, branch: &mut Branch, result: Value) -> Result<(), Failure> {
        let result = match &step.result_selector {
            Some(template) => self.filled(template, &result, branch)?,
            None => result,
        };
        let combined = match &step.result_path {
            None => result,
            Some(None) => branch.input.clone(),
            Some(Some(path)) => self.placed(path, result, branch)?,
        };
        let output = self.through(&step.output_path, "OutputPath", &combined, branch)?;
        self.exit(step, branch, &output)?;
        self.onward(step, branch, output);
        Ok(())
    }

    fn placed(&self, path: &str, result: Value, branch: &Branch) -> Result<Value, Failure> {
        let mut combined = branch.input.clone();
        let written = Path::parse(path).ok().and_then(|parsed| parsed.write(&mut combined, result));
        written.map(|()| combined).ok_or_else(|| {
            let cause = format!("Unable to apply step \"{path}\" to input '{}'.", branch.input);
            self.at_state(branch, "States.ResultPathMatchFailure", &cause)
        })
    }

    /// Leaves a state that only lets its input through (Wait, Succeed).
    pub(super) fn pass_through(&mut self, step: &Step, branch: &mut Branch) -> Result<(), Failure> {
        let input = self.effective(step, branch)?;
        let output = self.through(&step.output_path, "OutputPath", &input, branch)?;
        self.exit(step, branch, &output)?;
        self.onward(step, branch, output);
        Ok(())
    }

    /// Writes down that the state is left with `output`, unless that is too large: then the execution has failed, and
    /// no Catch sees it, because the failure belongs to the transition.
    pub(super) fn exit(&mut self, step: &Step, branch: &mut Branch, output: &Value) -> Result<(), Failure> {
        let text = output.to_string();
        if text.len() > DATA_LIMIT {
            return Err(too_large(branch, true));
        }
        let details = json!({"name": branch.state, "output": text, "outputDetails": {"truncated": false}});
        self.record(branch, &format!("{}StateExited", step.kind.name()), details);
        Ok(())
    }

    fn onward(&mut self, step: &Step, branch: &mut Branch, output: Value) {
        match &step.next {
            Some(next) => branch.go(next, output),
            None => branch.at = At::Ended(Ok(output)),
        }
    }

    fn choose(&mut self, step: &Step, branch: &mut Branch) -> Result<(), Failure> {
        let input = self.effective(step, branch)?;
        let (context, label) = (self.context(branch), self.label(branch));
        let scope = Scope::new(&input, &context, self.world.seed, &label);
        let mut next = None;
        for rule in &step.choices {
            if choice::holds(rule, &scope).map_err(|cause| self.at_state(branch, "States.Runtime", &cause))? {
                next = rule.get("Next").and_then(Value::as_str);
                break;
            }
        }
        let next = next.or(step.default.as_deref()).ok_or_else(|| {
            let cause = "Failed to transition out of the state. The state does not point to a next state.";
            self.at_state(branch, "States.NoChoiceMatched", cause)
        })?;
        let output = self.through(&step.output_path, "OutputPath", &input, branch)?;
        self.exit(step, branch, &output)?;
        branch.go(next, output);
        Ok(())
    }

    fn wait(&mut self, step: &Step, branch: &mut Branch) -> Result<(), Failure> {
        let input = self.effective(step, branch)?;
        let wait = match (step.seconds, &step.seconds_path, &step.timestamp, &step.timestamp_path) {
            (Some(seconds), ..) => SignedDuration::from_secs(seconds),
            (_, Some(path), ..) => self.seconds(path, "SecondsPath", &input, branch)?,
            (_, _, Some(time), _) => self.until(time, branch)?,
            (.., Some(path)) => {
                let value = self.value(path, &input, branch)?;
                self.until(value.as_str().unwrap_or_default(), branch)?
            }
            _ => SignedDuration::ZERO,
        };
        let until = self.after(wait.max(SignedDuration::ZERO));
        branch.at = At::Wait { until };
        Ok(())
    }

    /// A whole number of seconds that a path names.
    pub(super) fn seconds(
        &self,
        path: &str,
        field: &str,
        input: &Value,
        branch: &Branch,
    ) -> Result<SignedDuration, Failure> {
        let value = self.value(path, input, branch)?;
        match value.as_i64().filter(|seconds| (0..=99_999_999).contains(seconds)) {
            Some(seconds) => Ok(SignedDuration::from_secs(seconds)),
            None => {
                let cause =
                    format!("The {field} parameter does not reference a valid integer value: {path} == {value}");
                Err(self.at_state(branch, "States.Runtime", &cause))
            }
        }
    }

    fn until(&self, time: &str, branch: &Branch) -> Result<SignedDuration, Failure> {
        let time: Timestamp = time.parse().map_err(|_| {
            self.at_state(
                branch,
                "States.Runtime",
                &format!("The Timestamp is not a valid RFC 3339 timestamp: '{time}'"),
            )
        })?;
        Ok(time.duration_since(self.now))
    }

    fn fail(&mut self, step: &Step, branch: &Branch) -> Failure {
        let text = |given: &Option<String>, path: &Option<String>| match (given, path) {
            (Some(text), _) => Ok(text.clone()),
            (None, Some(path)) => match self.value(path, &branch.input, branch)? {
                Value::String(text) => Ok(text),
                _ => Err(self.at_state(branch, "States.Runtime", &format!("'{path}' does not name a string."))),
            },
            (None, None) => Ok(String::new()),
        };
        match (text(&step.error, &step.error_path), text(&step.cause, &step.cause_path)) {
            (Ok(error), Ok(cause)) => Failure::new(&error, cause),
            (Err(failure), _) | (_, Err(failure)) => failure,
        }
    }
}

/// The failure of a state whose data exceed [`DATA_LIMIT`].
pub(super) fn too_large(branch: &Branch, terminal: bool) -> Failure {
    let cause = format!(
        "The state/task '{}' returned a result with a size exceeding the maximum number of bytes service limit.",
        branch.state
    );
    Failure { terminal, ..Failure::new("States.DataLimitExceeded", cause) }
}
