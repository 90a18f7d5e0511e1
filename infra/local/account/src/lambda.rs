//! Lambda: functions that run in this process, and the Invoke API. Functions are registered, never uploaded.

mod listing;

use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    faults::{self, Twice},
    invocation::{Credentials, INVOCATION, Invocation},
    states::{
        self,
        runner::{Door, Sessions},
    },
    world::World,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};
use tokio::task::JoinSet;

/// The most bytes of a synchronous request or answer, and of an asynchronous request (Lambda quotas).
const SYNCHRONOUS_LIMIT: usize = 6_291_456;
const ASYNCHRONOUS_LIMIT: usize = 1_048_576;

/// A function's code.
pub trait Function: Send + Sync {
    /// Runs once; dropped in the middle when the time is up or the invocation is killed.
    fn invoke(&self, payload: Value, context: InvocationContext) -> BoxFuture<'static, Result<Value, FunctionError>>;
}

impl<F> Function for F
where
    F: Fn(Value, InvocationContext) -> BoxFuture<'static, Result<Value, FunctionError>> + Send + Sync,
{
    fn invoke(&self, payload: Value, context: InvocationContext) -> BoxFuture<'static, Result<Value, FunctionError>> {
        self(payload, context)
    }
}

/// What a function knows about its run.
#[derive(Debug, Clone)]
pub struct InvocationContext {
    /// Request id of the run.
    pub request_id: String,
    /// Name of the function.
    pub function_name: String,
    /// When the run is cut off.
    pub deadline: Timestamp,
    /// Credentials of the function's role.
    pub credentials: Credentials,
}

/// An error that a function ended with, as its runtime reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionError {
    /// `errorType`: what Step Functions matches.
    pub error_type: String,
    /// `errorMessage`.
    pub message: String,
    /// `trace`, left out where there is none.
    pub trace: Vec<String>,
}

impl FunctionError {
    /// An error without a trace.
    pub fn new(error_type: &str, message: impl Into<String>) -> Self {
        Self { error_type: error_type.to_owned(), message: message.into(), trace: Vec::new() }
    }

    /// The payload of the answer.
    pub fn payload(&self) -> Value {
        let mut payload = json!({"errorType": self.error_type, "errorMessage": self.message});
        if !self.trace.is_empty() {
            payload["trace"] = json!(self.trace);
        }
        payload
    }
}

/// The functions of an account.
#[derive(Clone)]
pub struct Functions {
    region: String,
    by_name: Arc<BTreeMap<String, Registered>>,
}

#[derive(Clone)]
struct Registered {
    code: Arc<dyn Function>,
    role: String,
    timeout: Duration,
}

impl Functions {
    /// No functions yet, in `region`.
    pub fn new(region: &str) -> Self {
        Self { region: region.to_owned(), by_name: Arc::default() }
    }

    /// With a function that runs under role `role` (a name) for at most 60 seconds; a second one of a name replaces the
    /// first.
    #[must_use]
    pub fn with(self, name: &str, role: &str, code: impl Function + 'static) -> Self {
        self.with_timeout(name, role, Duration::from_secs(60), code)
    }

    /// With a function that is cut off after `timeout`.
    #[must_use]
    pub fn with_timeout(mut self, name: &str, role: &str, timeout: Duration, code: impl Function + 'static) -> Self {
        let registered = Registered { code: Arc::new(code), role: role.to_owned(), timeout };
        Arc::make_mut(&mut self.by_name).insert(name.to_owned(), registered);
        self
    }

    fn arn(&self, name: &str) -> String {
        format!("arn:aws:lambda:{}:{ACCOUNT_ID}:function:{name}", self.region)
    }

    fn missing(&self, name: &str) -> AwsError {
        let text = format!("Function not found: {}", self.arn(name));
        AwsError::new("ResourceNotFoundException", text).with_status(404).with("Type", "User")
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }
}

/// What Lambda remembers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Asynchronous invocations to be made, by id; each is made at least once.
    pub queue: BTreeMap<u64, Queued>,
    next: u64,
    faults: BTreeMap<String, VecDeque<Fault>>,
}

/// An asynchronous invocation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Queued {
    /// Name of the function.
    pub function: String,
    /// What it is given.
    pub payload: Value,
    /// When it may be made.
    pub ready: Timestamp,
    accepted: Timestamp,
    attempts: u32,
    refusals: u32,
}

/// A refusal of Lambda itself, before any code of the function runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// `TooManyRequestsException`: no concurrency left.
    TooManyRequests,
    /// `ServiceException`: Lambda has an inner error.
    Service,
    /// No answer that names an error: Step Functions calls it `Lambda.Unknown`.
    Unknown,
    /// The request did not get through: `SdkClientException`.
    SdkClient,
}

