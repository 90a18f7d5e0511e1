//! EKS add-ons: what is installed, which version goes with a cluster, making one.

use super::{Eks, creating, incomplete, maybe, reading, sdk_tags, tags, text};
use crate::Tags;
use aws_sdk_eks::types::ResolveConflicts;
use domain::{failure::Trouble, status::AddonStatus};
use serde::Serialize;

/// An add-on of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Addon {
    /// Its name: `vpc-cni`.
    pub name: String,
    /// Its version: `v1.20.4-eksbuild.1`.
    pub version: String,
    /// Its status.
    pub status: AddonStatus,
    /// What EKS says is wrong with it.
    pub issues: Vec<AddonIssue>,
    /// Its tags.
    pub tags: Tags,
}

/// A health issue of an add-on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddonIssue {
    /// EKS's code: `InsufficientNumberOfReplicas` …
    pub code: String,
    /// EKS's words.
    pub message: String,
}

impl Eks {
    /// The add-on of this name; none if EKS does not manage it there.
    pub async fn addon(&self, cluster: &str, name: &str) -> Result<Option<Addon>, Trouble> {
        let answer = self.read.describe_addon().cluster_name(cluster).addon_name(name).send().await;
        Ok(maybe("DescribeAddon", answer)?.and_then(|answer| answer.addon).map(|seen| Addon {
            name: text(seen.addon_name()),
            version: text(seen.addon_version()),
            status: AddonStatus::read(seen.status().map_or("", |status| status.as_str())),
            issues: seen
                .health()
                .map(|health| health.issues())
                .unwrap_or_default()
                .iter()
                .map(|issue| AddonIssue {
                    code: text(issue.code().map(|code| code.as_str())),
                    message: text(issue.message()),
                })
                .collect(),
            tags: tags(seen.tags()),
        }))
    }

    /// The version of an add-on that EKS gives a cluster of this Kubernetes version that asks for none; none if it has
    /// none for it (field report BR-023). All pages.
    pub async fn default_addon_version(&self, name: &str, kubernetes: &str) -> Result<Option<String>, Trouble> {
        let mut token = None;
        loop {
            let call = self.read.describe_addon_versions().addon_name(name).kubernetes_version(kubernetes);
            let page = call.set_next_token(token.take()).send().await;
            let Some(page) = maybe("DescribeAddonVersions", page)? else { return Ok(None) };
            let versions = page.addons().iter().flat_map(|addon| addon.addon_versions());
            let default = versions.into_iter().find(|version| {
                let fits = version.compatibilities().iter();
                fits.into_iter().any(|fit| fit.default_version() && fit.cluster_version() == Some(kubernetes))
            });
            if let Some(version) = default.and_then(|version| version.addon_version()) {
                return Ok(Some(version.to_owned()));
            }
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(None);
            }
        }
    }

    /// Makes an add-on and answers its ARN; what is there of it unmanaged is taken over. `token` makes a second sending
    /// the same add-on; that EKS manages one already is uncertain.
    pub async fn create_addon(
        &self,
        cluster: &str,
        name: &str,
        version: &str,
        token: &str,
        tags: &Tags,
    ) -> Result<String, Trouble> {
        let call = self.change.create_addon().cluster_name(cluster).addon_name(name).addon_version(version);
        let call = call.resolve_conflicts(ResolveConflicts::Overwrite).client_request_token(token);
        let made = call.set_tags(sdk_tags(tags)).send().await;
        let made = made.map_err(|error| creating("CreateAddon", &error))?;
        made.addon.and_then(|addon| addon.addon_arn).ok_or_else(|| incomplete("CreateAddon", "addon"))
    }

    /// Names of all add-ons of a cluster that EKS manages; all pages.
    pub async fn addon_names(&self, cluster: &str) -> Result<Vec<String>, Trouble> {
        let mut names = Vec::new();
        let mut token = None;
        loop {
            let page = self.read.list_addons().cluster_name(cluster).set_next_token(token.take()).send().await;
            let page = page.map_err(|error| reading("ListAddons", &error))?;
            names.extend(page.addons().iter().cloned());
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(names);
            }
        }
    }
}
