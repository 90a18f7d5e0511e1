//! The volumes of a pod: which must be there before it starts, and what a path in a container leads to.

use crate::kubernetes::{Cluster, Host, object, resource::known, store::Shared};
use serde_json::Value;
use std::collections::BTreeMap;

/// A CSI volume as its driver is told of it.
pub(super) struct Mounted {
    pub(super) attributes: BTreeMap<String, String>,
    pub(super) options: Vec<String>,
}

fn parameters(volume: &Value) -> Mounted {
    let attributes = volume["spec"]["csi"]["volumeAttributes"].as_object().into_iter().flatten();
    let mut attributes: BTreeMap<String, String> =
        attributes.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
    attributes.insert("volumeHandle".to_owned(), object::text(volume, "/spec/csi/volumeHandle").to_owned());
    let options = object::list(volume, "/spec/mountOptions").iter().filter_map(Value::as_str);
    Mounted { attributes, options: options.map(str::to_owned).collect() }
}

fn behind(cluster: &Cluster, pod: &Value, volume: &Value) -> Option<Shared> {
    let name = object::text(volume, "/persistentVolumeClaim/claimName");
    let claim = cluster.store.get(known("", "persistentvolumeclaims"), object::namespace(pod), name)?;
    cluster.store.get(known("", "persistentvolumes"), "", object::text(claim, "/spec/volumeName")).cloned()
}

/// Mounts every volume of a pod.
///
/// # Errors
/// The text of the `FailedMount` event for the first that cannot be mounted.
pub(super) fn all(cluster: &Cluster, host: &dyn Host, pod: &Value) -> Result<(), String> {
    for volume in object::list(pod, "/spec/volumes") {
        let failed = |name: &str, why: &str| format!("MountVolume.SetUp failed for volume {name:?} : {why}");
        let name = object::text(volume, "/name");
        for (kind, plural, field) in [("configMap", "configmaps", "name"), ("secret", "secrets", "secretName")] {
            let source = &volume[kind];
            let wanted = object::text(source, &format!("/{field}"));
            let found = cluster.store.get(known("", plural), object::namespace(pod), wanted).is_some();
            if source.is_object() && source["optional"] != true && !found {
                return Err(failed(name, &format!("{} {wanted:?} not found", kind.to_lowercase())));
            }
        }
        if !volume["persistentVolumeClaim"].is_object() {
            continue;
        }
        let persistent = behind(cluster, pod, volume).ok_or_else(|| failed(name, "persistentvolume not found"))?;
        let driver = object::text(&persistent, "/spec/csi/driver");
        if !driver.is_empty() {
            let mounted = parameters(&persistent);
            host.mount(pod, driver, &mounted.attributes, &mounted.options)
                .map_err(|why| failed(object::name(&persistent), &why))?;
        }
    }
    Ok(())
}

/// The CSI volume under a path of a container, and the path below it.
pub(super) fn under(cluster: &Cluster, pod: &Value, container: &Value, path: &str) -> Option<(Mounted, String)> {
    let at = |mount: &Value| object::text(mount, "/mountPath").trim_end_matches('/').to_owned();
    let holds = |at: &str| path.strip_prefix(at).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let mounts = object::list(container, "/volumeMounts").iter();
    let mount = mounts.filter(|mount| holds(&at(mount))).max_by_key(|mount| at(mount).len())?;
    let volume = object::list(pod, "/spec/volumes").iter().find(|one| one["name"] == mount["name"])?;
    let persistent = behind(cluster, pod, volume)?;
    let below = path.strip_prefix(&at(mount))?.trim_start_matches('/');
    let below = match object::text(mount, "/subPath") {
        "" => below.to_owned(),
        sub => format!("{}/{below}", sub.trim_end_matches('/')),
    };
    Some((parameters(&persistent), below))
}
