//! HTTP requests to cluster requests, and answers back; watches as streams of JSON lines.

use super::{Authenticate, Door};
use crate::kubernetes::{Refusal, Reply, Request, User, Watch};
use bytes::Bytes;
use futures::{Stream, stream};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body::Frame;
use http_body_util::{BodyExt, Full, Limited, StreamBody, combinators::UnsyncBoxBody};
use std::{convert::Infallible, future::Future, pin::Pin, sync::Arc, task::Context, task::Poll};
use tokio::sync::watch;

/// Body of an answer: whole, or a stream that lasts as long as its watch.
pub type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Largest body that is read at all.
const LARGEST_BODY: usize = 3 * 1024 * 1024;

/// The API server of the cluster behind a door; a `tower::Service`.
#[derive(Clone)]
pub struct ApiServer<D> {
    door: D,
    authenticate: Authenticate,
}

/// A server for clients in the same process: `kube::Client::new(in_process(door, authenticate), "default")`.
pub fn in_process<D: Door>(
    door: D,
    authenticate: impl Fn(&str) -> Result<User, ()> + Send + Sync + 'static,
) -> ApiServer<D> {
    ApiServer { door, authenticate: Arc::new(authenticate) }
}

impl<D, B> tower::Service<http::Request<B>> for ApiServer<D>
where
    D: Door,
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let server = self.clone();
        Box::pin(async move { Ok(server.answer(request).await) })
    }
}

impl<D: Door> ApiServer<D> {
    async fn answer<B>(&self, request: http::Request<B>) -> http::Response<Body>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (parts, body) = request.into_parts();
        let Some(user) = self.user(&parts.headers) else {
            return written(Refusal::new(401, "Unauthorized", "Unauthorized").reply());
        };
        let Ok(body) = Limited::new(body, LARGEST_BODY).collect().await else {
            let message = format!("Request entity too large: limit is {LARGEST_BODY}");
            return written(Refusal::new(413, "RequestEntityTooLarge", message).reply());
        };
        let text =
            |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(str::to_owned);
        let request = Request {
            method: parts.method,
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            content_type: text(header::CONTENT_TYPE),
            accept: text(header::ACCEPT),
            body: body.to_bytes().to_vec(),
            user,
        };
        let changes = self.door.changes();
        match self.door.with_cluster(|cluster, now| cluster.handle(&request, now)) {
            Some(Reply::Watch(watch)) => self.streamed(watch, changes),
            Some(reply) => written(reply),
            None => {
                let message = "the server is currently unable to handle the request";
                written(Refusal::new(503, "ServiceUnavailable", message).reply())
            }
        }
    }

    /// Who sends these headers; without a token it is the anonymous user.
    fn user(&self, headers: &HeaderMap) -> Option<User> {
        let Some(sent) = headers.get(header::AUTHORIZATION) else {
            let groups = vec!["system:unauthenticated".to_owned()];
            return Some(User { name: "system:anonymous".to_owned(), groups });
        };
        let token = sent.to_str().ok()?.strip_prefix("Bearer ")?.trim();
        (self.authenticate)(token).ok()
    }

    fn streamed(&self, watch: Watch, changes: watch::Receiver<u64>) -> http::Response<Body> {
        let frames = frames(self.door.clone(), watch, changes);
        let mut response = http::Response::new(StreamBody::new(frames).boxed_unsync());
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

/// The lines of a watch as they come, until its end.
fn frames<D: Door>(
    door: D,
    watch: Watch,
    changes: watch::Receiver<u64>,
) -> impl Stream<Item = Result<Frame<Bytes>, Infallible>> + Send {
    stream::unfold(Some((door, watch, changes)), |state| async move {
        let (door, mut watch, mut changes) = state?;
        loop {
            changes.borrow_and_update();
            let batch = door.with_cluster(|cluster, now| cluster.events_after(&mut watch, now))?;
            if !batch.lines.is_empty() {
                let frame = Ok(Frame::data(Bytes::from(batch.lines)));
                return Some((frame, (!batch.ends).then_some((door, watch, changes))));
            }
            if batch.ends {
                return None;
            }
            let clock = door.clock();
            tokio::select! {
                // The sender is gone with the account: nothing will change any more.
                changed = changes.changed() => changed.ok()?,
                () = clock.sleep_until(batch.next) => {}
            }
        }
    })
}

/// An answer of the endpoint itself, before any request was served: a `Status` of this kind.
pub fn refused(status: u16, reason: &str, message: &str) -> http::Response<Body> {
    let body = serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": status,
    });
    written(Reply::Json { status, body, warnings: Vec::new() })
}

fn written(reply: Reply) -> http::Response<Body> {
    let (status, kind, body, warnings) = match reply {
        Reply::Json { status, body, warnings } => (status, "application/json", body.to_string(), warnings),
        Reply::Text { status, body } => (status, "text/plain; charset=utf-8", body, Vec::new()),
        Reply::Watch(_) => (500, "text/plain; charset=utf-8", String::new(), Vec::new()),
    };
    let mut response = http::Response::new(Full::new(Bytes::from(body)).boxed_unsync());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    for warning in warnings {
        let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{quoted}\"")) {
            response.headers_mut().append(header::WARNING, value);
        }
    }
    response
}
