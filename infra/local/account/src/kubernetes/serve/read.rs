//! Reading: one object, and lists in pages.

use super::{Call, ok};
use crate::kubernetes::{Cluster, Reply, events, object, refusal::Refusal, resource::Resource, store::Shared, table};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

pub(super) fn get(cluster: &Cluster, call: &Call<'_>) -> Result<Reply, Refusal> {
    let found = cluster.find(&call.resource, &call.route.namespace, &call.route.name)?;
    let shown = events::as_seen_by(&call.resource, found);
    if table::is_wanted(call.request.accept.as_deref()) {
        return Ok(ok(table::of(&call.resource, &[&shown], &shown, Some(call.now))));
    }
    Ok(ok(shown))
}

impl Cluster {
    /// The object of this name.
    ///
    /// # Errors
    /// The 404 that names it.
    pub(in crate::kubernetes) fn find(
        &self,
        resource: &Resource,
        namespace: &str,
        name: &str,
    ) -> Result<&Shared, Refusal> {
        self.store.get(resource, namespace, name).ok_or_else(|| Refusal::not_found(resource, name))
    }
}

/// A page: its entries, the token of the next page, and how many entries remain.
struct Page<'a> {
    items: Vec<&'a Shared>,
    next: Option<String>,
    remaining: Option<usize>,
    revision: u64,
}

fn page<'a>(cluster: &'a Cluster, call: &'a Call<'_>) -> Result<Page<'a>, Refusal> {
    let (labels, fields) = (call.query.labels()?, call.query.fields()?);
    fields.check(&call.resource)?;
    let limit = call.query.number("limit")?.filter(|limit| *limit > 0).and_then(|limit| usize::try_from(limit).ok());
    let (revision, after) = match call.query.text("continue") {
        "" => (cluster.store.revision(), String::new()),
        token => continued(cluster, token)?,
    };
    let matching = cluster
        .store
        .entries(&call.resource, &call.route.namespace)
        .filter(|(path, _)| path.as_str() > after.as_str())
        .filter(|(_, value)| labels.matches(object::labels(value)) && fields.matches(value));
    let mut matching: Vec<(&String, &Shared)> = matching.collect();
    let total = matching.len();
    matching.truncate(limit.unwrap_or(usize::MAX));
    let more = total > matching.len();
    let last = matching.last().filter(|_| more).map(|(path, _)| *path);
    let next = last
        .map(|path| URL_SAFE_NO_PAD.encode(json!({"v": "meta.k8s.io/v1", "rv": revision, "start": path}).to_string()));
    let unselective = labels.is_empty() && call.query.text("fieldSelector").is_empty();
    Ok(Page {
        remaining: (more && unselective).then(|| total - matching.len()),
        items: matching.into_iter().map(|(_, value)| value).collect(),
        next,
        revision,
    })
}

fn continued(cluster: &Cluster, token: &str) -> Result<(u64, String), Refusal> {
    let read = || -> Option<(u64, String)> {
        let token: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
        Some((token["rv"].as_u64()?, token["start"].as_str()?.to_owned()))
    };
    let (revision, start) =
        read().ok_or_else(|| Refusal::bad_request("continue key is not valid: could not decode the continue token"))?;
    if revision < cluster.store.forgotten() {
        let message = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
        return Err(Refusal::new(410, "Expired", message));
    }
    Ok((revision, start))
}

pub(super) fn list(cluster: &Cluster, call: &Call<'_>) -> Result<Reply, Refusal> {
    let resource = &call.resource;
    let page = page(cluster, call)?;
    let mut metadata = json!({"resourceVersion": page.revision.to_string()});
    if let Some(next) = page.next {
        metadata["continue"] = next.into();
    }
    if let Some(remaining) = page.remaining {
        metadata["remainingItemCount"] = remaining.into();
    }
    let shown: Vec<Value> = page.items.iter().map(|value| events::as_seen_by(resource, value)).collect();
    let list = json!({
        "kind": format!("{}List", resource.kind), "apiVersion": resource.api_version(), "metadata": metadata,
    });
    if table::is_wanted(call.request.accept.as_deref()) {
        return Ok(ok(table::of(resource, &shown.iter().collect::<Vec<_>>(), &list, Some(call.now))));
    }
    // Items of a built-in list carry no apiVersion and kind of their own.
    let bare = |mut value: Value| {
        if let Some(members) = value.as_object_mut().filter(|_| resource.custom.is_none()) {
            members.shift_remove("apiVersion");
            members.shift_remove("kind");
        }
        value
    };
    let mut list = list;
    list["items"] = shown.into_iter().map(bare).collect();
    Ok(ok(list))
}
