//! What authorization asks the other services: tags and policies of a resource, and the id behind a name.

use crate::{iam::policy::Document, world::World};
use std::collections::BTreeMap;

/// Tags of the resource with this ARN; empty for one that does not exist or has none.
pub(in crate::iam) fn tags_of(world: &World, arn: &str) -> BTreeMap<String, String> {
    let mut parts = arn.splitn(6, ':').skip(2);
    let (Some(service), Some(region), Some(_account), Some(resource)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return BTreeMap::new();
    };
    let tags = match service {
        "ec2" => {
            let id = resource.rsplit('/').next().unwrap_or_default();
            world.ec2.existing(region).and_then(|network| network.tags.get(id))
        }
        "eks" if resource.starts_with("addon/") => crate::eks::addon_tags(world, arn),
        "eks" => crate::eks::cluster_by_arn(world, arn).map(|cluster| &cluster.tags),
        "sagemaker" => world.sagemaker.tags.get(arn),
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
pub(in crate::iam) fn cluster_arn(world: &World, region: &str, name: &str) -> Option<String> {
    let place = format!("arn:aws:sagemaker:{region}:");
    let mut clusters = world.sagemaker.clusters.iter();
    clusters.find(|(arn, cluster)| arn.starts_with(&place) && cluster.name == name).map(|(arn, _)| arn.clone())
}
