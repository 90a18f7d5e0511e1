//! What EKS does over time, by direct calls with an explicit clock.

mod access;
mod addons;
mod clusters;
mod identity;
mod kubelets;
mod place;
mod presigned;
mod updates;
