//! The project bucket in the cluster: a static volume of Mountpoint for S3, and the claim that workloads name.

use crate::labels::Owner;
use domain::naming::{STORAGE_CLAIM, STORAGE_VOLUME};
use k8s_openapi::{
    api::core::v1::{
        CSIPersistentVolumeSource, ObjectReference, PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec,
        PersistentVolumeSpec, VolumeResourceRequirements,
    },
    apimachinery::pkg::api::resource::Quantity,
};
use kubernetes::Object;
use std::collections::BTreeMap;

/// The name of the Mountpoint for Amazon S3 CSI driver.
const DRIVER: &str = "s3.csi.aws.com";

/// Kubernetes wants a size; S3 has none.
const SIZE: &str = "1200Gi";

/// What is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The namespace of the claim.
    pub namespace: String,
    /// The bucket.
    pub bucket: String,
    /// Its Region.
    pub region: String,
    /// The keys below which the claim sees, with a slash at the end; empty for the whole bucket.
    pub prefix: String,
    /// Unique in the Kubernetes cluster: two volumes of one handle are one volume to the driver (field report BR-113).
    pub handle: String,
}

/// The volume and the claim, each bound to the other by name.
pub fn storage(owner: &Owner, mount: &Mount) -> [Object; 2] {
    let component = "storage";
    let access = Some(vec!["ReadWriteMany".to_owned()]);
    let size = BTreeMap::from([("storage".to_owned(), Quantity(SIZE.to_owned()))]);
    let mut options = vec!["allow-delete".to_owned(), "allow-overwrite".to_owned(), "allow-other".to_owned()];
    options.push(format!("region {}", mount.region));
    if !mount.prefix.is_empty() {
        options.push(format!("prefix {}", mount.prefix));
    }
    let volume = PersistentVolume {
        metadata: owner.everywhere(component, STORAGE_VOLUME),
        spec: Some(PersistentVolumeSpec {
            access_modes: access.clone(),
            capacity: Some(size.clone()),
            claim_ref: Some(ObjectReference {
                name: Some(STORAGE_CLAIM.to_owned()),
                namespace: Some(mount.namespace.clone()),
                ..ObjectReference::default()
            }),
            csi: Some(CSIPersistentVolumeSource {
                driver: DRIVER.to_owned(),
                volume_handle: mount.handle.clone(),
                volume_attributes: Some(BTreeMap::from([("bucketName".to_owned(), mount.bucket.clone())])),
                ..CSIPersistentVolumeSource::default()
            }),
            mount_options: Some(options),
            persistent_volume_reclaim_policy: Some("Retain".to_owned()),
            storage_class_name: Some(String::new()),
            ..PersistentVolumeSpec::default()
        }),
        ..PersistentVolume::default()
    };
    let claim = PersistentVolumeClaim {
        metadata: owner.within(component, &mount.namespace, STORAGE_CLAIM),
        spec: Some(PersistentVolumeClaimSpec {
            access_modes: access,
            resources: Some(VolumeResourceRequirements {
                requests: Some(size),
                ..VolumeResourceRequirements::default()
            }),
            storage_class_name: Some(String::new()),
            volume_name: Some(STORAGE_VOLUME.to_owned()),
            ..PersistentVolumeClaimSpec::default()
        }),
        ..PersistentVolumeClaim::default()
    };
    [Object::of(&volume), Object::of(&claim)]
}
