//! The Kubernetes versions that EKS offers.

use super::{Eks, reading, text};
use domain::{failure::Trouble, versions::KubernetesMinor};
use jiff::Timestamp;
use serde::Serialize;

/// A version that a cluster can be made with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferedVersion {
    /// The minor.
    pub version: KubernetesMinor,
    /// `STANDARD_SUPPORT` or `EXTENDED_SUPPORT` (which is billed more).
    pub support: String,
    /// When its standard support ends.
    pub standard_until: Option<Timestamp>,
}

impl Eks {
    /// Versions that EKS supports here, in either way, oldest first; all pages.
    pub async fn versions(&self) -> Result<Vec<OfferedVersion>, Trouble> {
        let mut offered = Vec::new();
        let mut token = None;
        loop {
            let page = self.read.describe_cluster_versions().set_next_token(token.take()).send().await;
            let page = page.map_err(|error| reading("DescribeClusterVersions", &error))?;
            for seen in page.cluster_versions() {
                let support = text(seen.version_status().map(|status| status.as_str()));
                let Some(Ok(version)) = seen.cluster_version().map(str::parse) else { continue };
                let until = seen.end_of_standard_support_date();
                let standard_until = until.and_then(|at| Timestamp::from_second(at.secs()).ok());
                if support != "UNSUPPORTED" {
                    offered.push(OfferedVersion { version, support, standard_until });
                }
            }
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                offered.sort_by_key(|one| one.version);
                return Ok(offered);
            }
        }
    }
}
