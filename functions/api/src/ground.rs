//! Whether a cluster has what capacity stands on, before somebody decides what it is to have (SPEC C5).
//!
//! This refuses early and plans nothing: the hyperpod stage looks for itself at all that it builds on.

use crate::{Api, problems};
use contract::problem::Problem;
use domain::{
    ErrorCode,
    states::{Stage, StageState},
    status::EksClusterStatus,
};
use engine::record::{Cluster, StageRecord};
use preflight::bounded;
use surface::problem::problem;

/// Refuses capacity for a cluster whose ground is not there: nodes could not join.
///
/// The world says whether there is an EKS cluster, and whether HyperPod stands on it already: then it has its ground,
/// whatever became of a stage that was run again since. The dependency set alone is judged by the stage's record: whether
/// forty objects and four add-ons do their work in whatever form an imported cluster has them is a verdict that the stage
/// draws as the role that writes, and one that failed last says what to run first. A record that is older than the world
/// can err in one way only: capacity is taken, and the hyperpod stage says what it lacks.
pub(crate) async fn there(api: &Api, cluster: &Cluster) -> Result<(), Problem> {
    let stages = api.desk().store.stages(cluster.id).await.map_err(problems::of_trouble)?;
    let eyes = api.eyes(&cluster.target.region).await?;
    let name = cluster.eks_name();
    let eks = bounded("the EKS cluster", eyes.eks.cluster(name)).await.map_err(problems::of_trouble)?;
    // Nothing is made for an imported cluster: selection looks at it.
    let maker = if cluster.import.is_some() { Stage::Selection } else { Stage::ControlPlane };
    let eks = match eks {
        None if cluster.import.is_some() => return Err(gone(cluster)),
        None => return Err(lacking(cluster, &stages, maker, format!("there is no EKS cluster {name}"))),
        // An update takes nothing away: the API server answers all the while.
        Some(eks) if !matches!(eks.status, EksClusterStatus::Active | EksClusterStatus::Updating) => {
            let text = format!("EKS cluster {name} is {}", eks.status);
            return Err(lacking(cluster, &stages, maker, text));
        }
        Some(eks) => eks,
    };
    let attached = bounded("the HyperPod cluster", eyes.hyperpod.cluster_on(&eks.arn));
    if attached.await.map_err(problems::of_trouble)?.is_some() {
        return Ok(());
    }
    match state_of(&stages, Stage::Dependencies) {
        Some(StageState::Succeeded) => Ok(()),
        _ => {
            let text = "what HyperPod needs in the cluster is not known to be there".to_owned();
            Err(lacking(cluster, &stages, Stage::Dependencies, text))
        }
    }
}

/// The problem of an import whose EKS cluster is not there any more: no stage makes it.
fn gone(cluster: &Cluster) -> Problem {
    let (tag, name) = (&cluster.tag, cluster.eks_name());
    let text = format!("capacity of {tag} has nothing to stand on: the imported EKS cluster {name} is gone");
    let action = "Whoever made it must make it again; or import another cluster, or create one.".to_owned();
    Problem { action, ..problem(ErrorCode::DependencyMissing, text) }
}

fn state_of(stages: &[StageRecord], stage: Stage) -> Option<StageState> {
    stages.iter().find(|record| record.stage == stage).map(|record| record.state)
}

/// What is missing, and the stage that it comes from.
fn lacking(cluster: &Cluster, stages: &[StageRecord], stage: Stage, what: String) -> Problem {
    let (code, action) = match state_of(stages, stage) {
        Some(StageState::Running) => {
            (ErrorCode::DependencyNotReady, format!("Wait until the stage {stage} has succeeded, then ask again."))
        }
        _ => (ErrorCode::DependencyMissing, format!("Call run_stage for {stage} first, then ask again.")),
    };
    Problem { action, ..problem(code, format!("capacity of {} has nothing to stand on: {what}", cluster.tag)) }
}
