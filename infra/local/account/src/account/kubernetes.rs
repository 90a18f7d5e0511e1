//! The clusters' Kubernetes endpoints: which cluster a request is for, who asks, and the same faults and call log as the
//! rest of the account. In process it is one service for all clusters; over TCP each has a listener of its own.

use super::{
    Account,
    door::{AnswerLost, delivered, record, request_id, strike},
};
use crate::{
    call::{Call, Caller},
    clock::Clock,
    eks,
    faults::{self, Effect},
    hyperpod_nodes,
    invocation::Invocation,
    kubernetes::{
        Cluster, User,
        server::{self, Authority, Body, Door},
    },
};
use futures::future::BoxFuture;
use http::{
    HeaderName, HeaderValue, Request, Response,
    header::{AUTHORIZATION, HOST},
};
use jiff::Timestamp;
use serde_json::json;
use std::{
    collections::BTreeMap,
    task::{Context, Poll},
};
use tokio::{sync::watch, task::JoinSet};
use tower::Service;

/// Names a request in the cluster's audit log. A client's own is kept, else the server makes one; every answer tells it
/// (`WithAuditInit` of apiserver).
const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");

/// Why a request had no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// No cluster of the account has this endpoint.
    #[error("no cluster has the endpoint {0}")]
    NoSuchHost(String),
    /// The request was served, its answer is lost.
    #[error("the answer was lost")]
    Lost,
}

/// The Kubernetes endpoints of an account as a `tower` service for clients in the same process, such as
/// `kube::client::ClientBuilder`.
///
/// A request goes to the cluster whose endpoint (`DescribeCluster`) is its URI's host. Where an endpoint cannot be
/// reached, it never answers, as a connection into a closed network would not.
#[derive(Debug, Clone)]
pub struct KubernetesService {
    account: Account,
    /// The one cluster that it serves; none: found by host.
    cluster: Option<String>,
}

/// The endpoints of all clusters of `account`.
pub fn kubernetes_service(account: &Account) -> KubernetesService {
    KubernetesService { account: account.clone(), cluster: None }
}

impl<B> Service<Request<B>> for KubernetesService
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Unanswered;
    type Future = BoxFuture<'static, Result<Response<Body>, Unanswered>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Unanswered>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { service.answer(request).await })
    }
}

impl KubernetesService {
    async fn answer<B>(self, request: Request<B>) -> Result<Response<Body>, Unanswered>
    where
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let account = &self.account;
        let Some(arn) = self.cluster.clone().or_else(|| find(account, &request)) else {
            return Err(Unanswered::NoSuchHost(host(&request).unwrap_or_default()));
        };
        if !account.read(|world| eks::reachable(world, &arn)) {
            return std::future::pending().await;
        }
        let (method, uri) = (request.method(), request.uri());
        let query = uri.query().unwrap_or_default();
        let mutating = server::mutates(method, uri.path(), query);
        let token = bearer_token(&request);
        let now = account.now();
        let caller = token.and_then(|token| account.read(|world| eks::bearer(world, &arn, token, now)));
        let mut call = Call {
            service: "kubernetes",
            action: server::action(method, uri.path(), query),
            region: arn.split(':').nth(3).unwrap_or_default().to_owned(),
            caller: caller.unwrap_or_else(anonymous),
            input: json!({}),
            now,
            request_id: audit_id(account, &request),
        };
        let function = Invocation::current().map(|invocation| invocation.function);
        let effects = account.with_lock(|world| faults::meet(world, &call, mutating, function.as_deref()));
        strike(account, &effects, &mut call).await;
        let mut response = match effects.iter().find_map(refusal) {
            Some(refused) => refused,
            None => served(account, &arn, request).await,
        };
        if let Ok(id) = HeaderValue::from_str(&call.request_id) {
            response.headers_mut().insert(AUDIT_ID, id);
        }
        account.with_lock(|world| world.calls.add(record(&call, mutating, outcome(&response))));
        let response = delivered(response, &effects).await;
        if response.extensions().get::<AnswerLost>().is_some() { Err(Unanswered::Lost) } else { Ok(response) }
    }
}

/// The cluster's own answer.
async fn served<B>(account: &Account, arn: &str, request: Request<B>) -> Response<Body>
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let door = ClusterDoor { account: account.clone(), arn: arn.to_owned() };
    let authenticating = door.clone();
    let mut cluster = server::in_process(door, move |token: &str| authenticating.user(token).ok_or(()));
    match cluster.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// The way to one cluster of the account.
#[derive(Clone)]
struct ClusterDoor {
    account: Account,
    arn: String,
}

impl ClusterDoor {
    fn user(&self, token: &str) -> Option<User> {
        let now = self.account.now();
        self.account.with_lock(|world| eks::authenticate(world, &self.arn, token, now))
    }
}

