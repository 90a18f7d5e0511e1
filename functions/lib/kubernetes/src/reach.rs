//! How a cluster's endpoint is reached: by a connector that is given, the same for a real cluster and a simulated one.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use domain::{codes::ErrorCode, failure::Failure};
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

impl Endpoint {
    /// The endpoint as EKS tells it: the certificate authority is PEM in base64.
    ///
    /// # Errors
    /// `dependency_not_ready`: the cluster has no endpoint yet, or its certificate authority cannot be read.
    pub fn of_eks(url: &str, certificate_authority: &str) -> Result<Self, Failure> {
        let not_ready = |what: &str| Failure::new(ErrorCode::DependencyNotReady, format!("the EKS cluster {what}"));
        if url.is_empty() {
            return Err(not_ready("has no Kubernetes endpoint yet"));
        }
        let pem = STANDARD.decode(certificate_authority).ok().and_then(|pem| String::from_utf8(pem).ok());
        let certificate_authority = pem.ok_or_else(|| not_ready("has a certificate authority that is not PEM"))?;
        Ok(Self { url: url.to_owned(), certificate_authority })
    }
}

/// A request to the API server.
pub type Call = Request<Body>;

/// The body of an answer, whatever it came over.
pub type AnswerBody = UnsyncBoxBody<Bytes, BoxError>;

/// A connection, or something that acts like one: absolute URIs in, answers out.
pub type BoxedService = BoxService<Call, Response<AnswerBody>, BoxError>;

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
        S: Service<Call, Response = Response<B>> + Send + 'static,
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
