//! A request's body, read within its bound.

use crate::{BODY_LIMIT, json, problem};
use axum::body::Body;
use bytes::Bytes;
use contract::problem::Problem;
use domain::ErrorCode;
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::{Map, Value};
use std::time::Duration;

/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The body's bytes.
///
/// # Errors
/// `payload_too_large`; `invalid_input` if the connection broke; status 408 if it took too long.
pub(crate) async fn bytes(headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
    let too_large = || {
        let text = format!("the body is larger than {BODY_LIMIT} bytes");
        problem::problem(ErrorCode::PayloadTooLarge, text)
    };
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > BODY_LIMIT) {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_TIME, Limited::new(body, BODY_LIMIT).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(problem::problem(ErrorCode::InvalidInput, "the body ended before it was complete")),
        Err(_) => Err(too_slow()),
    }
}

fn too_slow() -> Problem {
    let text = format!("the body did not arrive in {} seconds", BODY_TIME.as_secs());
    let status = StatusCode::REQUEST_TIMEOUT.as_u16();
    let title = "The request took too long".to_owned();
    Problem { status, title, ..problem::problem(ErrorCode::DeadlineExceeded, text) }
}

/// The body as a JSON value; no body is an empty object.
///
/// # Errors
/// `unsupported_media_type`, `payload_too_large`, or `invalid_input` with the place.
pub(crate) async fn json(headers: &HeaderMap, body: Body) -> Result<Value, Problem> {
    let bytes = bytes(headers, body).await?;
    if bytes.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    declared_json(headers)?;
    json::read(&bytes).map_err(problem::of_fields)
}

/// Whether the headers say that the body is JSON as it is.
///
/// # Errors
/// `unsupported_media_type`.
pub(crate) fn declared_json(headers: &HeaderMap) -> Result<(), Problem> {
    let mut kinds = headers.get_all(header::CONTENT_TYPE).iter();
    let kind = kinds.next().and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let plain = headers.get_all(header::CONTENT_ENCODING).iter().all(|encoding| encoding == "identity");
    if is_json(kind) && kinds.next().is_none() && plain {
        return Ok(());
    }
    let text = "the body's type is not application/json in UTF-8, or it is encoded";
    let action = "Send Content-Type: application/json and no Content-Encoding.".to_owned();
    Err(Problem { action, ..problem::problem(ErrorCode::UnsupportedMediaType, text) })
}

/// JSON between systems is UTF-8 (RFC 8259, section 8.1); the type has no parameter, but `charset` is often sent.
fn is_json(kind: &str) -> bool {
    let mut parts = kind.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    essence.eq_ignore_ascii_case("application/json")
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, set)) if name.trim().eq_ignore_ascii_case("charset") => {
                set.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        })
}
