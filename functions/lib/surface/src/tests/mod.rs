//! The whole router over a front door that plays a script: every rule of the transports, seen from outside.

mod console;
mod gateway;
mod mcp;
mod rest;
mod trust;

use crate::{FrontDoor, Request, RequestIds, Settings, problem::problem, router, trust::LocalTrust};
use axum::{Router, body::Body, response::Response};
use contract::{Descriptor, problem::Problem};
use domain::ErrorCode;
use http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tower::ServiceExt;

const PEOPLE: &str = "token-of-people";
const AGENTS: &str = "token-of-agents";
const OPERATION: &str = "01J9ZB3V5K8M2N4P6Q7R8S9T0V";

/// What the front door was asked.
type Calls = Arc<Mutex<Vec<(&'static str, Value, Request)>>>;

/// Answers by name, and remembers what it was asked.
#[derive(Clone, Default)]
struct Script {
    calls: Calls,
}

impl FrontDoor for Script {
    async fn call(&self, descriptor: &'static Descriptor, input: Value, request: Request) -> Result<Value, Problem> {
        let refused = input["tag"] == "refused";
        self.calls.lock().unwrap().push((descriptor.name, input, request));
        match descriptor.name {
            _ if refused => Err(problem(ErrorCode::Conflict, "it is in use")),
            "wait_for_operation" => {
                tokio::time::sleep(Duration::from_secs(20)).await;
                Ok(json!({ "operationId": OPERATION, "done": false }))
            }
            "get_health" => {
                tokio::time::sleep(Duration::from_secs(600)).await;
                Ok(json!({}))
            }
            "list_zones" => Err(problem(ErrorCode::UpstreamUnavailable, "EC2 does not answer")),
            name if name.starts_with("list_") => Ok(json!({ "items": [] })),
            "plan_cluster" => Ok(json!({ "hash": "h", "ready": true })),
            name => Ok(json!({ "operationId": OPERATION, "kind": name, "retryAfterSeconds": 3 })),
        }
    }
}

/// The router and what its front door was asked.
struct Surface {
    router: Router,
    calls: Calls,
}

fn surface() -> Surface {
    surface_with(None)
}

fn surface_with(assets: Option<std::path::PathBuf>) -> Surface {
    let script = Script::default();
    let settings = Settings {
        assets,
        request_ids: RequestIds::new(|| "made-here".to_owned()),
        trust: Some(LocalTrust::new(3099, PEOPLE, AGENTS)),
    };
    Surface { calls: Arc::clone(&script.calls), router: router(script, settings) }
}

/// An answer, read whole.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    fn header(&self, name: impl header::AsHeaderName) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Surface {
    async fn send(&self, request: http::request::Builder, body: impl Into<Body>) -> Answer {
        let response: Response = self.router.clone().oneshot(request.body(body.into()).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        Answer { status: parts.status, headers: parts.headers, text }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(asked("GET", path), Body::empty()).await
    }

    /// A POST with a key, as a well-behaved program sends it.
    async fn post(&self, path: &str, body: Value) -> Answer {
        let request = asked("POST", path).header("idempotency-key", "key-1").header("content-type", "application/json");
        self.send(request, body.to_string()).await
    }

    fn asked(&self) -> usize {
        self.calls.lock().unwrap().len()
    }

    fn last(&self) -> (&'static str, Value, Request) {
        self.calls.lock().unwrap().last().unwrap().clone()
    }
}

/// A request of a person on this machine.
fn asked(method: &str, path: &str) -> http::request::Builder {
    anonymous(method, path).header("authorization", format!("Bearer {PEOPLE}"))
}

fn anonymous(method: &str, path: &str) -> http::request::Builder {
    http::Request::builder().method(method).uri(path).header("host", "127.0.0.1:3099")
}

/// Pointers of a problem's errors.
fn pointers(problem: &Value) -> Vec<&str> {
    problem["errors"].as_array().unwrap().iter().map(|error| error["pointer"].as_str().unwrap()).collect()
}
