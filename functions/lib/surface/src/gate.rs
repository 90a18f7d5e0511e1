//! What every call passes on its way to the front door, on whatever surface it came: scope, bounds, time.

use crate::{
    door::{FrontDoor, Request},
    problem::{missing_scope, problem},
    waits::{WAITS_AT_A_TIME, Waits},
};
use contract::{Descriptor, problem::Problem};
use domain::ErrorCode;
use serde_json::Value;
use std::time::Duration;

/// Longest time that an answer may take: below the gateway's 29 seconds, above the longest wait of 25 (field report
/// BR-136).
const ANSWER_TIME: Duration = Duration::from_secs(28);

/// The query that holds its connection while nothing happens.
const WAITING_QUERY: &str = "wait_for_operation";

/// The front door with what stands before it.
#[derive(Debug)]
pub(crate) struct Gate<F> {
    door: F,
    waits: Waits,
}

impl<F: FrontDoor> Gate<F> {
    /// Stands before `door`.
    pub(crate) fn new(door: F) -> Self {
        Self { door, waits: Waits::default() }
    }

    /// Carries out a call whose input has been held against its schema.
    pub(crate) async fn call(
        &self,
        descriptor: &'static Descriptor,
        input: Value,
        request: Request,
    ) -> Result<Value, Problem> {
        let request_id = request.request_id.clone();
        self.pass(descriptor, input, request).await.map_err(|problem| {
            if matches!(problem.code, ErrorCode::Internal) {
                tracing::error!(request.id = %request_id, operation = descriptor.name, "{}", problem.detail);
            }
            Problem { request_id, ..problem }
        })
    }

    async fn pass(&self, descriptor: &'static Descriptor, input: Value, request: Request) -> Result<Value, Problem> {
        if !request.scopes.contains(&descriptor.scope) {
            return Err(missing_scope(descriptor.scope));
        }
        let _wait = if descriptor.name == WAITING_QUERY {
            let text = format!("{WAITS_AT_A_TIME} waits of this principal are going on, which is all that it may have");
            let too_many = || Problem {
                action: "Wait until one of them has answered, or use get_operation.".to_owned(),
                ..problem(ErrorCode::Throttled, text)
            };
            Some(self.waits.begin(&request.principal.id).ok_or_else(too_many)?)
        } else {
            None
        };
        // The front door's future holds every operation's, megabytes in all: on the heap, or each caller up to the server
        // has a copy in its stack frame.
        let called = Box::pin(self.door.call(descriptor, input, request));
        tokio::time::timeout(ANSWER_TIME, called).await.unwrap_or_else(|_| {
            let made = problem(
                ErrorCode::DeadlineExceeded,
                format!("{} took longer than {} s and was given up", descriptor.name, ANSWER_TIME.as_secs()),
            );
            let action = "Send the same request with the same idempotency key again: it finds what was recorded.";
            Err(Problem { action: action.to_owned(), ..made })
        })
    }
}
