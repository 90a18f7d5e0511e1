//! Stage 4, hyperpod: execution role, lifecycle scripts, compute subnets, the HyperPod cluster and its nodes (SPEC C5,
//! C6, C13, C15, G3, G4).
//!
//! `observe` looks, `plan` decides (pure), `apply` makes one change. The service launches nodes by itself once the
//! cluster is there, and goes on trying; nothing is asked for again because of waiting. Done means that every wanted
//! node runs in SageMaker and takes pods in Kubernetes.

mod apply;
mod change;
mod desired;
mod observe;
mod plan;
mod role;
mod scripts;

pub use change::Change;
pub use observe::Observed;
pub use scripts::Scripts;

use cloud::{Cloud, Who, ec2::Ec2, eks::Eks, iam::Iam, logs::Logs, s3::S3, sagemaker::HyperPod};
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

/// What the stage is given besides the table.
#[derive(Debug, Clone)]
pub struct Context {
    /// How AWS is reached.
    pub cloud: Cloud,
    /// How project buckets' names begin: `sagemaker-…`.
    pub bucket_prefix: String,
    /// ARN of the policy that no role of ours exceeds, if the deployment has one.
    pub permissions_boundary: Option<String>,
    /// The lifecycle scripts of this release.
    pub scripts: Scripts,
    /// How clusters' Kubernetes endpoints are reached.
    pub reach: kubernetes::Reach,
}

/// The stage.
#[derive(Debug, Clone)]
pub struct HyperPodStage {
    context: Context,
}

/// Ticks the stage for the operation of `request`.
///
/// # Errors
/// The operation's failure, already written down.
pub async fn tick(engine: &Engine, context: &Context, request: &TickRequest) -> Result<TickAnswer, Failure> {
    engine::tick::tick(engine, &HyperPodStage { context: context.clone() }, request).await
}

/// The clients of one look or change.
pub(crate) struct Clients {
    pub(crate) ec2: Ec2,
    pub(crate) eks: Eks,
    pub(crate) iam: Iam,
    pub(crate) logs: Logs,
    pub(crate) s3: S3,
    pub(crate) hyperpod: HyperPod,
}

impl Context {
    async fn clients(&self, scene: Scene<'_>) -> Clients {
        let (cloud, target, who) = (&self.cloud, &scene.cluster.target, Who::operation(scene.operation));
        Clients {
            ec2: Ec2::new(cloud, target, &who).await,
            eks: Eks::new(cloud, target, &who).await,
            iam: Iam::new(cloud, target, &who).await,
            logs: Logs::new(cloud, target, &who).await,
            s3: S3::new(cloud, target, &who).await,
            hyperpod: HyperPod::new(cloud, target, &who).await,
        }
    }
}

impl Reconciler for HyperPodStage {
    type Observed = Observed;
    type Change = Change;

    fn stage(&self) -> Option<Stage> {
        Some(Stage::HyperPod)
    }

    async fn observe(&self, scene: Scene<'_>) -> Result<Observed, Trouble> {
        observe::observe(&self.context, &self.context.clients(scene).await, scene).await
    }

    fn plan(&self, scene: Scene<'_>, observed: &Observed) -> Plan<Change> {
        plan::plan(scene, observed)
    }

    async fn apply(&self, scene: Scene<'_>, change: &Change, mark: &Mark) -> Result<Made, Trouble> {
        apply::apply(&self.context, &self.context.clients(scene).await, scene, change, mark).await
    }
}
