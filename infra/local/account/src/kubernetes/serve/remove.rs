//! Deleting: at once, after a grace period, or when the last finalizer is gone.

use super::{Call, ok, success};
use crate::kubernetes::{Cluster, Reply, events, object, refusal::Refusal, resource::Resource};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// How a deletion is to be done.
#[derive(Debug, Clone, Default)]
pub(in crate::kubernetes) struct Deletion {
    pub(in crate::kubernetes) grace: Option<i64>,
    /// `Background`, `Foreground`, `Orphan`, or empty for the kind's default.
    pub(in crate::kubernetes) propagation: String,
    pub(in crate::kubernetes) uid: String,
    pub(in crate::kubernetes) version: String,
    pub(in crate::kubernetes) dry_run: bool,
}

impl Deletion {
    fn of(call: &Call<'_>) -> Result<Self, Refusal> {
        let body = call.body()?;
        let grace = call.query.number("gracePeriodSeconds")?.or_else(|| body["gracePeriodSeconds"].as_i64());
        let mut propagation = call.query.text("propagationPolicy").to_owned();
        if propagation.is_empty() {
            propagation = object::text(&body, "/propagationPolicy").to_owned();
        }
        if !matches!(propagation.as_str(), "" | "Background" | "Foreground" | "Orphan") {
            let message = format!(
                "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: {propagation:?}: supported values: \"Background\", \"Foreground\", \"Orphan\""
            );
            return Err(Refusal::new(422, "Invalid", message));
        }
        if propagation.is_empty() && (body["orphanDependents"] == true || call.query.flag("orphanDependents")) {
            propagation = "Orphan".to_owned();
        }
        Ok(Self {
            grace,
            propagation,
            uid: object::text(&body, "/preconditions/uid").to_owned(),
            version: object::text(&body, "/preconditions/resourceVersion").to_owned(),
            dry_run: call.query.dry_run(&body)?,
        })
    }
}

pub(super) fn one(cluster: &mut Cluster, call: &Call<'_>) -> Result<Reply, Refusal> {
    let deletion = Deletion::of(call)?;
    let (namespace, name) = (call.route.namespace.as_str(), call.route.name.as_str());
    let uid = object::uid(cluster.find(&call.resource, namespace, name)?).to_owned();
    let mut warnings = Vec::new();
    if call.resource.plural == "jobs" && deletion.propagation.is_empty() {
        warnings.push("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning".to_owned());
    }
    let left = cluster.delete(&call.resource, namespace, name, &deletion, call.now)?;
    let body = match left {
        Some(value) => events::as_seen_by(&call.resource, &value),
        None => success(&call.resource, name, &uid),
    };
    Ok(Reply::Json { status: 200, body, warnings })
}

pub(super) fn collection(cluster: &mut Cluster, call: &Call<'_>) -> Result<Reply, Refusal> {
    let deletion = Deletion::of(call)?;
    let (labels, fields) = (call.query.labels()?, call.query.fields()?);
    fields.check(&call.resource)?;
    let chosen: Vec<Value> = cluster
        .store
        .list(&call.resource, &call.route.namespace)
        .filter(|value| labels.matches(object::labels(value)) && fields.matches(value))
        .map(|value| events::as_seen_by(&call.resource, value))
        .collect();
    for value in &chosen {
        cluster.delete(&call.resource, object::namespace(value), object::name(value), &deletion, call.now)?;
    }
    Ok(ok(json!({
        "kind": format!("{}List", call.resource.kind), "apiVersion": call.resource.api_version(),
        "metadata": {"resourceVersion": cluster.store.revision().to_string()}, "items": chosen,
    })))
}

impl Cluster {
    /// Deletes an object; returns it if it is still there, waiting for its grace period or finalizers.
    pub(in crate::kubernetes) fn delete(
        &mut self,
        resource: &Resource,
        namespace: &str,
        name: &str,
        deletion: &Deletion,
        now: Timestamp,
    ) -> Result<Option<Value>, Refusal> {
        let mut value = self.find(resource, namespace, name)?.copy();
        let preconditions = [("UID", &deletion.uid, "uid"), ("ResourceVersion", &deletion.version, "resourceVersion")];
        for (word, wanted, field) in preconditions {
            let found = value["metadata"][field].as_str().unwrap_or_default();
            if !wanted.is_empty() && wanted != found {
                let detail =
                    format!("Precondition failed: {word} in precondition: {wanted}, {word} in object meta: {found}");
                return Err(Refusal::conflict(resource, name, &detail));
            }
        }
        if resource.plural == "namespaces" && matches!(name, "default" | "kube-system" | "kube-public") {
            return Err(Refusal::forbidden(resource, name, "this namespace may not be deleted"));
        }
        let grace = grace(resource, &value, deletion);
        finalize(resource, &mut value, deletion);
        let held = !object::list(&value, "/metadata/finalizers").is_empty() || resource.plural == "namespaces";
        if deletion.dry_run {
            return Ok(Some(value));
        }
        if grace == 0 && !held {
            self.store.remove(&resource.key(), namespace, name);
            return Ok(if resource.plural == "pods" { Some(value) } else { None });
        }
        let earlier = object::time_at(&value, "/metadata/deletionTimestamp");
        let ends = now.saturating_add(SignedDuration::from_secs(grace)).unwrap_or(Timestamp::MAX);
        if earlier.is_none_or(|earlier| ends < earlier) {
            value["metadata"]["deletionTimestamp"] = object::time(ends).into();
            value["metadata"]["deletionGracePeriodSeconds"] = grace.into();
            if resource.plural == "namespaces" {
                value["status"] = json!({"phase": "Terminating"});
            }
        }
        if self.find(resource, namespace, name)?.copy() != value {
            value = self.store.put(resource, value).copy();
        }
        Ok(Some(value))
    }
}

/// Only pods on a node get time to end.
fn grace(resource: &Resource, value: &Value, deletion: &Deletion) -> i64 {
    if resource.plural != "pods" {
        return 0;
    }
    let over = matches!(value["status"]["phase"].as_str(), Some("Succeeded" | "Failed"));
    if object::text(value, "/spec/nodeName").is_empty() || over {
        return 0;
    }
    let own = object::number(value, "/spec/terminationGracePeriodSeconds").unwrap_or(30);
    deletion.grace.unwrap_or(own).max(0)
}

/// Adds the finalizer by which the garbage collector does what was asked for.
fn finalize(resource: &Resource, value: &mut Value, deletion: &Deletion) {
    let wanted = match deletion.propagation.as_str() {
        "Foreground" => "foregroundDeletion",
        "Orphan" => "orphan",
        // Jobs are older than the garbage collector, and keep their pods unless told otherwise.
        "" if resource.plural == "jobs" => "orphan",
        _ => return,
    };
    if object::is_terminating(value) {
        return;
    }
    object::put_default(value, "/metadata/finalizers", json!([]));
    if let Some(finalizers) = value["metadata"]["finalizers"].as_array_mut()
        && finalizers.iter().all(|one| one != wanted)
    {
        finalizers.push(wanted.into());
    }
}
