//! What this stage can change, a step each.

use addons::AddonChange;
use engine::{
    ledger::Ledger,
    plan::{self, Guard},
};
use inside::ReadChange;
use jiff::Timestamp;
use serde::Serialize;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// Makes the project bucket of the Region.
    CreateBucket(String),
    /// Puts the file into the bucket that the probe reads.
    PutProbeFile {
        /// The bucket.
        bucket: String,
        /// The object's key.
        key: String,
        /// Its content.
        content: String,
    },
    /// Makes the CSI driver's role.
    CreateRole(String),
    /// Sets what the role may do.
    SetPolicy {
        /// The role.
        role: String,
        /// The bucket that it is for.
        bucket: String,
        /// The part of the bucket that it is for.
        prefix: String,
    },
    /// Gives the driver's service account the role.
    CreateAssociation {
        /// ARN of the role.
        role_arn: String,
    },
    /// Gives the driver's service account our role instead of another.
    SetAssociationRole {
        /// `a-…`.
        id: String,
        /// ARN of the role.
        role_arn: String,
    },
    /// Makes the add-on, or cycles one that failed.
    Addon(AddonChange),
    /// Applies volume or claim, `PersistentVolume s3-pv`.
    Apply(String),
    /// Reads the bucket.
    Read(ReadChange),
}

const CREATE_ROLE: &str = "create-role";
const SET_POLICY: &str = "set-role-policy";
const CREATE_ASSOCIATION: &str = "create-pod-identity";
const SET_ASSOCIATION_ROLE: &str = "set-pod-identity-role";

impl Change {
    /// When we last changed who the driver is or what it may do.
    pub(crate) fn access_since(ledger: &Ledger) -> Option<Timestamp> {
        let keys = [CREATE_ROLE, SET_POLICY, CREATE_ASSOCIATION, SET_ASSOCIATION_ROLE];
        keys.iter().filter_map(|key| ledger.get(key)).map(|entry| entry.at).max()
    }
}

impl plan::Change for Change {
    fn key(&self) -> String {
        match self {
            Self::CreateBucket(_) => "create-bucket".into(),
            Self::PutProbeFile { .. } => "put-probe-file".into(),
            Self::CreateRole(_) => CREATE_ROLE.into(),
            Self::SetPolicy { .. } => SET_POLICY.into(),
            Self::CreateAssociation { .. } => CREATE_ASSOCIATION.into(),
            Self::SetAssociationRole { .. } => SET_ASSOCIATION_ROLE.into(),
            Self::Addon(change) => change.key(),
            Self::Apply(title) => format!("apply/{title}"),
            Self::Read(change) => change.key(),
        }
    }

    fn title(&self) -> String {
        match self {
            Self::CreateBucket(bucket) => format!("create bucket {bucket}"),
            Self::PutProbeFile { bucket, key, .. } => format!("put s3://{bucket}/{key} for the probe to read"),
            Self::CreateRole(role) => format!("create role {role}"),
            Self::SetPolicy { role, bucket, prefix } => format!("let role {role} use s3://{bucket}/{prefix}"),
            Self::CreateAssociation { role_arn } => format!("give the storage driver the role {role_arn}"),
            Self::SetAssociationRole { id, role_arn } => format!("give association {id} the role {role_arn}"),
            Self::Addon(change) => change.title(),
            Self::Apply(title) => format!("apply {title}"),
            Self::Read(change) => change.title(),
        }
    }

    // Names of our own, calls that set, and tokens.
    fn guard(&self) -> Guard {
        Guard::Service
    }
}
