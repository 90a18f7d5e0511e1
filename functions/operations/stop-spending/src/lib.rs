//! Stop spending (SPEC C13): sets every instance group's target to zero and watches until nothing runs.
//!
//! Nothing is deleted: groups, cluster, network and EKS stay, and go on costing what they cost without nodes. The update
//! is lossless (SPEC G4): a group that has settings which we do not know is not touched, and named.

mod observe;
mod plan;

pub use observe::Observed;
pub use plan::StopGroups;

use cloud::{Cloud, Who, sagemaker::HyperPod};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    states::{Stage, WaitingOn},
};
use engine::{
    plan::Plan,
    reconciler::{Made, Mark, Reconciler, Scene},
    record::{TickAnswer, TickRequest},
    tick::Engine,
};
use std::collections::BTreeMap;

/// The operation, with what it needs to reach AWS.
#[derive(Debug, Clone)]
pub struct StopSpending {
    /// How AWS is reached.
    pub cloud: Cloud,
}

/// Ticks the operation of `request`.
///
/// # Errors
/// The operation's failure, already written down.
pub async fn tick(engine: &Engine, cloud: &Cloud, request: &TickRequest) -> Result<TickAnswer, Failure> {
    engine::tick::tick(engine, &StopSpending { cloud: cloud.clone() }, request).await
}

impl StopSpending {
    async fn hyperpod(&self, scene: Scene<'_>) -> HyperPod {
        HyperPod::new(&self.cloud, &scene.cluster.target, &Who::operation(scene.operation)).await
    }
}

impl Reconciler for StopSpending {
    type Observed = Observed;
    type Change = StopGroups;

    fn stage(&self) -> Option<Stage> {
        None
    }

    async fn observe(&self, scene: Scene<'_>) -> Result<Observed, Trouble> {
        observe::observe(&self.hyperpod(scene).await, scene).await
    }

    fn plan(&self, scene: Scene<'_>, observed: &Observed) -> Plan<StopGroups> {
        plan::plan(scene, observed)
    }

    async fn apply(&self, scene: Scene<'_>, change: &StopGroups, _: &Mark) -> Result<Made, Trouble> {
        let targets: BTreeMap<String, u32> = change.from.keys().map(|group| (group.clone(), 0)).collect();
        match self.hyperpod(scene).await.set_targets(&change.cluster, &targets).await {
            Ok(()) => Ok(Made::new()),
            // The cluster is changing at this moment; a refusal of ours, for a group that is not understood, is final.
            Err(Trouble::Fatal(failure)) if failure.code == ErrorCode::Conflict && failure.upstream.is_some() => {
                Err(Trouble::Later { on: WaitingOn::Aws, failure })
            }
            Err(trouble) => Err(trouble),
        }
    }
}
