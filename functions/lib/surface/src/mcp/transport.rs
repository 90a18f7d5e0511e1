//! What a request must be before the protocol looks at it: a POST, of bounded size, whose sender takes JSON.

use super::message::{self, Malformed};
use crate::{body, door::Caller, headers::id_of, json, problem};
use axum::{
    body::Body,
    extract::Request,
    response::{IntoResponse, Response},
};
use contract::problem::Problem;
use domain::ErrorCode;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde_json::{Value, json};

/// What the protocol's own check wants to read.
const ACCEPTED: &str = "application/json, text/event-stream";

/// The header with the protocol's revision, and the first revision without a handshake.
const VERSION: &str = "mcp-protocol-version";
const STATELESS: &str = "2026-07-28";

/// JSON-RPC's codes for a body that is no JSON, for one that is no request, and for parameters that do not fit the method.
const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;
const INVALID_PARAMS: i64 = -32_602;

/// The request as the protocol wants it, or the refusal.
pub(super) async fn admit(request: Request) -> Result<Request, Box<Response>> {
    let request_id = id_of(request.extensions());
    let refuse = |problem: Problem| Box::new(problem::respond(&Problem { request_id: request_id.clone(), ..problem }));
    if request.extensions().get::<Caller>().is_none() {
        let text = "the request carries no valid credential";
        return Err(refuse(problem::problem(ErrorCode::Unauthenticated, text)));
    }
    if request.method() != Method::POST {
        return Err(Box::new(problem::method_not_allowed(request.method(), "POST", &request_id)));
    }
    if !takes_json(request.headers()) {
        let made = problem::problem(ErrorCode::InvalidInput, "answers are JSON, which the Accept header excludes");
        let status = StatusCode::NOT_ACCEPTABLE.as_u16();
        return Err(refuse(Problem { status, title: "Answers are JSON only".to_owned(), ..made }));
    }
    body::declared_json(request.headers()).map_err(refuse)?;
    let (mut parts, body) = request.into_parts();
    let bytes = body::bytes(&parts.headers, body).await.map_err(refuse)?;
    // A name given twice would silently win; malformed JSON is answered in the protocol's words here as well.
    let message = json::read(&bytes).map_err(|found| {
        let code = if found.iter().all(|one| one.pointer.is_empty()) { PARSE_ERROR } else { INVALID_REQUEST };
        let text: Vec<String> =
            found.iter().map(|one| format!("{} {}", one.pointer, one.detail).trim().to_owned()).collect();
        Box::new(rpc_error(StatusCode::BAD_REQUEST, &Value::Null, code, &text.join("; ")))
    })?;
    let malformed = |found: Malformed| rpc_error(StatusCode::BAD_REQUEST, &found.id, INVALID_REQUEST, found.why);
    message::check(&message).map_err(|found| Box::new(malformed(found)))?;
    let stateless = parts.headers.get(VERSION).is_some_and(|version| version == STATELESS);
    if let (Some(id), Some(why)) = (message.get("id"), message::unfit(&message, stateless)) {
        // Errors of a method come with status 200, as the library sends them.
        return Err(Box::new(rpc_error(StatusCode::OK, id, INVALID_PARAMS, &why)));
    }
    parts.headers.insert(header::ACCEPT, HeaderValue::from_static(ACCEPTED));
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// Whether the sender takes JSON: it says nothing, or names it or a range that holds it. A sender of event streams alone is
/// refused, since every answer here is JSON (field report BR-164).
fn takes_json(headers: &HeaderMap) -> bool {
    let mut entries = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|entry| entry.trim().to_ascii_lowercase())
        .filter(|entry| !entry.is_empty())
        .peekable();
    if entries.peek().is_none() {
        return true;
    }
    entries.any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let range = parts.next().unwrap_or_default();
        let excluded = parts.any(|part| part.strip_prefix("q=").is_some_and(|weight| weight.parse() == Ok(0.0_f32)));
        !excluded && matches!(range, "*/*" | "application/*" | "application/json")
    })
}

fn rpc_error(status: StatusCode, id: &Value, code: i64, message: &str) -> Response {
    let body = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn br_164_only_a_sender_that_excludes_json_is_refused() {
        let takes = |accept: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_str(accept).unwrap());
            takes_json(&headers)
        };
        assert!(takes_json(&HeaderMap::new()));
        for accept in ["*/*", "application/json", "Application/JSON; q=0.5", "text/event-stream, application/json", ""]
        {
            assert!(takes(accept), "{accept}");
        }
        for accept in ["text/event-stream", "text/html", "application/json;q=0, text/html"] {
            assert!(!takes(accept), "{accept}");
        }
    }
}
