//! S3 behind the account's door: it has a protocol of its own, and the same signatures, faults and call log as the rest.

use super::{
    Account,
    door::{delivered, record, strike},
};
use crate::{
    call::{AwsError, Call},
    calls,
    endpoint::{self, Endpoint},
    faults::{self, Effect},
    invocation::Invocation,
    s3::{self, Visit},
    signature::{self, Signed},
    world::World,
};
use bytes::Bytes;
use http::{Request, Response};
use serde_json::json;
use std::sync::Arc;

impl s3::Door for Account {
    /// Wakes nobody: whether anything changed is known when the request is done.
    fn with_world<R>(&self, work: impl FnOnce(&mut World) -> R) -> R {
        self.with_lock(work)
    }
}

impl Account {
    /// Answers one request to S3. Whether the caller may is S3's own question, since its buckets have policies.
    pub(super) async fn store(
        &self,
        endpoint: &Endpoint,
        signed: &Signed,
        request: Request<Bytes>,
        request_id: &str,
    ) -> Response<Bytes> {
        let now = self.now();
        let caller = match self.with_lock(|world| signature::caller(world, signed, &request, now)) {
            Ok(caller) => caller,
            Err(error) => return s3::refused(in_words_of_s3(error), request_id).await,
        };
        let host = endpoint::host(&request).unwrap_or_default();
        let host = host.split(':').next().unwrap_or_default();
        let mut call = Call {
            service: "s3",
            action: s3::operation(&request, host),
            region: endpoint.region.clone(),
            caller,
            input: json!({}),
            now,
            request_id: request_id.to_owned(),
        };
        let mutating = calls::mutates(&call.action, &call.input);
        let function = Invocation::current().map(|invocation| invocation.function);
        let effects = self.with_lock(|world| faults::meet(world, &call, mutating, function.as_deref()));
        strike(self, &effects, &mut call).await;
        let response = match effects.iter().find_map(refusal) {
            Some(error) => s3::refused(error, request_id).await,
            None => {
                let (caller, region, now) = (call.caller.clone(), call.region.clone(), call.now);
                let visit = Visit { caller, region, now, request_id: request_id.to_owned() };
                s3::serve(Arc::new(self.clone()), visit, request).await
            }
        };
        self.with_lock(|world| world.calls.add(record(&call, mutating, outcome(&response))));
        if mutating {
            self.inner.changed();
        }
        delivered(response, &effects).await
    }
}

/// `ok`, or the code in the answer's body; its HTTP status where a refusal has no body (`HEAD`).
fn outcome(response: &Response<Bytes>) -> String {
    if response.status().as_u16() < 400 {
        return "ok".to_owned();
    }
    let body = String::from_utf8_lossy(response.body());
    let code = body.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    code.map_or_else(|| response.status().as_u16().to_string(), |(code, _)| code.to_owned())
}

/// S3 names what is wrong with a key differently from the others (S3 API reference, "Error responses").
fn in_words_of_s3(error: AwsError) -> AwsError {
    match error.code.as_str() {
        "InvalidClientTokenId" => {
            let message = "The AWS Access Key Id you provided does not exist in our records.";
            AwsError::new("InvalidAccessKeyId", message).with_status(403)
        }
        "ExpiredToken" => AwsError::new("ExpiredToken", "The provided token has expired."),
        "RequestExpired" => {
            let message = "The difference between the request time and the current time is too large.";
            AwsError::new("RequestTimeTooSkewed", message).with_status(403)
        }
        "IncompleteSignature" => AwsError::new("AuthorizationHeaderMalformed", error.message),
        _ => error,
    }
}

/// The error by which a fault keeps S3 from acting, if it does.
fn refusal(effect: &Effect) -> Option<AwsError> {
    match effect {
        Effect::Throttle => Some(AwsError::new("SlowDown", "Please reduce your request rate.").with_status(503)),
        Effect::ServerError { status: 503 } => {
            Some(AwsError::new("ServiceUnavailable", "Service is unable to handle request.").with_status(503))
        }
        Effect::ServerError { status } => {
            let message = "We encountered an internal error. Please try again.";
            Some(AwsError::new("InternalError", message).with_status(*status))
        }
        Effect::Error { code, status, message } => Some(AwsError::new(code, message.as_str()).with_status(*status)),
        Effect::LostAnswer | Effect::NotKept | Effect::Slow { .. } | Effect::Kill { .. } | Effect::Twice { .. } => None,
    }
}
