//! Kubernetes minor versions: which of them HyperPod takes, and which one we choose.
//!
//! What EKS offers in a Region, and until when it supports it, is asked of EKS (DescribeClusterVersions), not known here.

use std::fmt;
use std::str::FromStr;

/// A Kubernetes minor version, `1.34`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KubernetesMinor(u16);

/// The oldest minor that HyperPod takes for new clusters.
pub const OLDEST: KubernetesMinor = KubernetesMinor(30);
/// The newest minor that HyperPod takes.
pub const NEWEST: KubernetesMinor = KubernetesMinor(35);
/// The minor of a new cluster for which none was asked: inside the range of every add-on that we install.
pub const DEFAULT: KubernetesMinor = KubernetesMinor(34);

/// A string that is no Kubernetes minor version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a Kubernetes version: expected a minor version such as {DEFAULT}")]
pub struct InvalidVersion(String);

impl KubernetesMinor {
    /// The regular expression that every value matches.
    pub const PATTERN: &'static str = "^1\\.(0|[1-9][0-9]{0,2})$";

    /// The minor that follows: EKS upgrades one at a time.
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Whether HyperPod takes clusters of this version.
    pub fn is_supported_by_hyperpod(self) -> bool {
        (OLDEST..=NEWEST).contains(&self)
    }

    /// Whether EKS can update from this version to another in one step.
    pub fn can_update_to(self, target: Self) -> bool {
        target == self.next()
    }

    /// Whether nodes of one version may run under a control plane of another: HyperPod keeps within one minor, and
    /// nodes are never ahead.
    pub fn nodes_may_be(self, nodes: Self) -> bool {
        nodes <= self && self.0 - nodes.0 <= 1
    }

    /// The version for a new cluster among those that EKS offers: our default if it is offered, else the newest that
    /// HyperPod takes, else none.
    pub fn choose(offered: &[Self]) -> Option<Self> {
        if offered.contains(&DEFAULT) {
            return Some(DEFAULT);
        }
        offered.iter().copied().filter(|version| version.is_supported_by_hyperpod()).max()
    }
}

impl FromStr for KubernetesMinor {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        let invalid = || InvalidVersion(text.chars().take(80).collect());
        let minor = text.strip_prefix("1.").ok_or_else(invalid)?;
        let number: u16 = minor.parse().map_err(|_| invalid())?;
        // One spelling only: no sign, no leading zero.
        if number.to_string() == minor && number < 1000 { Ok(Self(number)) } else { Err(invalid()) }
    }
}

impl fmt::Display for KubernetesMinor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("1.{}", self.0))
    }
}

impl serde::Serialize for KubernetesMinor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for KubernetesMinor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for KubernetesMinor {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "KubernetesMinor".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "pattern": Self::PATTERN, "examples": [DEFAULT.to_string()]})
    }
}

impl utoipa::PartialSchema for KubernetesMinor {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .pattern(Some(Self::PATTERN))
            .examples([serde_json::Value::from(DEFAULT.to_string())])
            .into()
    }
}

impl utoipa::ToSchema for KubernetesMinor {}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> KubernetesMinor {
        text.parse().unwrap()
    }

    #[test]
    fn only_a_plain_minor_is_a_version() {
        for bad in ["", "1", "1.", "2.34", "1.34.1", "v1.34", "1.+4", "1.034", "1.-1", "1.1000", "1.99999999"] {
            assert!(bad.parse::<KubernetesMinor>().is_err(), "{bad:?}");
        }
        assert_eq!(version("1.34").to_string(), "1.34");
        assert!(version("1.9") < version("1.10"), "versions are numbers, not text");
    }

    #[test]
    fn an_update_goes_one_minor_up() {
        assert!(version("1.33").can_update_to(version("1.34")));
        assert!(!version("1.33").can_update_to(version("1.35")));
        assert!(!version("1.33").can_update_to(version("1.32")));
        assert!(version("1.34").nodes_may_be(version("1.33")));
        assert!(!version("1.34").nodes_may_be(version("1.35")));
        assert!(!version("1.34").nodes_may_be(version("1.32")));
    }

    #[test]
    fn the_choice_is_the_default_or_the_newest_that_fits() {
        assert!(DEFAULT.is_supported_by_hyperpod());
        assert_eq!(KubernetesMinor::choose(&[version("1.33"), DEFAULT, version("1.35")]), Some(DEFAULT));
        assert_eq!(KubernetesMinor::choose(&[version("1.32"), version("1.33")]), Some(version("1.33")));
        assert_eq!(KubernetesMinor::choose(&[version("1.36"), version("1.29")]), None);
        assert_eq!(KubernetesMinor::choose(&[]), None);
    }
}
