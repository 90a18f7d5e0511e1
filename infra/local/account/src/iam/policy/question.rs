//! What a policy is asked, and what it answers.

use std::collections::BTreeMap;

/// Condition keys of a request with their values; names are kept in lower case, as IAM compares them without case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Context(BTreeMap<String, Vec<String>>);

impl Context {
    /// Adds one value to `key`.
    pub(crate) fn add(&mut self, key: &str, value: impl Into<String>) {
        self.0.entry(key.to_lowercase()).or_default().push(value.into());
    }

    /// Replaces what `key` held by one value.
    pub(crate) fn set(&mut self, key: &str, value: impl Into<String>) {
        self.0.insert(key.to_lowercase(), vec![value.into()]);
    }

    /// Adds every tag as `prefix/KEY`.
    pub(crate) fn add_tags(&mut self, prefix: &str, tags: &BTreeMap<String, String>) {
        for (key, value) in tags {
            self.set(&format!("{prefix}/{key}"), value.clone());
        }
    }

    /// Takes over everything in `other`, which wins where both have a key.
    pub(crate) fn merge(&mut self, other: &Context) {
        self.0.extend(other.0.iter().map(|(key, values)| (key.clone(), values.clone())));
    }

    /// The values of `key`; none if the request does not have it.
    pub(crate) fn values(&self, key: &str) -> Option<&[String]> {
        self.0.get(&key.to_lowercase()).map(Vec::as_slice)
    }
}

/// Who asks, as the `Principal` element of trust and bucket policies names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Principal {
    /// An AWS service: `eks.amazonaws.com`.
    Service(String),
    /// A federated identity by its provider's ARN.
    Federated(String),
    /// A principal of an account.
    Aws {
        /// Every ARN under which it can be named: the role or user, and the session.
        arns: Vec<String>,
        /// Its account.
        account: String,
    },
}

/// May this principal do `action` on `resource`, these being the circumstances?
#[derive(Debug, Clone)]
pub(crate) struct Question<'a> {
    /// `service:Action`.
    pub(crate) action: &'a str,
    /// ARN, or `*` for an action without resource types.
    pub(crate) resource: &'a str,
    /// Who asks; looked at only by policies that have principals.
    pub(crate) principal: Option<&'a Principal>,
    /// The condition keys.
    pub(crate) context: &'a Context,
}

/// What one or several policies say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// No statement applies.
    Silent,
    /// A statement allows, none denies. Of a resource policy: by way of the whole account being named, so that an
    /// identity policy has to allow it too.
    AllowedForAccount,
    /// A statement allows, none denies.
    Allowed,
    /// A statement denies.
    Denied,
}
