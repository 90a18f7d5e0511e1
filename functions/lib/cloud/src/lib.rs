//! AWS in our words: one file per service, the few calls that we need, errors translated here.
//!
//! Every client is made by [`Cloud`] for a [`Target`](engine::record::Target). Retries are off, reads time out after
//! five seconds and changes after fifteen: trying again is the tick's business. Domain types go in and out; no request
//! builder and no SDK error leaves this crate.

#[cfg(feature = "ec2")]
pub mod ec2;
#[cfg(feature = "eks")]
pub mod eks;
pub mod errors;
#[cfg(feature = "iam")]
pub mod iam;
#[cfg(feature = "logs")]
pub mod logs;
#[cfg(feature = "pricing")]
pub mod pricing;
#[cfg(feature = "quotas")]
pub mod quotas;
#[cfg(feature = "s3")]
pub mod s3;
#[cfg(feature = "sagemaker")]
pub mod sagemaker;
mod sessions;
#[cfg(feature = "sts")]
pub mod sts;
mod target;

use domain::{ids::ClusterId, naming::TAG_CLUSTER};

pub use sessions::Sessions;
pub use target::{Cloud, Kept, Who};

/// Whether these are the tags of something that this cluster's stages made: tags prove ownership, a name does not
/// (invariant 8).
pub fn is_owned(tags: &Tags, cluster: ClusterId) -> bool {
    tags.get(TAG_CLUSTER).is_some_and(|id| *id == cluster.to_string())
}

/// Ids and tags of what was made; AWS's tag limits hold (50 tags, keys of 128 and values of 256 characters).
pub type Tags = std::collections::BTreeMap<String, String>;
