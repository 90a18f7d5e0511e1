//! Stage 5, storage: the project bucket in the cluster, through Mountpoint for S3 (SPEC C7).
//!
//! Done means that a pod on a HyperPod node has read the bucket through the claim; where no node is wanted, the stage says
//! "no node yet" and `verification` asks again.

mod apply;
mod change;
mod observe;
mod plan;
mod role;

pub use change::Change;
pub use observe::Observed;

use cloud::{Who, iam::Iam, s3::S3};
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

/// What the stage is given besides the table.
#[derive(Debug, Clone)]
pub struct Context {
    /// How AWS and Kubernetes are reached.
    pub inside: inside::Context,
    /// How project buckets' names begin: `sagemaker-…`.
    pub bucket_prefix: String,
    /// ARN of the policy that no role of ours exceeds, if the deployment has one.
    pub permissions_boundary: Option<String>,
}

/// The stage.
#[derive(Debug, Clone)]
pub struct Storage {
    context: Context,
}

/// Ticks the stage for the operation of `request`.
///
/// # Errors
/// The operation's failure, already written down.
pub async fn tick(engine: &Engine, context: &Context, request: &TickRequest) -> Result<TickAnswer, Failure> {
    engine::tick::tick(engine, &Storage { context: context.clone() }, request).await
}

/// The clients of one look or change.
pub(crate) struct Clients {
    pub(crate) inside: Inside,
    pub(crate) iam: Iam,
    pub(crate) s3: S3,
}

impl Context {
    async fn clients(&self, scene: Scene<'_>) -> Result<Clients, Trouble> {
        let (target, who) = (&scene.cluster.target, Who::operation(scene.operation));
        Ok(Clients {
            inside: self.inside.enter(scene).await?,
            iam: Iam::new(&self.inside.cloud, target, &who).await,
            s3: S3::new(&self.inside.cloud, target, &who).await,
        })
    }
}

impl Reconciler for Storage {
    type Observed = Observed;
    type Change = Change;

    fn stage(&self) -> Option<Stage> {
        Some(Stage::Storage)
    }

    async fn observe(&self, scene: Scene<'_>) -> Result<Observed, Trouble> {
        observe::observe(&self.context, &self.context.clients(scene).await?, scene).await
    }

    fn plan(&self, scene: Scene<'_>, observed: &Observed) -> Plan<Change> {
        plan::plan(scene, observed)
    }

    async fn apply(&self, scene: Scene<'_>, change: &Change, mark: &Mark) -> Result<Made, Trouble> {
        apply::apply(&self.context, &self.context.clients(scene).await?, scene, change, mark).await
    }
}
