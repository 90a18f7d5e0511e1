//! The product's port: HTTP/1 with bounds on how large and how slow a request's head may be, and a problem for what is no
//! request at all, which the HTTP library would answer with a bare status.

use crate::wire::{Spoken, Wire};
use axum::{Router, body::Body, extract::Request};
use domain::ErrorCode;
use http::StatusCode;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{future::poll_fn, time::Duration};
use surface::{
    RequestIds,
    problem::{self, problem},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tower::{ServiceExt as _, service_fn};

/// How long a request's head may take.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How large a request's head may be, bytes.
const HEAD_SIZE: usize = 64 << 10;

/// How many fields it may have.
const HEAD_FIELDS: usize = 100;

/// For how long, and how many bytes, a connection is read that was answered for the last time.
const LINGER_TIME: Duration = Duration::from_secs(1);
const LINGER_SIZE: u64 = 4 << 20;

/// Serves `router` to everybody who connects, until the task is dropped. `ids` are for what never becomes a request.
pub(crate) async fn serve(listener: TcpListener, router: Router, ids: RequestIds) {
    loop {
        let stream = account::server::accepted(&listener).await;
        tokio::spawn(converse(stream, router.clone(), ids.clone()));
    }
}

/// One connection, as long as it lasts.
async fn converse(stream: TcpStream, router: Router, ids: RequestIds) {
    let (wire, spoken) = Wire::around(stream);
    let heard = spoken.clone();
    let refuse = ids.clone();
    let service = service_fn(move |request: Request<hyper::body::Incoming>| {
        let refused = framed_twice(&request, &heard).then(|| twice(&refuse.next()));
        let router = router.clone();
        Box::pin(async move {
            match refused {
                Some(refused) => Ok(problem::respond(&refused)),
                None => router.oneshot(request.map(Body::new)).await,
            }
        })
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_header_size(HEAD_SIZE)
        .max_headers(HEAD_FIELDS)
        .serve_connection(TokioIo::new(wire), TowerToHyperService::new(service));
    let ended = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    let refusal = ended.err().and_then(|error| refusal(&error, &spoken, &ids)).unwrap_or_default();
    // The other side may be gone at any of these.
    let _ = part(connection.into_parts().io.into_inner().into_inner(), &refusal).await;
}

/// Says `last` and closes. What still comes is read for a moment: a connection that is closed with something unread takes
/// back what was said last.
async fn part(mut stream: TcpStream, last: &[u8]) -> std::io::Result<()> {
    stream.write_all(last).await?;
    stream.shutdown().await?;
    let mut unread = stream.take(LINGER_SIZE);
    let mut nowhere = tokio::io::sink();
    let rest = tokio::io::copy(&mut unread, &mut nowhere);
    tokio::time::timeout(LINGER_TIME, rest).await.map_or(Ok(()), |read| read.map(drop))
}

/// Whether a request says in two ways how long it is: a proxy in between may read the one, and we the other (RFC 9112,
/// section 6.1).
fn framed_twice<B>(request: &Request<B>, spoken: &Spoken) -> bool {
    // Asked of every request, since it also notes that this one was looked at.
    let has_length = spoken.head_names("content-length");
    has_length && request.headers().contains_key(http::header::TRANSFER_ENCODING)
}

fn twice(id: &str) -> contract::problem::Problem {
    let text = "the request has both Content-Length and Transfer-Encoding: expected one of them";
    contract::problem::Problem { request_id: id.to_owned(), ..problem(ErrorCode::InvalidInput, text) }
}

/// What to say to someone whose bytes never became a request; nothing if nobody began one.
fn refusal(error: &hyper::Error, spoken: &Spoken, ids: &RequestIds) -> Option<Vec<u8>> {
    let (status, code, text) = if error.is_timeout() {
        if !spoken.has_begun() {
            return None;
        }
        let text = "the head of the request did not arrive in ten seconds";
        (StatusCode::REQUEST_TIMEOUT, ErrorCode::DeadlineExceeded, text)
    } else if error.is_parse_too_large() {
        let text = "the head of the request is larger than 64 KiB or has more than 100 fields";
        (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, ErrorCode::PayloadTooLarge, text)
    } else if error.is_parse() {
        (StatusCode::BAD_REQUEST, ErrorCode::InvalidInput, "this is not an HTTP/1.1 request")
    } else {
        return None;
    };
    let title = status.canonical_reason().unwrap_or_default();
    let id = ids.next();
    let made = contract::problem::Problem {
        status: status.as_u16(),
        title: title.to_owned(),
        request_id: id.clone(),
        ..problem(code, text)
    };
    let body = serde_json::to_string(&made).unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {} {title}\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\nx-request-id: {id}\r\n\
         cache-control: no-store\r\nconnection: close\r\n\r\n",
        status.as_u16(),
        body.len()
    );
    Some((head + &body).into_bytes())
}

#[cfg(test)]
mod tests;
