//! What can be chosen in this account, read at the moment it is asked for. One file per list.

mod importable;
mod instance_types;
mod places;
mod training_plans;

pub(crate) use importable::list_importable_clusters;
pub(crate) use instance_types::list_instance_types;
pub(crate) use places::{known, list_regions, list_zones};
pub(crate) use training_plans::list_training_plans;