impl Fault {
    fn refusal(&self) -> AwsError {
        let (code, status, message) = match self {
            Self::TooManyRequests => ("TooManyRequestsException", 429, "Rate Exceeded."),
            Self::Service => ("ServiceException", 500, "An internal error occurred."),
            Self::Unknown => {
                ("Unknown", 502, "The cause could not be determined because Lambda did not return an error type.")
            }
            Self::SdkClient => ("SdkClientException", 500, "Unable to execute HTTP request: Connection reset by peer"),
        };
        AwsError::new(code, message).with_status(status)
    }
}

/// Has the next invocation of `function` refused with `fault`; called twice, the next two.
pub fn fail_next(world: &mut World, function: &str, fault: Fault) {
    world.lambda.faults.entry(function.to_owned()).or_default().push_back(fault);
}

/// How an invocation ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The function returned.
    Answered(Value),
    /// The function ended with an error, was cut off, or died.
    Threw(FunctionError),
    /// Lambda did not run it.
    Refused {
        /// Why.
        error: AwsError,
        /// Id of the refused request.
        request_id: String,
    },
}

/// The function that a name, partial or whole ARN stands for, without version or alias.
pub fn name_of(function: &str) -> Option<String> {
    let name = match function.split(':').collect::<Vec<_>>().as_slice() {
        ["arn", "aws", "lambda", _, _, "function", name, ..] | [_, "function", name, ..] => *name,
        [name] | [name, _] => *name,
        _ => return None,
    };
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (!name.is_empty() && name.len() <= 140 && name.chars().all(legal)).then(|| name.to_owned())
}

/// Runs a function, as a task of its own that knows its [`Invocation`]; twice where a fault says so.
pub async fn invoke<D: Door>(
    door: &D,
    functions: &Functions,
    sessions: Sessions,
    name: &str,
    payload: Value,
) -> Outcome {
    let now = door.now();
    let (request_id, fault) = door.with_world(|world| {
        let id = states::uuid(world.next_number("lambda/request"), world.next_number("lambda/request"));
        (id, world.lambda.faults.get_mut(name).and_then(VecDeque::pop_front))
    });
    let refused = |error: AwsError| Outcome::Refused { error, request_id: request_id.clone() };
    if let Some(fault) = fault {
        return refused(fault.refusal());
    }
    let Some(function) = functions.by_name.get(name) else {
        return refused(functions.missing(name));
    };
    let Some(credentials) = door.with_world(|world| sessions(world, &function.role, name, now)) else {
        let text = "The role defined for the function cannot be assumed by Lambda.";
        return refused(AwsError::new("AccessDeniedException", text).with_status(403));
    };
    let twice = door.with_world(|world| faults::invoked_twice(world, name));
    let run = |id: String| {
        let timeout = SignedDuration::try_from(function.timeout).unwrap_or(SignedDuration::MAX);
        let context = InvocationContext {
            request_id: id,
            function_name: name.to_owned(),
            deadline: door.now().saturating_add(timeout).unwrap_or(Timestamp::MAX),
            credentials: credentials.clone(),
        };
        run_once(function, payload.clone(), context)
    };
    let again = format!("{request_id}-again");
    match twice {
        None => run(request_id).await,
        Some(Twice::InTurn) => {
            run(request_id).await;
            run(again).await
        }
        Some(Twice::AtOnce { heard }) => {
            let (first, second) = tokio::join!(run(request_id), run(again));
            if heard == 0 { first } else { second }
        }
    }
}

/// One run, as a task of its own.
async fn run_once(function: &Registered, payload: Value, context: InvocationContext) -> Outcome {
    let request_id = context.request_id.clone();
    let (invocation, death) = Invocation::new(&request_id, &context.function_name);
    // A set of one: it ends the task when it is dropped.
    let mut task = JoinSet::new();
    task.spawn(INVOCATION.scope(invocation, function.code.invoke(payload, context)));
    let exit = format!("RequestId: {request_id} Error: Runtime exited without providing a reason");
    tokio::select! {
        biased;
        () = death.wait() => Outcome::Threw(FunctionError::new("Runtime.ExitError", exit)),
        ended = task.join_next() => match ended {
            Some(Ok(Ok(answer))) => bounded(answer),
            Some(Ok(Err(error))) => Outcome::Threw(error),
            Some(Err(_)) | None => Outcome::Threw(FunctionError::new("Runtime.ExitError", exit)),
        },
        () = tokio::time::sleep(function.timeout) => {
            let seconds = function.timeout.as_secs_f64();
            let text = format!("RequestId: {request_id} Error: Task timed out after {seconds:.2} seconds");
            Outcome::Threw(FunctionError::new("Sandbox.Timedout", text))
        }
    }
}

fn bounded(answer: Value) -> Outcome {
    match answer.to_string().len() {
        size if size > SYNCHRONOUS_LIMIT => {
            let text =
                format!("Response payload size ({size} bytes) exceeded maximum allowed payload size (6291556 bytes).");
            Outcome::Threw(FunctionError::new("Function.ResponseSizeTooLarge", text))
        }
        _ => Outcome::Answered(answer),
    }
}

