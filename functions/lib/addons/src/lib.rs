//! EKS add-ons, judged in one way by every stage that rests on them: what is well, what waits for nodes, what is waited
//! for, and the one cycle that a failed creation gets (SPEC C4; field reports BR-020 and BR-022).
//!
//! The base add-ons, which every cluster has, are named here; which others a stage wants is the stage's business.

mod base;
mod change;
mod judge;

#[cfg(test)]
mod tests;

pub use base::BASE;
pub use change::{AddonChange, apply};
pub use judge::{Ground, Verdict, judge};

use cloud::eks::{Addon, Eks, EksCluster};
use domain::{failure::Trouble, status::AddonStatus};
use serde::Serialize;

/// What an add-on runs as, which decides what a cluster without nodes does to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Runs {
    /// A DaemonSet alone: well on a cluster without nodes.
    OnEveryNode,
    /// A Deployment: not well before an untainted node is Ready.
    Somewhere,
}

/// An add-on that a stage wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Wanted {
    /// `coredns`.
    pub name: &'static str,
    /// What it runs as.
    pub runs: Runs,
    /// Its workload in the cluster: namespace and name. One that is there without the add-on is managed by somebody else.
    pub workload: (&'static str, &'static str),
    /// What does not work without it, for people.
    pub required_for: &'static str,
    /// Configuration values, JSON; none for the defaults.
    pub configuration: Option<&'static str>,
}

/// One of them as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Seen {
    /// Which.
    pub wanted: Wanted,
    /// As EKS has it; none if EKS does not manage it.
    pub addon: Option<Addon>,
    /// Whether its workload is in the cluster.
    pub has_workload: bool,
    /// The version that EKS gives a cluster of this Kubernetes version; asked for only where the add-on is to be made.
    pub default_version: Option<String>,
}

impl Seen {
    /// Its status, if EKS manages it.
    pub fn status(&self) -> Option<&AddonStatus> {
        self.addon.as_ref().map(|addon| &addon.status)
    }

    /// What EKS says is wrong with it, in one line; empty if nothing.
    pub fn issues(&self) -> String {
        let issues = self.addon.iter().flat_map(|addon| &addon.issues);
        let each: Vec<_> = issues.map(|issue| format!("{}: {}", issue.code, issue.message)).collect();
        each.join("; ")
    }
}

/// Looks at one add-on of `cluster`. `has_workload` says whether its workload is in the cluster.
///
/// # Errors
/// The read was refused or lost.
pub async fn look(eks: &Eks, cluster: &EksCluster, wanted: Wanted, has_workload: bool) -> Result<Seen, Trouble> {
    let addon = eks.addon(&cluster.name, wanted.name).await?;
    let default_version = match addon {
        Some(_) => None,
        None => eks.default_addon_version(wanted.name, &cluster.version).await?,
    };
    Ok(Seen { wanted, addon, has_workload, default_version })
}
