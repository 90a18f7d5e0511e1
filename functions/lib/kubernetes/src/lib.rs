//! A cluster's Kubernetes API in our words: the few readers and the one way of writing that we need, errors translated here.
//!
//! A client is made from a [`Reach`] (how the endpoint is reached), an [`Endpoint`] (which one) and an [`Identity`] (who
//! asks). Reads time out after five seconds and changes after fifteen; trying again is the tick's business. What is
//! written is written server-side under one field manager. Objects themselves live in `manifests`, not here.

mod access;
mod client;
mod errors;
mod events;
mod identity;
mod kinds;
mod nodes;
mod object;
mod owners;
mod pods;
mod reach;
mod refusal;
mod token;
mod volumes;
mod workloads;

pub use access::{Question, Verdict};
pub use client::Kubernetes;
pub use errors::{FORBIDDEN, NO_ANSWER, UNAUTHORIZED, UNREACHABLE};
pub use events::Happening;
pub use identity::Identity;
pub use nodes::{Node, Taint};
pub use object::{Object, Ownership};
pub use owners::{Controller, ReplicaSet};
pub use pods::{Pod, PodPhase};
pub use reach::{AnswerBody, BoxedService, Call, Endpoint, Reach, Unreachable};
pub use volumes::{Claim, Volume};
pub use workloads::{Readiness, Workload, WorkloadKind};
