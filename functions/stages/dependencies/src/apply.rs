//! Making one change.

use crate::{change::Change, observe};
use domain::failure::Trouble;
use engine::reconciler::{Made, Mark, Scene};
use inside::Inside;

/// Makes `change`. Objects of a part are applied one after the other; the next look finds those that are missing.
pub(crate) async fn apply(clients: &Inside, scene: Scene<'_>, change: &Change, mark: &Mark) -> Result<Made, Trouble> {
    match change {
        Change::Addon(change) => addons::apply(&clients.eks, scene.cluster.eks_name(), change, mark).await,
        Change::Apply { part, objects } => {
            let components = observe::components(scene);
            let wanted = components.iter().filter(|component| component.part == *part);
            for object in wanted.flat_map(|component| &component.objects) {
                if objects.contains(&object.title()) {
                    clients.kubernetes.apply(object).await?;
                }
            }
            Ok(Made::new())
        }
    }
}
