//! Stage 3, dependencies: what HyperPod needs in a cluster before it has nodes (SPEC C4).
//!
//! `observe` looks, `plan` decides (pure), `apply` makes one change. What somebody else has installed is respected and
//! named. What cannot run before there is a node is settled as waiting for nodes; `verification` asks for it again.

mod apply;
mod change;
mod observe;
mod plan;

pub use change::Change;
pub use observe::Observed;

use cloud::{Cloud, Who, eks::Eks};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    states::Stage,
};
use engine::{
    plan::Plan,
    reconciler::{Made, Mark, Reconciler, Scene},
    record::{TickAnswer, TickRequest},
    tick::Engine,
};
use kubernetes::{Endpoint, Identity, Kubernetes, Reach};

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

/// The clients of one look or change, and what EKS says of the cluster.
pub(crate) struct Clients {
    pub(crate) eks: Eks,
    pub(crate) kubernetes: Kubernetes,
    /// `1.34`.
    pub(crate) version: String,
}

impl Context {
    async fn clients(&self, scene: Scene<'_>) -> Result<Clients, Trouble> {
        let (target, who) = (&scene.cluster.target, Who::operation(scene.operation));
        let eks = Eks::new(&self.cloud, target, &who).await;
        let name = scene.cluster.eks_name();
        let seen = eks.cluster(name).await?.ok_or_else(|| {
            Failure::new(ErrorCode::DependencyMissing, format!("there is no EKS cluster {name}"))
                .with_action("Run the control-plane stage again.")
        })?;
        let endpoint = Endpoint::of_eks(&seen.endpoint, &seen.certificate_authority)?;
        let identity = Identity {
            cluster: name.to_owned(),
            region: target.region.to_string(),
            credentials: self.cloud.identity(target, &who).await,
            time: self.cloud.time.clone(),
            access_since: None,
        };
        let kubernetes = Kubernetes::new(&self.reach, &endpoint, identity);
        Ok(Clients { eks, kubernetes, version: seen.version })
    }
}

impl Reconciler for Dependencies {
    type Observed = Observed;
    type Change = Change;

    fn stage(&self) -> Option<Stage> {
        Some(Stage::Dependencies)
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
