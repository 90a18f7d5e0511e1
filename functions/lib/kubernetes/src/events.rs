//! Events about an object.

use crate::client::Kubernetes;
use domain::failure::Trouble;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;
use kube::{Api, api::ListParams};
use serde::{Deserialize, Serialize};

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Happening {
    /// `Normal` or `Warning`.
    pub kind: String,
    /// `FailedMount`.
    pub reason: String,
    /// The text.
    pub message: String,
    /// When it was seen last, if it says.
    pub at: Option<Timestamp>,
}

impl Happening {
    /// Whether it warns.
    pub fn is_warning(&self) -> bool {
        self.kind == "Warning"
    }
}

impl Kubernetes {
    /// Events about an object of a namespace, oldest first.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn events(&self, namespace: &str, kind: &str, name: &str) -> Result<Vec<Happening>, Trouble> {
        let api: Api<Event> = Api::namespaced(self.client.clone(), namespace);
        let fits = ListParams::default().fields(&format!("involvedObject.kind={kind},involvedObject.name={name}"));
        let mut found: Vec<_> = self.all("list events", &api, &fits).await?.into_iter().map(happening).collect();
        found.sort_by_key(|event| event.at);
        Ok(found)
    }
}

fn happening(event: Event) -> Happening {
    let at = event.last_timestamp.map(|time| time.0).or(event.event_time.map(|time| time.0));
    Happening {
        kind: event.type_.unwrap_or_default(),
        reason: event.reason.unwrap_or_default(),
        message: event.message.unwrap_or_default(),
        at: at.or(event.metadata.creation_timestamp.map(|time| time.0)),
    }
}
