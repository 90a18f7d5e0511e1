//! REST: a route for each path of the list, and how answers are written.

use crate::{
    body,
    check::Schema,
    door::{Caller, FrontDoor, Request},
    gate::Gate,
    headers::id_of,
    input::{self, Parts},
    problem,
};
use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, Request as HttpRequest},
    response::{IntoResponse, Response},
    routing::any,
};
use contract::{ALL, Descriptor, Kind, Method, problem::Problem};
use domain::{ErrorCode, FieldError};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, sync::Arc};

/// Header with the caller's idempotency key.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Longest idempotency key.
pub(crate) const KEY_LENGTH: usize = 255;

struct Entry {
    descriptor: &'static Descriptor,
    schema: Schema,
}

struct Route<F> {
    gate: Arc<Gate<F>>,
    entries: Vec<Entry>,
}

/// A route for each path.
pub(crate) fn routes<F: FrontDoor>(gate: &Arc<Gate<F>>) -> Router {
    let mut by_path: BTreeMap<&str, Vec<Entry>> = BTreeMap::new();
    for descriptor in ALL.iter().filter(|descriptor| descriptor.validates.is_none()) {
        let schema = Schema::new(descriptor.input_schema());
        by_path.entry(descriptor.path).or_default().push(Entry { descriptor, schema });
    }
    let mut router = Router::new();
    for (path, entries) in by_path {
        let route = Arc::new(Route { gate: Arc::clone(gate), entries });
        let serve = move |params: Result<RawPathParams, _>, request: HttpRequest| {
            let route = Arc::clone(&route);
            async move { route.serve(params.ok(), request).await }
        };
        router = router.route(path, any(serve));
    }
    router
}

impl<F: FrontDoor> Route<F> {
    async fn serve(&self, params: Option<RawPathParams>, request: HttpRequest) -> Response {
        let request_id = id_of(request.extensions());
        let wanted = match *request.method() {
            http::Method::GET | http::Method::HEAD => Some(Method::Get),
            http::Method::POST => Some(Method::Post),
            _ => None,
        };
        let Some(entry) = self.entries.iter().find(|entry| Some(entry.descriptor.method) == wanted) else {
            return problem::method_not_allowed(request.method(), &self.allowed(), &request_id);
        };
        let if_none_match = request.headers().get(header::IF_NONE_MATCH).cloned();
        match self.call(entry, params, request).await {
            Ok((Answer::Shown, value)) => shown(&value, if_none_match.as_ref()),
            Ok((Answer::Accepted, value)) => accepted(&value),
            Err(problem) => problem::respond(&Problem { request_id, ..problem }),
        }
    }

    fn allowed(&self) -> String {
        let words = self.entries.iter().map(|entry| match entry.descriptor.method {
            Method::Get => "GET, HEAD",
            Method::Post => "POST",
        });
        words.collect::<Vec<_>>().join(", ")
    }

    async fn call(
        &self,
        entry: &Entry,
        params: Option<RawPathParams>,
        request: HttpRequest,
    ) -> Result<(Answer, Value), Problem> {
        let (parts, body) = request.into_parts();
        let Some(caller) = parts.extensions.get::<Caller>().cloned() else {
            return Err(problem::problem(ErrorCode::Unauthenticated, "the request carries no valid credential"));
        };
        let descriptor = entry.descriptor;
        if !caller.scopes.contains(&descriptor.scope) {
            return Err(problem::missing_scope(descriptor.scope));
        }
        let body = match descriptor.method {
            Method::Get => Value::Object(serde_json::Map::new()),
            Method::Post => body::json(&parts.headers, body).await?,
        };
        let path = path_fields(params)?;
        let query = parts.uri.query().unwrap_or_default();
        let (key, key_found) = idempotency_key(descriptor, &parts.headers);
        let (generation, generation_found) = expected_generation(&parts.headers);
        let mut found: Vec<FieldError> = key_found.into_iter().chain(generation_found).collect();
        let keyless = key.is_none() && !parts.headers.contains_key(IDEMPOTENCY_KEY);
        let assembled = input::assemble(descriptor, &entry.schema, Parts { path: &path, query, body });
        let input = match assembled {
            // Showing a plan needs no key; what is given must be right all the same.
            Ok(input) if found.is_empty() || (input.validate_only && keyless && found.len() == 1) => input,
            Ok(_) => return Err(problem::of_fields(found)),
            Err(more) => {
                found.extend(more);
                return Err(problem::of_fields(found));
            }
        };
        let request = Request {
            principal: caller.principal,
            scopes: caller.scopes,
            request_id: id_of(&parts.extensions),
            idempotency_key: key,
            expected_generation: generation,
            validate_only: input.validate_only,
        };
        let plans = input.validate_only;
        let described = if plans { planned_by(descriptor) } else { descriptor };
        let answer = if plans || descriptor.kind == Kind::Query { Answer::Shown } else { Answer::Accepted };
        Ok((answer, self.gate.call(described, input.value, request).await?))
    }
}

