//! Pods: where they run, how they ended, and what they wrote.

use crate::{client::Kubernetes, owners::Controller};
use domain::failure::Trouble;
use k8s_openapi::api::core::v1;
use kube::{
    Api,
    api::{ListParams, LogParams},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most that is read of a pod's log.
const LOG_BYTES: i64 = 16 * 1024;

/// `status.phase`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PodPhase {
    /// Accepted; not all containers have started.
    Pending,
    /// On a node.
    Running,
    /// All containers ended well.
    Succeeded,
    /// One ended badly.
    Failed,
    /// The node does not answer, or the phase is none of the above.
    Unknown,
}

/// A pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pod {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// What made it and replaces it; none for a pod that stands alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<Controller>,
    /// The node; none while it is not scheduled.
    pub node: Option<String>,
    /// How far it has come.
    pub phase: PodPhase,
    /// Condition `Ready` is `True`.
    pub ready: bool,
    /// Why it waits or failed, in the scheduler's or the kubelet's words; empty if they say nothing.
    pub message: String,
}

impl Kubernetes {
    /// Pods of a namespace, or of all, that a label selector picks.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn pods(&self, namespace: Option<&str>, selector: &str) -> Result<Vec<Pod>, Trouble> {
        let api: Api<v1::Pod> = match namespace {
            Some(namespace) => Api::namespaced(self.client.clone(), namespace),
            None => Api::all(self.client.clone()),
        };
        let found = self.all("list pods", &api, &ListParams::default().labels(selector)).await?;
        Ok(found.into_iter().map(pod).collect())
    }

    /// One pod.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn pod(&self, namespace: &str, name: &str) -> Result<Option<Pod>, Trouble> {
        let api: Api<v1::Pod> = Api::namespaced(self.client.clone(), namespace);
        Ok(self.maybe("get pod", api.get(name)).await?.map(pod))
    }

    /// What a pod has written, 16 KiB from the start at most; none if there is no such pod.
    ///
    /// # Errors
    /// The read was refused or lost; a container that has not started has no log (`invalid_input`).
    pub async fn log(&self, namespace: &str, name: &str) -> Result<Option<String>, Trouble> {
        let api: Api<v1::Pod> = Api::namespaced(self.client.clone(), namespace);
        let params = LogParams { limit_bytes: Some(LOG_BYTES), ..LogParams::default() };
        self.maybe("read the log of a pod", api.logs(name, &params)).await
    }
}

fn pod(pod: v1::Pod) -> Pod {
    let status = pod.status.unwrap_or_default();
    let message = message(&status);
    let conditions = status.conditions.unwrap_or_default();
    let controller = Controller::of(&pod.metadata);
    Pod {
        namespace: pod.metadata.namespace.unwrap_or_default(),
        name: pod.metadata.name.unwrap_or_default(),
        uid: pod.metadata.uid.unwrap_or_default(),
        labels: pod.metadata.labels.unwrap_or_default(),
        controller,
        node: pod.spec.and_then(|spec| spec.node_name),
        phase: match status.phase.as_deref() {
            Some("Pending") => PodPhase::Pending,
            Some("Running") => PodPhase::Running,
            Some("Succeeded") => PodPhase::Succeeded,
            Some("Failed") => PodPhase::Failed,
            _ => PodPhase::Unknown,
        },
        ready: conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True"),
        message,
    }
}

/// The most telling text: a container's, else the pod's, else a condition's that is not true.
fn message(status: &v1::PodStatus) -> String {
    let of_containers = status.container_statuses.iter().flatten().find_map(|container| {
        let state = container.state.as_ref()?;
        if let Some(waiting) = &state.waiting {
            return Some(told(waiting.reason.as_deref(), waiting.message.as_deref()));
        }
        let ended = state.terminated.as_ref().filter(|ended| ended.exit_code != 0)?;
        Some(told(ended.reason.as_deref(), ended.message.as_deref()))
    });
    let of_pod = status.message.clone().map(|message| told(status.reason.as_deref(), Some(&message)));
    let of_conditions = status.conditions.iter().flatten().find_map(|condition| {
        let text = condition.message.as_deref().filter(|_| condition.status == "False")?;
        Some(told(condition.reason.as_deref(), Some(text)))
    });
    of_containers.or(of_pod).or(of_conditions).unwrap_or_default()
}

fn told(reason: Option<&str>, message: Option<&str>) -> String {
    match (reason, message) {
        (Some(reason), Some(message)) => format!("{reason}: {message}"),
        (Some(only), None) | (None, Some(only)) => only.to_owned(),
        (None, None) => String::new(),
    }
}
