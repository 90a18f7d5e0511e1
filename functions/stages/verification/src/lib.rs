//! Stage 6, verification: the cluster is what was asked for, check by check (SPEC C8).
//!
//! `observe` looks and draws up the checks, `plan` decides what a red one means, `apply` makes what a check needs: a pod that
//! reads the bucket, and the one cycle of an add-on whose creation failed and did not heal.

mod apply;
mod change;
mod checks;
mod observe;
mod plan;

pub use change::Change;
pub use checks::{Check, Status};
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
pub struct Verification {
    context: Context,
}

/// Ticks the stage for the operation of `request`.
///
/// # Errors
/// The operation's failure, already written down.
pub async fn tick(engine: &Engine, context: &Context, request: &TickRequest) -> Result<TickAnswer, Failure> {
    engine::tick::tick(engine, &Verification { context: context.clone() }, request).await
}

impl Reconciler for Verification {
    type Observed = Observed;
    type Change = Change;

    fn stage(&self) -> Option<Stage> {
        Some(Stage::Verification)
    }

    async fn observe(&self, scene: Scene<'_>) -> Result<Observed, Trouble> {
        observe::observe(&self.context, &self.context.enter(scene).await?, scene).await
    }

    fn plan(&self, scene: Scene<'_>, observed: &Observed) -> Plan<Change> {
        plan::plan(scene, observed)
    }

    async fn apply(&self, scene: Scene<'_>, change: &Change, mark: &Mark) -> Result<Made, Trouble> {
        apply::apply(&self.context.enter(scene).await?, scene, change, mark).await
    }
}