enum Answer {
    Shown,
    Accepted,
}

/// The query that shows what `operation` would do, if it has one of its own.
fn planned_by(operation: &'static Descriptor) -> &'static Descriptor {
    ALL.iter().find(|descriptor| descriptor.validates == Some(operation.name)).unwrap_or(operation)
}

fn path_fields(params: Option<RawPathParams>) -> Result<Vec<(String, String)>, Problem> {
    let malformed = || problem::problem(ErrorCode::InvalidInput, "the path is not UTF-8");
    let params = params.ok_or_else(malformed)?;
    Ok(params.iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect())
}

fn idempotency_key(descriptor: &Descriptor, headers: &HeaderMap) -> (Option<String>, Option<FieldError>) {
    const POINTER: &str = "#/headers/Idempotency-Key";
    if descriptor.kind == Kind::Query {
        return (None, None);
    }
    let Some(key) = headers.get(IDEMPOTENCY_KEY) else {
        let detail = "missing: every request that changes something carries a key of its own, such as a UUID";
        return (None, Some(FieldError::new(POINTER, detail)));
    };
    if headers.get_all(IDEMPOTENCY_KEY).iter().count() > 1 {
        return (None, Some(FieldError::new(POINTER, "given more than once: expected one key")));
    }
    match key.to_str().ok().filter(|key| is_key(key)) {
        Some(key) => (Some(key.to_owned()), None),
        None => {
            let detail = format!("expected 1 to {KEY_LENGTH} visible ASCII characters");
            (None, Some(FieldError::new(POINTER, detail)))
        }
    }
}

/// Whether `text` can be an idempotency key.
pub(crate) fn is_key(text: &str) -> bool {
    (1..=KEY_LENGTH).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn expected_generation(headers: &HeaderMap) -> (Option<u64>, Option<FieldError>) {
    let Some(given) = headers.get(header::IF_MATCH) else { return (None, None) };
    let alone = headers.get_all(header::IF_MATCH).iter().count() == 1;
    let text = given.to_str().ok().filter(|_| alone).unwrap_or_default();
    // An entity tag stands in quotes; a bare number is meant the same.
    let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let generation = bare.parse().ok();
    let detail = || {
        FieldError::new("#/headers/If-Match", "expected the cluster's generation, once and in quotes, such as \"3\"")
    };
    (generation, generation.is_none().then(detail))
}

/// 200 with a strong tag, or 304 if the caller has it.
fn shown(value: &Value, if_none_match: Option<&HeaderValue>) -> Response {
    let body = serde_json::to_vec(value).unwrap_or_default();
    let tag = format!("\"{}\"", hex::encode(&Sha256::digest(&body)[..16]));
    let known = if_none_match.and_then(|tags| tags.to_str().ok()).is_some_and(|tags| {
        tags.split(',').map(str::trim).any(|known| known == "*" || known.trim_start_matches("W/") == tag)
    });
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, "application/json")], Body::from(body)).into_response()
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// 202 with where to look and when.
fn accepted(value: &Value) -> Response {
    let body = serde_json::to_vec(value).unwrap_or_default();
    let mut response = (StatusCode::ACCEPTED, [(header::CONTENT_TYPE, "application/json")], body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let id = value.get("operationId").and_then(Value::as_str).unwrap_or_default();
    if let Ok(location) = HeaderValue::from_str(&format!("/v1/operations/{id}")) {
        headers.insert(header::LOCATION, location);
    }
    let seconds = value.get("retryAfterSeconds").and_then(Value::as_u64).unwrap_or(1);
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}
