//! Stage 1, control-plane: network, roles, EKS cluster, base add-ons, access entries (SPEC C2).
//!
//! `observe` looks, `plan` decides (pure), `apply` makes one change. A finished stage that is run again looks and does
//! nothing.

mod admission;
mod apply;
mod change;
mod observe;
mod plan;

pub use admission::{Admission, Admissions, Misnamed};
pub use change::{Change, ClusterChange, Known, Mend};
pub use observe::{Borrowed, Observed};

use cloud::{Cloud, Who, ec2::Ec2, eks::Eks, iam::Iam};
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
    /// ARN of the policy that the permissions of roles which we make never exceed.
    pub permissions_boundary: Option<String>,
}

/// The stage.
#[derive(Debug, Clone)]
pub struct ControlPlane {
    context: Context,
}

/// Ticks the stage for the operation of `request`.
///
/// # Errors
/// The operation's failure, already written down.
pub async fn tick(engine: &Engine, context: &Context, request: &TickRequest) -> Result<TickAnswer, Failure> {
    engine::tick::tick(engine, &ControlPlane { context: context.clone() }, request).await
}

/// The clients of one look or change.
pub(crate) struct Clients {
    pub(crate) ec2: Ec2,
    pub(crate) eks: Eks,
    pub(crate) iam: Iam,
}

impl ControlPlane {
    async fn clients(&self, scene: Scene<'_>) -> Clients {
        let (target, who) = (&scene.cluster.target, Who::operation(scene.operation));
        Clients {
            ec2: Ec2::new(&self.context.cloud, target, &who).await,
            eks: Eks::new(&self.context.cloud, target, &who).await,
            iam: Iam::new(&self.context.cloud, target, &who).await,
        }
    }
}

impl Reconciler for ControlPlane {
    type Observed = Observed;
    type Change = Change;

    fn stage(&self) -> Option<Stage> {
        Some(Stage::ControlPlane)
    }

    async fn observe(&self, scene: Scene<'_>) -> Result<Observed, Trouble> {
        observe::observe(&self.clients(scene).await, scene).await
    }

    fn plan(&self, scene: Scene<'_>, observed: &Observed) -> Plan<Change> {
        plan::plan(scene, observed)
    }

    async fn apply(&self, scene: Scene<'_>, change: &Change, mark: &Mark) -> Result<Made, Trouble> {
        apply::apply(&self.context, &self.clients(scene).await, scene, change, mark).await
    }
}
