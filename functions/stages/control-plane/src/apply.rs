//! Making one change.

mod cluster;
mod mend;
mod network;

use crate::{
    Clients, Context,
    change::{Change, Known},
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
};
use engine::reconciler::{Made, Mark, Scene};

/// Makes `change`. Ids that it needs are known by the plan's order.
pub(crate) async fn apply(
    context: &Context,
    clients: &Clients,
    scene: Scene<'_>,
    change: &Change,
    mark: &Mark,
) -> Result<Made, Trouble> {
    match change {
        Change::Cluster(change) => cluster::apply(context, clients, scene, change, mark).await,
        Change::Mend(mend) => mend::apply(clients, mend, mark).await,
        change => network::apply(&clients.ec2, scene, change, mark).await,
    }
}

pub(crate) fn known(id: &Known) -> Result<&str, Trouble> {
    id.0.as_deref().ok_or_else(|| {
        Trouble::Fatal(Failure::new(ErrorCode::Internal, "a step was reached before the step that it needs"))
    })
}

pub(crate) fn made(name: &str, id: String) -> Made {
    Made::from([(name.to_owned(), id)])
}
