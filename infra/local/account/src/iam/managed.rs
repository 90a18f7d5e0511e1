//! Policies that AWS manages, as far as EKS and HyperPod clusters need them.
//!
//! The documents are in `managed.json`: what each allows follows AWS's managed policy reference, long lists of actions
//! that nothing here calls are left out. They have always been in force.

use super::{policy::Document, roles::encoded};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// One of AWS's policies; its only version here is the default one.
#[derive(Debug, Deserialize)]
pub(super) struct AwsPolicy {
    pub(super) path: String,
    pub(super) name: String,
    /// `v8`.
    pub(super) version: String,
    #[serde(deserialize_with = "document")]
    document: Document,
}

static POLICIES: LazyLock<Vec<AwsPolicy>> =
    LazyLock::new(|| serde_json::from_str(include_str!("managed.json")).unwrap_or_default());

/// When all of them were made.
const MADE: i64 = 1_700_000_000;

/// The policy with this ARN.
pub(super) fn find(arn: &str) -> Option<&'static AwsPolicy> {
    let rest = arn.strip_prefix("arn:aws:iam::aws:policy")?;
    POLICIES.iter().find(|policy| rest.strip_prefix(policy.path.as_str()) == Some(policy.name.as_str()))
}

/// All of them, by name.
pub(super) fn all() -> impl Iterator<Item = &'static AwsPolicy> {
    POLICIES.iter()
}

impl AwsPolicy {
    /// `arn:aws:iam::aws:policy/…`.
    pub(super) fn arn(&self) -> String {
        format!("arn:aws:iam::aws:policy{}{}", self.path, self.name)
    }

    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// The policy in the form that IAM answers it.
    pub(super) fn describe(&self) -> Value {
        json!({
            "PolicyName": self.name,
            "PolicyId": super::identity::id_from("ANPA", id(&self.name), false),
            "Arn": self.arn(),
            "Path": self.path,
            "DefaultVersionId": self.version,
            "IsAttachable": true,
            "CreateDate": MADE,
            "UpdateDate": MADE,
        })
    }

    /// Its version in the form that IAM answers it.
    pub(super) fn describe_version(&self, full: bool) -> Value {
        let mut value = json!({ "VersionId": self.version, "IsDefaultVersion": true, "CreateDate": MADE });
        if full {
            value["Document"] = encoded(&self.document).into();
        }
        value
    }
}

/// The same in every account, as AWS's own ids are.
fn id(name: &str) -> u128 {
    use sha2::{Digest, Sha256};
    Sha256::digest(name).iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte))
}

fn document<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Document, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Document::parse(&value.to_string(), super::policy::Kind::Identity).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_aws_policy_reads_and_is_found_by_its_arn() {
        assert!(find("arn:aws:iam::aws:policy/AmazonEKSClusterPolicy").is_some());
        for policy in all() {
            assert_eq!(find(&policy.arn()).map(|found| &found.name), Some(&policy.name));
        }
        assert!(find("arn:aws:iam::aws:policy/AmazonEBSCSIDriverPolicy").is_none(), "its path is /service-role/");
    }
}
