//! Kubernetes objects that we install, as typed structs: one file for each thing installed, in a stable order, a snapshot
//! each.
//!
//! Contents follow the HyperPod dependency chart of `aws/sagemaker-hyperpod-cli` (chart 0.1.0); nothing is fetched when it
//! is installed. Whether and when something is applied is the stages' business.

mod installed;
mod labels;
mod placement;
mod probe;
mod rbac;
mod storage;

pub use installed::{AGENT_IMAGES, Component, Part, agent_image, dependencies};
pub use labels::{CLUSTER_LABEL, COMPONENT_LABEL, NAMESPACE, Owner, PURPOSE_LABEL};
pub use probe::{PROBE_MOUNT, Probe, probe};
pub use storage::{Mount, storage};
