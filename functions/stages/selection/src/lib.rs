//! Stage 2, selection: the EKS cluster, made or imported, is in service, fit for HyperPod and reachable over the
//! Kubernetes API with our identity; what it lacks is reported with the fix (SPEC C3).
//!
//! It changes nothing: an import's fixes are made by the stage before it.

mod observe;
mod plan;

pub use observe::{Attached, Observed, Voice};

use cloud::{Cloud, Who, ec2::Ec2, eks::Eks, sagemaker::HyperPod};
use domain::{
    failure::{Failure, Trouble},
    naming::KubernetesRole,
    states::Stage,
};
use engine::{
    plan::{self as plans, Guard, Plan},
    reconciler::{Made, Mark, Reconciler, Scene},
    record::{TickAnswer, TickRequest},
    tick::Engine,
};
use kubernetes::{Identity, Reach};
use serde::Serialize;

/// The stage, with what it needs to reach AWS and Kubernetes.
#[derive(Debug, Clone)]
pub struct Selection {
    /// How AWS is reached.
    pub cloud: Cloud,
    /// How Kubernetes endpoints are reached.
    pub reach: Reach,
}

/// Ticks the stage for the operation of `request`.
///
/// # Errors
/// The operation's failure, already written down.
pub async fn tick(engine: &Engine, cloud: &Cloud, reach: &Reach, request: &TickRequest) -> Result<TickAnswer, Failure> {
    let stage = Selection { cloud: cloud.clone(), reach: reach.clone() };
    engine::tick::tick(engine, &stage, request).await
}

/// This stage makes nothing: there is no such change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Nothing {}

impl plans::Change for Nothing {
    fn key(&self) -> String {
        match *self {}
    }

    fn title(&self) -> String {
        match *self {}
    }

    fn guard(&self) -> Guard {
        match *self {}
    }
}

/// The clients of one look.
pub(crate) struct Clients {
    pub(crate) ec2: Ec2,
    pub(crate) eks: Eks,
    pub(crate) hyperpod: HyperPod,
    pub(crate) reach: Reach,
    pub(crate) identity: Identity,
}

impl Selection {
    async fn clients(&self, scene: Scene<'_>) -> Result<Clients, Trouble> {
        let (target, who) = (&scene.cluster.target, Who::operation(scene.operation));
        Ok(Clients {
            ec2: Ec2::new(&self.cloud, target, &who).await,
            eks: Eks::new(&self.cloud, target, &who).await,
            hyperpod: HyperPod::new(&self.cloud, target, &who).await,
            reach: self.reach.clone(),
            identity: Identity {
                cluster: scene.cluster.eks_name().to_owned(),
                region: target.region.to_string(),
                credentials: self.cloud.kubernetes_identity(target, &who, KubernetesRole::Reader).await?,
                time: self.cloud.time.clone(),
                // How long a refusal may be the spreading of an entry is judged by the plan.
                access_since: None,
            },
        })
    }
}

impl Reconciler for Selection {
    type Observed = Observed;
    type Change = Nothing;

    fn stage(&self) -> Option<Stage> {
        Some(Stage::Selection)
    }

    async fn observe(&self, scene: Scene<'_>) -> Result<Observed, Trouble> {
        observe::observe(&self.clients(scene).await?, scene).await
    }

    fn plan(&self, scene: Scene<'_>, observed: &Observed) -> Plan<Nothing> {
        plan::plan(scene, observed)
    }

    async fn apply(&self, _: Scene<'_>, change: &Nothing, _: &Mark) -> Result<Made, Trouble> {
        match *change {}
    }
}
