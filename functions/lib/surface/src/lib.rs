//! How the outside reaches the product: REST under `/v1`, MCP at `/mcp`, the OpenAPI document and the console's files.
//!
//! Everything is built from the descriptors of `contract`; what an operation or query does is behind [`FrontDoor`] and
//! not known here. The same router serves in Lambda and on a local port.

pub mod assets;
pub mod door;
pub mod openapi;
pub mod problem;
pub mod tools;
pub mod trust;

mod body;
mod check;
mod gate;
mod headers;
mod input;
mod json;
mod mcp;
mod rest;
mod waits;

pub use door::{Caller, FrontDoor, Principal, Request};
pub use headers::RequestIds;

use assets::Assets;
use axum::{
    Router,
    extract::State,
    http::header,
    middleware,
    response::{IntoResponse, Response},
    routing::get,
};
use gate::Gate;
use std::sync::Arc;
use trust::LocalTrust;

/// Longest request body, bytes.
pub const BODY_LIMIT: usize = 1 << 20;

/// How a router is set up.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the console's files are; none if it is not built.
    pub assets: Option<std::path::PathBuf>,
    /// Makes ids for requests that come without one.
    pub request_ids: RequestIds,
    /// Who is let in on a local port. None when an authorizer stands in front and has put a [`Caller`] into each
    /// request's extensions; a request without one is refused.
    pub trust: Option<LocalTrust>,
}

/// The router of all surfaces.
pub fn router<F: FrontDoor>(door: F, settings: Settings) -> Router {
    let gate = Arc::new(Gate::new(door));
    let mut router = rest::routes(&gate)
        .route_service("/mcp", mcp::service(&gate))
        .route("/openapi.json", get(document).with_state(Arc::new(openapi::text())))
        .fallback_service(Assets::new(settings.assets).into_service());
    if let Some(trust) = settings.trust {
        router = router.layer(middleware::from_fn_with_state(Arc::new(trust), trust::guard));
    }
    router.layer(middleware::from_fn_with_state(settings.request_ids, headers::frame))
}

async fn document(State(text): State<Arc<String>>) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-cache")];
    (headers, text.as_str().to_owned()).into_response()
}

#[cfg(test)]
mod tests;