/// Answers one call: `Invoke` at once for `Event` and `DryRun`, after the function for `RequestResponse`.
pub async fn handle<D: Door>(door: &D, functions: &Functions, sessions: Sessions, call: &Call) -> Answer {
    match call.action.as_str() {
        "Invoke" => invoke_call(door, functions, sessions, call).await,
        "ListFunctions" => door.with_world(|world| listing::list(world, functions, call)),
        "GetFunctionConfiguration" => door.with_world(|world| listing::configuration(world, functions, call)),
        "GetFunction" => {
            let configuration = door.with_world(|world| listing::configuration(world, functions, call))?;
            Ok(json!({"Configuration": configuration}))
        }
        action => Err(AwsError::new("UnknownOperationException", format!("The action {action} is not implemented."))),
    }
}

fn requested_name(call: &Call) -> Result<String, AwsError> {
    let given = call.required("FunctionName");
    name_of(given).ok_or_else(|| {
        AwsError::new("ValidationException", format!("Value '{given}' at 'functionName' is not a function name or ARN"))
    })
}

async fn invoke_call<D: Door>(door: &D, functions: &Functions, sessions: Sessions, call: &Call) -> Answer {
    let name = requested_name(call)?;
    let kind = call.text("InvocationType").unwrap_or("RequestResponse");
    let limit = if kind == "Event" { ASYNCHRONOUS_LIMIT } else { SYNCHRONOUS_LIMIT };
    let payload = payload(call, limit)?;
    if kind != "RequestResponse" && !functions.by_name.contains_key(&name) {
        return Err(functions.missing(&name));
    }
    match kind {
        "Event" => {
            door.with_world(|world| enqueue(world, &name, payload, call.now));
            return Ok(json!({"StatusCode": 202}));
        }
        "DryRun" => return Ok(json!({"StatusCode": 204})),
        _ => {}
    }
    let body = |payload: &Value| STANDARD.encode(payload.to_string());
    match invoke(door, functions, sessions, &name, payload).await {
        Outcome::Answered(answer) => {
            Ok(json!({"StatusCode": 200, "ExecutedVersion": "$LATEST", "Payload": body(&answer)}))
        }
        Outcome::Threw(error) => Ok(json!({
            "StatusCode": 200, "ExecutedVersion": "$LATEST", "FunctionError": "Unhandled", "Payload": body(&error.payload()),
        })),
        Outcome::Refused { error, .. } => Err(error),
    }
}

fn payload(call: &Call, limit: usize) -> Result<Value, AwsError> {
    let invalid = |why: String| AwsError::new("InvalidRequestContentException", why);
    let bytes =
        STANDARD.decode(call.text("Payload").unwrap_or_default()).map_err(|error| invalid(error.to_string()))?;
    if bytes.len() > limit {
        let text = format!("Request must be smaller than {limit} bytes for the InvokeFunction operation");
        return Err(AwsError::new("RequestTooLargeException", text).with_status(413));
    }
    if bytes.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(&bytes).map_err(|error| invalid(format!("Could not parse request body into json: {error}")))
}

/// Accepts an asynchronous invocation.
pub fn enqueue(world: &mut World, function: &str, payload: Value, now: Timestamp) {
    let state = &mut world.lambda;
    state.next += 1;
    let queued = Queued { function: function.to_owned(), payload, ready: now, accepted: now, attempts: 0, refusals: 0 };
    state.queue.insert(state.next, queued);
}

/// When the first asynchronous invocation after `now` may be made.
pub(crate) fn next_ready(world: &World, now: Timestamp) -> Option<Timestamp> {
    world.lambda.queue.values().map(|queued| queued.ready).filter(|ready| *ready > now).min()
}

/// Takes an asynchronous invocation off the queue, or plans its next attempt.
///
/// Two more attempts after errors of the function, one and two minutes later; throttles and service errors are tried
/// again for six hours, after 1 second at first and 5 minutes at most (Lambda documentation, asynchronous invocation).
pub(crate) fn delivered(world: &mut World, id: u64, outcome: &Outcome, now: Timestamp) {
    let Some(mut queued) = world.lambda.queue.remove(&id) else { return };
    let wait = match outcome {
        Outcome::Answered(_) => return,
        Outcome::Threw(_) if queued.attempts >= 2 => return,
        Outcome::Threw(_) => {
            queued.attempts += 1;
            SignedDuration::from_secs(60 * i64::from(queued.attempts))
        }
        Outcome::Refused { error, .. } if error.status == 404 || error.status == 403 => return,
        Outcome::Refused { .. } => {
            let wait = SignedDuration::from_secs(1 << queued.refusals.min(8));
            queued.refusals += 1;
            wait
        }
    };
    let wait = world.waited(wait.min(SignedDuration::from_mins(5)));
    queued.ready = now.saturating_add(wait).unwrap_or(Timestamp::MAX);
    if queued.ready.duration_since(queued.accepted) <= SignedDuration::from_hours(6) {
        world.lambda.queue.insert(id, queued);
    }
}

#[cfg(test)]
mod tests;
