//! Starting state machines, and asking what became of their executions.

use crate::{
    record::{MachineInput, Mode, Operation, SCHEMA},
    store::trouble,
};
use aws_sdk_sfn::{Client, operation::start_execution::StartExecutionError, types::ExecutionStatus};
use domain::failure::Trouble;

/// Where the state machines are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machines {
    /// ARN of the machine that chains the six stages.
    pub cluster: String,
    /// What the ARN of every other operation's machine begins with; its name follows.
    pub operation_prefix: String,
}

/// What became of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Execution {
    /// It runs.
    Alive,
    /// It ended: error and cause as Step Functions tells them. An execution that ended well leaves a terminal record, so
    /// one that did so and left none is dead too.
    Dead {
        /// Error name: `States.Timeout`, a function's `errorType`, `ABORTED` …
        error: String,
        /// Cause, as it was given.
        cause: String,
    },
    /// There is none of that name.
    Absent,
}

/// Starts executions.
#[derive(Debug, Clone)]
pub struct Starter {
    reads: Client,
    changes: Client,
    machines: Machines,
}

impl Starter {
    /// Starts `machines` through two clients, whose retries are off: one for reads, and one for changes, which waits
    /// longer for an answer.
    pub fn new([reads, changes]: [Client; 2], machines: Machines) -> Self {
        Self { reads, changes, machines }
    }

    /// Starts the execution of the operation's attempt; that it exists already is success.
    pub async fn start(&self, operation: &Operation) -> Result<(), Trouble> {
        self.start_in(operation, Mode::Act, operation.execution_name()).await
    }

    /// Starts an execution that only plans.
    pub async fn start_plan(&self, operation: &Operation) -> Result<(), Trouble> {
        self.start_in(operation, Mode::Plan, format!("{}-plan", operation.execution_name())).await
    }

    async fn start_in(&self, operation: &Operation, mode: Mode, name: String) -> Result<(), Trouble> {
        let input = MachineInput {
            schema: SCHEMA,
            operation_id: operation.id,
            attempt: operation.attempt,
            stage: operation.first_stage,
            only: operation.first_stage.is_some() && operation.first_stage == operation.last_stage,
            mode,
        };
        let sent = self
            .changes
            .start_execution()
            .state_machine_arn(self.machine_arn(operation))
            .name(name)
            .input(serde_json::to_string(&input).unwrap_or_default())
            .send()
            .await;
        match sent {
            Ok(_) => Ok(()),
            Err(error) if error.as_service_error().is_some_and(StartExecutionError::is_execution_already_exists) => {
                Ok(())
            }
            Err(error) => Err(trouble::of_change("states", "StartExecution", error)),
        }
    }

    /// What became of the execution of the operation's attempt.
    pub async fn look(&self, operation: &Operation) -> Result<Execution, Trouble> {
        let arn = self.machine_arn(operation).replacen(":stateMachine:", ":execution:", 1);
        let sent =
            self.reads.describe_execution().execution_arn(format!("{arn}:{}", operation.execution_name())).send().await;
        match sent {
            Ok(seen) => Ok(match seen.status() {
                ExecutionStatus::Failed
                | ExecutionStatus::TimedOut
                | ExecutionStatus::Aborted
                | ExecutionStatus::Succeeded => Execution::Dead {
                    error: seen.error().unwrap_or(seen.status().as_str()).to_owned(),
                    cause: seen.cause().unwrap_or_default().to_owned(),
                },
                _ => Execution::Alive,
            }),
            Err(error) if error.as_service_error().is_some_and(|error| error.is_execution_does_not_exist()) => {
                Ok(Execution::Absent)
            }
            Err(error) => Err(trouble::of_change("states", "DescribeExecution", error)),
        }
    }

    /// Whether the machine that chains the stages is there and may be seen.
    pub async fn is_ready(&self) -> Result<(), Trouble> {
        let sent = self.reads.describe_state_machine().state_machine_arn(&self.machines.cluster).send().await;
        sent.map(drop).map_err(|error| trouble::of_change("states", "DescribeStateMachine", error))
    }

    fn machine_arn(&self, operation: &Operation) -> String {
        match operation.machine.as_str() {
            "cluster" => self.machines.cluster.clone(),
            other => format!("{}{other}", self.machines.operation_prefix),
        }
    }
}
