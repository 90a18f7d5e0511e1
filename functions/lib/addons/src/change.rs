//! The two changes that an add-on can need.

use cloud::eks::Eks;
use domain::failure::Trouble;
use engine::{
    plan::Guard,
    reconciler::{Made, Mark},
};
use serde::Serialize;

/// A change to an add-on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "change")]
pub enum AddonChange {
    /// Makes it.
    Create {
        /// Which.
        name: String,
        /// `v1.11.4-eksbuild.2`.
        version: String,
        /// Configuration values, JSON.
        configuration: Option<String>,
    },
    /// Takes a failed one out of EKS' hands and keeps its software, so that it can be made again.
    Release {
        /// Which.
        name: String,
    },
}

impl AddonChange {
    /// As in the ledger.
    pub fn key(&self) -> String {
        match self {
            Self::Create { name, .. } => create_key(name),
            Self::Release { name } => release_key(name),
        }
    }

    /// For people.
    pub fn title(&self) -> String {
        match self {
            Self::Create { name, version, .. } => format!("create add-on {name} {version}"),
            Self::Release { name } => format!("delete failed add-on {name} (its software stays) to create it again"),
        }
    }

    /// A token guards the creation, its name the deletion.
    pub const fn guard(&self) -> Guard {
        Guard::Service
    }
}

pub(crate) fn create_key(name: &str) -> String {
    format!("create-addon/{name}")
}

pub(crate) fn release_key(name: &str) -> String {
    format!("release-addon/{name}")
}

/// Makes the change.
///
/// # Errors
/// What EKS refuses. That an add-on is there already is uncertain: the next look judges it.
pub async fn apply(eks: &Eks, cluster: &str, change: &AddonChange, mark: &Mark) -> Result<Made, Trouble> {
    match change {
        AddonChange::Release { name } => eks.release_addon(cluster, name).await.map(|()| Made::new()),
        AddonChange::Create { name, version, configuration } => {
            let sent = match configuration {
                Some(values) => {
                    let which = (name.as_str(), version.as_str());
                    eks.create_configured_addon(cluster, which, values, &mark.token, &mark.tags).await
                }
                None => eks.create_addon(cluster, name, version, &mark.token, &mark.tags).await,
            };
            sent.map(|arn| Made::from([("addonArn".to_owned(), arn)]))
        }
    }
}
