//! The account on a TCP port: AWS's protocols for any client, and a small control endpoint for tests and people.
//!
//! `GET` and `POST /_account/faults` (`DELETE` switches all off, `DELETE /_account/faults?name=…` one) and
//! `GET /_account/calls`. Whoever listens decides who may connect: this binds nothing by itself.

use crate::{
    account::{Account, AnswerLost},
    faults::Fault,
};
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// Largest body of a request.
const LARGEST_BODY: usize = 64 << 20;

/// A connection ends because an answer was lost.
#[derive(Debug, thiserror::Error)]
#[error("the answer was lost")]
struct Dropped;

/// How long nothing is accepted after a connection that could not be: most often there are too many open files.
const BREATH: Duration = Duration::from_millis(100);

/// The next connection. One that cannot be accepted ends no server: the one after it may be.
pub async fn accepted(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

/// Serves `account` to everybody who connects to `listener`, until the task is dropped.
pub async fn serve(account: Account, listener: TcpListener) {
    loop {
        let stream = accepted(&listener).await;
        let account = account.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| answer(account.clone(), request));
            let connection =
                http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended");
            }
        });
    }
}

async fn answer(account: Account, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Dropped> {
    let (parts, body) = request.into_parts();
    let body = match Limited::new(body, LARGEST_BODY).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            let message = format!("The body is larger than {LARGEST_BODY} bytes.");
            return Ok(control_answer(StatusCode::PAYLOAD_TOO_LARGE, &json!({"message": message})));
        }
        Err(error) => {
            tracing::debug!(%error, "a body ended early");
            return Err(Dropped);
        }
    };
    let request = Request::from_parts(parts, body);
    if request.uri().path().starts_with("/_account/") {
        return Ok(control(&account, &request));
    }
    let response = account.call(request).await;
    if response.extensions().get::<AnswerLost>().is_some() {
        return Err(Dropped);
    }
    Ok(response.map(Full::new))
}

fn control(account: &Account, request: &Request<Bytes>) -> Response<Full<Bytes>> {
    let (status, body) = match (request.method(), request.uri().path()) {
        (&Method::GET, "/_account/faults") => (StatusCode::OK, listed(account)),
        (&Method::POST, "/_account/faults") => switch_on(account, request.body()),
        (&Method::DELETE, "/_account/faults") => {
            let query: Vec<(String, String)> =
                serde_urlencoded::from_str(request.uri().query().unwrap_or_default()).unwrap_or_default();
            account.with_world(|world| match query.iter().find(|(name, _)| name == "name") {
                Some((_, name)) => world.faults.switch_off(name),
                None => world.faults.clear(),
            });
            (StatusCode::OK, json!({}))
        }
        (&Method::GET, "/_account/calls") => (
            StatusCode::OK,
            account.read(|world| {
                let latest: Vec<_> = world.calls.latest().collect();
                json!({"counts": world.calls.counts(), "mutations": world.calls.mutations(), "latest": latest})
            }),
        ),
        (method, path) => (StatusCode::NOT_FOUND, json!({"message": format!("There is no {method} {path}.")})),
    };
    control_answer(status, &body)
}

/// The faults that are on; those that have met all their calls are marked as spent.
fn listed(account: &Account) -> Value {
    let told = |fault: &Fault| {
        let mut told = json!(fault);
        told["spent"] = fault.is_spent().into();
        told
    };
    account.read(|world| json!({"faults": world.faults.active().iter().map(told).collect::<Vec<_>>()}))
}

fn switch_on(account: &Account, body: &Bytes) -> (StatusCode, Value) {
    let fault: Fault = match serde_json::from_slice(body) {
        Ok(fault) => fault,
        Err(error) => return (StatusCode::BAD_REQUEST, json!({"message": format!("The body is no fault: {error}")})),
    };
    match account.with_world(|world| world.faults.switch_on(fault)) {
        Ok(()) => (StatusCode::CREATED, listed(account)),
        Err(error) => (StatusCode::BAD_REQUEST, json!({"message": error.to_string()})),
    }
}

fn control_answer(status: StatusCode, body: &Value) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
