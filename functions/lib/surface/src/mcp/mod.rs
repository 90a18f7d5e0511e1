//! MCP at `/mcp`: the transport's rules in [`transport`], the tools in [`server`].
//!
//! Stateless in both eras of the protocol: any instance serves any request, and a session id is neither issued nor needed.

#[cfg(feature = "conformance")]
mod conformance;
mod message;
mod server;
mod transport;

use crate::{door::FrontDoor, gate::Gate};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use server::Server;
use std::{convert::Infallible, sync::Arc};
use tower::{Service, service_fn, util::BoxCloneSyncService};

/// The service to be mounted at `/mcp`.
pub(crate) fn service<F: FrontDoor>(
    gate: &Arc<Gate<F>>,
) -> BoxCloneSyncService<axum::extract::Request, axum::response::Response, Infallible> {
    let server = Server::new(Arc::clone(gate));
    #[cfg(feature = "conformance")]
    let server = conformance::Conformance::new(server);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_sse_retry(None)
        .with_max_request_body_bytes(crate::BODY_LIMIT)
        // Host and Origin are checked for all surfaces alike before a request comes here.
        .disable_allowed_hosts();
    let inner =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::new(NeverSessionManager::default()), config);
    BoxCloneSyncService::new(service_fn(move |request| {
        let mut inner = inner.clone();
        async move {
            match transport::admit(request).await {
                Ok(request) => {
                    let answered = inner.call(request).await;
                    answered.map(|response| response.map(axum::body::Body::new))
                }
                Err(refusal) => Ok(*refusal),
            }
        }
    }))
}
