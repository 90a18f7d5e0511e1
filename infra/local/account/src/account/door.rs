//! One request from the wire to the wire: who asks, what for, may they, does a fault strike, what comes of it.

use super::Account;
use crate::{
    call::{Answer, AwsError, Call, Caller},
    calls::{self, Record},
    endpoint::{self, Endpoint},
    faults::{self, Effect},
    hyperpod_nodes, iam,
    invocation::Invocation,
    lambda,
    model::{self, Service},
    protocol::{self, Operation},
    signature::{self, Signed},
    world::World,
};
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;

/// Marks a response (in its extensions) that must not reach the caller: the call happened, its answer is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerLost;

/// A request that was read and let in.
struct Admitted {
    operation: Operation,
    call: Call,
    mutating: bool,
    effects: Vec<Effect>,
}

impl Account {
    /// Answers one request as AWS would.
    ///
    /// A response that carries [`AnswerLost`] is to be thrown away by whoever brings it to the caller. Does not return
    /// if a fault ends the invocation that the current task works for.
    pub async fn call(&self, request: Request<Bytes>) -> Response<Bytes> {
        let request_id = self.with_lock(|world| request_id(world, "request"));
        let signed = match signature::read(&request) {
            Ok(signed) => signed,
            Err(error) => return self.unreadable(&request, error, &request_id),
        };
        let Some(endpoint) = endpoint::find(&request, signed.as_ref()) else { return nowhere() };
        if let ("s3", Some(signed)) = (endpoint.service.as_str(), &signed) {
            return self.store(&endpoint, signed, request, &request_id).await;
        }
        let Some(service) = model::service(&endpoint.service) else { return unknown_service(&endpoint) };
        let now = self.now();
        let admitted = self.with_lock(|world| {
            let admitted = admit(world, service, &endpoint, signed.as_ref(), &request, (now, &request_id));
            admitted.inspect_err(|refusal| refusal.log(world))
        });
        match admitted {
            Ok(admitted) => self.act(service, admitted, &request).await,
            Err(refusal) => protocol::encode_error(service, &refusal.error, &request_id),
        }
    }

    /// Lets faults strike and the service act.
    async fn act(&self, service: &'static Service, admitted: Admitted, request: &Request<Bytes>) -> Response<Bytes> {
        let Admitted { operation, mut call, mutating, effects } = admitted;
        strike(self, &effects, &mut call).await;
        let answer = match effects.iter().find_map(|effect| refusal(service, effect)) {
            Some(error) => Err(error),
            None if call.service == "dynamodb" => {
                let response = self.with_lock(|world| self.in_tables(world, &call, mutating, request));
                return self.sent(response, mutating, &effects).await;
            }
            None if call.service == "lambda" => {
                lambda::handle(self, &self.functions(), super::lambda_session, &call).await
            }
            None => self.with_lock(|world| {
                let before = effects.contains(&Effect::NotKept).then(|| world.clone());
                let answer = (self.inner.handler)(world, &call);
                if mutating {
                    hyperpod_nodes::reconcile(world, call.now);
                }
                if let Some(before) = before {
                    world.return_to(before);
                }
                answer
            }),
        };
        self.with_lock(|world| log(world, &call, mutating, &answer));
        let response = match answer {
            Ok(answer) => protocol::encode(&operation, &answer, &call.request_id),
            Err(error) => protocol::encode_error(service, &error, &call.request_id),
        };
        self.sent(response, mutating, &effects).await
    }

    /// Wakes those who wait for changes, and lets faults strike that come after the act.
    async fn sent(&self, response: Response<Bytes>, mutating: bool, effects: &[Effect]) -> Response<Bytes> {
        if mutating {
            self.inner.changed();
        }
        delivered(response, effects).await
    }

    /// DynamoDB's own engine reads and writes its bodies; it passes over what it does not know, so they have been held to
    /// the model before.
    fn in_tables(&self, world: &mut World, call: &Call, mutating: bool, request: &Request<Bytes>) -> Response<Bytes> {
        let (outcome, response) = self.inner.tables.answer(&call.action, request.body(), &call.request_id);
        world.calls.add(record(call, mutating, outcome));
        response
    }

    pub(super) fn with_lock<R>(&self, work: impl FnOnce(&mut World) -> R) -> R {
        work(&mut self.inner.world())
    }

    fn unreadable(&self, request: &Request<Bytes>, error: AwsError, request_id: &str) -> Response<Bytes> {
        let endpoint = endpoint::find(request, None);
        match endpoint.and_then(|endpoint| model::service(&endpoint.service)) {
            Some(service) => protocol::encode_error(service, &protocol::untrusted(service, error), request_id),
            None => plain(StatusCode::FORBIDDEN, &error.to_string()),
        }
    }
}

/// A refusal before any service was asked, with what is known of the call.
struct Refusal {
    error: AwsError,
    call: Option<Box<Call>>,
    mutating: bool,
}

impl Refusal {
    fn log(&self, world: &mut World) {
        if let Some(call) = &self.call {
            world.calls.add(record(call, self.mutating, self.error.code.clone()));
        }
    }
}

impl From<AwsError> for Refusal {
    fn from(error: AwsError) -> Self {
        Self { error, call: None, mutating: false }
    }
}