impl Door for ClusterDoor {
    fn with_cluster<R>(&self, act: impl FnOnce(&mut Cluster, Timestamp) -> R) -> Option<R> {
        let now = self.account.now();
        let (result, changed) = self.account.with_lock(|world| {
            let cluster = world.kubernetes.get_mut(&self.arn)?;
            let before = cluster.revision();
            let result = act(cluster, now);
            let changed = cluster.revision() != before;
            if changed {
                hyperpod_nodes::reconcile(world, now);
            }
            Some((result, changed))
        })?;
        if changed {
            self.account.inner.changed();
        }
        Some(result)
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.account.changes()
    }

    fn clock(&self) -> Clock {
        self.account.clock()
    }
}

/// The cluster whose endpoint a request was sent to.
fn find<B>(account: &Account, request: &Request<B>) -> Option<String> {
    let host = host(request)?;
    account.read(|world| eks::cluster_at(world, &host).map(|cluster| cluster.arn.clone()))
}

fn host<B>(request: &Request<B>) -> Option<String> {
    let authority = request.uri().authority().map(|authority| authority.as_str().to_owned());
    authority.or_else(|| Some(request.headers().get(HOST)?.to_str().ok()?.to_owned()))
}

fn bearer_token<B>(request: &Request<B>) -> Option<&str> {
    request.headers().get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ").map(str::trim)
}

/// The client's id for the request, or a new one.
fn audit_id<B>(account: &Account, request: &Request<B>) -> String {
    let sent = request.headers().get(AUDIT_ID).and_then(|id| id.to_str().ok()).filter(|id| !id.is_empty());
    sent.map_or_else(|| account.with_lock(|world| request_id(world, "audit")), str::to_owned)
}

/// A caller whom IAM does not know: without a token, or with one that is no EKS token.
fn anonymous() -> Caller {
    Caller { arn: "system:anonymous".to_owned(), user_id: "system:anonymous".to_owned(), role: None }
}

/// `ok`, or the reason in Kubernetes' words.
fn outcome(response: &Response<Body>) -> String {
    let status = response.status();
    if status.as_u16() < 400 {
        return "ok".to_owned();
    }
    status.canonical_reason().unwrap_or("Unknown").replace(' ', "")
}

/// The answer by which a fault keeps the cluster from acting, if it does.
fn refusal(effect: &Effect) -> Option<Response<Body>> {
    match effect {
        Effect::Throttle => {
            let message = "the server has received too many requests and has asked us to try again later";
            Some(server::refused(429, "TooManyRequests", message))
        }
        Effect::ServerError { status: 503 } => {
            let message = "the server is currently unable to handle the request";
            Some(server::refused(503, "ServiceUnavailable", message))
        }
        Effect::ServerError { status } => {
            Some(server::refused(*status, "InternalError", "an error on the server has prevented the request"))
        }
        Effect::Error { code, status, message } => Some(server::refused(*status, code, message)),
        Effect::LostAnswer | Effect::NotKept | Effect::Slow { .. } | Effect::Kill { .. } | Effect::Twice { .. } => None,
    }
}

/// Serves every cluster that has a port and is ACTIVE at `https://127.0.0.1:PORT`, for as long as it is polled: clusters
/// come and go. A port that is taken is tried again at the next change of the account.
pub async fn serve_kubernetes(account: Account) {
    let mut changes = account.changes();
    let mut tasks = JoinSet::new();
    let mut serving: BTreeMap<Listening, tokio::task::AbortHandle> = BTreeMap::new();
    loop {
        changes.borrow_and_update();
        let wanted = wanted(&account);
        serving.retain(|place, task| {
            let stays = wanted.contains_key(place) && !task.is_finished();
            if !stays {
                task.abort();
            }
            stays
        });
        for (place, authority) in wanted {
            if !serving.contains_key(&place) {
                let service = KubernetesService { account: account.clone(), cluster: Some(place.arn.clone()) };
                let task = tasks.spawn(listen(service, place.port, authority));
                serving.insert(place, task);
            }
        }
        // What has ended is not kept.
        while tasks.try_join_next().is_some() {}
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// An endpoint: a cluster that is made again under its name has another certificate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Listening {
    arn: String,
    port: u16,
    certificate: String,
}

fn wanted(account: &Account) -> BTreeMap<Listening, Authority> {
    account.with_lock(|world| {
        let ports: Vec<(u16, String)> = eks::ports(world).map(|(port, arn)| (port, arn.to_owned())).collect();
        let mut wanted = BTreeMap::new();
        for (port, arn) in ports {
            let serving = eks::cluster_by_arn(world, &arn).is_some_and(eks::Cluster::is_serving);
            let known = world.kubernetes.get(&arn).and_then(|cluster| cluster.known_authority().cloned());
            let authority = known.or_else(|| world.kubernetes.get_mut(&arn)?.authority().ok().cloned());
            if let Some(authority) = authority.filter(|_| serving) {
                wanted.insert(Listening { arn, port, certificate: authority.certificate.clone() }, authority);
            }
        }
        wanted
    })
}

async fn listen(service: KubernetesService, port: u16, authority: Authority) {
    let served = match server::listen(port).await {
        Ok(listener) => server::serve(service, &authority, listener, &[]).await,
        Err(error) => Err(error),
    };
    if let Err(error) = served {
        tracing::warn!(%error, port, "a cluster's endpoint is not served");
    }
}
