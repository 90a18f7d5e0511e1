//! As which role a pod acts: pod identity associations, and roles for service accounts (IRSA).

mod associations;
mod pod_role;
mod web_identity;

pub(super) use associations::{Association, disown, finish_deletion, handle, own};
pub use pod_role::pod_role;
pub use web_identity::{issuer, web_identity};
