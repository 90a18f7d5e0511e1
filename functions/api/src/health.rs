//! Whether the control plane itself works. Nothing of AWS that clusters are made of is asked.

use crate::Api;
use contract::health::{HealthCheck, HealthView};
use domain::failure::Trouble;

pub(crate) async fn get(api: &Api) -> HealthView {
    let desk = api.desk();
    let (table, machines) = futures::join!(desk.store.clusters(None, 1), desk.starter.is_ready());
    let checks = vec![
        check("table", "The table answers.", table.map(drop)),
        check("stateMachines", "The state machines are there.", machines),
    ];
    let status = if checks.iter().all(|check| check.ok) { "ok" } else { "degraded" };
    HealthView {
        status: status.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        time: desk.context.now(),
        checks,
    }
}

fn check(name: &str, good: &str, result: Result<(), Trouble>) -> HealthCheck {
    let detail = result.as_ref().map_or_else(ToString::to_string, |()| good.to_owned());
    HealthCheck { name: name.to_owned(), ok: result.is_ok(), detail }
}
