//! From a request to its answer: which resource, may they, and which of reading, writing and removing it is.

mod managed;
mod patching;
mod read;
mod remove;
mod write;

pub(super) use remove::Deletion;
pub(super) use write::Options;

use super::{
    Cluster, Reply, Request,
    access::Attributes,
    discovery,
    query::Query,
    refusal::Refusal,
    resource::Resource,
    route::{self, Route},
    subresources,
    watch::Watch,
};
use http::Method;
use jiff::Timestamp;
use serde_json::{Value, json};

/// Largest body that is read: etcd's limit of 1.5 MiB, doubled as kube-apiserver does for requests.
const LARGEST_BODY: usize = 3 * 1024 * 1024;

/// A request with everything known about where it goes.
pub(super) struct Call<'a> {
    pub(super) request: &'a Request,
    pub(super) route: Route,
    pub(super) resource: Resource,
    pub(super) query: Query,
    pub(super) now: Timestamp,
}

impl Call<'_> {
    /// The body as JSON; YAML is accepted where the content type says so (server-side apply).
    pub(super) fn body(&self) -> Result<Value, Refusal> {
        if self.request.body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&self.request.body).map_err(|error| {
            Refusal::bad_request(format!("the object provided is unrecognized (must be of type {}): couldn't get version/kind; json parse error: {error}", self.resource.kind))
        })
    }

    pub(super) fn media_type(&self) -> &str {
        let sent = self.request.content_type.as_deref().unwrap_or("application/json");
        sent.split(';').next().unwrap_or_default().trim()
    }
}

/// An answer with status 200 and no warnings.
pub(super) fn ok(body: Value) -> Reply {
    Reply::Json { status: 200, body, warnings: Vec::new() }
}

pub(super) fn serve(cluster: &mut Cluster, request: &Request, now: Timestamp) -> Result<Reply, Refusal> {
    if request.body.len() > LARGEST_BODY {
        let message = format!("Request entity too large: limit is {LARGEST_BODY}");
        return Err(Refusal::new(413, "RequestEntityTooLarge", message));
    }
    let query = Query::parse(&request.query);
    let Some(route) = route::parse(&request.path) else {
        let verb = request.method.as_str().to_lowercase();
        cluster.authorize(&request.user, &Attributes::of_path(&verb, &request.path))?;
        if request.method != Method::GET {
            return Err(Refusal::method_not_allowed());
        }
        return discovery::serve(cluster, request);
    };
    let verb = verb(&request.method, &route, &query).ok_or_else(Refusal::method_not_allowed)?;
    cluster.authorize(&request.user, &Attributes::of_route(verb, &route))?;
    let found = cluster.resource(&route.group, &route.version, &route.plural);
    let resource = found.ok_or_else(Refusal::no_such_path)?;
    if !resource.namespaced && !route.namespace.is_empty() {
        return Err(Refusal::no_such_path());
    }
    let call = Call { request, route, resource, query, now };
    if !call.resource.stored {
        return answered_only(cluster, &call, verb);
    }
    if !call.route.subresource.is_empty() {
        return subresources::serve(cluster, &call, verb);
    }
    stored(cluster, &call, verb)
}

fn verb(method: &Method, route: &Route, query: &Query) -> Option<&'static str> {
    let collection = route.name.is_empty();
    Some(match *method {
        Method::GET | Method::HEAD if query.flag("watch") => "watch",
        Method::GET | Method::HEAD if collection => "list",
        Method::GET | Method::HEAD => "get",
        Method::POST => "create",
        Method::PUT if !collection => "update",
        Method::PATCH if !collection => "patch",
        Method::DELETE if collection => "deletecollection",
        Method::DELETE => "delete",
        _ => return None,
    })
}

/// Reviews and bindings, which are answered and not kept.
fn answered_only(cluster: &mut Cluster, call: &Call<'_>, verb: &str) -> Result<Reply, Refusal> {
    if verb != "create" {
        return Err(Refusal::method_not_allowed());
    }
    let mut body = call.body()?;
    if call.resource.plural == "bindings" {
        return subresources::bind(cluster, call, &body);
    }
    body["apiVersion"] = call.resource.api_version().into();
    body["kind"] = call.resource.kind.clone().into();
    let body = match call.resource.plural.as_str() {
        "tokenreviews" => {
            body["status"] = cluster.token_review(super::object::text(&body, "/spec/token"), call.now);
            body
        }
        plural => cluster.review(plural, &call.request.user, body)?,
    };
    Ok(Reply::Json { status: 201, body, warnings: Vec::new() })
}

fn stored(cluster: &mut Cluster, call: &Call<'_>, verb: &str) -> Result<Reply, Refusal> {
    let Call { resource, route, query, now, .. } = call;
    let (namespace, name) = (route.namespace.as_str(), route.name.as_str());
    if resource.namespaced && namespace.is_empty() && !matches!(verb, "list" | "watch") {
        return Err(Refusal::method_not_allowed());
    }
    match verb {
        "get" => read::get(cluster, call),
        "list" => read::list(cluster, call),
        "watch" => {
            let as_table = super::table::is_wanted(call.request.accept.as_deref());
            Watch::start(cluster, (resource, namespace, name), query, as_table, *now).map(Reply::Watch)
        }
        "create" if !name.is_empty() => Err(Refusal::method_not_allowed()),
        "create" => {
            let mut options = Options::of(call)?;
            let body = call.body()?;
            if !body.is_object() {
                return Err(Refusal::bad_request(format!("Object 'Kind' is missing in '{body}'")));
            }
            let made = cluster.create(resource, namespace, body, &mut options, *now)?;
            Ok(options.reply(201, super::events::as_seen_by(resource, &made)))
        }
        "update" => {
            let mut options = Options::of(call)?;
            let body = call.body()?;
            let written = cluster.replace(resource, (namespace, name), body, &mut options, *now)?;
            Ok(options.reply(200, super::events::as_seen_by(resource, &written)))
        }
        "patch" => patching::serve(cluster, call, ""),
        "delete" => remove::one(cluster, call),
        _ => remove::collection(cluster, call),
    }
}

pub(super) use patching::serve as serve_patch;

/// A `Status` that says that something went well.
pub(super) fn success(resource: &Resource, name: &str, uid: &str) -> Value {
    let mut details = json!({"name": name, "kind": resource.plural, "uid": uid});
    if !resource.group.is_empty() {
        details["group"] = resource.group.clone().into();
    }
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})
}
