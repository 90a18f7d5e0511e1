//! Tags in both forms.

use crate::Tags;
use aws_sdk_ec2::types::{ResourceType, Tag, TagSpecification};

pub(super) fn sdk(tags: &Tags) -> Vec<Tag> {
    tags.iter().map(|(key, value)| Tag::builder().key(key).value(value).build()).collect()
}

pub(super) fn ours(tags: Option<&[Tag]>) -> Tags {
    let pair = |tag: &Tag| Some((tag.key()?.to_owned(), tag.value().unwrap_or_default().to_owned()));
    tags.unwrap_or_default().iter().filter_map(pair).collect()
}

/// Tags to be put on what a create call makes.
pub(super) fn specification(kind: ResourceType, tags: &Tags) -> TagSpecification {
    TagSpecification::builder().resource_type(kind).set_tags(Some(sdk(tags))).build()
}
