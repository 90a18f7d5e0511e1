//! Whose an object is, written on it.

use domain::naming::FIELD_MANAGER;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use std::collections::BTreeMap;

/// The namespace of what HyperPod runs; its name is fixed by the service.
pub const NAMESPACE: &str = "aws-hyperpod";

/// Label: the id of the cluster that an object was made for.
pub const CLUSTER_LABEL: &str = "hyperpod-instantstart/cluster";

/// Label: what an object is part of.
pub const COMPONENT_LABEL: &str = "app.kubernetes.io/component";

/// Label: the stage that a probe proves something for.
pub const PURPOSE_LABEL: &str = "hyperpod-instantstart/purpose";

/// For which cluster objects are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The cluster's id.
    pub cluster_id: String,
}

impl Owner {
    /// Labels of an object that is part of `component`.
    pub(crate) fn labels(&self, component: &str) -> BTreeMap<String, String> {
        BTreeMap::from([
            ("app.kubernetes.io/managed-by".to_owned(), FIELD_MANAGER.to_owned()),
            (COMPONENT_LABEL.to_owned(), component.to_owned()),
            (CLUSTER_LABEL.to_owned(), self.cluster_id.clone()),
        ])
    }

    /// Metadata of a cluster-wide object.
    pub(crate) fn everywhere(&self, component: &str, name: &str) -> ObjectMeta {
        ObjectMeta { name: Some(name.to_owned()), labels: Some(self.labels(component)), ..ObjectMeta::default() }
    }

    /// Metadata of an object in a namespace.
    pub(crate) fn within(&self, component: &str, namespace: &str, name: &str) -> ObjectMeta {
        ObjectMeta { namespace: Some(namespace.to_owned()), ..self.everywhere(component, name) }
    }
}
