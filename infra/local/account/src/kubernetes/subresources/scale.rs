//! The scale subresource: how many replicas, whatever the kind.

use crate::kubernetes::{
    Cluster, Reply, object, patch,
    refusal::Refusal,
    schema::Schema,
    serve::{Call, Options, ok},
};
use serde_json::{Value, json};

/// Where the numbers are; custom resources say it themselves.
fn places(call: &Call<'_>) -> (String, String) {
    let custom = call.resource.custom.as_ref().map(|(definition, at)| {
        let scale = &definition["spec"]["versions"][at]["subresources"]["scale"];
        let pointer = |name: &str| object::text(scale, &format!("/{name}")).replace('.', "/");
        (pointer("specReplicasPath"), pointer("statusReplicasPath"))
    });
    custom.unwrap_or_else(|| ("/spec/replicas".to_owned(), "/status/replicas".to_owned()))
}

fn shown(value: &Value, (wanted, found): &(String, String)) -> Value {
    let metadata = &value["metadata"];
    let pairs = value["spec"]["selector"]["matchLabels"].as_object().into_iter().flatten();
    let selector: Vec<String> =
        pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    let mut kept = json!({});
    for name in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        kept[name] = metadata[name].clone();
    }
    json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": kept,
        "spec": {"replicas": object::number(value, wanted).unwrap_or(0)},
        "status": {"replicas": object::number(value, found).unwrap_or(0), "selector": selector.join(",")},
    })
}

pub(super) fn serve(cluster: &mut Cluster, call: &Call<'_>, verb: &str) -> Result<Reply, Refusal> {
    let places = places(call);
    let (namespace, name) = (call.route.namespace.as_str(), call.route.name.as_str());
    let current = cluster.find(&call.resource, namespace, name)?.copy();
    let before = shown(&current, &places);
    let wanted = match verb {
        "get" => return Ok(ok(before)),
        "update" => call.body()?,
        "patch" => match call.media_type() {
            "application/json-patch+json" => patch::json(&before, &call.body()?)?,
            "application/strategic-merge-patch+json" => {
                patch::strategic(Schema::definition("io.k8s.api.autoscaling.v1.Scale"), &before, &call.body()?)?
            }
            _ => patch::merge(&before, &call.body()?),
        },
        _ => return Err(Refusal::method_not_allowed()),
    };
    let sent = object::text(&wanted, "/metadata/resourceVersion");
    if !sent.is_empty() && sent != object::text(&current, "/metadata/resourceVersion") {
        return Err(Refusal::modified(&call.resource, name));
    }
    let mut options = Options::of(call)?;
    let mut next = current.clone();
    object::put(&mut next, &places.0, object::number(&wanted, "/spec/replicas").unwrap_or(0));
    let written = cluster.keep(&call.resource, current, next, &mut options, call.now)?;
    Ok(options.reply(200, shown(&written, &places)))
}
