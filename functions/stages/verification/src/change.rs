//! What this stage can change, a step each.

use addons::AddonChange;
use engine::plan::{self, Guard};
use inside::ReadChange;
use serde::Serialize;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Change {
    /// Cycles an add-on whose creation failed and did not heal when nodes came.
    Addon(AddonChange),
    /// Reads the bucket.
    Read(ReadChange),
}

impl plan::Change for Change {
    fn key(&self) -> String {
        match self {
            Self::Addon(change) => change.key(),
            Self::Read(change) => change.key(),
        }
    }

    fn title(&self) -> String {
        match self {
            Self::Addon(change) => change.title(),
            Self::Read(change) => change.title(),
        }
    }

    fn guard(&self) -> Guard {
        match self {
            Self::Addon(change) => change.guard(),
            Self::Read(change) => change.guard(),
        }
    }
}
