//! SageMaker HyperPod: clusters, groups, nodes, events and training plans, seen and changed.
//!
//! What a caller decides is in our words. What a group was given by somebody else goes back to AWS as it came
//! ([`resubmission`](HyperPod::set_targets)), or not at all.

mod clusters;
mod events;
mod groups;
mod known;
mod nodes;
mod plans;
mod quota;
mod raw;
mod resubmission;

pub use clusters::{Attached, NewCluster};
pub use events::Event;
pub use groups::{Capacity, Group, Lifecycle, Network, NewGroup};
pub use nodes::Node;
pub use plans::{Block, TrainingPlan};
pub use quota::Limit;

use crate::{
    Cloud, Who,
    errors::{self, CallError},
};
use aws_sdk_sagemaker::{Client, error::ProvideErrorMetadata};
use aws_smithy_types::DateTime;
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    states::WaitingOn,
};
use engine::record::Target;
use jiff::Timestamp;

/// HyperPod of one target.
#[derive(Debug, Clone)]
pub struct HyperPod {
    read: Client,
    change: Client,
}

impl HyperPod {
    /// HyperPod of `target`.
    pub async fn new(cloud: &Cloud, target: &Target, who: &Who) -> Self {
        let configs = cloud.configs(target, who).await;
        Self { read: Client::new(&configs.read), change: Client::new(&configs.change) }
    }
}

fn reading<E: ProvideErrorMetadata>(operation: &str, error: &CallError<E>) -> Trouble {
    errors::read("sagemaker", operation, error)
}

/// A change's error in our words: a quota with its figures, deep checks that hold an update back as a wait.
fn changing<E: ProvideErrorMetadata>(operation: &str, error: &CallError<E>) -> Trouble {
    match errors::change("sagemaker", operation, error) {
        Trouble::Fatal(failure) if failure.code == ErrorCode::QuotaExceeded => {
            Trouble::Fatal(quota::explained(failure))
        }
        Trouble::Fatal(failure) if failure.message.contains("deep health check") => {
            Trouble::Later { on: WaitingOn::DeepChecks, failure }
        }
        trouble => trouble,
    }
}

/// A read of something that may not exist.
fn maybe<T, E: ProvideErrorMetadata>(operation: &str, result: Result<T, CallError<E>>) -> Result<Option<T>, Trouble> {
    errors::maybe("sagemaker", operation, result)
}

/// An answer without a member that it always has.
fn incomplete(operation: &str, member: &str) -> Trouble {
    let text = format!("sagemaker {operation} answered without {member}");
    Trouble::Uncertain(Failure::new(ErrorCode::UpstreamUnavailable, text))
}

/// A time of AWS as ours.
fn time(at: Option<&DateTime>) -> Option<Timestamp> {
    at.and_then(|at| Timestamp::new(at.secs(), i32::try_from(at.subsec_nanos()).unwrap_or(0)).ok())
}

/// A count of AWS as ours.
fn count(number: Option<i32>) -> u32 {
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}
