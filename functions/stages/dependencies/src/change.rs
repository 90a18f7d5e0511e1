//! What this stage can change, a step each.

use addons::AddonChange;
use engine::plan::{self, Guard};
use manifests::Part;
use serde::Serialize;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Change {
    /// Applies those objects of a part that are missing or not as they should be.
    Apply {
        /// Which part.
        part: Part,
        /// The objects, in order: `DaemonSet kube-system/nvidia-device-plugin`.
        objects: Vec<String>,
    },
    /// Makes an add-on, or cycles one that failed.
    Addon(AddonChange),
}

impl plan::Change for Change {
    fn key(&self) -> String {
        match self {
            Self::Apply { part, .. } => apply_key(*part),
            Self::Addon(change) => change.key(),
        }
    }

    fn title(&self) -> String {
        match self {
            Self::Apply { part, objects } => format!("apply {part}: {}", objects.join(", ")),
            Self::Addon(change) => change.title(),
        }
    }

    // Server-side apply sets what it names, however often it is sent.
    fn guard(&self) -> Guard {
        Guard::Service
    }
}

pub(crate) fn apply_key(part: Part) -> String {
    format!("apply/{part}")
}
