//! Garbage collection by owner references, foreground and orphan deletion, and protection of claims and volumes.

use crate::kubernetes::{
    Cluster, object,
    resource::{Resource, known},
    serve::Deletion,
    store::Shared,
};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) fn run(cluster: &mut Cluster, now: Timestamp) {
    let living: BTreeSet<String> = cluster.store.all().map(|(_, value)| object::uid(value).to_owned()).collect();
    let owned: Vec<Shared> = cluster
        .store
        .all()
        .filter(|(_, value)| !object::list(value, "/metadata/ownerReferences").is_empty())
        .map(|(_, value)| value.clone())
        .collect();
    for value in &owned {
        let owners = object::list(value, "/metadata/ownerReferences");
        let orphaned = owners.iter().all(|owner| !living.contains(object::text(owner, "/uid")));
        if orphaned && !object::is_terminating(value) {
            remove(cluster, value, now);
        }
    }
    let ending: Vec<Shared> = cluster
        .store
        .all()
        .filter(|(_, value)| object::is_terminating(value))
        .map(|(_, value)| value.clone())
        .collect();
    for value in ending {
        finish(cluster, &value, &owned, now);
    }
}

fn resource_of(cluster: &Cluster, value: &Value) -> Option<Resource> {
    cluster.resource_of_kind(object::text(value, "/apiVersion"), object::text(value, "/kind"))
}

fn remove(cluster: &mut Cluster, value: &Value, now: Timestamp) {
    if let Some(resource) = resource_of(cluster, value) {
        let deletion = Deletion { propagation: "Background".to_owned(), ..Deletion::default() };
        // Gone meanwhile is as good.
        _ = cluster.delete(&resource, object::namespace(value), object::name(value), &deletion, now);
    }
}

/// Does what a terminating object's finalizers wait for, where they are Kubernetes' own.
fn finish(cluster: &mut Cluster, value: &Value, owned: &[Shared], now: Timestamp) {
    let depends = |one: &&Shared| {
        object::list(one, "/metadata/ownerReferences").iter().any(|owner| owner["uid"] == value["metadata"]["uid"])
    };
    for finalizer in object::list(value, "/metadata/finalizers").iter().filter_map(Value::as_str) {
        let done = match finalizer {
            "foregroundDeletion" => {
                let dependents: Vec<&Shared> = owned.iter().filter(depends).collect();
                for dependent in dependents.iter().filter(|one| !object::is_terminating(one)) {
                    remove(cluster, dependent, now);
                }
                dependents.is_empty()
            }
            "orphan" => {
                for dependent in owned.iter().filter(depends) {
                    disown(cluster, dependent, value);
                }
                true
            }
            "kubernetes.io/pvc-protection" => !claim_in_use(cluster, value),
            "kubernetes.io/pv-protection" => value["status"]["phase"] != "Bound",
            _ => false,
        };
        if done {
            release(cluster, value, finalizer);
        }
    }
}

fn disown(cluster: &mut Cluster, dependent: &Shared, owner: &Value) {
    let Some(resource) = resource_of(cluster, dependent) else { return };
    let mut next = dependent.copy();
    if let Some(owners) = next["metadata"]["ownerReferences"].as_array_mut() {
        owners.retain(|one| one["uid"] != owner["metadata"]["uid"]);
        if owners.is_empty() {
            object::remove(&mut next, "/metadata", "ownerReferences");
        }
    }
    cluster.store.put(&resource, next);
}

/// Takes a finalizer off; the last one lets the object go.
fn release(cluster: &mut Cluster, value: &Value, finalizer: &str) {
    let Some(resource) = resource_of(cluster, value) else { return };
    let (namespace, name) = (object::namespace(value), object::name(value));
    let Some(current) = cluster.store.get(&resource, namespace, name).cloned() else { return };
    let mut next = current.copy();
    if let Some(finalizers) = next["metadata"]["finalizers"].as_array_mut() {
        finalizers.retain(|one| one != finalizer);
    }
    let free = object::list(&next, "/metadata/finalizers").is_empty();
    let graced =
        resource.plural == "pods" && object::number(&next, "/metadata/deletionGracePeriodSeconds").unwrap_or(0) > 0;
    if free && !graced {
        cluster.store.remove(&resource.key(), namespace, name);
    } else {
        cluster.write(&resource, &current, next);
    }
}

fn claim_in_use(cluster: &Cluster, claim: &Value) -> bool {
    let pods = cluster.store.list(known("", "pods"), object::namespace(claim));
    pods.into_iter().any(|pod| {
        !matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"))
            && object::list(pod, "/spec/volumes")
                .iter()
                .any(|volume| object::text(volume, "/persistentVolumeClaim/claimName") == object::name(claim))
    })
}
