//! S3.
use crate::{iam::policy::Document, world::World};
use std::collections::BTreeMap;
pub(crate) fn bucket_tags<'a>(_world: &'a World, _bucket: &str) -> Option<&'a BTreeMap<String, String>> {
    None
}
pub(crate) fn bucket_policy<'a>(_world: &'a World, _bucket: &str) -> Option<&'a Document> {
    None
}
