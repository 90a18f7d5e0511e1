//! Making, counting and removing the pods of a workload.

use crate::kubernetes::{
    Cluster, object,
    resource::known,
    serve::{Deletion, Options},
    store::Shared,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// How long a controller waits after its pod was refused.
const PAUSE: SignedDuration = SignedDuration::from_secs(15);

pub(super) fn is_over(pod: &Value) -> bool {
    matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"))
}

pub(super) fn is_ready(pod: &Value) -> bool {
    object::has_condition(pod, "Ready") && !object::is_terminating(pod)
}

/// Order in which pods are given up: those that run least first.
pub(super) fn worth(pod: &Value) -> (bool, bool, std::cmp::Reverse<String>) {
    let placed = !object::text(pod, "/spec/nodeName").is_empty();
    (placed, is_ready(pod), std::cmp::Reverse(object::text(pod, "/metadata/creationTimestamp").to_owned()))
}

impl Cluster {
    /// Pods that `owner` controls.
    pub(super) fn pods_of(&self, owner: &Value) -> Vec<Shared> {
        let pods = self.store.list(known("", "pods"), object::namespace(owner));
        pods.filter(|pod| object::controller_of(pod).is_some_and(|one| one["uid"] == owner["metadata"]["uid"]))
            .cloned()
            .collect()
    }

    /// Creates a pod from a template for `owner`; false if it was refused, which is said in an event.
    pub(super) fn make_pod(&mut self, owner: &Value, mut pod: Value, from: &str, now: Timestamp) -> bool {
        if self.life.pauses.contains_key(object::uid(owner)) {
            return false;
        }
        pod["metadata"]["ownerReferences"] = object::owned_by(owner);
        let namespace = object::namespace(owner).to_owned();
        let mut options = Options::internal("kube-controller-manager");
        match self.create(known("", "pods"), &namespace, pod, &mut options, now) {
            Ok(made) => {
                let message = format!("Created pod: {}", object::name(&made));
                self.say(owner, from, ("SuccessfulCreate", &message), now);
                true
            }
            Err(refusal) => {
                let message = format!("Error creating: {}", refusal.message);
                self.say(owner, from, ("FailedCreate", &message), now);
                let until = now.saturating_add(PAUSE).unwrap_or(Timestamp::MAX);
                self.life.pauses.insert(object::uid(owner).to_owned(), until);
                false
            }
        }
    }

    /// Deletes a pod for `owner`.
    pub(super) fn drop_pod(&mut self, owner: &Value, pod: &Value, from: &str, now: Timestamp) {
        let (namespace, name) = (object::namespace(pod), object::name(pod));
        if self.delete(known("", "pods"), namespace, name, &Deletion::default(), now).is_ok() {
            let message = format!("Deleted pod: {name}");
            self.say(owner, from, ("SuccessfulDelete", &message), now);
        }
    }
}

/// A pod from the template of a workload, named after its owner.
pub(super) fn from_template(owner: &Value) -> Value {
    let template = &owner["spec"]["template"];
    let mut metadata = json!({"generateName": format!("{}-", object::name(owner))});
    for part in ["labels", "annotations", "finalizers"] {
        if !template["metadata"][part].is_null() {
            metadata[part] = template["metadata"][part].clone();
        }
    }
    json!({"metadata": metadata, "spec": template["spec"]})
}
