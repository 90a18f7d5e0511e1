//! Who asks, whether they may, and whether this is the right door for the bucket.

use super::state::Bucket;
use crate::{
    call::{AwsError, Caller},
    iam::{self, Need, policy::Context},
    world::World,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use jiff::Timestamp;
use s3s::{S3Error, S3ErrorCode, S3Result};

/// A request's caller and circumstances, its signature having been verified.
#[derive(Debug, Clone)]
pub struct Visit {
    /// Who signed.
    pub caller: Caller,
    /// The region of the credential scope.
    pub region: String,
    /// The account's time.
    pub now: Timestamp,
    /// The id under which the answer goes out.
    pub request_id: String,
}

impl Visit {
    /// Finds the bucket and asks for `action` on it, or on `key` in it.
    pub(super) fn bucket<'a>(
        &self,
        world: &'a mut World,
        action: &str,
        name: &str,
        key: Option<&str>,
    ) -> S3Result<&'a mut Bucket> {
        self.bucket_with(world, action, name, key, Context::default())
    }

    /// The same with condition keys of the request.
    pub(super) fn bucket_with<'a>(
        &self,
        world: &'a mut World,
        action: &str,
        name: &str,
        key: Option<&str>,
        context: Context,
    ) -> S3Result<&'a mut Bucket> {
        if world.s3.foreign.contains_key(name) {
            return Err(S3Error::with_message(S3ErrorCode::AccessDenied, "Access Denied"));
        }
        let region = match world.s3.buckets.get(name) {
            Some(bucket) => bucket.region.clone(),
            None => return Err(no_bucket()),
        };
        if region != self.region {
            return Err(elsewhere(&region));
        }
        self.allow(world, action, name, key, context)?;
        world.s3.buckets.get_mut(name).ok_or_else(no_bucket)
    }

    /// May the caller do `action` on the bucket, or on `key` in it?
    pub(super) fn allow(
        &self,
        world: &World,
        action: &str,
        bucket: &str,
        key: Option<&str>,
        mut context: Context,
    ) -> S3Result<()> {
        context.add_tags("aws:ResourceTag", &super::bucket_tags(world, bucket).cloned().unwrap_or_default());
        let resource = match (bucket, key) {
            ("", _) => "*".to_owned(),
            (bucket, Some(key)) => format!("arn:aws:s3:::{bucket}/{key}"),
            (bucket, None) => format!("arn:aws:s3:::{bucket}"),
        };
        let resource_policy = super::bucket_policy(world, bucket).cloned();
        let need = Need { action: action.to_owned(), resource, context, resource_policy };
        iam::authorize_needs(world, &self.caller, "s3", &self.region, self.now, &[need]).map_err(refuse)
    }
}

/// A refusal of ours as `s3s` writes it.
pub(super) fn refuse(error: AwsError) -> S3Error {
    let code = S3ErrorCode::from_bytes(error.code.as_bytes())
        .unwrap_or_else(|| S3ErrorCode::Custom(error.code.as_str().into()));
    let mut answer = S3Error::with_message(code, error.message);
    if let Ok(status) = StatusCode::from_u16(error.status) {
        answer.set_status_code(status);
    }
    answer
}

/// S3's 404 for a bucket.
pub(super) fn no_bucket() -> S3Error {
    S3Error::with_message(S3ErrorCode::NoSuchBucket, "The specified bucket does not exist")
}

/// S3's redirect to the region of the bucket.
fn elsewhere(region: &str) -> S3Error {
    let mut error = S3Error::with_message(
        S3ErrorCode::PermanentRedirect,
        "The bucket you are attempting to access must be addressed using the specified endpoint. Please send all \
         future requests to this endpoint.",
    );
    if let Ok(region) = HeaderValue::from_str(region) {
        error.set_headers(HeaderMap::from_iter([(http::HeaderName::from_static("x-amz-bucket-region"), region)]));
    }
    error
}