/// Authenticates, reads, authorizes, and finds the faults that strike.
fn admit(
    world: &mut World,
    service: &'static Service,
    endpoint: &Endpoint,
    signed: Option<&Signed>,
    request: &Request<Bytes>,
    (now, request_id): (jiff::Timestamp, &str),
) -> Result<Admitted, Refusal> {
    let operation = protocol::operation(service, request);
    let unsigned = operation.as_ref().is_ok_and(|operation| operation.action.unsigned);
    let caller = match signed {
        Some(signed) => signature::caller(world, signed, request, now),
        None if unsigned => Ok(anonymous()),
        None => {
            Err(AwsError::new("MissingAuthenticationToken", "Request is missing Authentication Token").with_status(403))
        }
    };
    let caller = caller.map_err(|error| protocol::untrusted(service, error))?;
    let operation = operation?;
    let mut call = Call {
        service: &service.scope,
        action: operation.name.to_owned(),
        region: endpoint.region.clone(),
        caller,
        input: json!({}),
        now,
        request_id: request_id.to_owned(),
    };
    match protocol::decode(&operation, request) {
        Ok(input) => call.input = input,
        Err(error) => return Err(refused(call, error)),
    }
    if signed.is_some()
        && let Err(error) = iam::authorize(world, &call)
    {
        return Err(refused(call, error));
    }
    let mutating = calls::mutates(&call.action, &call.input);
    let function = Invocation::current().map(|invocation| invocation.function);
    let effects = faults::meet(world, &call, mutating, function.as_deref());
    Ok(Admitted { operation, call, mutating, effects })
}

fn refused(call: Call, error: AwsError) -> Refusal {
    let mutating = calls::mutates(&call.action, &call.input);
    Refusal { error, call: Some(Box::new(call)), mutating }
}

/// The caller of actions that need no signature.
fn anonymous() -> Caller {
    Caller { arn: "anonymous".to_owned(), user_id: "anonymous".to_owned(), role: None }
}

/// The error by which a fault keeps a service from acting, if it does.
fn refusal(service: &Service, effect: &Effect) -> Option<AwsError> {
    match effect {
        Effect::Throttle => Some(protocol::throttled(service)),
        Effect::ServerError { status: 503 } => Some(
            AwsError::new("ServiceUnavailable", "The service is unavailable. Please try again shortly.")
                .with_status(503),
        ),
        Effect::ServerError { status } => {
            Some(AwsError::new("InternalFailure", "The request processing has failed.").with_status(*status))
        }
        Effect::Error { code, status, message } => Some(AwsError::new(code, message.as_str()).with_status(*status)),
        Effect::LostAnswer | Effect::NotKept | Effect::Slow { .. } | Effect::Kill { .. } | Effect::Twice { .. } => None,
    }
}

/// Lets faults strike that come before the act.
pub(super) async fn strike(account: &Account, effects: &[Effect], call: &mut Call) {
    for effect in effects {
        if let Effect::Slow { seconds } = effect {
            tokio::time::sleep(Duration::from_secs(u64::from(*seconds))).await;
            call.now = account.now();
        }
    }
}

/// Lets faults strike that come after the act.
pub(super) async fn delivered<B>(mut response: Response<B>, effects: &[Effect]) -> Response<B> {
    let kills = effects.iter().any(|effect| matches!(effect, Effect::Kill { .. }));
    if let Some(invocation) = Invocation::current().filter(|_| kills) {
        invocation.kill();
        // Whoever runs the invocation drops it here; nothing after the call may happen.
        std::future::pending::<()>().await;
    }
    if effects.contains(&Effect::LostAnswer) {
        response.extensions_mut().insert(AnswerLost);
    }
    response
}

fn log(world: &mut World, call: &Call, mutating: bool, answer: &Answer) {
    let outcome = answer.as_ref().map_or_else(|error| error.code.clone(), |_: &Value| "ok".to_owned());
    world.calls.add(record(call, mutating, outcome));
}

pub(super) fn record(call: &Call, mutating: bool, outcome: String) -> Record {
    Record {
        at: call.now,
        service: call.service.to_owned(),
        action: call.action.clone(),
        role: call.caller.role.clone(),
        mutating,
        outcome,
    }
}

/// A new id of a request in the form of a UUID; each kind has a row of its own.
pub(super) fn request_id(world: &mut World, kind: &str) -> String {
    let (high, low) = (world.next_number(kind), world.hash(&format!("{kind} id")));
    let (high, low) = (high, low ^ high.rotate_left(32));
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        (low >> 48) & 0xfff,
        low & 0xffff_ffff_ffff
    )
}

fn nowhere() -> Response<Bytes> {
    plain(
        StatusCode::BAD_REQUEST,
        "The request names no service: it has neither a signature, nor a host, nor a target.",
    )
}

fn unknown_service(endpoint: &Endpoint) -> Response<Bytes> {
    plain(StatusCode::NOT_IMPLEMENTED, &format!("The service {} is not simulated.", endpoint.service))
}

fn plain(status: StatusCode, message: &str) -> Response<Bytes> {
    let body = json!({"__type": "UnknownOperationException", "message": message}).to_string();
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = status;
    response
}
