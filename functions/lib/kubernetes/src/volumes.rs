//! Persistent volumes and claims.

use crate::client::Kubernetes;
use domain::failure::Trouble;
use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use kube::Api;
use kube::api::ListParams;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A persistent volume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Volume {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// `status.phase`: `Available`, `Bound`, `Released`, `Failed`.
    pub phase: String,
    /// CSI driver; none for another kind of volume.
    pub driver: Option<String>,
    /// CSI volume handle; empty for another kind of volume.
    pub handle: String,
    /// CSI volume attributes.
    pub attributes: BTreeMap<String, String>,
    /// Mount options.
    pub mount_options: Vec<String>,
    /// Namespace and name of the claim that it is for.
    pub claim: Option<(String, String)>,
}

/// A persistent volume claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// `status.phase`: `Pending`, `Bound`, `Lost`. A static claim is bound whether or not its volume works.
    pub phase: String,
    /// The volume that it asks for or has.
    pub volume: Option<String>,
}

impl Kubernetes {
    /// One volume.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn volume(&self, name: &str) -> Result<Option<Volume>, Trouble> {
        let api: Api<PersistentVolume> = Api::all(self.client.clone());
        Ok(self.maybe("get persistentvolume", api.get(name)).await?.map(volume))
    }

    /// Every volume.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn volumes(&self) -> Result<Vec<Volume>, Trouble> {
        let api: Api<PersistentVolume> = Api::all(self.client.clone());
        let found = self.all("list persistentvolumes", &api, &ListParams::default()).await?;
        Ok(found.into_iter().map(volume).collect())
    }

    /// One claim.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn claim(&self, namespace: &str, name: &str) -> Result<Option<Claim>, Trouble> {
        let api: Api<PersistentVolumeClaim> = Api::namespaced(self.client.clone(), namespace);
        Ok(self.maybe("get persistentvolumeclaim", api.get(name)).await?.map(claim))
    }
}

fn volume(volume: PersistentVolume) -> Volume {
    let spec = volume.spec.unwrap_or_default();
    let csi = spec.csi;
    Volume {
        name: volume.metadata.name.unwrap_or_default(),
        labels: volume.metadata.labels.unwrap_or_default(),
        phase: volume.status.and_then(|status| status.phase).unwrap_or_default(),
        driver: csi.as_ref().map(|csi| csi.driver.clone()),
        handle: csi.as_ref().map(|csi| csi.volume_handle.clone()).unwrap_or_default(),
        attributes: csi.and_then(|csi| csi.volume_attributes).unwrap_or_default(),
        mount_options: spec.mount_options.unwrap_or_default(),
        claim: spec.claim_ref.map(|claim| (claim.namespace.unwrap_or_default(), claim.name.unwrap_or_default())),
    }
}

fn claim(claim: PersistentVolumeClaim) -> Claim {
    Claim {
        namespace: claim.metadata.namespace.unwrap_or_default(),
        name: claim.metadata.name.unwrap_or_default(),
        labels: claim.metadata.labels.unwrap_or_default(),
        phase: claim.status.and_then(|status| status.phase).unwrap_or_default(),
        volume: claim.spec.and_then(|spec| spec.volume_name),
    }
}
