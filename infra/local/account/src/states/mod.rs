//! Step Functions: standard state machines in JSONPath, and their executions.
//!
//! An execution is a plain value ([`execution::Execution`]) that is taken on whenever something happened to it: it was
//! started, a function answered, a time has come. Between those it only lies in the world, so that a world that was
//! written down, forked or read back goes on where it was. Functions are called by [`runner`]. Express machines, JSONata,
//! distributed maps, activities, versions, aliases and redrive are absent.

mod advance;
mod attempt;
mod children;
mod choice;
mod definition;
pub mod execution;
mod executions;
mod failure;
mod intrinsics;
mod machines;
mod path;
pub mod runner;
mod task;
mod template;
mod validate;

#[cfg(test)]
mod committed_machines_tests;
#[cfg(test)]
mod execution_tests;
#[cfg(test)]
mod service_tests;
#[cfg(test)]
pub(crate) mod test_account;

use crate::{
    call::{Answer, AwsError, Call},
    events,
    shared::Shared,
    world::World,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use execution::{At, Execution};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub use executions::start;
pub use failure::Failure;
pub(crate) use intrinsics::uuid;
pub use machines::{Machine, substituted};

/// The optimized integration that invokes a function and waits for its answer.
const LAMBDA_INVOKE: &str = "arn:aws:states:::lambda:invoke";

/// What Step Functions knows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Machines by ARN.
    pub machines: BTreeMap<String, Machine>,
    /// Executions by ARN; those that ended stay.
    pub executions: BTreeMap<String, Shared<Execution>>,
    /// Invocations that executions wait for, by id. Each is made at least once.
    pub tasks: BTreeMap<u64, Task>,
    next_task: u64,
}

/// An invocation that a Task state waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// ARN of the execution.
    pub execution: String,
    /// Name of the function.
    pub function: String,
    /// What the function is given.
    pub payload: Value,
    /// The state names the function's ARN, so that the bare payload is its result.
    pub direct: bool,
}

/// What happens to executions by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A wait, a retry's delay or a time-out of the execution may be over.
    Wake {
        /// ARN of the execution.
        execution: String,
    },
}

impl Event {
    /// Looks at the execution again.
    pub fn happen(self, world: &mut World, at: Timestamp) {
        let Self::Wake { execution } = self;
        advance::advance(world, &execution, at);
    }
}

/// Takes every execution as far as it goes by `now`; needed only after a change to the world from outside.
pub fn due(world: &mut World, now: Timestamp) {
    let running = |execution: &&Shared<Execution>| execution.status == execution::Status::Running;
    let arns: Vec<_> =
        world.states.executions.values().filter(running).map(|execution| execution.arn.clone()).collect();
    for arn in arns {
        advance::advance(world, &arn, now);
    }
}

/// Gives an invocation's outcome to the execution that waits for it; one that nobody waits for any more is dropped.
pub fn complete(world: &mut World, id: u64, outcome: Result<Value, Failure>, now: Timestamp) {
    let Some(task) = world.states.tasks.remove(&id) else { return };
    let execution = world.states.executions.get_mut(&task.execution);
    let Some(thread) = execution.and_then(|execution| execution.root.waiting_for(id)) else { return };
    if let At::Task { result, .. } = &mut thread.at {
        *result = Some(outcome);
    }
    advance::advance(world, &task.execution, now);
}

/// Answers one Step Functions call.
pub fn handle(world: &mut World, call: &Call) -> Answer {
    match call.action.as_str() {
        "CreateStateMachine" => machines::create(world, call),
        "UpdateStateMachine" => machines::update(world, call),
        "DeleteStateMachine" => machines::delete(world, call),
        "DescribeStateMachine" => machines::describe(world, call),
        "ListStateMachines" => machines::list(world, call),
        "TagResource" => machines::tag(world, call),
        "UntagResource" => machines::untag(world, call),
        "ListTagsForResource" => machines::tags(world, call),
        "ValidateStateMachineDefinition" => machines::validate(call),
        "StartExecution" => executions::start_call(world, call),
        "StopExecution" => executions::stop(world, call),
        "DescribeExecution" => executions::describe(world, call),
        "DescribeStateMachineForExecution" => executions::describe_machine(world, call),
        "ListExecutions" => executions::list(world, call),
        "GetExecutionHistory" => executions::history(world, call),
        action => Err(AwsError::new("UnknownOperationException", format!("The action {action} is not implemented."))),
    }
}

/// What `path` names in `value`; EventBridge reads its InputPath so.
pub(crate) fn read_path(path: &str, value: &Value) -> Option<Value> {
    path::Path::parse(path).ok()?.read(value)
}

/// Tells EventBridge the execution's present status, as Step Functions does for every change of it.
fn announce(world: &mut World, arn: &str, now: Timestamp) {
    let Some(execution) = world.states.executions.get(arn) else { return };
    let mut detail = execution.event_detail();
    // An event has room for 256 KiB in all; Step Functions leaves the larger texts out.
    for name in ["output", "input"] {
        let kept = detail.to_string().len() <= 248 * 1024;
        if !kept {
            detail[name] = Value::Null;
        }
        let present = !detail[name].is_null() || (kept && name == "input");
        detail[format!("{name}Details")] = if present || !kept { json!({"included": kept}) } else { Value::Null };
    }
    let entry = events::Entry {
        source: "aws.states".to_owned(),
        detail_type: "Step Functions Execution Status Change".to_owned(),
        region: arn.split(':').nth(3).unwrap_or_default().to_owned(),
        resources: vec![arn.to_owned()],
        detail,
        time: now,
    };
    events::put(world, entry, now);
}

/// Seconds since 1970, as answers carry times.
fn seconds(at: Timestamp) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds stay far below 2^53")]
    let milliseconds = at.as_millisecond() as f64;
    milliseconds / 1000.0
}

/// The page of `items` that the call asks for and the token of the next one; `key` must be unique.
///
/// `maxResults` 0 or absent is 100, the most is 1000. A token names the last item before its page.
fn page<T>(call: &Call, items: Vec<T>, key: impl Fn(&T) -> String) -> Result<(Vec<T>, Option<String>), AwsError> {
    let size = match call.number("maxResults").unwrap_or_default() {
        0 => 100,
        given => usize::try_from(given).unwrap_or(100).min(1000),
    };
    let start = match call.text("nextToken") {
        None => 0,
        Some(token) => {
            let last = STANDARD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let found = last.and_then(|last| items.iter().position(|item| key(item) == last));
            found.ok_or_else(|| AwsError::new("InvalidToken", format!("Invalid Token: '{token}'")))? + 1
        }
    };
    let more = items.len() > start + size;
    let page: Vec<T> = items.into_iter().skip(start).take(size).collect();
    let token = page.last().filter(|_| more).map(|last| STANDARD.encode(key(last)));
    Ok((page, token))
}

/// An answer with a list and perhaps the token of its next page.
fn listed(name: &str, items: Vec<Value>, token: Option<String>) -> Value {
    let mut answer = json!({name: items});
    if let Some(token) = token {
        answer["nextToken"] = Value::String(token);
    }
    answer
}
