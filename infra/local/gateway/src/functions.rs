//! Every function of the product, in process: its Lambda name, its role, its code.

use crate::wiring::{BUCKET_PREFIX, Installed, Wired};
use account::{
    Account,
    lambda::{Function, FunctionError, Functions, InvocationContext},
};
use domain::{failure::Failure, ids::OperationId};
use engine::{
    record::{TickAnswer, TickRequest},
    settle::Death,
};
use futures::{FutureExt, future::BoxFuture};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::future::Future;

/// Prefix of every function's and role's name.
pub const PREFIX: &str = "hyperpod-instantstart-";

/// All functions, wired to `account`.
pub fn all(account: &Account, installed: &Installed) -> Functions {
    let wire = Wire { account: account.clone(), installed: installed.clone() };
    Functions::new(installed.region.as_str())
        .with(
            &name("control-plane"),
            &name("control-plane"),
            wire.tick(|wired, request| async move { control_plane::tick(&wired.engine, &wired.cloud, &request).await }),
        )
        .with(
            &name("selection"),
            &name("selection"),
            wire.tick(|wired, request| async move {
                selection::tick(&wired.engine, &wired.cloud, &wired.reach, &request).await
            }),
        )
        .with(
            &name("dependencies"),
            &name("dependencies"),
            wire.tick(|wired, request| async move {
                let context = dependencies::Context { cloud: wired.cloud, reach: wired.reach };
                dependencies::tick(&wired.engine, &context, &request).await
            }),
        )
        .with(
            &name("hyperpod"),
            &name("hyperpod"),
            wire.tick(|wired, request| async move {
                let context = hyperpod::Context {
                    cloud: wired.cloud,
                    reach: wired.reach,
                    bucket_prefix: BUCKET_PREFIX.to_owned(),
                    permissions_boundary: None,
                    scripts: hyperpod::Scripts::ours(),
                };
                hyperpod::tick(&wired.engine, &context, &request).await
            }),
        )
        .with(
            &name("storage"),
            &name("storage"),
            wire.tick(|wired, request| async move {
                let context = storage::Context {
                    cloud: wired.cloud,
                    reach: wired.reach,
                    bucket_prefix: BUCKET_PREFIX.to_owned(),
                    permissions_boundary: None,
                };
                storage::tick(&wired.engine, &context, &request).await
            }),
        )
        .with(
            &name("verification"),
            &name("verification"),
            wire.tick(|wired, request| async move {
                let context = verification::Context { cloud: wired.cloud, reach: wired.reach };
                verification::tick(&wired.engine, &context, &request).await
            }),
        )
        .with(
            &name("stop-spending"),
            &name("stop-spending"),
            wire.tick(|wired, request| async move { stop_spending::tick(&wired.engine, &wired.cloud, &request).await }),
        )
        .with(&name("settle"), &name("settle"), wire.code(settle))
        .with(&name("sweep"), &name("sweep"), wire.code(sweep))
}

/// Name of a function, and of its role.
pub fn name(function: &str) -> String {
    format!("{PREFIX}{function}")
}

#[derive(Clone)]
struct Wire {
    account: Account,
    installed: Installed,
}

impl Wire {
    /// Code that ticks a stage or operation; a failure's class is the error type that the state machine matches.
    fn tick<F, A>(&self, run: F) -> impl Function + 'static
    where
        F: Fn(Wired, TickRequest) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Result<TickAnswer, Failure>> + Send + 'static,
    {
        self.code(move |wired, payload| {
            let run = run.clone();
            async move {
                let request = read::<TickRequest>(payload)?;
                run(wired, request).await.map_err(|failure| failed(&failure)).and_then(written)
            }
        })
    }

    /// Code of any form.
    fn code<F, A>(&self, run: F) -> impl Function + 'static
    where
        F: Fn(Wired, Value) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Result<Value, FunctionError>> + Send + 'static,
    {
        let wire = self.clone();
        move |payload: Value, context: InvocationContext| -> BoxFuture<'static, Result<Value, FunctionError>> {
            let (wire, run) = (wire.clone(), run.clone());
            async move {
                let session = account::iam::Credentials {
                    access_key_id: context.credentials.access_key_id,
                    secret_access_key: context.credentials.secret_access_key,
                    session_token: Some(context.credentials.session_token),
                    expiration: None,
                };
                let wired = Wired::new(&wire.account, &wire.installed, &session).await;
                run(wired, payload).await
            }
            .boxed()
        }
    }
}

/// What the state machines tell `settle`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SettleRequest {
    operation_id: OperationId,
    attempt: u32,
    outcome: String,
    #[serde(default)]
    failure: Option<Caught>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Caught {
    error: String,
    #[serde(default)]
    cause: String,
}

/// What EventBridge tells it of an execution that ended.
#[derive(Debug, Deserialize)]
struct StatusChange {
    detail: StatusDetail,
}

#[derive(Debug, Deserialize)]
struct StatusDetail {
    name: String,
    status: String,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    cause: Option<String>,
}

async fn settle(wired: Wired, payload: Value) -> Result<Value, FunctionError> {
    let death = if payload.get("detail").is_some() { died(read(payload)?)? } else { caught(read(payload)?) };
    let Some(death) = death else { return Ok(json!({})) };
    let settled = wired.desk.settle(&death).await.map_err(|refused| failed(&refused.failure))?;
    Ok(json!({ "state": settled.state }))
}

/// A failure that the state machine caught; a cancelled operation is written down already.
fn caught(request: SettleRequest) -> Option<Death> {
    if request.outcome == "cancelled" {
        return None;
    }
    let caught = request.failure.unwrap_or(Caught { error: "Unknown".to_owned(), cause: String::new() });
    Some(Death {
        operation_id: request.operation_id,
        attempt: request.attempt,
        error: caught.error,
        cause: caught.cause,
    })
}

/// An execution that died: its name is `{operationId}-{attempt}`.
fn died(change: StatusChange) -> Result<Option<Death>, FunctionError> {
    let StatusDetail { name, status, error, cause } = change.detail;
    let parts = name.rsplit_once('-').and_then(|(id, attempt)| Some((id.parse().ok()?, attempt.parse().ok()?)));
    let (operation_id, attempt) =
        parts.ok_or_else(|| FunctionError::new("Invalid", format!("no operation: {name}")))?;
    let error = error.unwrap_or(status);
    Ok(Some(Death { operation_id, attempt, error, cause: cause.unwrap_or_default() }))
}

async fn sweep(wired: Wired, _: Value) -> Result<Value, FunctionError> {
    let swept = wired.desk.sweep().await.map_err(|trouble| failed(trouble.failure()))?;
    written(swept)
}

fn read<T: for<'de> Deserialize<'de>>(payload: Value) -> Result<T, FunctionError> {
    serde_json::from_value(payload).map_err(|error| FunctionError::new("Invalid", error.to_string()))
}

fn written(answer: impl Serialize) -> Result<Value, FunctionError> {
    serde_json::to_value(answer).map_err(|error| FunctionError::new("Internal", error.to_string()))
}

fn failed(failure: &Failure) -> FunctionError {
    FunctionError::new(failure.code.class().as_str(), failure.to_string())
}
