//! S3: buckets and objects in the world, spoken to over S3's REST protocol.
//!
//! The protocol is `s3s`'s; what a request does is here, one file per kind of thing: `buckets`, `settings` (of a
//! bucket), `objects`, `listing`, `multipart`. Each asks the policy engine first, the bucket's policy included. Other
//! services of the account read and write through the functions of this file.
//!
//! Left out: versions of objects (the setting is kept), access control lists, lifecycle rules.

mod access;
mod buckets;
mod listing;
mod multipart;
mod naming;
mod objects;
mod request;
mod settings;
mod state;
mod store;

pub use access::Visit;
pub use naming::operation;
pub use state::{Bucket, Object, State};
pub use store::{refused, serve};

use crate::{iam::policy::Document, world::World};
use bytes::Bytes;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// A way to the world for code that runs between requests: it is locked for one closure at a time.
pub trait Door: Send + Sync + 'static {
    /// Runs `work` on the world.
    fn with_world<R>(&self, work: impl FnOnce(&mut World) -> R) -> R;
}

/// The object's bytes, without asking whether anyone may read them; see [`crate::iam::allows`] for that.
pub fn get_object(world: &World, bucket: &str, key: &str) -> Option<Bytes> {
    world.s3.buckets.get(bucket)?.objects.get(key).map(|object| object.body.clone())
}

/// The keys in `bucket` that begin with `prefix`, in order; none if there is no such bucket.
pub fn list(world: &World, bucket: &str, prefix: &str) -> Option<Vec<String>> {
    let objects = &world.s3.buckets.get(bucket)?.objects;
    let from = objects.range(prefix.to_owned()..).take_while(|(key, _)| key.starts_with(prefix));
    Some(from.map(|(key, _)| key.clone()).collect())
}

/// Writes an object as a service of the account does. False if there is no such bucket.
pub fn put_object(world: &mut World, bucket: &str, key: &str, body: impl Into<Bytes>, now: Timestamp) -> bool {
    let Some(bucket) = world.s3.buckets.get_mut(bucket) else { return false };
    bucket.objects.insert(key.to_owned(), Object::new(body.into(), now));
    true
}

/// Makes a bucket with today's defaults; one that is there is left as it is.
pub fn make_bucket(world: &mut World, name: &str, region: &str, now: Timestamp) {
    world.s3.buckets.entry(name.to_owned()).or_insert_with(|| Bucket::new(region, now));
}

/// Deletes an object. False if it was not there.
pub fn remove_object(world: &mut World, bucket: &str, key: &str) -> bool {
    world.s3.buckets.get_mut(bucket).is_some_and(|bucket| bucket.objects.remove(key).is_some())
}

/// The region of a bucket of this account.
pub fn bucket_region<'a>(world: &'a World, bucket: &str) -> Option<&'a str> {
    world.s3.buckets.get(bucket).map(|bucket| bucket.region.as_str())
}

pub(crate) fn bucket_tags<'a>(world: &'a World, bucket: &str) -> Option<&'a BTreeMap<String, String>> {
    world.s3.buckets.get(bucket).map(|bucket| &bucket.tags)
}

pub(crate) fn bucket_policy<'a>(world: &'a World, bucket: &str) -> Option<&'a Document> {
    world.s3.buckets.get(bucket)?.policy.as_ref()
}

#[cfg(test)]
mod tests;
