//! Writing objects: server-side apply under one field manager, and deletion.

use crate::{client::Kubernetes, refusal};
use domain::{failure::Trouble, naming::FIELD_MANAGER};
use k8s_openapi::Metadata;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{
    Api,
    api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, Preconditions},
};
use serde::Serialize;
use serde_json::Value;

/// The label by which objects of ours are known.
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// An object to be written, of any kind, with what is needed to address it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Object {
    value: Value,
    #[serde(skip)]
    resource: ApiResource,
}

/// Whose an object is that is there, or that none is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Ownership {
    /// Labelled as managed by us.
    Ours,
    /// Somebody else's.
    Foreign,
    /// Not there.
    Absent,
}

impl Ownership {
    /// Whose an object is that was read; none was there if there is none.
    pub fn of(seen: Option<&Value>) -> Self {
        match seen {
            None => Self::Absent,
            Some(seen) if seen["metadata"]["labels"][MANAGED_BY] == FIELD_MANAGER => Self::Ours,
            Some(_) => Self::Foreign,
        }
    }
}

impl Object {
    /// A typed object. A value that cannot be written as JSON gives an empty one, which the server refuses; the structs of
    /// `k8s_openapi` always can.
    pub fn of<K>(typed: &K) -> Self
    where
        K: k8s_openapi::Resource + Metadata<Ty = ObjectMeta> + Serialize,
    {
        let resource = ApiResource {
            group: K::GROUP.to_owned(),
            version: K::VERSION.to_owned(),
            api_version: K::API_VERSION.to_owned(),
            kind: K::KIND.to_owned(),
            plural: K::URL_PATH_SEGMENT.to_owned(),
        };
        Self { value: serde_json::to_value(typed).unwrap_or_default(), resource }
    }

    /// An object of a custom kind; `plural` is its path segment.
    ///
    /// # Errors
    /// The members `apiVersion` and `kind` are not both there, or a part of the path that they make would be empty (field
    /// report BR-049).
    pub fn custom(value: Value, plural: &str) -> Result<Self, NoKind> {
        let api_version = value["apiVersion"].as_str().ok_or(NoKind)?;
        let kind = value["kind"].as_str().ok_or(NoKind)?;
        if [plural, kind].into_iter().chain(api_version.split('/')).any(str::is_empty) {
            return Err(NoKind);
        }
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        let kind = GroupVersionKind::gvk(group, version, kind);
        let resource = ApiResource::from_gvk_with_plural(&kind, plural);
        Ok(Self { value, resource })
    }

    /// As JSON, in the order in which it was built.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// `DaemonSet`.
    pub fn kind(&self) -> &str {
        &self.resource.kind
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        self.value["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// `metadata.namespace`; none for what is cluster-wide.
    pub fn namespace(&self) -> Option<&str> {
        self.value["metadata"]["namespace"].as_str()
    }

    /// `DaemonSet kube-system/nvidia-device-plugin`.
    pub fn title(&self) -> String {
        match self.namespace() {
            Some(namespace) => format!("{} {namespace}/{}", self.kind(), self.name()),
            None => format!("{} {}", self.kind(), self.name()),
        }
    }

    /// Whether everything that this object says is so in `seen`, which may say more: defaults, status, what others wrote.
    pub fn is_within(&self, seen: &Value) -> bool {
        is_within(&self.value, seen)
    }

    fn api(&self, kubernetes: &Kubernetes) -> Api<DynamicObject> {
        match self.namespace() {
            Some(namespace) => Api::namespaced_with(kubernetes.client.clone(), namespace, &self.resource),
            None => Api::all_with(kubernetes.client.clone(), &self.resource),
        }
    }
}

fn is_within(wanted: &Value, seen: &Value) -> bool {
    match (wanted, seen) {
        (Value::Object(wanted), Value::Object(seen)) => wanted
            .iter()
            .all(|(name, value)| seen.get(name).is_some_and(|there| is_within(value, there)) || is_empty(value)),
        (Value::Array(wanted), Value::Array(seen)) => {
            wanted.len() == seen.len() && wanted.iter().zip(seen).all(|(wanted, seen)| is_within(wanted, seen))
        }
        _ => wanted == seen,
    }
}

/// What a server leaves out when it writes an object.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A custom object whose place in the API is not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the object has no apiVersion, no kind or no plural")]
pub struct NoKind;

impl Kubernetes {
    /// Applies an object server-side: it may be sent any number of times. Returns its uid.
    ///
    /// Fields that another manager owns are taken over only if the object carries our label, since what an administrator
    /// changed in something of ours is ours to mend, and only those fields that we write.
    ///
    /// # Errors
    /// `conflict`, with each manager and field, if somebody else's object is in the way; and whatever the cluster refuses.
    pub async fn apply(&self, object: &Object) -> Result<String, Trouble> {
        let ours = self.ownership(object).await? == Ownership::Ours;
        let mut params = PatchParams::apply(FIELD_MANAGER);
        params.force = ours;
        let operation = format!("apply {}", object.title());
        let api = object.api(self);
        let applied = self.change(&operation, api.patch(object.name(), &params, &Patch::Apply(&object.value))).await?;
        Ok(applied.metadata.uid.unwrap_or_default())
    }

    /// The object as it is in the cluster.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn seen(&self, object: &Object) -> Result<Option<Value>, Trouble> {
        let operation = format!("get {}", object.title());
        let api = object.api(self);
        let found = self.maybe(&operation, api.get(object.name())).await?;
        Ok(found.map(|found| serde_json::to_value(found).unwrap_or_default()))
    }

    /// Whose the object of this name is.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn ownership(&self, object: &Object) -> Result<Ownership, Trouble> {
        let operation = format!("get {}", object.title());
        let api = object.api(self);
        let found = self.maybe(&operation, api.get_metadata(object.name())).await?;
        Ok(match found {
            None => Ownership::Absent,
            Some(found) => {
                let label = found.metadata.labels.as_ref().and_then(|labels| labels.get(MANAGED_BY));
                if label.is_some_and(|label| label == FIELD_MANAGER) { Ownership::Ours } else { Ownership::Foreign }
            }
        })
    }

