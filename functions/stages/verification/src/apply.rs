//! Making one change.

use crate::change::Change;
use domain::{failure::Trouble, states::Stage};
use engine::reconciler::{Made, Mark, Scene};
use inside::Inside;

/// Makes `change`.
pub(crate) async fn apply(clients: &Inside, scene: Scene<'_>, change: &Change, mark: &Mark) -> Result<Made, Trouble> {
    match change {
        Change::Addon(change) => addons::apply(&clients.eks, scene.cluster.eks_name(), change, mark).await,
        Change::Read(change) => inside::apply(&clients.kubernetes, scene, Stage::Verification, change).await,
    }
}
