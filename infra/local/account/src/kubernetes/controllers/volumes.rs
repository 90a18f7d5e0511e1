//! Claims and volumes: they bind to each other by name, class, mode and size, whatever stands behind the volume.

use crate::kubernetes::{Cluster, object, quantity, resource::known, selector::LabelSelector, store::Shared};
use jiff::Timestamp;
use serde_json::{Value, json};

const FROM: &str = "persistentvolume-controller";

/// Whether binding waits until a pod that uses the claim is scheduled.
pub(super) fn waits_for_consumer(cluster: &Cluster, claim: &Value) -> bool {
    let class = object::text(claim, "/spec/storageClassName");
    let found = cluster.store.get(known("storage.k8s.io", "storageclasses"), "", class);
    object::text(claim, "/spec/volumeName").is_empty()
        && found.is_some_and(|class| class["volumeBindingMode"] == "WaitForFirstConsumer")
}

pub(super) fn run(cluster: &mut Cluster, now: Timestamp) {
    let (claims, volumes) = (known("", "persistentvolumeclaims"), known("", "persistentvolumes"));
    for claim in cluster.all("", "persistentvolumeclaims") {
        if claim["status"]["phase"] == "Bound" || object::is_terminating(&claim) {
            lose(cluster, &claim);
            continue;
        }
        let Some(volume) = chosen(cluster, &claim) else {
            pend(cluster, &claim, now);
            continue;
        };
        let mut bound = volume.copy();
        bound["spec"]["claimRef"] = json!({
            "kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": object::namespace(&claim),
            "name": object::name(&claim), "uid": claim["metadata"]["uid"], "resourceVersion": claim["metadata"]["resourceVersion"],
        });
        bound["status"] = json!({"phase": "Bound", "lastPhaseTransitionTime": object::time(now)});
        cluster.write(volumes, &volume, bound);
        let mut next = claim.copy();
        object::put(&mut next, "/spec/volumeName", object::name(&volume));
        object::entry(&mut next, "/metadata/annotations")["pv.kubernetes.io/bind-completed"] = "yes".into();
        next["status"] = json!({
            "phase": "Bound", "accessModes": volume["spec"]["accessModes"], "capacity": {"storage": volume["spec"]["capacity"]["storage"]},
        });
        cluster.write(claims, &claim, next);
    }
    for volume in cluster.all("", "persistentvolumes") {
        settle(cluster, &volume, now);
    }
}

/// The volume for a claim: the one it names, or the smallest that fits.
fn chosen(cluster: &Cluster, claim: &Value) -> Option<Shared> {
    let volumes = known("", "persistentvolumes");
    let free = |volume: &&Shared| {
        let holder = &volume["spec"]["claimRef"];
        !object::is_terminating(volume)
            && (holder.is_null()
                || holder["namespace"] == claim["metadata"]["namespace"]
                    && holder["name"] == claim["metadata"]["name"]
                    && (holder["uid"].is_null() || holder["uid"] == claim["metadata"]["uid"]))
    };
    let fits = |volume: &&Shared| {
        let modes = object::list(volume, "/spec/accessModes");
        object::text(volume, "/spec/storageClassName") == object::text(claim, "/spec/storageClassName")
            && object::list(claim, "/spec/accessModes").iter().all(|mode| modes.contains(mode))
            && quantity::of(&volume["spec"]["capacity"]["storage"])
                >= quantity::of(&claim["spec"]["resources"]["requests"]["storage"])
            && volume["spec"]["volumeMode"] == claim["spec"]["volumeMode"]
    };
    match object::text(claim, "/spec/volumeName") {
        "" => {
            if waits_for_consumer(cluster, claim) {
                return None;
            }
            let selector = LabelSelector::from_object(&claim["spec"]["selector"]).unwrap_or_default();
            let candidates = cluster.store.list(volumes, "").filter(free).filter(fits);
            let candidates = candidates.filter(|volume| selector.matches(object::labels(volume)));
            candidates.min_by_key(|volume| quantity::of(&volume["spec"]["capacity"]["storage"])).cloned()
        }
        name => cluster.store.get(volumes, "", name).filter(free).filter(fits).cloned(),
    }
}

fn pend(cluster: &mut Cluster, claim: &Shared, now: Timestamp) {
    let mut next = claim.copy();
    next["status"]["phase"] = "Pending".into();
    cluster.write(known("", "persistentvolumeclaims"), claim, next);
    let class = object::text(claim, "/spec/storageClassName");
    let (reason, message) = match object::text(claim, "/spec/volumeName") {
        name if !name.is_empty() => match cluster.store.get(known("", "persistentvolumes"), "", name) {
            Some(_) => (
                "VolumeMismatch",
                format!("Cannot bind to requested volume {name:?}: requested volume does not satisfy the claim"),
            ),
            None => return,
        },
        _ if waits_for_consumer(cluster, claim) => {
            ("WaitForFirstConsumer", "waiting for first consumer to be created before binding".to_owned())
        }
        _ if class.is_empty() => {
            ("FailedBinding", "no persistent volumes available for this claim and no storage class is set".to_owned())
        }
        _ if cluster.store.get(known("storage.k8s.io", "storageclasses"), "", class).is_none() => {
            ("ProvisioningFailed", format!("storageclass.storage.k8s.io {class:?} not found"))
        }
        _ => return,
    };
    let told = cluster.store.list(known("", "events"), object::namespace(claim)).any(|event| {
        event["involvedObject"]["uid"] == claim["metadata"]["uid"] && event["message"] == message.as_str()
    });
    if !told {
        cluster.say(claim, FROM, (reason, &message), now);
    }
}

/// A bound claim whose volume is gone is lost.
fn lose(cluster: &mut Cluster, claim: &Shared) {
    let name = object::text(claim, "/spec/volumeName");
    let gone = !name.is_empty() && cluster.store.get(known("", "persistentvolumes"), "", name).is_none();
    if gone && claim["status"]["phase"] == "Bound" {
        let mut next = claim.copy();
        next["status"] = json!({"phase": "Lost"});
        cluster.write(known("", "persistentvolumeclaims"), claim, next);
    }
}

/// A volume without its claim is released, and removed if it is to be.
fn settle(cluster: &mut Cluster, volume: &Shared, now: Timestamp) {
    let resource = known("", "persistentvolumes");
    let holder = &volume["spec"]["claimRef"];
    let claim = cluster.store.get(
        known("", "persistentvolumeclaims"),
        object::text(holder, "/namespace"),
        object::text(holder, "/name"),
    );
    let held = claim.is_some_and(|claim| holder["uid"].is_null() || claim["metadata"]["uid"] == holder["uid"]);
    let phase = if holder.is_null() || holder["uid"].is_null() {
        "Available"
    } else if held {
        "Bound"
    } else {
        "Released"
    };
    if phase == "Released" && volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete" {
        cluster.store.remove(&resource.key(), "", object::name(volume));
        return;
    }
    if volume["status"]["phase"] != phase {
        let mut next = volume.copy();
        next["status"] = json!({"phase": phase, "lastPhaseTransitionTime": object::time(now)});
        cluster.write(resource, volume, next);
    }
}
