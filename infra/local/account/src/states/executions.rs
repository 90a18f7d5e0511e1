//! Executions as things: start, stop, describe, list, history.

use super::{
    advance::{abort, advance},
    announce,
    attempt::DATA_LIMIT,
    definition::Definition,
    execution::{Branch, Execution, Status},
    listed,
    machines::{check_arn, check_name, find},
    page, seconds, uuid,
};
use crate::{
    call::{Answer, AwsError, Call},
    shared::Shared,
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// How long the name of an ended execution stays taken.
const NAME_KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);

pub(super) fn start_call(world: &mut World, call: &Call) -> Answer {
    let (arn, started) = start(
        world,
        call.required("stateMachineArn"),
        call.text("name"),
        call.text("input").unwrap_or("{}"),
        call.now,
    )?;
    Ok(json!({"executionArn": arn, "startDate": seconds(started)}))
}

/// Starts an execution of machine `machine` with JSON text `input`; gives its ARN and when it started.
///
/// While an execution of that name runs with the same input, asking again is answered with it. Refusals are those of
/// StartExecution: `ExecutionAlreadyExists`, `InvalidExecutionInput`, `InvalidName`, `StateMachineDoesNotExist`.
pub fn start(
    world: &mut World,
    machine: &str,
    name: Option<&str>,
    input: &str,
    now: Timestamp,
) -> Result<(String, Timestamp), AwsError> {
    let machine = find(world, machine)?.clone();
    let name = match name {
        Some(name) => name.to_owned(),
        None => uuid(world.next_number("states/execution"), world.next_number("states/execution")),
    };
    check_name(&name)?;
    let value = check_input(input)?;
    let arn = format!("{}:{name}", machine.arn.replacen(":stateMachine:", ":execution:", 1));
    if let Some(existing) = world.states.executions.get(&arn) {
        if existing.status == Status::Running && existing.input == input {
            return Ok((arn, existing.started));
        }
        let free = existing.stopped.is_some_and(|stopped| now.duration_since(stopped) > NAME_KEPT);
        if !free {
            return Err(AwsError::new("ExecutionAlreadyExists", format!("Execution Already Exists: '{arn}'")));
        }
    }
    let definition: Definition = serde_json::from_str(&machine.definition)
        .map_err(|error| AwsError::new("InvalidDefinition", format!("Invalid State Machine Definition: '{error}'")))?;
    let timeout = definition.timeout_seconds.map(SignedDuration::from_secs);
    let mut execution = Execution {
        arn: arn.clone(),
        name,
        machine: machine.arn,
        definition: machine.definition,
        role: machine.role,
        revision: machine.revision,
        input: input.to_owned(),
        started: now,
        stopped: None,
        status: Status::Running,
        output: None,
        failure: None,
        history: Vec::new(),
        deadline: timeout.and_then(|timeout| now.checked_add(timeout).ok()),
        root: Branch::starting_at(&definition.start_at, value, None),
    };
    let details = json!({"input": input, "inputDetails": {"truncated": false}, "roleArn": execution.role});
    execution.record(now, 0, "ExecutionStarted", details);
    execution.root.last_event = 1;
    if let Some(deadline) = execution.deadline {
        let wake = super::Event::Wake { execution: arn.clone() };
        world.agenda.add(deadline, crate::life::Event::States(wake));
    }
    world.states.executions.insert(arn.clone(), execution.into());
    announce(world, &arn, now);
    advance(world, &arn, now);
    Ok((arn, now))
}

fn check_input(input: &str) -> Result<Value, AwsError> {
    let invalid =
        |why: &str| AwsError::new("InvalidExecutionInput", format!("Invalid State Machine Execution Input: '{why}'"));
    if input.len() > DATA_LIMIT {
        return Err(invalid(&format!("The input exceeds {DATA_LIMIT} bytes")));
    }
    serde_json::from_str(input).map_err(|error| invalid(&error.to_string()))
}

pub(super) fn stop(world: &mut World, call: &Call) -> Answer {
    let arn = call.required("executionArn");
    find_execution(world, arn)?;
    let text = |name| call.text(name).unwrap_or_default();
    abort(world, arn, text("error"), text("cause"), call.now);
    let stopped = find_execution(world, arn)?.stopped.unwrap_or(call.now);
    Ok(json!({"stopDate": seconds(stopped)}))
}

