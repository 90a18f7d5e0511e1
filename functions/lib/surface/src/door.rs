//! What stands behind the surfaces: one function that carries out an operation or query for a caller.

use contract::{Descriptor, Scope, problem::Problem};
use serde_json::Value;
use std::future::Future;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// Stable id: a user, a role, a token's id.
    pub id: String,
    /// Whether an agent speaks; agents never approve.
    pub agent: bool,
}

/// A principal and what it is allowed to; an extension of every authenticated request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Who asks.
    pub principal: Principal,
    /// What it is allowed to.
    pub scopes: Vec<Scope>,
}

/// What comes with an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Who asks.
    pub principal: Principal,
    /// What it is allowed to.
    pub scopes: Vec<Scope>,
    /// Id of this request.
    pub request_id: String,
    /// The same key is the same operation; 1 to 255 visible ASCII characters.
    pub idempotency_key: Option<String>,
    /// The cluster's generation that the caller has seen (`If-Match`).
    pub expected_generation: Option<u64>,
    /// Only show what an operation would do; the answer is a plan.
    pub validate_only: bool,
}

/// Carries out operations and queries.
pub trait FrontDoor: Clone + Send + Sync + 'static {
    /// Carries out what `descriptor` describes. `input` has been held against the descriptor's schema.
    ///
    /// # Errors
    /// A problem whose `requestId` may be empty: the surface fills it in.
    fn call(
        &self,
        descriptor: &'static Descriptor,
        input: Value,
        request: Request,
    ) -> impl Future<Output = Result<Value, Problem>> + Send;
}
