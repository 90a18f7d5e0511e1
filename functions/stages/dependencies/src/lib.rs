//! Stage 3, dependencies: what HyperPod needs in a cluster before it has nodes (SPEC C4).
//!
//! `observe` looks, `plan` decides (pure), `apply` makes one change. What somebody else has installed is respected and
//! named, and administrators are proven to get in (C10). What cannot run before there is a node is settled as waiting for nodes; `verification` asks for it again.

mod administrators;
mod apply;
mod change;
mod observe;
mod plan;
mod service;

pub use change::Change;
pub use inside::Context;
pub use observe::Observed;

use domain::{
    failure::{Failure, Trouble},
    states::Stage,
};
use engine::{
    plan::Plan,
    reconciler::{Made, Mark, Reconciler, Scene},
    record::{TickAnswer, TickRequest},
    tick::Engine,
};

/// The stage.
#[derive(Debug, Clone)]
pub struct Dependencies {
    context: Context,
}

/// Ticks the stage for the operation of `request`.
///
/// # Errors
/// The operation's failure, already written down.
pub async fn tick(engine: &Engine, context: &Context, request: &TickRequest) -> Result<TickAnswer, Failure> {
    engine::tick::tick(engine, &Dependencies { context: context.clone() }, request).await
}

impl Reconciler for Dependencies {
    type Observed = Observed;
    type Change = Change;

    fn stage(&self) -> Option<Stage> {
        Some(Stage::Dependencies)
    }

    async fn observe(&self, scene: Scene<'_>) -> Result<Observed, Trouble> {
        observe::observe(&self.context.enter(scene).await?, scene).await
    }

    fn plan(&self, scene: Scene<'_>, observed: &Observed) -> Plan<Change> {
        plan::plan(scene, observed)
    }

    async fn apply(&self, scene: Scene<'_>, change: &Change, mark: &Mark) -> Result<Made, Trouble> {
        apply::apply(&self.context.enter(scene).await?, scene, change, mark).await
    }
}
