//! What authorization asks the other services: tags and policies of a resource, and the id behind a name.

use crate::{iam::policy::Document, world::World};
use std::collections::BTreeMap;

/// Tags of the resource with this ARN; empty for one that does not exist or has none.
pub(in crate::iam) fn tags_of(world: &World, arn: &str) -> BTreeMap<String, String> {
    let mut parts = arn.splitn(6, ':').skip(2);
    let (Some(service), Some(_region), Some(_account), Some(resource)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return BTreeMap::new();
    };
    let tags = match service {
        "iam" => super::super::tags::of_resource(world, arn, resource),
        "s3" => crate::s3::bucket_tags(world, resource.split('/').next().unwrap_or_default()),
        _ => None,
    };
    tags.cloned().unwrap_or_default()
}

/// The policy of the resource itself: S3 buckets have one.
pub(in crate::iam) fn policy_of(world: &World, arn: &str) -> Option<Document> {
    let bucket = arn.strip_prefix("arn:aws:s3:::")?.split('/').next()?;
    crate::s3::bucket_policy(world, bucket).cloned()
}

/// ARN of the HyperPod cluster with this name; none if there is no such cluster.
///
/// SageMaker answers it where it is part of the world; without it every cluster is `cluster/*` to a policy.
pub(in crate::iam) fn cluster_arn(_world: &World, _region: &str, _name: &str) -> Option<String> {
    None
}
