//! What every answer carries, whoever made it: the request's id and the security headers.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderName, HeaderValue, header};
use std::{fmt, sync::Arc};

/// Header with a request's id, both ways.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id that a caller may choose.
const ID_LENGTH: usize = 64;

/// Makes request ids.
#[derive(Clone)]
pub struct RequestIds(Arc<dyn Fn() -> String + Send + Sync>);

impl RequestIds {
    /// From a source of ids of up to 64 letters, digits and hyphens.
    pub fn new(source: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// One that was not given before, as far as the source goes.
    pub fn next(&self) -> String {
        (self.0)()
    }
}

impl fmt::Debug for RequestIds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RequestIds")
    }
}

/// The id of a request, an extension of it.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(pub(crate) String);

/// The id of a request that passed [`frame`].
pub(crate) fn id_of(extensions: &http::Extensions) -> String {
    extensions.get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default()
}

/// Gives the request an id, and the answer its headers.
pub(crate) async fn frame(State(ids): State<RequestIds>, mut request: Request, next: Next) -> Response {
    let legal = |id: &&str| {
        (1..=ID_LENGTH).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let given = request.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(legal).map(str::to_owned);
    let id = given.unwrap_or_else(|| ids.next());
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    for (name, value) in SECURITY {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// For answers that are no pages; the console's pages bring a policy of their own.
const SECURITY: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];
