//! What a kubelet on a HyperPod node meets when it mounts an S3 bucket: the driver, its role, the bucket.
//!
//! A claim binds whatever is wrong here; the truth shows on the pod that mounts it.

use super::devices;
use crate::{
    sagemaker::world_access::{self, Unreadable},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// The name of the Mountpoint for Amazon S3 CSI driver.
const S3: &str = "s3.csi.aws.com";

/// The nodes of one Kubernetes cluster, as its kubelets see the world around them.
#[derive(Debug)]
pub struct NodeHost<'a> {
    world: &'a World,
    eks_arn: String,
    drivers: BTreeSet<String>,
    now: Timestamp,
}

impl<'a> NodeHost<'a> {
    /// Looks from the cluster `eks_arn`, in which these `pods` are.
    pub fn new(world: &'a World, eks_arn: &str, pods: &[Value], now: Timestamp) -> Self {
        let nodes = pods.iter().filter_map(|pod| pod["spec"]["nodeName"].as_str());
        let has_driver =
            |node: &&str| devices::running_images(pods, node).iter().any(|it| it.contains("s3-csi-driver"));
        let drivers = nodes.filter(has_driver).map(str::to_owned).collect();
        Self { world, eks_arn: eks_arn.to_owned(), drivers, now }
    }

    /// Mounts a CSI volume for `pod`.
    ///
    /// # Errors
    /// The text of the `FailedMount` event.
    pub fn mount(
        &self,
        pod: &Value,
        driver: &str,
        attributes: &BTreeMap<String, String>,
        options: &[String],
    ) -> Result<(), String> {
        let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
        if driver != S3 || !self.drivers.contains(node) {
            return Err(format!(
                "MountVolume.MountDevice failed: kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: \
                 driver name {driver} not found in the list of registered CSI drivers"
            ));
        }
        let bucket = attributes.get("bucketName").map(String::as_str).unwrap_or_default();
        let (namespace, account) = match attributes.get("authenticationSource").map(String::as_str) {
            Some("pod") => (
                pod["metadata"]["namespace"].as_str().unwrap_or("default"),
                pod["spec"]["serviceAccountName"].as_str().unwrap_or("default"),
            ),
            _ => ("kube-system", "s3-csi-driver-sa"),
        };
        let role =
            world_access::pod_role(self.world, &self.eks_arn, namespace, account, self.now).ok_or_else(|| {
                failed(bucket, "Failed to create S3 client: No signing credentials available, see CSI driver logs")
            })?;
        self.reach(&role, bucket, options)
    }

    /// What Mountpoint does first: it lists the bucket.
    fn reach(&self, role: &str, bucket: &str, options: &[String]) -> Result<(), String> {
        let Some(region) = world_access::bucket_region(self.world, bucket) else {
            return Err(failed(
                bucket,
                &format!(
                    "Failed to create S3 client: initial ListObjectsV2 failed for bucket {bucket}: The specified bucket does not exist"
                ),
            ));
        };
        if let Some(given) = option(options, "region").filter(|given| *given != region) {
            return Err(failed(
                bucket,
                &format!(
                    "Failed to create S3 client: initial ListObjectsV2 failed for bucket {bucket} in region {given}: Client error: \
                 The bucket is in region {region}"
                ),
            ));
        }
        if !world_access::allows(self.world, role, "s3:ListBucket", &format!("arn:aws:s3:::{bucket}"), self.now) {
            return Err(failed(
                bucket,
                &format!(
                    "Failed to create S3 client: initial ListObjectsV2 failed for bucket {bucket} in region {region}: Client error: \
                 Forbidden: AccessDenied: User: {role} is not authorized to perform: s3:ListBucket on resource: \
                 \"arn:aws:s3:::{bucket}\""
                ),
            ));
        }
        Ok(())
    }

    /// The content of the file at `path` below the mount.
    ///
    /// # Errors
    /// What a program would print, without its name.
    pub fn read(
        &self,
        attributes: &BTreeMap<String, String>,
        options: &[String],
        path: &str,
    ) -> Result<Vec<u8>, String> {
        let (role, bucket, key) = self.locate(attributes, options, path)?;
        world_access::object(self.world, &role, &bucket, &key, self.now).map_err(|reason| match reason {
            Unreadable::Denied => format!("{path}: Permission denied"),
            Unreadable::NoSuchBucket | Unreadable::NoSuchKey => format!("{path}: No such file or directory"),
        })
    }

    /// The names in the folder at `path` below the mount.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn list(
        &self,
        attributes: &BTreeMap<String, String>,
        options: &[String],
        path: &str,
    ) -> Result<Vec<String>, String> {
        let (role, bucket, key) = self.locate(attributes, options, path)?;
        if !world_access::allows(self.world, &role, "s3:ListBucket", &format!("arn:aws:s3:::{bucket}"), self.now) {
            return Err(format!("cannot open directory '{path}': Permission denied"));
        }
        let folder = if key.is_empty() || key.ends_with('/') { key } else { format!("{key}/") };
        let keys = world_access::object_keys(self.world, &bucket, &folder);
        let names: BTreeSet<String> = keys
            .iter()
            .filter_map(|key| key.strip_prefix(&folder)?.split('/').next())
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        Ok(names.into_iter().collect())
    }

    fn locate(
        &self,
        attributes: &BTreeMap<String, String>,
        options: &[String],
        path: &str,
    ) -> Result<(String, String, String), String> {
        let role = world_access::pod_role(self.world, &self.eks_arn, "kube-system", "s3-csi-driver-sa", self.now);
        let role = role.ok_or_else(|| format!("{path}: Input/output error"))?;
        let bucket = attributes.get("bucketName").cloned().unwrap_or_default();
        let prefix = option(options, "prefix").unwrap_or_default();
        Ok((role, bucket, format!("{prefix}{}", path.trim_start_matches('/'))))
    }

    /// Draws how long something takes that is said to take `seconds`, at the world's pace.
    pub fn draw(&self, label: &str, seconds: Range<u32>) -> SignedDuration {
        self.world.paced(self.world.draw(label, seconds))
    }
}

/// The value of a mount option, written `name value` or `name=value`, with or without dashes before it.
fn option<'a>(options: &'a [String], name: &str) -> Option<&'a str> {
    options.iter().find_map(|option| {
        let rest = option.trim_start_matches('-').strip_prefix(name)?;
        rest.strip_prefix([' ', '=']).map(str::trim)
    })
}

fn failed(bucket: &str, why: &str) -> String {
    format!(
        "MountVolume.SetUp failed: rpc error: code = Internal desc = Could not mount \"{bucket}\": Mount failed: {why}"
    )
}
