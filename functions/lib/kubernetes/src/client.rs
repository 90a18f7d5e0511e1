//! The client, its time-outs, and the translation of what goes wrong.

use crate::{
    errors::{self, Asked},
    identity::{Authenticated, Identity},
    reach::{Endpoint, Reach},
    refusal,
};
use domain::failure::Trouble;
use kube::{
    Api, Client,
    api::{ListParams, ObjectList},
};
use serde::de::DeserializeOwned;
use std::{fmt::Debug, future::Future, time::Duration};

/// A read that takes longer is asked again by the next tick.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// A change that takes longer is uncertain.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(15);

/// Objects in one page of a list.
const PAGE: u32 = 500;

/// One cluster's Kubernetes API, as one identity.
#[derive(Clone)]
pub struct Kubernetes {
    pub(crate) client: Client,
    identity: Identity,
}

impl std::fmt::Debug for Kubernetes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kubernetes").field("cluster", &self.identity.cluster).finish_non_exhaustive()
    }
}

impl Kubernetes {
    /// A client for the cluster at `endpoint`; nothing is sent yet. Must be called within a tokio runtime.
    pub fn new(reach: &Reach, endpoint: &Endpoint, identity: Identity) -> Self {
        let base: Option<http::Uri> = endpoint.url.parse().ok();
        let connection = Authenticated::new(reach.connect(endpoint), identity.clone());
        let absolute = tower::ServiceBuilder::new()
            .map_request(move |request: http::Request<kube::client::Body>| at(base.as_ref(), request))
            .and_then(refusal::refusing)
            .service(connection);
        Self { client: Client::new(absolute, "default"), identity }
    }

    /// A read: lost answers and failures of the server are waits.
    ///
    /// # Errors
    /// What the answer means, translated.
    pub(crate) async fn read<T>(
        &self,
        operation: &str,
        call: impl Future<Output = kube::Result<T>>,
    ) -> Result<T, Trouble> {
        self.within(READ_TIMEOUT, self.asked(operation, false), call).await
    }

    /// A change: lost answers and failures of the server leave it uncertain.
    pub(crate) async fn change<T>(
        &self,
        operation: &str,
        call: impl Future<Output = kube::Result<T>>,
    ) -> Result<T, Trouble> {
        self.within(CHANGE_TIMEOUT, self.asked(operation, true), call).await
    }

    /// A read of something that may not exist.
    pub(crate) async fn maybe<T>(
        &self,
        operation: &str,
        call: impl Future<Output = kube::Result<T>>,
    ) -> Result<Option<T>, Trouble> {
        let found = async {
            match call.await {
                Ok(found) => Ok(Some(found)),
                Err(error) if refusal::is_absence(&error) => Ok(None),
                Err(error) => Err(error),
            }
        };
        self.read(operation, found).await
    }

    /// Every object of a kind that fits, page after page.
    pub(crate) async fn all<K>(&self, operation: &str, api: &Api<K>, fits: &ListParams) -> Result<Vec<K>, Trouble>
    where
        K: Clone + DeserializeOwned + Debug,
    {
        let mut found = Vec::new();
        let mut page = fits.clone().limit(PAGE);
        loop {
            let list: ObjectList<K> = self.read(operation, api.list(&page)).await?;
            found.extend(list.items);
            match list.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => page = fits.clone().limit(PAGE).continue_token(&token),
                None => return Ok(found),
            }
        }
    }

    fn asked<'a>(&self, operation: &'a str, changes: bool) -> Asked<'a> {
        Asked { operation, changes, young: self.identity.is_young() }
    }

    async fn within<T>(
        &self,
        limit: Duration,
        asked: Asked<'_>,
        call: impl Future<Output = kube::Result<T>>,
    ) -> Result<T, Trouble> {
        match tokio::time::timeout(limit, call).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(errors::translate(asked, &error)),
            Err(_) => Err(errors::timed_out(asked)),
        }
    }
}

/// The request with the endpoint's scheme and host; kube gives path and query alone.
fn at(base: Option<&http::Uri>, mut request: http::Request<kube::client::Body>) -> http::Request<kube::client::Body> {
    let absolute = base.and_then(|base| {
        let mut parts = request.uri().clone().into_parts();
        parts.scheme = base.scheme().cloned();
        parts.authority = base.authority().cloned();
        http::Uri::from_parts(parts).ok()
    });
    if let Some(uri) = absolute {
        *request.uri_mut() = uri;
    }
    request
}
