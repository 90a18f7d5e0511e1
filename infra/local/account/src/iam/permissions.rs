//! The policies of a user or role, gathered as they are in force at a moment.

use super::{authorize::managed_document, identity::Identity, policy::Document};
use crate::world::World;
use jiff::Timestamp;

/// The policies that speak about an identity.
#[derive(Debug, Clone, Default)]
pub(super) struct Policies {
    pub(super) identity: Vec<Document>,
    /// The boundary's document; an empty list for a boundary whose policy is gone, which allows nothing.
    pub(super) boundary: Option<Vec<Document>>,
    pub(super) session: Option<Document>,
}

/// Inline and attached policies and the boundary of `identity` at `now`.
pub(super) fn in_force(world: &World, identity: &Identity, now: Timestamp) -> Policies {
    let Some(grants) = identity.grants.effective(now) else { return Policies::default() };
    let attached = grants.attached.iter().filter_map(|arn| managed_document(world, arn, now));
    Policies {
        identity: grants.inline.values().cloned().chain(attached).collect(),
        boundary: grants.boundary.as_ref().map(|arn| managed_document(world, arn, now).into_iter().collect()),
        session: None,
    }
}
