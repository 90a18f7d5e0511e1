//! Making one change.

use crate::{Clients, change::Change};
use domain::failure::Trouble;
use engine::reconciler::{Made, Mark, Scene};

/// Makes `change`.
pub(crate) async fn apply(clients: &Clients, scene: Scene<'_>, change: &Change, mark: &Mark) -> Result<Made, Trouble> {
    match change {
        Change::Addon(change) => addons::apply(&clients.inside.eks, scene.cluster.eks_name(), change, mark).await,
        Change::Read(change) => inside::apply(&clients.inside.kubernetes, scene, change).await,
    }
}
