//! Writing: how a body becomes an object, and a new body the object's next state.

use super::{Call, managed};
use crate::kubernetes::{
    Cluster, Reply, User, admission, events, kinds, object, query::FieldValidation, refusal::Refusal,
    resource::Resource, schema,
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// How a write is to be done, and what it has to say besides its result.
#[derive(Debug, Clone)]
pub(in crate::kubernetes) struct Options {
    /// Name in `managedFields`.
    pub(in crate::kubernetes) manager: String,
    pub(in crate::kubernetes) dry_run: bool,
    pub(in crate::kubernetes) validation: FieldValidation,
    /// `status`, `scale` or empty.
    pub(in crate::kubernetes) subresource: String,
    /// Who writes; controllers have no need to be admitted.
    pub(in crate::kubernetes) user: Option<User>,
    pub(in crate::kubernetes) warnings: Vec<String>,
    /// The fields were already recorded (server-side apply).
    pub(in crate::kubernetes) managed: Option<Value>,
}

impl Options {
    pub(in crate::kubernetes) fn of(call: &Call<'_>) -> Result<Self, Refusal> {
        Ok(Self {
            manager: call.query.manager(),
            dry_run: call.query.dry_run(&Value::Null)?,
            validation: call.query.field_validation()?,
            subresource: String::new(),
            user: Some(call.request.user.clone()),
            warnings: Vec::new(),
            managed: None,
        })
    }

    /// A write by a part of the control plane.
    pub(in crate::kubernetes) fn internal(manager: &str) -> Self {
        Self {
            manager: manager.to_owned(),
            dry_run: false,
            validation: FieldValidation::Ignore,
            subresource: String::new(),
            user: None,
            warnings: Vec::new(),
            managed: None,
        }
    }

    pub(in crate::kubernetes) fn reply(self, status: u16, body: Value) -> Reply {
        Reply::Json { status, body, warnings: self.warnings }
    }
}

/// Checks that a body is of the kind of its path, and reads it by the kind's schema.
pub(in crate::kubernetes) fn decode(
    resource: &Resource,
    namespace: &str,
    value: &mut Value,
    options: &mut Options,
) -> Result<(), Refusal> {
    let (version, kind) = (resource.api_version(), resource.kind.as_str());
    for (field, wanted) in [("apiVersion", version.as_str()), ("kind", kind)] {
        match value[field].as_str() {
            None | Some("") => value[field] = wanted.into(),
            Some(found) if found == wanted => {}
            Some(found) if field == "apiVersion" => {
                let message =
                    format!("the API version in the data ({found}) does not match the expected API version ({wanted})");
                return Err(Refusal::bad_request(message));
            }
            Some(found) => {
                let message = format!(
                    "{found} in version {version:?} cannot be handled as a {kind}: the kind in the data does not match"
                );
                return Err(Refusal::bad_request(message));
            }
        }
    }
    let findings = schema::read(resource.schema(), value);
    let refuse = |detail: &str| {
        Refusal::bad_request(format!(
            "{kind} in version {:?} cannot be handled as a {kind}: {detail}",
            resource.version
        ))
    };
    if let Some(detail) = &findings.undecodable {
        return Err(refuse(detail));
    }
    let unknown: Vec<String> = findings.unknown.iter().map(|path| format!("unknown field {path:?}")).collect();
    match options.validation {
        FieldValidation::Strict if !unknown.is_empty() => {
            return Err(refuse(&format!("strict decoding error: {}", unknown.join(", "))));
        }
        FieldValidation::Warn => options.warnings.extend(unknown),
        _ => {}
    }
    if !value["metadata"].is_object() {
        value["metadata"] = json!({});
    }
    if resource.namespaced {
        match object::namespace(value) {
            "" => object::put(value, "/metadata/namespace", namespace),
            sent if sent == namespace => {}
            sent => {
                let message = format!(
                    "the namespace of the provided object does not match the namespace sent on the request: {sent:?} is not {namespace:?}"
                );
                let message = message.split(':').next().unwrap_or_default().to_owned();
                return Err(Refusal::bad_request(message));
            }
        }
    } else {
        object::remove(value, "/metadata", "namespace");
    }
    if !findings.causes.is_empty() {
        return Err(Refusal::invalid(resource, object::name(value), findings.causes));
    }
    Ok(())
}

impl Cluster {
    /// Creates an object from `body`.
    pub(in crate::kubernetes) fn create(
        &mut self,
        resource: &Resource,
        namespace: &str,
        body: Value,
        options: &mut Options,
        now: Timestamp,
    ) -> Result<Value, Refusal> {
        let mut value = events::as_stored(resource, body);
        if !object::text(&value, "/metadata/resourceVersion").is_empty() {
            return Err(Refusal::new(
                500,
                "InternalError",
                "resourceVersion should not be set on objects to be created",
            ));
        }
        if resource.is_newer_event() {
            value["kind"] = "Event".into();
        } else {
            decode(resource, namespace, &mut value, options)?;
        }
        schema::strip_server_fields(&mut value);
        if object::name(&value).is_empty() && !object::text(&value, "/metadata/generateName").is_empty() {
            let prefix: String = object::text(&value, "/metadata/generateName").chars().take(58).collect();
            let name = format!("{prefix}{}", self.store.new_suffix());
            object::put(&mut value, "/metadata/name", name);
        }
        if resource.has("status")
            && let Some(members) = value.as_object_mut()
            // Kubelets register a node together with its status.
            && !matches!(resource.plural.as_str(), "customresourcedefinitions" | "nodes")
            && options.user.is_some()
        {
            members.shift_remove("status");
        }
        let uid = self.store.new_uid();
        let metadata = &mut value["metadata"];
        metadata["uid"] = uid.into();
        metadata["creationTimestamp"] = object::time(now).into();
        if kinds::has_generation(resource) {
            metadata["generation"] = 1.into();
        }
        admission::prepare(self, resource, &mut value, options)?;
        kinds::fill_defaults(resource, &mut value);
        admission::admit(self, resource, &value, None)?;
        let causes = kinds::check(resource, &value);
        if !causes.is_empty() {
            return Err(Refusal::invalid(resource, object::name(&value), causes));
        }
        let name = object::name(&value).to_owned();
        if self.store.get(resource, object::namespace(&value), &name).is_some() {
            return Err(Refusal::already_exists(resource, &name));
        }
        managed::record(resource, None, &mut value, options, now);
        if options.dry_run { Ok(value) } else { Ok(self.store.put(resource, value).copy()) }
    }

    /// Replaces an object (or its status) by `body`.
    pub(in crate::kubernetes) fn replace(
        &mut self,
        resource: &Resource,
        (namespace, name): (&str, &str),
        body: Value,
        options: &mut Options,
        now: Timestamp,
    ) -> Result<Value, Refusal> {
        let mut value = events::as_stored(resource, body);
        if !resource.is_newer_event() {
            decode(resource, namespace, &mut value, options)?;
        }
        match object::name(&value) {
            "" => object::put(&mut value, "/metadata/name", name),
            sent if sent == name => {}
            sent => {
                let message = format!("the name of the object ({sent}) does not match the name on the URL ({name})");
                return Err(Refusal::bad_request(message));
            }
        }
        let current = self.find(resource, namespace, name)?.copy();
        let sent = object::text(&value, "/metadata/resourceVersion");
        if !sent.is_empty() && sent != object::text(&current, "/metadata/resourceVersion") {
            return Err(Refusal::modified(resource, name));
        }
        let uid = object::uid(&value);
        if !uid.is_empty() && uid != object::uid(&current) {
            let detail = format!(
                "Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                object::uid(&current)
            );
            return Err(Refusal::conflict(resource, name, &detail));
        }
        self.keep(resource, current, value, options, now)
    }

    /// Makes `value` the next state of `current`: what only the server writes is kept, rules are checked.
    pub(in crate::kubernetes) fn keep(
        &mut self,
        resource: &Resource,
        current: Value,
        mut value: Value,
        options: &mut Options,
        now: Timestamp,
    ) -> Result<Value, Refusal> {
        if options.subresource == "status" {
            let mut next = current.clone();
            next["status"] = value["status"].take();
            value = next;
        } else {
            if resource.has("status") {
                match current.get("status") {
                    Some(status) => value["status"] = status.clone(),
                    None => _ = value.as_object_mut().and_then(|members| members.shift_remove("status")),
                }
            }
            for field in [
                "uid",
                "creationTimestamp",
                "deletionTimestamp",
                "deletionGracePeriodSeconds",
                "generation",
                "managedFields",
                "generateName",
            ] {
                match current["metadata"].get(field) {
                    Some(kept) => value["metadata"][field] = kept.clone(),
                    None => _ = object::remove(&mut value, "/metadata", field),
                }
            }
            carry_over(resource, &current, &mut value);
            kinds::fill_defaults(resource, &mut value);
            admission::admit(self, resource, &value, Some(&current))?;
            let mut causes = kinds::check(resource, &value);
            if options.user.is_some() {
                causes.extend(kinds::check_unchanged(resource, &current, &value));
            }
            if !causes.is_empty() {
                return Err(Refusal::invalid(resource, object::name(&current), causes));
            }
            if kinds::has_generation(resource) && essence(&current) != essence(&value) {
                let generation = object::number(&current, "/metadata/generation").unwrap_or(0) + 1;
                object::put(&mut value, "/metadata/generation", generation);
            }
        }
        value["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"].clone();
        managed::record(resource, Some(&current), &mut value, options, now);
        if managed::is_same(&current, &value) {
            return Ok(current);
        }
        if options.dry_run {
            return Ok(value);
        }
        let released = object::is_terminating(&value) && object::list(&value, "/metadata/finalizers").is_empty();
        let written = self.store.put(resource, value).copy();
        if released && object::number(&written, "/metadata/deletionGracePeriodSeconds").unwrap_or(0) == 0 {
            self.store.remove(&resource.key(), object::namespace(&written), object::name(&written));
        }
        Ok(written)
    }
}

/// What the generation counts: all but metadata and status.
fn essence(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(members) = value.as_object_mut() {
        members.shift_remove("metadata");
        members.shift_remove("status");
        members.shift_remove("apiVersion");
    }
    value
}

/// What the server assigned and an update that leaves it out keeps.
fn carry_over(resource: &Resource, current: &Value, value: &mut Value) {
    let fields: &[&str] = match resource.plural.as_str() {
        "services" => &["clusterIP", "clusterIPs"],
        "persistentvolumeclaims" => &["volumeName", "storageClassName"],
        "persistentvolumes" => &["claimRef"],
        "pods" => &["nodeName", "serviceAccountName", "tolerations"],
        "jobs" => &["selector"],
        "namespaces" => &["finalizers"],
        _ => return,
    };
    for field in fields {
        let kept = &current["spec"][*field];
        if value["spec"][*field].is_null() && !kept.is_null() && value["spec"]["type"] != "ExternalName" {
            value["spec"][*field] = kept.clone();
        }
    }
    if resource.plural == "jobs" && value["spec"]["template"].is_object() {
        let labels = current["spec"]["template"]["metadata"]["labels"].clone();
        object::put_default(value, "/spec/template/metadata/labels", labels);
    }
}
