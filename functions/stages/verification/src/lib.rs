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
pub use observe::Observed;

use cloud::{Cloud, Who, sagemaker::HyperPod};
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
use inside::Inside;
use kubernetes::Reach;

/// What the stage is given besides the table.
#[derive(Debug, Clone)]
pub struct Context {
    /// How AWS is reached.
    pub cloud: Cloud,
    /// How Kubernetes endpoints are reached.
    pub reach: Reach,
}

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

/// The clients of one look or change.
pub(crate) struct Clients {
    pub(crate) inside: Inside,
    pub(crate) hyperpod: HyperPod,
}

impl Context {
    async fn clients(&self, scene: Scene<'_>) -> Result<Clients, Trouble> {
        let (target, who) = (&scene.cluster.target, Who::operation(scene.operation));
        Ok(Clients {
            inside: inside::enter(&self.cloud, &self.reach, scene).await?,
            hyperpod: HyperPod::new(&self.cloud, target, &who).await,
        })
    }
}

impl Reconciler for Verification {
    type Observed = Observed;
    type Change = Change;

    fn stage(&self) -> Option<Stage> {
        Some(Stage::Verification)
    }

    async fn observe(&self, scene: Scene<'_>) -> Result<Observed, Trouble> {
        observe::observe(&self.context.clients(scene).await?, scene).await
    }

    fn plan(&self, scene: Scene<'_>, observed: &Observed) -> Plan<Change> {
        plan::plan(scene, observed)
    }

    async fn apply(&self, scene: Scene<'_>, change: &Change, mark: &Mark) -> Result<Made, Trouble> {
        apply::apply(&self.context.clients(scene).await?, scene, change, mark).await
    }
}
