//! What to do, from the decisions and the world as seen. Pure.

pub(crate) mod causes;
mod check;
mod cluster;
mod foundation;
mod nodes;
mod outcome;

#[cfg(test)]
mod tests;

use crate::{
    change::Change,
    desired::{self, Wanted},
    observe::Observed,
};
use cloud::eks::EksCluster;
use domain::{codes::ErrorCode, failure::Failure, states::WaitingOn, status::StatusClass};
use engine::{
    plan::{End, Plan, Step, Wait},
    reconciler::Scene,
};

/// Steps of this stage.
pub(crate) type Steps = Vec<Step<Change>>;

/// The whole plan of the stage.
pub(crate) fn plan(scene: Scene<'_>, seen: &Observed) -> Plan<Change> {
    let wanted = scene.cluster.decisions.hyperpod.as_ref().map(desired::groups).unwrap_or_default();
    if wanted.is_empty() && seen.cluster.is_none() {
        return Plan::undecided("which instance groups the HyperPod cluster has: zone, type, count and capacity type");
    }
    let eks = match eks(scene, seen) {
        Ok(eks) => eks,
        Err(plan) => return plan,
    };
    let mut steps = Steps::new();
    match steps_and_end(scene, seen, eks, &wanted, &mut steps) {
        Ok(end) => Plan { steps, end },
        // What could be begun is not: a plan that cannot be finished begins nothing.
        Err(failure) => Plan::failed(failure),
    }
}

/// The EKS cluster, if a HyperPod cluster can be on it now.
fn eks<'a>(scene: Scene<'_>, seen: &'a Observed) -> Result<&'a EksCluster, Plan<Change>> {
    let name = scene.cluster.eks_name();
    let Some(eks) = &seen.eks else {
        let failure = Failure::new(ErrorCode::DependencyMissing, format!("there is no EKS cluster {name}"))
            .with_action("Run the control-plane stage first.");
        return Err(Plan::failed(failure));
    };
    match eks.status.class() {
        StatusClass::Ready => Ok(eks),
        StatusClass::Failed | StatusClass::Gone => {
            let failure = Failure::new(ErrorCode::DependencyMissing, format!("EKS cluster {name} is {}", eks.status))
                .with_action("Run the control-plane stage first.");
            Err(Plan::failed(failure))
        }
        StatusClass::Busy | StatusClass::Degraded | StatusClass::Unknown => {
            let reason = format!("EKS cluster {name} is {}; it must be ACTIVE", eks.status);
            let wait = Wait::new(WaitingOn::Aws, reason).of("eks-cluster");
            let end = End::Undecided("what follows is planned once the EKS cluster is ACTIVE".to_owned());
            Err(Plan { steps: vec![Step::Wait(wait)], end })
        }
    }
}

fn steps_and_end(
    scene: Scene<'_>,
    seen: &Observed,
    eks: &EksCluster,
    wanted: &[Wanted],
    steps: &mut Steps,
) -> Result<End, Failure> {
    cluster::steps(scene, seen, eks, wanted, steps)?;
    if steps.is_empty() {
        nodes::steps(scene, seen, wanted, steps)?;
    }
    Ok(End::Done(outcome::of(scene, seen, wanted)))
}
