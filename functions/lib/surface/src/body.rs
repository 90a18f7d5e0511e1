//! A request's body, read within its bound.

use crate::{BODY_LIMIT, json, problem};
use axum::body::Body;
use bytes::Bytes;
use contract::problem::Problem;
use domain::ErrorCode;
use http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::{Map, Value};

/// The body's bytes.
///
/// # Errors
/// `payload_too_large`; `invalid_input` if the connection broke.
pub(crate) async fn bytes(headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
    let too_large = || {
        let text = format!("the body is larger than {BODY_LIMIT} bytes");
        problem::problem(ErrorCode::PayloadTooLarge, text)
    };
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > BODY_LIMIT) {
        return Err(too_large());
    }
    match Limited::new(body, BODY_LIMIT).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(_) => Err(problem::problem(ErrorCode::InvalidInput, "the body ended before it was complete")),
    }
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
    if !is_json(headers) {
        let text = "the body's type is not application/json, or it is encoded";
        let action = "Send Content-Type: application/json and no Content-Encoding.".to_owned();
        return Err(Problem { action, ..problem::problem(ErrorCode::UnsupportedMediaType, text) });
    }
    json::read(&bytes).map_err(problem::of_fields)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    let plain = headers.get(header::CONTENT_ENCODING).is_none_or(|encoding| encoding == "identity");
    essence.eq_ignore_ascii_case("application/json") && plain
}
