//! Who controls a pod, by its owner references (SPEC T6): its name begins as its owner's does, and so may another's.

use crate::{client::Kubernetes, pods::Pod, workloads::Workload};
use domain::failure::Trouble;
use k8s_openapi::{api::apps::v1, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use kube::{Api, api::ListParams};
use serde::{Deserialize, Serialize};

/// The owner that manages an object: the one owner reference with `controller: true`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Controller {
    /// `DaemonSet`, `ReplicaSet`, `Job` …
    pub kind: String,
    /// Its name, in the object's own namespace.
    pub name: String,
    /// Its uid: another of the same name, made later, has another.
    pub uid: String,
}

impl Controller {
    pub(crate) fn of(metadata: &ObjectMeta) -> Option<Self> {
        let owners = metadata.owner_references.iter().flatten();
        let mut controllers = owners.filter(|owner| owner.controller == Some(true));
        controllers.next().map(|owner| Self {
            kind: owner.kind.clone(),
            name: owner.name.clone(),
            uid: owner.uid.clone(),
        })
    }
}

/// A ReplicaSet, which stands between a Deployment and its pods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaSet {
    /// Its uid.
    pub uid: String,
    /// Its Deployment; none for one that stands alone.
    pub controller: Option<Controller>,
}

impl Kubernetes {
    /// Every ReplicaSet of a namespace, or of all.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn replica_sets(&self, namespace: Option<&str>, selector: &str) -> Result<Vec<ReplicaSet>, Trouble> {
        let api: Api<v1::ReplicaSet> = match namespace {
            Some(namespace) => Api::namespaced(self.client.clone(), namespace),
            None => Api::all(self.client.clone()),
        };
        let found = self.all("list replicasets", &api, &ListParams::default().labels(selector)).await?;
        let seen = |set: v1::ReplicaSet| ReplicaSet {
            controller: Controller::of(&set.metadata),
            uid: set.metadata.uid.unwrap_or_default(),
        };
        Ok(found.into_iter().map(seen).collect())
    }
}

impl Workload {
    /// Whether `pod` is this workload's: a DaemonSet controls its pods itself, a Deployment through one of `replica_sets`.
    /// Uids are compared, as `metav1.IsControlledBy` does.
    pub fn controls(&self, pod: &Pod, replica_sets: &[ReplicaSet]) -> bool {
        let is_mine = |controller: &Controller| controller.uid == self.uid;
        pod.controller.as_ref().is_some_and(|direct| {
            let between = replica_sets.iter().find(|set| set.uid == direct.uid);
            is_mine(direct) || between.and_then(|set| set.controller.as_ref()).is_some_and(is_mine)
        })
    }
}
