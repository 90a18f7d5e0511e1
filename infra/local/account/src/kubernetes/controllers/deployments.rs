//! Deployments: a replica set per template, and the way from the old to the new.

use super::Wake;
use crate::kubernetes::{
    Cluster, object,
    resource::known,
    serve::Options,
    store::{Shared, template_hash},
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

const FROM: &str = "deployment-controller";
const REVISION: &str = "deployment.kubernetes.io/revision";
const HASH: &str = "pod-template-hash";

pub(super) fn run(cluster: &mut Cluster, now: Timestamp, wake: &mut Wake) {
    for deployment in cluster.all("apps", "deployments") {
        if object::is_terminating(&deployment) {
            continue;
        }
        let (new, old) = sets(cluster, &deployment);
        let Some(new) = new.or_else(|| make_set(cluster, &deployment, &old, now)) else { continue };
        if deployment["spec"]["paused"] != true {
            roll(cluster, &deployment, &new, &old, now);
        }
        report(cluster, &deployment, now, wake);
    }
}

/// The set of the current template, and the others.
fn sets(cluster: &Cluster, deployment: &Value) -> (Option<Shared>, Vec<Shared>) {
    let hash = template_hash(&deployment["spec"]["template"]);
    let owned = cluster.store.list(known("apps", "replicasets"), object::namespace(deployment));
    let owned =
        owned.filter(|set| object::controller_of(set).is_some_and(|one| one["uid"] == deployment["metadata"]["uid"]));
    let (mut new, old): (Vec<Shared>, Vec<Shared>) =
        owned.cloned().partition(|set| object::labels(set)[HASH] == hash.as_str());
    (new.pop(), old)
}

fn revision(set: &Value) -> u64 {
    set["metadata"]["annotations"][REVISION].as_str().and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn make_set(cluster: &mut Cluster, deployment: &Value, old: &[Shared], now: Timestamp) -> Option<Shared> {
    let hash = template_hash(&deployment["spec"]["template"]);
    let next = old.iter().map(|set| revision(set)).max().unwrap_or(0) + 1;
    let mut template = deployment["spec"]["template"].clone();
    object::entry(&mut template, "/metadata/labels")[HASH] = hash.clone().into();
    let mut selector = deployment["spec"]["selector"].clone();
    object::entry(&mut selector, "/matchLabels")[HASH] = hash.clone().into();
    let body = json!({
        "metadata": {
            "name": format!("{}-{hash}", object::name(deployment)), "labels": template["metadata"]["labels"],
            "annotations": {REVISION: next.to_string()}, "ownerReferences": object::owned_by(deployment),
        },
        "spec": {"replicas": 0, "selector": selector, "template": template},
    });
    let sets = known("apps", "replicasets");
    let mut options = Options::internal("kube-controller-manager");
    let made = cluster.create(sets, object::namespace(deployment), body, &mut options, now).ok()?;
    cluster.store.get(sets, object::namespace(deployment), object::name(&made)).cloned()
}

fn scale(cluster: &mut Cluster, deployment: &Value, set: &Shared, to: i64, now: Timestamp) {
    let from = object::number(set, "/spec/replicas").unwrap_or(0);
    if from == to {
        return;
    }
    let mut next = set.copy();
    object::put(&mut next, "/spec/replicas", to);
    let generation = object::number(&next, "/metadata/generation").unwrap_or(0) + 1;
    object::put(&mut next, "/metadata/generation", generation);
    cluster.store.put(known("apps", "replicasets"), next);
    let way = if to > from { "up" } else { "down" };
    let message = format!("Scaled {way} replica set {} from {from} to {to}", object::name(set));
    cluster.say(deployment, FROM, ("ScalingReplicaSet", &message), now);
}

/// A number or a percentage of `whole`.
pub(super) fn share(value: &Value, whole: i64, up: bool) -> i64 {
    let percent = value.as_str().and_then(|text| text.strip_suffix('%')?.parse::<i64>().ok());
    match percent {
        Some(percent) if up => (percent * whole + 99) / 100,
        Some(percent) => percent * whole / 100,
        None => value.as_i64().unwrap_or(0),
    }
}

fn roll(cluster: &mut Cluster, deployment: &Value, new: &Shared, old: &[Shared], now: Timestamp) {
    let replicas = object::number(deployment, "/spec/replicas").unwrap_or(1);
    let of = |set: &Shared, pointer: &str| object::number(set, pointer).unwrap_or(0);
    let total: i64 = old.iter().chain([new]).map(|set| of(set, "/spec/replicas")).sum();
    let running: i64 = old.iter().map(|set| of(set, "/status/replicas")).sum();
    if deployment["spec"]["strategy"]["type"] == "Recreate" {
        for set in old {
            scale(cluster, deployment, set, 0, now);
        }
        if running == 0 {
            scale(cluster, deployment, new, replicas, now);
        }
        return;
    }
    let rolling = &deployment["spec"]["strategy"]["rollingUpdate"];
    let surge = share(&rolling["maxSurge"], replicas, true);
    let mut unavailable = share(&rolling["maxUnavailable"], replicas, false);
    if surge == 0 && unavailable == 0 {
        unavailable = 1;
    }
    let mine = of(new, "/spec/replicas");
    let grown = if mine > replicas { replicas } else { mine + (replicas - mine).min(replicas + surge - total).max(0) };
    scale(cluster, deployment, new, grown, now);
    let available: i64 = old.iter().chain([new]).map(|set| of(set, "/status/availableReplicas")).sum();
    let least = replicas - unavailable;
    let mut spare = total - least - (mine - of(new, "/status/availableReplicas"));
    let mut healthy_spare = available - least;
    for set in old {
        let size = of(set, "/spec/replicas");
        let broken = (size - of(set, "/status/availableReplicas")).clamp(0, spare.max(0));
        let healthy = (size - broken).min(healthy_spare.max(0)).min(spare.max(0) - broken).max(0);
        spare -= broken + healthy;
        healthy_spare -= healthy;
        scale(cluster, deployment, set, size - broken - healthy, now);
    }
}

fn report(cluster: &mut Cluster, deployment: &Shared, now: Timestamp, wake: &mut Wake) {
    let resource = known("apps", "deployments");
    let (new, old) = sets(cluster, deployment);
    let Some(new) = new else { return };
    let replicas = object::number(deployment, "/spec/replicas").unwrap_or(1);
    let sum =
        |pointer: &str| old.iter().chain([&new]).map(|set| object::number(set, pointer).unwrap_or(0)).sum::<i64>();
    let (total, ready, available) =
        (sum("/status/replicas"), sum("/status/readyReplicas"), sum("/status/availableReplicas"));
    let updated = object::number(&new, "/status/replicas").unwrap_or(0);
    let mut next = deployment.copy();
    let conditions = deployment["status"]["conditions"].clone();
    next["status"] = json!({
        "observedGeneration": deployment["metadata"]["generation"], "replicas": total, "updatedReplicas": updated,
        "readyReplicas": ready, "availableReplicas": available, "unavailableReplicas": (total.max(replicas) - available).max(0),
    });
    if let Some(status) = next["status"].as_object_mut() {
        status.retain(|_, value| value.as_i64() != Some(0));
    }
    if conditions.is_array() {
        next["status"]["conditions"] = conditions;
    }
    object::entry(&mut next, "/metadata/annotations")[REVISION] = revision(&new).to_string().into();
    let unavailable = share(&deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"], replicas, false);
    let fine = available >= replicas - unavailable;
    let words = if fine {
        ("MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        ("MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    };
    object::set_condition(&mut next, "Available", fine, words, now);
    progress(
        deployment,
        &mut next,
        (&new, updated == replicas && available >= replicas && total == replicas),
        now,
        wake,
    );
    cluster.write(resource, deployment, next);
}

/// Progressing is a clock that every change of the counts winds up again.
fn progress(before: &Value, next: &mut Value, (set, complete): (&Value, bool), now: Timestamp, wake: &mut Wake) {
    let counts = |value: &Value| {
        ["updatedReplicas", "readyReplicas", "availableReplicas", "replicas"]
            .map(|name| value["status"][name].as_i64().unwrap_or(0))
    };
    let moved = counts(before) != counts(next)
        || before["status"]["observedGeneration"] != next["status"]["observedGeneration"];
    let earlier = object::list(before, "/status/conditions").iter().find(|one| one["type"] == "Progressing");
    let since = earlier.and_then(|one| object::time_at(one, "/lastUpdateTime")).filter(|_| !moved).unwrap_or(now);
    let seconds = object::number(before, "/spec/progressDeadlineSeconds").unwrap_or(600);
    let deadline = since.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX);
    let name = object::name(set);
    let (fine, reason, message) = if complete {
        (true, "NewReplicaSetAvailable", format!("ReplicaSet {name:?} has successfully progressed."))
    } else if now >= deadline {
        (false, "ProgressDeadlineExceeded", format!("ReplicaSet {name:?} has timed out progressing."))
    } else {
        wake.at(deadline);
        (true, "ReplicaSetUpdated", format!("ReplicaSet {name:?} is progressing."))
    };
    object::set_condition(next, "Progressing", fine, (reason, &message), now);
    for one in next["status"]["conditions"].as_array_mut().into_iter().flatten() {
        if one["type"] == "Progressing" {
            one["lastUpdateTime"] = object::time(since).into();
        } else {
            let time = one["lastTransitionTime"].clone();
            one["lastUpdateTime"] = time;
        }
    }
}
