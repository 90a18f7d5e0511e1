//! How a cluster's endpoint is reached: by a connector that is given, the same for a real cluster and a simulated one.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use kube::client::Body;
use std::{fmt, sync::Arc};
use tower::{BoxError, Service, ServiceExt, util::BoxService};

/// A cluster's endpoint, as `DescribeCluster` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// `https://…`, without a path.
    pub url: String,
    /// The cluster's certificate authority, as PEM.
    pub certificate_authority: String,
}

/// The body of an answer, whatever it came over.
pub type AnswerBody = UnsyncBoxBody<Bytes, BoxError>;

/// A connection, or something that acts like one: absolute URIs in, answers out.
pub type BoxedService = BoxService<Request<Body>, Response<AnswerBody>, BoxError>;

/// The endpoint could not be connected to. A connector reports a failed connection as this, so that it is told apart from
/// an answer that was lost after the request had left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{url} cannot be connected to: {why}")]
pub struct Unreachable {
    /// The endpoint.
    pub url: String,
    /// What the connector says.
    pub why: String,
}

/// Makes connections to endpoints.
#[derive(Clone)]
pub struct Reach(Arc<dyn Fn(&Endpoint) -> BoxedService + Send + Sync>);

impl Reach {
    /// Wraps a connector.
    pub fn new<C, S, B>(connect: C) -> Self
    where
        C: Fn(&Endpoint) -> S + Send + Sync + 'static,
        S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self(Arc::new(move |endpoint| {
            let service = connect(endpoint);
            let erased = service
                .map_response(|response: Response<B>| response.map(|body| body.map_err(Into::into).boxed_unsync()))
                .map_err(Into::into);
            BoxService::new(erased)
        }))
    }

    /// A connection to `endpoint`.
    pub fn connect(&self, endpoint: &Endpoint) -> BoxedService {
        (self.0)(endpoint)
    }
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reach")
    }
}
