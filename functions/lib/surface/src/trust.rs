//! Who is let in on a local port: this machine's browser and programs that hold one of two tokens.
//!
//! A page of another site must not reach the port through the browser (DNS rebinding, cross-origin requests), so Host
//! and Origin are checked on everything. Tokens are compared in constant time and never written anywhere.

use crate::{
    door::{Caller, Principal},
    headers::id_of,
    problem::{problem, respond},
};
use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use contract::{Scope, problem::Problem};
use domain::ErrorCode;
use http::{HeaderMap, Uri, header};
use std::{fmt, sync::Arc};
use subtle::{Choice, ConstantTimeEq};

/// Names by which this machine reaches itself.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// What people may do here.
const PEOPLE: &[Scope] = &[Scope::Read, Scope::Logs, Scope::Operate, Scope::Admin, Scope::Approve];

/// What agents may do here; approving is for people.
const AGENTS: &[Scope] = &[Scope::Read, Scope::Logs, Scope::Operate, Scope::Admin];

/// The two tokens and the authorities under which the port is known.
#[derive(Clone)]
pub struct LocalTrust {
    hosts: Vec<String>,
    origins: Vec<String>,
    people: String,
    agents: String,
}

impl fmt::Debug for LocalTrust {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LocalTrust").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

impl LocalTrust {
    /// For a port of this machine, with the token that people hold and the one that agents hold.
    pub fn new(port: u16, people: impl Into<String>, agents: impl Into<String>) -> Self {
        let hosts: Vec<String> = LOOPBACK.iter().map(|name| format!("{name}:{port}")).collect();
        let origins = hosts.iter().map(|host| format!("http://{host}")).collect();
        Self { hosts, origins, people: people.into(), agents: agents.into() }
    }

    fn is_our_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let named = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = named.or_else(|| uri.authority().map(http::uri::Authority::as_str));
        host.is_some_and(|host| self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host)))
    }

    /// Programs send no Origin; a browser's must be ours.
    fn is_our_origin(&self, headers: &HeaderMap) -> bool {
        headers.get_all(header::ORIGIN).iter().all(|origin| {
            origin.to_str().is_ok_and(|origin| self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin)))
        })
    }

    fn caller(&self, headers: &HeaderMap) -> Option<Caller> {
        let credential = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = credential.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let (people, agents) = (same(token, &self.people), same(token, &self.agents));
        if people.into() {
            Some(caller("local-person", false, PEOPLE))
        } else if agents.into() {
            Some(caller("local-agent", true, AGENTS))
        } else {
            None
        }
    }
}

/// An empty token lets nobody in.
fn same(given: &str, token: &str) -> Choice {
    given.as_bytes().ct_eq(token.as_bytes()) & Choice::from(u8::from(!token.is_empty()))
}

fn caller(id: &str, agent: bool, scopes: &[Scope]) -> Caller {
    Caller { principal: Principal { id: id.to_owned(), agent }, scopes: scopes.to_vec() }
}

/// Lets a request through, with its [`Caller`] where one is needed: everything but the console's files and the
/// OpenAPI document, which hold no secret and are asked for before anyone has signed in.
pub(crate) async fn guard(State(trust): State<Arc<LocalTrust>>, mut request: Request, next: Next) -> Response {
    let refuse =
        |request: &Request, problem: Problem| respond(&Problem { request_id: id_of(request.extensions()), ..problem });
    if !trust.is_our_host(request.uri(), request.headers()) {
        let text = format!("this Host is not served here: expected one of {}", trust.hosts.join(", "));
        return refuse(&request, problem(ErrorCode::PermissionDenied, text));
    }
    if !trust.is_our_origin(request.headers()) {
        let text = "pages of another origin are not let in";
        return refuse(&request, problem(ErrorCode::PermissionDenied, text));
    }
    request.extensions_mut().remove::<Caller>();
    if needs_caller(request.uri().path()) {
        let Some(caller) = trust.caller(request.headers()) else {
            let made = problem(ErrorCode::Unauthenticated, "the request carries no valid bearer token");
            let action = "Send Authorization: Bearer with the token that was printed at the start.".to_owned();
            return refuse(&request, Problem { action, ..made });
        };
        request.extensions_mut().insert(caller);
    }
    // Whoever prints the request from here on prints no token.
    request.headers_mut().remove(header::AUTHORIZATION);
    next.run(request).await
}

fn needs_caller(path: &str) -> bool {
    ["/v1", "/mcp"]
        .iter()
        .any(|root| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}
