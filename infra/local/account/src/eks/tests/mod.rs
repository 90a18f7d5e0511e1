//! What EKS does over time, by direct calls with an explicit clock.

mod access;
mod addons;
mod clusters;
mod identity;
mod kubelets;
mod place;
pub(crate) mod presigned;
mod updates;
