//! Buckets: made, found, listed, deleted, with S3's rules about names and regions.

use super::{
    access::{Visit, no_bucket},
    objects::time,
    state::Bucket as Kept,
};
use crate::{iam::policy::Context, world::World};
use http::StatusCode;
use jiff::Timestamp;
use s3s::{S3Error, S3ErrorCode, S3Result, dto::*};

/// Buckets in an account, unless AWS raises it.
const BUCKETS: usize = 10_000;

/// CreateBucket.
pub(super) fn create(world: &mut World, visit: &Visit, input: CreateBucketInput) -> S3Result<CreateBucketOutput> {
    let name = input.bucket;
    visit.allow(world, "s3:CreateBucket", &name, None, Context::default())?;
    let asked = input.create_bucket_configuration.and_then(|configuration| configuration.location_constraint);
    check_region(visit, asked.as_ref().map(BucketLocationConstraint::as_str))?;
    if world.s3.foreign.contains_key(&name) {
        return Err(S3Error::with_message(
            S3ErrorCode::BucketAlreadyExists,
            "The requested bucket name is not available. The bucket namespace is shared by all users of the system. \
             Please select a different name and try again.",
        ));
    }
    let location = Some(format!("/{name}"));
    if let Some(bucket) = world.s3.buckets.get(&name) {
        // us-east-1 keeps its old way: making one's own bucket again succeeds.
        if bucket.region == "us-east-1" && visit.region == "us-east-1" {
            return Ok(CreateBucketOutput { location });
        }
        return Err(S3Error::with_message(
            S3ErrorCode::BucketAlreadyOwnedByYou,
            "Your previous request to create the named bucket succeeded and you already own it.",
        ));
    }
    if world.s3.settling.get(&name).is_some_and(|until| *until > visit.now) {
        return Err(S3Error::with_message(
            S3ErrorCode::OperationAborted,
            "A conflicting conditional operation is currently in progress against this resource. Please try again.",
        ));
    }
    if world.s3.buckets.len() >= BUCKETS {
        return Err(S3Error::with_message(
            S3ErrorCode::TooManyBuckets,
            "You have attempted to create more buckets than allowed",
        ));
    }
    world.s3.settling.remove(&name);
    world.s3.buckets.insert(name, Kept::new(&visit.region, visit.now));
    Ok(CreateBucketOutput { location })
}

/// The constraint must name the region of the endpoint, and us-east-1 must not be named.
fn check_region(visit: &Visit, asked: Option<&str>) -> S3Result<()> {
    match asked.filter(|region| !region.is_empty()) {
        None if visit.region == "us-east-1" => Ok(()),
        Some("us-east-1") => Err(S3Error::with_message(
            S3ErrorCode::InvalidLocationConstraint,
            "The specified location-constraint is not valid",
        )),
        Some(region) if region == visit.region => Ok(()),
        other => {
            let region = other.unwrap_or("unspecified");
            Err(S3Error::with_message(
                S3ErrorCode::IllegalLocationConstraintException,
                format!(
                    "The {region} location constraint is incompatible for the region specific endpoint this request \
                     was sent to."
                ),
            ))
        }
    }
}

/// HeadBucket.
pub(super) fn head(world: &mut World, visit: &Visit, input: HeadBucketInput) -> S3Result<HeadBucketOutput> {
    let bucket = visit.bucket(world, "s3:ListBucket", &input.bucket, None)?;
    Ok(HeadBucketOutput { bucket_region: Some(bucket.region.clone()), ..HeadBucketOutput::default() })
}

/// DeleteBucket: the name stays busy for a while.
pub(super) fn delete(world: &mut World, visit: &Visit, input: DeleteBucketInput) -> S3Result<DeleteBucketOutput> {
    let name = input.bucket;
    let bucket = visit.bucket(world, "s3:DeleteBucket", &name, None)?;
    if !bucket.objects.is_empty() {
        return Err(S3Error::with_message(S3ErrorCode::BucketNotEmpty, "The bucket you tried to delete is not empty"));
    }
    world.s3.buckets.remove(&name).ok_or_else(no_bucket)?;
    let busy = world.paced(world.draw(&format!("bucket-name {name}"), 10..60));
    world.s3.settling.insert(name, visit.now.saturating_add(busy).unwrap_or(Timestamp::MAX));
    Ok(DeleteBucketOutput::default())
}

/// ListBuckets: of every region.
pub(super) fn list(world: &mut World, visit: &Visit, input: ListBucketsInput) -> S3Result<ListBucketsOutput> {
    visit.allow(world, "s3:ListAllMyBuckets", "", None, Context::default())?;
    let prefix = input.prefix.clone().unwrap_or_default();
    let size = input.max_buckets.and_then(|size| usize::try_from(size).ok()).unwrap_or(10_000).max(1);
    let mut found = world.s3.buckets.iter().filter(|(name, bucket)| {
        name.starts_with(&prefix)
            && input.bucket_region.as_ref().is_none_or(|region| *region == bucket.region)
            && input.continuation_token.as_ref().is_none_or(|after| *name > after)
    });
    let buckets: Vec<Bucket> = found
        .by_ref()
        .take(size)
        .map(|(name, bucket)| Bucket {
            name: Some(name.clone()),
            bucket_region: Some(bucket.region.clone()),
            creation_date: Some(time(bucket.created)),
        })
        .collect();
    let continuation_token = found.next().and(buckets.last()).and_then(|last| last.name.clone());
    let owner = Some(Owner { id: Some(owner_id()), ..Owner::default() });
    Ok(ListBucketsOutput { buckets: Some(buckets), continuation_token, owner, prefix: input.prefix })
}

/// The canonical user id of the account.
pub(super) fn owner_id() -> String {
    use sha2::{Digest, Sha256};
    hex::encode(Sha256::digest(crate::call::ACCOUNT_ID))
}

/// GetBucketLocation: us-east-1 is told as nothing.
pub(super) fn location(
    world: &mut World,
    visit: &Visit,
    input: GetBucketLocationInput,
) -> S3Result<GetBucketLocationOutput> {
    // The one call that any region answers.
    let region = super::bucket_region(world, &input.bucket).ok_or_else(no_bucket)?.to_owned();
    visit.allow(world, "s3:GetBucketLocation", &input.bucket, None, Context::default())?;
    let constraint = (region != "us-east-1").then(|| BucketLocationConstraint::from(region));
    Ok(GetBucketLocationOutput { location_constraint: constraint })
}

/// A setting that the bucket does not have.
pub(super) fn not_set(code: S3ErrorCode, message: &'static str) -> S3Error {
    let mut error = S3Error::with_message(code, message);
    error.set_status_code(StatusCode::NOT_FOUND);
    error
}
