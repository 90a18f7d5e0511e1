//! Who asks: adds the bearer token to every request, and makes a new one when the old one ages.

use crate::{reach::BoxedService, token::Token};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_async::time::SharedTimeSource;
use domain::spreading::may_spread;
use futures::future::BoxFuture;
use http::{Request, Response, header::AUTHORIZATION};
use jiff::Timestamp;
use kube::client::Body;
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tokio::sync::Mutex;
use tower::{BoxError, Service, ServiceExt};

/// The AWS identity that asks, and the clock that dates its signatures.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The EKS cluster's name: a token is good for one cluster.
    pub cluster: String,
    /// The cluster's Region.
    pub region: String,
    /// The identity that has an access entry in the cluster.
    pub credentials: SharedCredentialsProvider,
    /// The same clock as everything else's.
    pub time: SharedTimeSource,
    /// When the access entry was made or last changed, if that is known: a refusal within the three minutes after is a
    /// wait and no verdict.
    pub access_since: Option<Timestamp>,
}

impl Identity {
    /// The time now.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::try_from(self.time.now()).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// Whether the access entry may not have spread yet.
    pub(crate) fn is_young(&self) -> bool {
        may_spread(self.access_since, self.now())
    }
}

/// A connection whose requests carry the identity's token.
pub(crate) struct Authenticated {
    service: Arc<Mutex<BoxedService>>,
    token: Arc<Mutex<Option<Token>>>,
    identity: Identity,
}

impl Authenticated {
    pub(crate) fn new(service: BoxedService, identity: Identity) -> Self {
        Self { service: Arc::new(Mutex::new(service)), token: Arc::default(), identity }
    }
}

impl Service<Request<Body>> for Authenticated {
    type Response = Response<crate::reach::AnswerBody>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let (service, token, identity) = (self.service.clone(), self.token.clone(), self.identity.clone());
        Box::pin(async move {
            let header = {
                let mut kept = token.lock().await;
                match kept.as_ref().filter(|token| token.is_good(identity.now())) {
                    Some(token) => token.header.clone(),
                    None => kept.insert(Token::sign(&identity).await?).header.clone(),
                }
            };
            request.headers_mut().insert(AUTHORIZATION, header);
            // The lock is held until the request is on its way, not until its answer.
            let answer = service.lock().await.ready().await?.call(request);
            answer.await
        })
    }
}
