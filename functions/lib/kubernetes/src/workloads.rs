//! DaemonSets and Deployments: who they are and how far they have come.

use crate::client::Kubernetes;
use domain::failure::Trouble;
use k8s_openapi::{
    api::{
        apps::v1::{DaemonSet, Deployment},
        core::v1::PodTemplateSpec,
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use kube::{Api, api::ListParams};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum WorkloadKind {
    /// A pod on each node that fits.
    DaemonSet,
    /// So many pods, anywhere.
    Deployment,
}

/// How many pods are wanted and how many of the newest kind are ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Readiness {
    /// Wanted; 0 for a DaemonSet that no node fits.
    pub wanted: i32,
    /// Of the newest template.
    pub updated: i32,
    /// Ready.
    pub ready: i32,
    /// Whether the controller has seen the newest spec; figures of an older one say nothing.
    pub current: bool,
}

impl Readiness {
    /// Every wanted pod is of the newest template and ready; none of none is ready too.
    pub fn is_ready(self) -> bool {
        self.current && self.updated >= self.wanted && self.ready >= self.wanted
    }
}

/// A DaemonSet or Deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Workload {
    /// Which of the two.
    pub kind: WorkloadKind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Images of its containers, in order.
    pub images: Vec<String>,
    /// How far it has come.
    pub readiness: Readiness,
}

impl Kubernetes {
    /// Every DaemonSet of a namespace, or of all.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn daemon_sets(&self, namespace: Option<&str>, selector: &str) -> Result<Vec<Workload>, Trouble> {
        let api: Api<DaemonSet> = match namespace {
            Some(namespace) => Api::namespaced(self.client.clone(), namespace),
            None => Api::all(self.client.clone()),
        };
        let found = self.all("list daemonsets", &api, &ListParams::default().labels(selector)).await?;
        Ok(found.into_iter().map(daemon_set).collect())
    }

    /// Every Deployment of a namespace, or of all.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn deployments(&self, namespace: Option<&str>, selector: &str) -> Result<Vec<Workload>, Trouble> {
        let api: Api<Deployment> = match namespace {
            Some(namespace) => Api::namespaced(self.client.clone(), namespace),
            None => Api::all(self.client.clone()),
        };
        let found = self.all("list deployments", &api, &ListParams::default().labels(selector)).await?;
        Ok(found.into_iter().map(deployment).collect())
    }
}

fn daemon_set(set: DaemonSet) -> Workload {
    let status = set.status.unwrap_or_default();
    let readiness = Readiness {
        wanted: status.desired_number_scheduled,
        updated: status.updated_number_scheduled.unwrap_or_default(),
        ready: status.number_ready,
        current: status.observed_generation >= set.metadata.generation,
    };
    workload(WorkloadKind::DaemonSet, set.metadata, set.spec.map(|spec| spec.template), readiness)
}

fn deployment(deployment: Deployment) -> Workload {
    let status = deployment.status.unwrap_or_default();
    let readiness = Readiness {
        wanted: deployment.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1),
        updated: status.updated_replicas.unwrap_or_default(),
        ready: status.ready_replicas.unwrap_or_default(),
        current: status.observed_generation >= deployment.metadata.generation,
    };
    workload(WorkloadKind::Deployment, deployment.metadata, deployment.spec.map(|spec| spec.template), readiness)
}

fn workload(
    kind: WorkloadKind,
    metadata: ObjectMeta,
    template: Option<PodTemplateSpec>,
    readiness: Readiness,
) -> Workload {
    let containers = template.and_then(|template| template.spec).map(|spec| spec.containers).unwrap_or_default();
    Workload {
        kind,
        namespace: metadata.namespace.unwrap_or_default(),
        name: metadata.name.unwrap_or_default(),
        uid: metadata.uid.unwrap_or_default(),
        labels: metadata.labels.unwrap_or_default(),
        images: containers.into_iter().filter_map(|container| container.image).collect(),
        readiness,
    }
}
