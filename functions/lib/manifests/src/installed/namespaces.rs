//! The namespace of what HyperPod runs.

use super::Part;
use crate::labels::{NAMESPACE, Owner};
use k8s_openapi::api::core::v1::Namespace;
use kubernetes::Object;

pub(super) fn objects(owner: &Owner) -> Vec<Object> {
    let metadata = owner.everywhere(Part::Namespaces.as_str(), NAMESPACE);
    vec![Object::of(&Namespace { metadata, ..Namespace::default() })]
}