    /// Deletes an object with what depends on it, in the background. One that is not there is deleted.
    ///
    /// # Errors
    /// What the cluster refuses.
    pub async fn delete(&self, object: &Object) -> Result<(), Trouble> {
        self.remove(object, None).await
    }

    /// Deletes an object if it is still the one with this uid.
    ///
    /// # Errors
    /// `conflict` if another object has taken its name; and whatever the cluster refuses.
    pub async fn delete_exactly(&self, object: &Object, uid: &str) -> Result<(), Trouble> {
        self.remove(object, Some(uid)).await
    }

    async fn remove(&self, object: &Object, uid: Option<&str>) -> Result<(), Trouble> {
        let mut params = DeleteParams::background();
        params.preconditions = uid.map(|uid| Preconditions { uid: Some(uid.to_owned()), resource_version: None });
        let operation = format!("delete {}", object.title());
        let api = object.api(self);
        let deleted = async {
            match api.delete(object.name(), &params).await {
                Ok(_) => Ok(()),
                Err(error) if refusal::is_absence(&error) => Ok(()),
                Err(error) => Err(error),
            }
        };
        self.change(&operation, deleted).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(spec: Value) -> Object {
        Object::custom(json!({ "apiVersion": "example.com/v1", "kind": "Thing", "spec": spec }), "things").unwrap()
    }

    #[test]
    fn an_object_is_within_one_that_says_more() {
        let wanted = object(json!({ "list": [{ "name": "a" }], "empty": "" }));
        let seen = |spec: Value| json!({ "apiVersion": "example.com/v1", "kind": "Thing", "spec": spec, "status": {} });
        assert!(wanted.is_within(&seen(json!({ "list": [{ "name": "a", "default": 1 }], "more": true }))));
        assert!(!wanted.is_within(&seen(json!({ "list": [{ "name": "b" }] }))));
        assert!(!wanted.is_within(&seen(json!({ "list": [{ "name": "a" }, { "name": "b" }] }))));
        assert!(!wanted.is_within(&seen(json!({}))));
    }

    #[test]
    fn an_object_is_ours_by_its_label() {
        assert_eq!(Ownership::of(None), Ownership::Absent);
        let labelled = |by: &str| json!({ "metadata": { "labels": { "app.kubernetes.io/managed-by": by } } });
        assert_eq!(Ownership::of(Some(&labelled("hyperpod-instantstart"))), Ownership::Ours);
        assert_eq!(Ownership::of(Some(&labelled("Helm"))), Ownership::Foreign);
        assert_eq!(Ownership::of(Some(&json!({}))), Ownership::Foreign);
    }

    #[test]
    fn br_049_no_path_has_an_empty_segment() {
        let of = |version: &str, kind: &str, plural: &str| {
            Object::custom(json!({ "apiVersion": version, "kind": kind, "metadata": { "name": "a" } }), plural)
        };
        for (version, kind, plural) in [
            ("", "Thing", "things"),
            ("example.com/", "Thing", "things"),
            ("/v1", "Thing", "things"),
            ("v1", "", "things"),
            ("v1", "Thing", ""),
        ] {
            assert_eq!(of(version, kind, plural), Err(NoKind), "{version:?} {kind:?} {plural:?}");
        }
        assert_eq!(Object::custom(json!({ "apiVersion": "v1" }), "things"), Err(NoKind));
        assert!(
            of("inference.sagemaker.aws.amazon.com/v1", "InferenceEndpointConfig", "inferenceendpointconfigs").is_ok()
        );
    }
}