pub(super) fn describe(world: &mut World, call: &Call) -> Answer {
    let execution = find_execution(world, call.required("executionArn"))?;
    let data = call.text("includedData") != Some("METADATA_ONLY");
    let mut answer = summary(execution);
    answer["redriveStatus"] = json!("NOT_REDRIVABLE");
    answer["redriveStatusReason"] = json!("Redrive is not supported here.");
    if data {
        answer["input"] = json!(execution.input);
    }
    answer["inputDetails"] = json!({"included": data});
    if let Some(output) = &execution.output {
        if data {
            answer["output"] = json!(output);
        }
        answer["outputDetails"] = json!({"included": data});
    }
    if let (Some(failure), Some(answer)) = (&execution.failure, answer.as_object_mut())
        && let Value::Object(members) = failure.members()
    {
        answer.extend(members);
    }
    Ok(answer)
}

fn summary(execution: &Execution) -> Value {
    let mut summary = json!({
        "executionArn": execution.arn, "stateMachineArn": execution.machine, "name": execution.name,
        "status": execution.status.name(), "startDate": seconds(execution.started), "redriveCount": 0,
    });
    if let Some(stopped) = execution.stopped {
        summary["stopDate"] = json!(seconds(stopped));
    }
    summary
}

pub(super) fn describe_machine(world: &mut World, call: &Call) -> Answer {
    let execution = find_execution(world, call.required("executionArn"))?;
    let updated = execution.started;
    let mut answer = json!({
        "stateMachineArn": execution.machine, "name": execution.machine_name(), "definition": execution.definition,
        "roleArn": execution.role, "updateDate": seconds(updated),
    });
    if !execution.revision.is_empty() {
        answer["revisionId"] = json!(execution.revision);
    }
    Ok(answer)
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let machine = find(world, call.required("stateMachineArn"))?;
    let wanted = |execution: &&Shared<Execution>| {
        execution.machine == machine.arn
            && call.text("statusFilter").is_none_or(|status| status == execution.status.name())
    };
    let mut executions: Vec<_> = world.states.executions.values().filter(wanted).collect();
    executions.sort_by(|a, b| b.started.cmp(&a.started).then_with(|| b.arn.cmp(&a.arn)));
    let (page, token) = page(call, executions, |execution| execution.arn.clone())?;
    Ok(listed("executions", page.into_iter().map(|execution| summary(execution)).collect(), token))
}

pub(super) fn history(world: &mut World, call: &Call) -> Answer {
    let execution = find_execution(world, call.required("executionArn"))?;
    let bare = call.flag("includeExecutionData") == Some(false);
    let mut events: Vec<_> = execution.history.iter().enumerate().map(|(index, event)| (index + 1, event)).collect();
    if call.flag("reverseOrder") == Some(true) {
        events.reverse();
    }
    let (page, token) = page(call, events, |(id, _)| id.to_string())?;
    Ok(listed("events", page.into_iter().map(|(id, event)| event.wire(id, bare)).collect(), token))
}

fn find_execution<'a>(world: &'a World, arn: &str) -> Result<&'a Execution, AwsError> {
    check_arn(arn, "execution")?;
    let missing = || AwsError::new("ExecutionDoesNotExist", format!("Execution Does Not Exist: '{arn}'"));
    world.states.executions.get(arn).map(|execution| &**execution).ok_or_else(missing)
}

impl Execution {
    /// The detail of its status change event; times are milliseconds.
    pub(super) fn event_detail(&self) -> Value {
        let failure = self.failure.as_ref().map(super::Failure::members).unwrap_or_default();
        json!({
            "executionArn": self.arn, "stateMachineArn": self.machine, "name": self.name,
            "status": self.status.name(), "startDate": self.started.as_millisecond(),
            "stopDate": self.stopped.map(Timestamp::as_millisecond), "input": self.input, "output": self.output,
            "stateMachineVersionArn": null, "stateMachineAliasArn": null, "redriveCount": 0, "redriveDate": null,
            "redriveStatus": null, "redriveStatusReason": null, "error": failure.get("error"), "cause": failure.get("cause"),
        })
    }
}
