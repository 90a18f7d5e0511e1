//! The interpreter's drive: takes an execution as far as it goes without waiting.

use super::{
    definition::{Definition, Step},
    execution::{At, Branch, Execution, Status},
    failure::Failure,
};
use crate::{life::Event, world::World};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::mem;

/// One drive of one execution; the execution is out of the world meanwhile.
pub(super) struct Run<'a> {
    pub(super) world: &'a mut World,
    pub(super) execution: &'a mut Execution,
    pub(super) now: Timestamp,
    /// The history is full: everything stops.
    full: bool,
}

/// Takes execution `arn` on until each of its threads waits for a function, for a time, or is through.
pub(super) fn advance(world: &mut World, arn: &str, now: Timestamp) {
    let Some(mut execution) = world.states.executions.remove(arn) else { return };
    let running = execution.status == Status::Running;
    if running {
        drive(world, &mut execution, now);
    }
    let ended = execution.status != Status::Running;
    world.states.executions.insert(arn.to_owned(), execution);
    if running && ended {
        super::announce(world, arn, now);
    }
}

fn drive(world: &mut World, execution: &mut Execution, now: Timestamp) {
    let mut root = mem::take(&mut execution.root);
    if execution.deadline.is_some_and(|deadline| deadline <= now) {
        let failure = Failure::new("States.Timeout", "");
        return end(world, execution, &root, now, Status::TimedOut, Err(failure));
    }
    let definition = match serde_json::from_str::<Definition>(&execution.definition) {
        Ok(definition) => definition,
        Err(error) => {
            let failure = Failure::terminal("States.Runtime", error.to_string());
            return end(world, execution, &root, now, Status::Failed, Err(failure));
        }
    };
    let mut run = Run { world, execution, now, full: false };
    run.branch(&definition, &mut root);
    let full = run.full;
    if full {
        let cause = "The execution reached the maximum number of history events (25000).";
        return end(world, execution, &root, now, Status::Failed, Err(Failure::terminal("States.Runtime", cause)));
    }
    match mem::take(&mut root.at) {
        At::Ended(Ok(output)) => end(world, execution, &root, now, Status::Succeeded, Ok(output)),
        At::Ended(Err(failure)) => end(world, execution, &root, now, Status::Failed, Err(failure)),
        at => execution.root = Branch { at, ..root },
    }
}

/// Closes an execution: its last event, its answer, and no more tasks.
fn end(
    world: &mut World,
    execution: &mut Execution,
    root: &Branch,
    now: Timestamp,
    status: Status,
    result: Result<Value, Failure>,
) {
    for id in root.tasks() {
        world.states.tasks.remove(&id);
    }
    let (kind, details) = match (&result, status) {
        (Ok(output), _) => {
            ("ExecutionSucceeded", json!({"output": output.to_string(), "outputDetails": {"truncated": false}}))
        }
        (Err(failure), Status::TimedOut) => ("ExecutionTimedOut", failure.members()),
        (Err(failure), Status::Aborted) => ("ExecutionAborted", failure.members()),
        (Err(failure), _) => ("ExecutionFailed", failure.members()),
    };
    execution.record(now, root.last_event, kind, details);
    execution.status = status;
    execution.stopped = Some(now);
    match result {
        Ok(output) => execution.output = Some(output.to_string()),
        Err(failure) => execution.failure = Some(failure),
    }
    execution.root = Branch::default();
}

/// Ends a running execution from outside, with an error and cause of the caller's (empty: none).
pub(super) fn abort(world: &mut World, arn: &str, error: &str, cause: &str, now: Timestamp) {
    let Some(mut execution) = world.states.executions.remove(arn) else { return };
    let running = execution.status == Status::Running;
    if running {
        let root = mem::take(&mut execution.root);
        end(world, &mut execution, &root, now, Status::Aborted, Err(Failure::new(error, cause)));
    }
    world.states.executions.insert(arn.to_owned(), execution);
    if running {
        super::announce(world, arn, now);
    }
}

impl Run<'_> {
    /// Takes one thread on as far as it goes.
    pub(super) fn branch(&mut self, definition: &Definition, branch: &mut Branch) {
        while !self.full {
            let Some(step) = definition.states.get(&branch.state) else {
                let failure = Failure::terminal("States.Runtime", format!("There is no state '{}'.", branch.state));
                branch.at = At::Ended(Err(failure));
                return;
            };
            match self.step(step, branch) {
                Ok(true) => {}
                Ok(false) => return,
                Err(failure) => self.failed(step, branch, failure),
            }
        }
    }

    /// Does the next thing of a thread; false if it has to wait or is through.
    fn step(&mut self, step: &Step, branch: &mut Branch) -> Result<bool, Failure> {
        match mem::take(&mut branch.at) {
            At::Enter => {
                branch.at = At::Attempt;
                branch.entered = self.now;
                branch.retries = vec![0; step.retry.len()];
                let input = branch.input.to_string();
                let details = json!({"name": branch.state, "input": input, "inputDetails": {"truncated": false}});
                self.record(branch, &format!("{}StateEntered", step.kind.name()), details);
                branch.entered_event = branch.last_event;
                Ok(true)
            }
            At::Attempt => self.attempt(step, branch).map(|()| true),
            At::Wait { until } if until <= self.now => self.pass_through(step, branch).map(|()| true),
            At::Backoff { until } if until <= self.now => {
                branch.at = At::Attempt;
                Ok(true)
            }
            At::Task { id, until: _, result: Some(result) } => {
                self.world.states.tasks.remove(&id);
                self.task_ended(step, branch, result).map(|()| true)
            }
            At::Task { id, until: Some(until), result: None } if until <= self.now => {
                self.world.states.tasks.remove(&id);
                self.task_timed_out(step, branch).map(|()| true)
            }
            At::Children { branches, limit } => self.children(step, branch, branches, limit),
            waiting => {
                branch.at = waiting;
                Ok(false)
            }
        }
    }

    /// Writes down an event of a thread.
    pub(super) fn record(&mut self, branch: &mut Branch, kind: &str, details: Value) {
        match self.execution.record(self.now, branch.last_event, kind, details) {
            Some(id) => branch.last_event = id,
            None => self.full = true,
        }
    }

    /// Whether the history has no room left.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// The time `wait` from now at the pace of waits, with a wake-up then.
    pub(super) fn after(&mut self, wait: SignedDuration) -> Timestamp {
        let until = self.now.saturating_add(self.world.waited(wait)).unwrap_or(Timestamp::MAX);
        self.wake(until);
        until
    }

    /// Has the execution looked at again at `until`.
    pub(super) fn wake(&mut self, until: Timestamp) {
        let event = super::Event::Wake { execution: self.execution.arn.clone() };
        self.world.agenda.add(until, Event::States(event));
    }

    /// A failure whose text says which state it happened in, as Step Functions words it.
    pub(super) fn at_state(&self, branch: &Branch, error: &str, cause: &str) -> Failure {
        let (state, event) = (&branch.state, branch.entered_event);
        let place =
            format!("An error occurred while executing the state '{state}' (entered at the event id #{event}).");
        Failure { terminal: error == "States.Runtime", ..Failure::new(error, format!("{place} {cause}")) }
    }
}
