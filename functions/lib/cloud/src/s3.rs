//! S3: the project bucket and single objects in it.

use crate::{
    Cloud, Who,
    errors::{self, CallError},
};
use aws_sdk_s3::{
    Client,
    config::Builder,
    error::{ProvideErrorMetadata, SdkError},
    primitives::ByteStream,
    types::{BucketLocationConstraint, CreateBucketConfiguration},
};
use domain::failure::Trouble;
use engine::record::Target;

/// Who has a bucket name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bucket {
    /// Nobody.
    Free,
    /// Our account, in our Region.
    Ours,
    /// Our account or another, in another Region, if the answer said which.
    Elsewhere(Option<String>),
    /// Somebody who does not let us look: another account, or our own policy (S3 answers 403 to both).
    Closed,
}

/// S3 of one target.
#[derive(Debug, Clone)]
pub struct S3 {
    read: Client,
    change: Client,
    account: String,
    region: String,
}

impl S3 {
    /// S3 of `target`. With an endpoint of its own, buckets are in the path: it need not have a host name for each.
    pub async fn new(cloud: &Cloud, target: &Target, who: &Who) -> Self {
        let configs = cloud.configs(target, who).await;
        let in_path = cloud.endpoint.is_some();
        let client = |config| Client::from_conf(Builder::from(config).force_path_style(in_path).build());
        Self {
            read: client(&configs.read),
            change: client(&configs.change),
            account: target.account.clone(),
            region: target.region.to_string(),
        }
    }

    /// Who has the bucket name (field report BR-115: this is asked before anything is made).
    pub async fn bucket(&self, name: &str) -> Result<Bucket, Trouble> {
        let call = self.read.head_bucket().bucket(name).expected_bucket_owner(&self.account);
        let error = match call.send().await {
            Ok(answer) => {
                let region = answer.bucket_region().filter(|region| *region != self.region);
                return Ok(region.map_or(Bucket::Ours, |region| Bucket::Elsewhere(Some(region.to_owned()))));
            }
            Err(error) => error,
        };
        let region = error.raw_response().and_then(|answer| answer.headers().get("x-amz-bucket-region"));
        let region = region.map(str::to_owned);
        match status(&error) {
            Some(404) => Ok(Bucket::Free),
            Some(301 | 307) => Ok(Bucket::Elsewhere(region)),
            Some(400) if region.as_ref().is_some_and(|region| *region != self.region) => Ok(Bucket::Elsewhere(region)),
            Some(403) => Ok(Bucket::Closed),
            _ => Err(errors::read("s3", "HeadBucket", &error)),
        }
    }

    /// Makes a bucket in our Region. One that is ours already counts; public access is blocked and objects are encrypted
    /// in every new bucket without asking.
    pub async fn create_bucket(&self, name: &str) -> Result<(), Trouble> {
        // S3 refuses to be told of the Region that it takes when none is named.
        let place = (self.region != "us-east-1").then(|| {
            let place = BucketLocationConstraint::from(self.region.as_str());
            CreateBucketConfiguration::builder().location_constraint(place).build()
        });
        let sent = self.change.create_bucket().bucket(name).set_create_bucket_configuration(place).send().await;
        match sent {
            Ok(_) => Ok(()),
            Err(error) if error.code() == Some("BucketAlreadyOwnedByYou") => Ok(()),
            // Somebody makes or deletes it at this moment: the next look tells.
            Err(error) if error.code() == Some("OperationAborted") => {
                Err(Trouble::Uncertain(errors::change("s3", "CreateBucket", &error).failure().clone()))
            }
            Err(error) => Err(errors::change("s3", "CreateBucket", &error)),
        }
    }

    /// Whether an object is there.
    pub async fn has_object(&self, bucket: &str, key: &str) -> Result<bool, Trouble> {
        match self.read.head_object().bucket(bucket).key(key).send().await {
            Ok(_) => Ok(true),
            Err(error) if status(&error) == Some(404) => Ok(false),
            Err(error) => Err(errors::read("s3", "HeadObject", &error)),
        }
    }

    /// Writes an object; the same again is the same.
    pub async fn put_object(&self, bucket: &str, key: &str, content: &[u8]) -> Result<(), Trouble> {
        let call = self.change.put_object().bucket(bucket).key(key).expected_bucket_owner(&self.account);
        let sent = call.body(ByteStream::from(content.to_vec())).send().await;
        sent.map(drop).map_err(|error| errors::change("s3", "PutObject", &error))
    }
}

/// The HTTP status of a refusal: answers to HEAD have no body, so that is all there is.
fn status<E>(error: &CallError<E>) -> Option<u16> {
    match error {
        SdkError::ServiceError(refusal) => Some(refusal.raw().status().as_u16()),
        _ => None,
    }
}
