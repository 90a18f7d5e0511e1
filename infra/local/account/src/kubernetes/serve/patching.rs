//! PATCH: four ways to say a change, and server-side apply, which also says who owns it.

use super::{Call, Options, managed, write};
use crate::kubernetes::{Cluster, Reply, apply, events, fields::Fields, object, patch, refusal::Refusal};
use serde_json::{Value, json};

const MEDIA_TYPES: &str = "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml, application/apply-patch+cbor";

/// Serves a patch of the object, or of its `status` if that is the subresource.
pub(in crate::kubernetes) fn serve(
    cluster: &mut Cluster,
    call: &Call<'_>,
    subresource: &str,
) -> Result<Reply, Refusal> {
    let mut options = Options::of(call)?;
    options.subresource = subresource.to_owned();
    if call.media_type().starts_with("application/apply-patch") {
        return applied(cluster, call, options);
    }
    let (resource, now) = (&call.resource, call.now);
    let (namespace, name) = (call.route.namespace.as_str(), call.route.name.as_str());
    let body = call.body()?;
    let current = cluster.find(resource, namespace, name)?.copy();
    let shown = events::as_seen_by(resource, &current);
    let mut value = match call.media_type() {
        "application/json-patch+json" => patch::json(&shown, &body)?,
        "application/merge-patch+json" => patch::merge(&shown, &body),
        "application/strategic-merge-patch+json" if resource.custom.is_none() => {
            patch::strategic(resource.schema(), &shown, &body)?
        }
        _ => return Err(Refusal::unsupported_media_type(MEDIA_TYPES)),
    };
    // A patch that names a version is meant for that version only.
    let sent = body.pointer("/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default();
    if sent.is_empty() {
        value["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"].clone();
    }
    let written = cluster.replace(resource, (namespace, name), value, &mut options, now)?;
    Ok(options.reply(200, events::as_seen_by(resource, &written)))
}

/// Server-side apply; creates the object if it is not there.
fn applied(cluster: &mut Cluster, call: &Call<'_>, mut options: Options) -> Result<Reply, Refusal> {
    let (resource, now) = (&call.resource, call.now);
    let (namespace, name) = (call.route.namespace.as_str(), call.route.name.as_str());
    if call.query.text("fieldManager").is_empty() {
        let message =
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch";
        return Err(Refusal::new(422, "Invalid", message));
    }
    let mut wanted = call.body()?;
    if !wanted.is_object() {
        return Err(Refusal::bad_request("error decoding YAML: the body is not an object"));
    }
    for field in ["apiVersion", "kind"] {
        if wanted[field].as_str().unwrap_or_default().is_empty() {
            return Err(Refusal::bad_request(format!(
                "Object '{}' is missing",
                if field == "kind" { "Kind" } else { "apiVersion" }
            )));
        }
    }
    if !wanted.pointer("/metadata/managedFields").is_none_or(Value::is_null) {
        return Err(Refusal::bad_request("metadata.managedFields must be nil"));
    }
    // Only what was sent counts as applied, so defaults of custom resources must not be filled in here.
    let sent = wanted.clone();
    write::decode(resource, namespace, &mut wanted, &mut options)?;
    match object::name(&wanted) {
        "" => object::put(&mut wanted, "/metadata/name", name),
        sent if sent == name => {}
        sent => {
            let message = format!("the name of the object ({sent}) does not match the name on the URL ({name})");
            return Err(Refusal::bad_request(message));
        }
    }
    let wanted = apply::restricted(&wanted, &sent);
    let current = cluster.store.get(resource, namespace, name).map(|value| value.copy());
    let Some(current) = current else {
        if !options.subresource.is_empty() {
            return Err(Refusal::not_found(resource, name));
        }
        let fields = Fields::applied(resource.schema(), &wanted);
        options.managed = Some(json!([managed::entry(resource, &options, "Apply", &fields, object::time(now).into())]));
        let made = cluster.create(resource, namespace, wanted, &mut options, now)?;
        return Ok(options.reply(201, made));
    };
    let merged = apply::merge(resource, &current, &wanted, &options, call.query.flag("force"), now)?;
    let sent = object::text(&wanted, "/metadata/resourceVersion");
    if !sent.is_empty() && sent != object::text(&current, "/metadata/resourceVersion") {
        return Err(Refusal::modified(resource, name));
    }
    options.managed = Some(merged.managed);
    let written = cluster.keep(resource, current, merged.value, &mut options, now)?;
    Ok(options.reply(200, events::as_seen_by(resource, &written)))
}
