//! Every function of the product, in process: its Lambda name, its role, its code.

use crate::wiring::{BUCKET_PREFIX, Installed, Wired};
use account::{
    Account,
    lambda::{FunctionError, Functions, InvocationContext},
};
use domain::{codes::ErrorCode, failure::Failure, naming};
use engine::record::{TickAnswer, TickRequest};
use futures::{FutureExt, future::BoxFuture};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::future::Future;

/// All functions, wired to `account`.
pub fn all(account: &Account, installed: &Installed) -> Functions {
    with_scripts(account, installed, &hyperpod::Scripts::ours())
}

/// The same, of a release that has other lifecycle scripts.
pub fn with_scripts(account: &Account, installed: &Installed, scripts: &hyperpod::Scripts) -> Functions {
    let scripts = scripts.clone();
    let wire = Wire { account: account.clone(), installed: installed.clone() };
    Functions::new(installed.region.as_str())
        .tick(&wire, "control-plane", |w, asked| async move {
            let context = control_plane::Context { cloud: w.cloud, permissions_boundary: w.permissions_boundary };
            control_plane::tick(&w.engine, &context, &asked).await
        })
        .tick(
            &wire,
            "selection",
            |w, asked| async move { selection::tick(&w.engine, &w.cloud, &w.reach, &asked).await },
        )
        .tick(&wire, "dependencies", |w, asked| async move {
            let context = dependencies::Context { cloud: w.cloud, reach: w.reach };
            dependencies::tick(&w.engine, &context, &asked).await
        })
        .tick(&wire, "hyperpod", move |w, asked| {
            let scripts = scripts.clone();
            async move {
                let context = hyperpod::Context {
                    cloud: w.cloud,
                    reach: w.reach,
                    bucket_prefix: BUCKET_PREFIX.to_owned(),
                    permissions_boundary: w.permissions_boundary,
                    scripts,
                };
                hyperpod::tick(&w.engine, &context, &asked).await
            }
        })
        .tick(&wire, "storage", |w, asked| async move {
            let context = storage::Context {
                inside: inside::Context { cloud: w.cloud, reach: w.reach },
                bucket_prefix: BUCKET_PREFIX.to_owned(),
                permissions_boundary: w.permissions_boundary,
            };
            storage::tick(&w.engine, &context, &asked).await
        })
        .tick(&wire, "verification", |w, asked| async move {
            let context = verification::Context { cloud: w.cloud, reach: w.reach };
            verification::tick(&w.engine, &context, &asked).await
        })
        .tick(&wire, "stop-spending", |w, asked| async move { stop_spending::tick(&w.engine, &w.cloud, &asked).await })
        .code(&wire, "settle", |w, payload: Value| async move { settle::settle(&w.desk, payload).await })
        .code(&wire, "sweep", |w, _: Value| async move { sweep::sweep(&w.desk).await })
}

/// What every function is wired to.
#[derive(Clone)]
struct Wire {
    account: Account,
    installed: Installed,
}

impl Wire {
    async fn with(&self, context: InvocationContext) -> Wired {
        let session = account::iam::Credentials {
            access_key_id: context.credentials.access_key_id,
            secret_access_key: context.credentials.secret_access_key,
            session_token: Some(context.credentials.session_token),
            expiration: None,
        };
        Wired::new(&self.account, &self.installed, &session).await
    }
}

/// What Lambda's runtime does around a function: JSON in, JSON out, and a failure's class as the error type that the
/// state machines match. A function and its role have one name.
trait Deployed: Sized {
    /// With the function `name`, whose code takes an `I`.
    fn code<I, O, F, A>(self, wire: &Wire, name: &str, run: F) -> Self
    where
        I: DeserializeOwned + Send + 'static,
        O: Serialize,
        F: Fn(Wired, I) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Result<O, Failure>> + Send + 'static;

    /// With the stage or operation `name`.
    fn tick<F, A>(self, wire: &Wire, name: &str, run: F) -> Self
    where
        F: Fn(Wired, TickRequest) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Result<TickAnswer, Failure>> + Send + 'static,
    {
        self.code(wire, name, run)
    }
}

impl Deployed for Functions {
    fn code<I, O, F, A>(self, wire: &Wire, name: &str, run: F) -> Self
    where
        I: DeserializeOwned + Send + 'static,
        O: Serialize,
        F: Fn(Wired, I) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Result<O, Failure>> + Send + 'static,
    {
        let wire = wire.clone();
        let code = move |payload: Value, context: InvocationContext| -> BoxFuture<'static, _> {
            let (wire, run) = (wire.clone(), run.clone());
            async move {
                let input = serde_json::from_value(payload).map_err(|error| wrong(ErrorCode::InvalidInput, &error))?;
                let answer = run(wire.with(context).await, input).await.map_err(|failure| failed(&failure))?;
                serde_json::to_value(answer).map_err(|error| wrong(ErrorCode::Internal, &error))
            }
            .boxed()
        };
        let name = naming::function_role(name);
        self.with(&name, &name, code)
    }
}

fn failed(failure: &Failure) -> FunctionError {
    FunctionError::new(failure.code.class().as_str(), failure.to_string())
}

fn wrong(code: ErrorCode, error: &serde_json::Error) -> FunctionError {
    failed(&Failure::new(code, error.to_string()))
}
