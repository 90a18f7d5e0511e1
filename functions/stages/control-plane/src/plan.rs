//! What to do, from the decisions and the world as seen. Pure.

mod network;

use crate::{change::Change, observe::Observed};
use engine::{plan::Plan, reconciler::Scene};

/// The whole plan of the stage.
pub(crate) fn plan(scene: Scene<'_>, observed: &Observed) -> Plan<Change> {
    network::plan(scene, &observed.network)
}
