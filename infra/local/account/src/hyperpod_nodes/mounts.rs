//! What a kubelet on a HyperPod node meets when it mounts an S3 bucket: the driver, its role, the bucket.
//!
//! A claim binds whatever is wrong here; the truth shows on the pod that mounts it.

use super::devices;
use crate::{
    eks,
    kubernetes::Host,
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

/// What the kubelets of one cluster know of it: where the driver runs, and as which role it and other pods act.
///
/// It is looked up before the controllers run, because the cluster is out of the world meanwhile.
#[derive(Debug, Default)]
pub struct Kubelets {
    /// The driver's role by node; none where it has no credentials.
    drivers: BTreeMap<String, Option<String>>,
    /// Roles of pods that mount volumes, by uid.
    pods: BTreeMap<String, String>,
}

impl Kubelets {
    /// Looks at the cluster `eks_arn` as it is at `now`.
    pub fn look(world: &mut World, eks_arn: &str, now: Timestamp) -> Self {
        let answer = world_access::kubernetes(world, eks_arn, "GET", "/api/v1/pods", None, now);
        let pods = answer.map(|(_, mut body)| body["items"].take()).unwrap_or_default();
        let mut found = Self::default();
        for pod in pods.as_array().into_iter().flatten() {
            let Some(node) = pod["spec"]["nodeName"].as_str() else { continue };
            let running = devices::running_images(std::slice::from_ref(pod), node);
            if running.iter().any(|image| image.contains("s3-csi-driver")) {
                found.drivers.insert(node.to_owned(), role_of(world, eks_arn, pod, now));
            }
            let volumes = pod["spec"]["volumes"].as_array();
            if volumes.into_iter().flatten().any(|volume| volume.get("persistentVolumeClaim").is_some())
                && let (Some(uid), Some(role)) = (pod["metadata"]["uid"].as_str(), role_of(world, eks_arn, pod, now))
            {
                found.pods.insert(uid.to_owned(), role);
            }
        }
        found
    }

    #[cfg(test)]
    pub(super) fn with_driver(node: &str, role: Option<&str>) -> Self {
        let drivers = BTreeMap::from([(node.to_owned(), role.map(str::to_owned))]);
        Self { drivers, pods: BTreeMap::new() }
    }
}

/// The role that a pod got when it was made.
fn role_of(world: &mut World, eks_arn: &str, pod: &Value, now: Timestamp) -> Option<String> {
    let text = |path: &str| pod.pointer(path).and_then(Value::as_str);
    let namespace = text("/metadata/namespace").unwrap_or("default");
    let account = text("/spec/serviceAccountName").unwrap_or("default");
    let made = text("/metadata/creationTimestamp").and_then(|time| time.parse().ok()).unwrap_or(now);
    eks::pod_role(world, eks_arn, namespace, account, made, now)
}

/// The nodes of one Kubernetes cluster, as its kubelets see the world around them.
#[derive(Debug)]
pub struct NodeHost<'a> {
    world: &'a World,
    kubelets: &'a Kubelets,
    now: Timestamp,
}

impl<'a> NodeHost<'a> {
    /// What kubelets that know this meet in `world`.
    pub fn new(world: &'a World, kubelets: &'a Kubelets, now: Timestamp) -> Self {
        Self { world, kubelets, now }
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

    /// As whom, in which bucket and under which key a path below a mount is read.
    fn locate(
        &self,
        attributes: &BTreeMap<String, String>,
        options: &[String],
        path: &str,
    ) -> Result<(String, String, String), String> {
        let role = match attributes.get("authenticationSource").map(String::as_str) {
            Some("pod") => self.kubelets.pods.values().next(),
            _ => self.kubelets.drivers.values().flatten().next(),
        };
        let role = role.ok_or_else(|| format!("{path}: Input/output error"))?;
        let bucket = attributes.get("bucketName").cloned().unwrap_or_default();
        let prefix = option(options, "prefix").unwrap_or_default();
        Ok((role.clone(), bucket, format!("{prefix}{}", path.trim_start_matches('/'))))
    }
}

impl Host for NodeHost<'_> {
    /// Mounts a CSI volume for `pod`.
    ///
    /// # Errors
    /// The text of the `FailedMount` event.
    fn mount(
        &self,
        pod: &Value,
        driver: &str,
        attributes: &BTreeMap<String, String>,
        options: &[String],
    ) -> Result<(), String> {
        let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
        let Some(driver_role) = self.kubelets.drivers.get(node).filter(|_| driver == S3) else {
            return Err(format!(
                "MountVolume.MountDevice failed: kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: \
                 driver name {driver} not found in the list of registered CSI drivers"
            ));
        };
        let bucket = attributes.get("bucketName").map(String::as_str).unwrap_or_default();
        let role = match attributes.get("authenticationSource").map(String::as_str) {
            Some("pod") => pod["metadata"]["uid"].as_str().and_then(|uid| self.kubelets.pods.get(uid)),
            _ => driver_role.as_ref(),
        };
        let role = role.ok_or_else(|| {
            failed(bucket, "Failed to create S3 client: No signing credentials available, see CSI driver logs")
        })?;
        self.reach(role, bucket, options)
    }

    /// The content of the file at `path` below the mount.
    ///
    /// # Errors
    /// What a program would print, without its name.
    fn read(&self, attributes: &BTreeMap<String, String>, options: &[String], path: &str) -> Result<Vec<u8>, String> {
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
    fn list(
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

    /// Draws how long something takes that is said to take `seconds`, at the world's pace.
    fn draw(&self, label: &str, seconds: Range<u32>) -> SignedDuration {
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
