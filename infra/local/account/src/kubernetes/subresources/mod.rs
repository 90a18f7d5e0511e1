//! Subresources: status, scale, logs, evictions, bindings, tokens.

mod evictions;
mod scale;
mod tokens;

use super::{
    Cluster, Reply, discovery, object,
    refusal::{Cause, Refusal},
    resource::known,
    serve::{Call, Options, ok, serve_patch},
};
use serde_json::{Value, json};

/// Serves a request for a subresource; the caller is already authorized for it.
pub(super) fn serve(cluster: &mut Cluster, call: &Call<'_>, verb: &str) -> Result<Reply, Refusal> {
    let (first, _) = call.route.subresource.split_once('/').unwrap_or((&call.route.subresource, ""));
    if !discovery::served(&call.resource).any(|one| one == first) {
        return Err(Refusal::no_such_path());
    }
    match (first, verb) {
        ("status", "get") => Ok(ok(cluster.find(&call.resource, &call.route.namespace, &call.route.name)?.copy())),
        ("status", "update") => {
            let mut options = Options::of(call)?;
            options.subresource = "status".to_owned();
            let at = (call.route.namespace.as_str(), call.route.name.as_str());
            let written = cluster.replace(&call.resource, at, call.body()?, &mut options, call.now)?;
            Ok(options.reply(200, written))
        }
        ("status", "patch") => serve_patch(cluster, call, "status"),
        ("scale", _) => scale::serve(cluster, call, verb),
        ("log", "get") => log(cluster, call),
        ("eviction", "create") => evictions::evict(cluster, call),
        ("binding", "create") => bind(cluster, call, &call.body()?),
        ("token", "create") => tokens::request(cluster, call),
        ("finalize", "update") => finalize(cluster, call),
        ("proxy", _) => proxy(cluster, call),
        _ => Err(Refusal::method_not_allowed()),
    }
}

/// Binds a pod to a node, as a scheduler does.
pub(super) fn bind(cluster: &mut Cluster, call: &Call<'_>, body: &Value) -> Result<Reply, Refusal> {
    let pods = known("", "pods");
    let name = if call.route.name.is_empty() { object::name(body) } else { &call.route.name };
    let mut pod = cluster.find(pods, &call.route.namespace, name)?.copy();
    let node = object::text(body, "/target/name");
    if node.is_empty() {
        return Err(Refusal::invalid(pods, name, vec![Cause::required("target.name", "")]));
    }
    let bound = object::text(&pod, "/spec/nodeName");
    if !bound.is_empty() {
        let detail = format!("pod {name} is already assigned to node {bound:?}");
        return Err(Refusal::conflict(known("", "bindings"), name, &detail));
    }
    object::put(&mut pod, "/spec/nodeName", node);
    object::set_condition(&mut pod, "PodScheduled", true, ("", ""), call.now);
    if !call.query.dry_run(body)? {
        cluster.store.put(pods, pod);
    }
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Ok(Reply::Json { status: 201, body: status, warnings: Vec::new() })
}

fn finalize(cluster: &mut Cluster, call: &Call<'_>) -> Result<Reply, Refusal> {
    let mut namespace = cluster.find(&call.resource, "", &call.route.name)?.copy();
    namespace["spec"]["finalizers"] = call.body()?["spec"]["finalizers"].clone();
    Ok(ok(cluster.store.put(&call.resource, namespace).copy()))
}

fn log(cluster: &Cluster, call: &Call<'_>) -> Result<Reply, Refusal> {
    let pod = cluster.find(&call.resource, &call.route.namespace, &call.route.name)?;
    let name = object::name(pod);
    let containers: Vec<&str> = ["containers", "initContainers"]
        .iter()
        .flat_map(|list| object::list(pod, &format!("/spec/{list}")))
        .filter_map(|one| one["name"].as_str())
        .collect();
    let wanted = match call.query.text("container") {
        "" if object::list(pod, "/spec/containers").len() == 1 => containers.first().copied().unwrap_or_default(),
        "" => {
            let names = containers.join(" ");
            let message = format!("a container name must be specified for pod {name}, choose one of: [{names}]");
            return Err(Refusal::bad_request(message));
        }
        wanted if containers.contains(&wanted) => wanted,
        wanted => return Err(Refusal::bad_request(format!("container {wanted} is not valid for pod {name}"))),
    };
    let Some(text) = cluster.life.log(object::uid(pod), wanted) else {
        let node = object::text(pod, "/spec/nodeName");
        if node.is_empty() {
            return Ok(Reply::Text { status: 200, body: String::new() });
        }
        let waiting = object::list(pod, "/status/containerStatuses").iter().find(|one| one["name"] == wanted);
        let reason = waiting.map_or("ContainerCreating", |one| object::text(one, "/state/waiting/reason"));
        let message = format!("container {wanted:?} in pod {name:?} is waiting to start: {reason}");
        return Err(Refusal::bad_request(message));
    };
    let lines: Vec<&str> = text.lines().collect();
    let tail = call.query.number("tailLines")?.and_then(|count| usize::try_from(count).ok()).unwrap_or(lines.len());
    let mut body = lines[lines.len().saturating_sub(tail)..].join("\n");
    if !body.is_empty() {
        body.push('\n');
    }
    if let Some(limit) = call.query.number("limitBytes")?.and_then(|limit| usize::try_from(limit).ok()) {
        body = body.chars().take(limit).collect();
    }
    Ok(Reply::Text { status: 200, body })
}

/// Nothing listens behind a Service here.
fn proxy(cluster: &Cluster, call: &Call<'_>) -> Result<Reply, Refusal> {
    let name = call.route.name.split(':').find(|part| !matches!(*part, "http" | "https" | "")).unwrap_or_default();
    cluster.find(&call.resource, &call.route.namespace, name)?;
    let what = if call.resource.plural == "services" && !cluster.has_ready_endpoint(&call.route.namespace, name) {
        format!("no endpoints available for service {name:?}")
    } else {
        "error trying to reach service: dial tcp: connect: connection refused".to_owned()
    };
    Err(Refusal::new(503, "ServiceUnavailable", what))
}
