//! What the engine itself costs: ticks of a reconciler that looks at nothing and waits, table included.

use crate::{figure, quantile, rounded};
use account::{Account, clock::Clock, world::World};
use anyhow::Result;
use domain::{
    failure::Trouble,
    states::{Stage, WaitingOn},
};
use engine::{
    plan::{Change, End, Guard, Plan, Step, Wait},
    reconciler::{Made, Mark, Reconciler, Scene},
    record::{Mode, SCHEMA, TickRequest},
    tick,
};
use harness::{Product, decisions};
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Instant;

const TICKS: u32 = 400;

struct Idle;

#[derive(Debug, Clone, Serialize)]
struct Never;

impl Change for Never {
    fn key(&self) -> String {
        "never".to_owned()
    }

    fn title(&self) -> String {
        "never".to_owned()
    }

    fn guard(&self) -> Guard {
        Guard::Service
    }
}

impl Reconciler for Idle {
    type Observed = Value;
    type Change = Never;

    fn stage(&self) -> Option<Stage> {
        Some(Stage::ControlPlane)
    }

    async fn observe(&self, _: Scene<'_>) -> Result<Value, Trouble> {
        Ok(Value::Null)
    }

    fn plan(&self, _: Scene<'_>, _: &Value) -> Plan<Never> {
        let wait = Wait::new(WaitingOn::Aws, "waiting for nothing");
        Plan { steps: vec![Step::Wait(wait)], end: End::Done(Value::Null) }
    }

    async fn apply(&self, _: Scene<'_>, _: &Never, _: &Mark) -> Result<Made, Trouble> {
        Ok(Made::new())
    }
}

/// Mean and 99th percentile, in milliseconds.
pub(crate) async fn overhead() -> Result<Value> {
    let start = harness::START.parse()?;
    let account = Account::new(World::new(1, 1), Clock::starting_at(start))?;
    let root = account.read(account::iam::root_credentials);
    let product = Product::at_rest(account).await;
    gateway::install::install(&product.account, &product.installed, &root).await?;
    let accepted = product.create(decisions("demo", json!({})), Stage::ControlPlane).await;
    let request = TickRequest {
        schema: SCHEMA,
        operation_id: accepted.operation.id,
        attempt: accepted.operation.attempt,
        stage: Some(Stage::ControlPlane),
        mode: Mode::Act,
    };
    let mut taken = Vec::new();
    for _ in 0..TICKS {
        let began = Instant::now();
        tick::tick(&product.owner.engine, &Idle, &request).await?;
        taken.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    let mean = taken.iter().sum::<f64>() / f64::from(TICKS);
    Ok(json!({
        "mean": figure(rounded(mean), "ms", "< 5"),
        "p99": figure(rounded(quantile(&mut taken, 0.99)), "ms", ""),
    }))
}
