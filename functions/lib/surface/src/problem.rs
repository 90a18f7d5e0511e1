//! Problems (RFC 9457): how they are made, and the HTTP status of each error code.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use contract::{
    Scope,
    problem::{Problem, ProblemField},
};
use domain::{ErrorCode, FieldError, failure::Failure, ids::OperationId};

/// The HTTP status of a code; the only place where it is decided.
pub const fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidInput => StatusCode::BAD_REQUEST,
        ErrorCode::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorCode::PermissionDenied | ErrorCode::MissingScope | ErrorCode::ApprovalRequired => StatusCode::FORBIDDEN,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::QuotaExceeded
        | ErrorCode::CapacityUnavailable
        | ErrorCode::SubnetCapacity
        | ErrorCode::NetworkUnreachable
        | ErrorCode::DependencyMissing
        | ErrorCode::DependencyNotReady
        | ErrorCode::Conflict
        | ErrorCode::OperationInProgress => StatusCode::CONFLICT,
        ErrorCode::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        ErrorCode::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorCode::IdempotencyMismatch => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorCode::PreconditionRequired => StatusCode::PRECONDITION_REQUIRED,
        ErrorCode::Throttled => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorCode::UpstreamUnavailable | ErrorCode::DeadlineExceeded => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Seconds after which a problem that goes away by itself is worth another try.
const RETRY_AFTER_SECONDS: &str = "5";

/// A problem of `code`. What the request's id is, is filled in by the surface.
pub fn problem(code: ErrorCode, detail: impl Into<String>) -> Problem {
    Problem {
        kind: format!("about:blank#{code}"),
        title: title(code).to_owned(),
        status: status(code).as_u16(),
        detail: detail.into(),
        code,
        request_id: String::new(),
        action: String::new(),
        errors: Vec::new(),
        operation_id: None,
        required_scope: Vec::new(),
        upstream_code: None,
        upstream_request_id: None,
    }
}

/// The problem that a failure is.
pub fn of_failure(failure: Failure) -> Problem {
    let (upstream_code, upstream_request_id) = match failure.upstream {
        Some(upstream) => (Some(upstream.code), upstream.request_id),
        None => (None, None),
    };
    let made = problem(failure.code, failure.message);
    Problem { action: failure.action, upstream_code, upstream_request_id, ..made }
}

/// The problem of an input that is not right, with all its fields.
pub fn of_fields(found: Vec<FieldError>) -> Problem {
    let detail = match found.as_slice() {
        [] => "the input is not right".to_owned(),
        [one] if one.pointer.is_empty() => one.detail.clone(),
        [one] => format!("{}: {}", one.pointer, one.detail),
        many => format!("{} fields are not right; the first is {}: {}", many.len(), many[0].pointer, many[0].detail),
    };
    let errors = found.into_iter().map(|one| ProblemField { pointer: one.pointer, detail: one.detail }).collect();
    let action = "Correct the fields named in errors and send the request again.".to_owned();
    Problem { errors, action, ..problem(ErrorCode::InvalidInput, detail) }
}

/// The problem of a caller who is not allowed to.
pub fn missing_scope(needed: Scope) -> Problem {
    let name = scope_name(needed);
    let action = match needed {
        Scope::Approve => "Ask a person to approve it in the console.".to_owned(),
        Scope::Read | Scope::Logs | Scope::Operate | Scope::Admin => {
            format!("Use a credential that holds the scope {name}.")
        }
    };
    let made = problem(ErrorCode::MissingScope, format!("this needs the scope {name}, which the credential lacks"));
    Problem { action, required_scope: vec![name.to_owned()], ..made }
}

/// The same problem, naming the operation in the way.
pub fn with_operation(problem: Problem, operation_id: Option<OperationId>) -> Problem {
    Problem { operation_id, ..problem }
}

/// The public spelling of a scope.
pub const fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "read",
        Scope::Logs => "logs",
        Scope::Operate => "operate",
        Scope::Admin => "admin",
        Scope::Approve => "approve",
    }
}

/// A problem as an HTTP answer.
pub fn respond(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = serde_json::to_vec(problem).unwrap_or_default();
    let mut response = (status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    match problem.code {
        ErrorCode::Unauthenticated => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        ErrorCode::MissingScope => {
            let challenge =
                format!("Bearer error=\"insufficient_scope\", scope=\"{}\"", problem.required_scope.join(" "));
            if let Ok(challenge) = HeaderValue::from_str(&challenge) {
                headers.insert(header::WWW_AUTHENTICATE, challenge);
            }
        }
        ErrorCode::Throttled
        | ErrorCode::UpstreamUnavailable
        | ErrorCode::DependencyNotReady
        | ErrorCode::DeadlineExceeded => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_SECONDS));
        }
        _ => {}
    }
    response
}

/// The same, of a method that the route does not have.
pub(crate) fn method_not_allowed(method: &http::Method, allowed: &str, request_id: &str) -> Response {
    let made = problem(ErrorCode::InvalidInput, format!("{method} is not possible here: expected {allowed}"));
    let status = StatusCode::METHOD_NOT_ALLOWED.as_u16();
    let title = "The route does not have this method".to_owned();
    let mut response = respond(&Problem { status, title, request_id: request_id.to_owned(), ..made });
    if let Ok(allowed) = HeaderValue::from_str(allowed) {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}

const fn title(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InvalidInput => "The request is not right",
        ErrorCode::QuotaExceeded => "A service quota is too small",
        ErrorCode::PermissionDenied => "Access was denied",
        ErrorCode::CapacityUnavailable => "There is no capacity",
        ErrorCode::SubnetCapacity => "There are too few addresses",
        ErrorCode::NetworkUnreachable => "An endpoint cannot be reached",
        ErrorCode::DependencyMissing => "Something needed does not exist",
        ErrorCode::DependencyNotReady => "Something needed is not ready",
        ErrorCode::Conflict => "This contradicts what exists",
        ErrorCode::OperationInProgress => "Another operation is in progress",
        ErrorCode::NotFound => "There is no such thing",
        ErrorCode::IdempotencyMismatch => "The idempotency key belongs to another request",
        ErrorCode::PreconditionRequired => "A precondition is required",
        ErrorCode::PreconditionFailed => "It has changed since it was read",
        ErrorCode::Unauthenticated => "Who asks is not known",
        ErrorCode::MissingScope => "The credential lacks a scope",
        ErrorCode::ApprovalRequired => "A person must approve this",
        ErrorCode::PayloadTooLarge => "The request is too large",
        ErrorCode::UnsupportedMediaType => "The body is not JSON",
        ErrorCode::UpstreamUnavailable => "A service does not answer",
        ErrorCode::Throttled => "Too many requests",
        ErrorCode::DeadlineExceeded => "It took too long",
        ErrorCode::Internal => "The control plane has a fault",
    }
}
