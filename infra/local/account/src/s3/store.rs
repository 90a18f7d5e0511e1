//! The door to S3: a request goes through `s3s`, which reads it and calls one of the functions beside this file.

use super::{Door, Visit, buckets, listing, multipart, objects, request, settings};
use crate::world::World;
use bytes::{Bytes, BytesMut};
use futures::TryStreamExt;
use http::{Method, Request, Response};
use http_body_util::BodyExt;
use s3s::{Body, S3, S3Error, S3ErrorCode, S3Request, S3Response, S3Result, dto::*, host, service::S3ServiceBuilder};
use std::sync::Arc;

/// Answers one request to S3, path-style or virtual-hosted; its signature has been verified, `visit` says whose it is.
pub async fn serve<D: Door>(door: Arc<D>, visit: Visit, request: Request<Bytes>) -> Response<Bytes> {
    let request_id = visit.request_id.clone();
    let head = request.method() == Method::HEAD;
    let answered = match request::plain(request) {
        Ok(request) => {
            let mut service = S3ServiceBuilder::new(Store { door, visit });
            service.set_host(Hosts);
            service.build().call(request.map(Body::from)).await.ok()
        }
        Err(refused) => refused.to_http_response().ok(),
    };
    let mut response = match answered {
        Some(answer) => collected(answer).await,
        None => failure(),
    };
    if head {
        // Refusals of HEAD say their status and no more.
        *response.body_mut() = Bytes::new();
    }
    if let Ok(id) = http::HeaderValue::from_str(&request_id) {
        response.headers_mut().insert("x-amz-request-id", id);
    }
    response
}

/// A refusal before S3 looked at the request, written as S3 writes it.
pub async fn refused(error: crate::call::AwsError, request_id: &str) -> Response<Bytes> {
    let mut response = match super::access::refuse(error).to_http_response() {
        Ok(answer) => collected(answer).await,
        Err(_) => failure(),
    };
    if let Ok(id) = http::HeaderValue::from_str(request_id) {
        response.headers_mut().insert("x-amz-request-id", id);
    }
    response
}

async fn collected(answer: Response<Body>) -> Response<Bytes> {
    let (parts, body) = answer.into_parts();
    match body.collect().await {
        Ok(body) => Response::from_parts(parts, body.to_bytes()),
        Err(_) => failure(),
    }
}

fn failure() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = http::StatusCode::INTERNAL_SERVER_ERROR;
    response
}

/// `BUCKET.s3.REGION.amazonaws.com`, `BUCKET.localhost` and `BUCKET.s3.localhost`; every other host is path-style.
struct Hosts;

impl host::S3Host for Hosts {
    fn parse_host_header<'a>(&'a self, host: &'a str) -> S3Result<host::VirtualHost<'a>> {
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        let found = host::VirtualHost::new(name);
        Ok(match bucket_of_host(name) {
            Some(bucket) => found.with_bucket(bucket),
            None => found,
        })
    }
}

/// The bucket that a host name, without port, stands for.
pub(super) fn bucket_of_host(name: &str) -> Option<&str> {
    match name.strip_suffix(".amazonaws.com") {
        Some(aws) => aws.split_once(".s3.").map(|(bucket, _)| bucket).or(aws.strip_suffix(".s3")),
        None => name
            .strip_suffix(".localhost")
            .filter(|bucket| *bucket != "s3")
            .map(|bucket| bucket.strip_suffix(".s3").unwrap_or(bucket)),
    }
}

struct Store<D> {
    door: Arc<D>,
    visit: Visit,
}

impl<D: Door> Store<D> {
    fn answer<T>(&self, work: impl FnOnce(&mut World, &Visit) -> S3Result<T>) -> S3Result<S3Response<T>> {
        self.door.with_world(|world| work(world, &self.visit)).map(S3Response::new)
    }
}

/// The whole body; the request came in one piece, so nothing is waited for.
async fn read(body: Option<StreamingBlob>) -> S3Result<Bytes> {
    let Some(body) = body else { return Ok(Bytes::new()) };
    let whole = body.try_fold(BytesMut::new(), |mut all, part| async move {
        all.extend_from_slice(&part);
        Ok(all)
    });
    whole.await.map(BytesMut::freeze).map_err(|_| S3Error::new(S3ErrorCode::IncompleteBody))
}

/// Writes the trait's methods that only hand their input on.
macro_rules! hand_on {
    ($($method:ident($input:ident) -> $output:ident = $function:path;)*) => {
        #[async_trait::async_trait]
        impl<D: Door> S3 for Store<D> {
            $(
                async fn $method(&self, request: S3Request<$input>) -> S3Result<S3Response<$output>> {
                    self.answer(|world, visit| $function(world, visit, request.input))
                }
            )*

            async fn put_object(&self, request: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
                let mut input = request.input;
                let body = read(input.body.take()).await?;
                self.answer(|world, visit| objects::put(world, visit, input, body))
            }

            async fn upload_part(&self, request: S3Request<UploadPartInput>) -> S3Result<S3Response<UploadPartOutput>> {
                let mut input = request.input;
                let body = read(input.body.take()).await?;
                self.answer(|world, visit| multipart::upload_part(world, visit, input, body))
            }
        }
    };
}

hand_on! {
    create_bucket(CreateBucketInput) -> CreateBucketOutput = buckets::create;
    head_bucket(HeadBucketInput) -> HeadBucketOutput = buckets::head;
    delete_bucket(DeleteBucketInput) -> DeleteBucketOutput = buckets::delete;
    list_buckets(ListBucketsInput) -> ListBucketsOutput = buckets::list;
    get_bucket_location(GetBucketLocationInput) -> GetBucketLocationOutput = buckets::location;
    put_bucket_policy(PutBucketPolicyInput) -> PutBucketPolicyOutput = settings::put_policy;
    get_bucket_policy(GetBucketPolicyInput) -> GetBucketPolicyOutput = settings::get_policy;
    delete_bucket_policy(DeleteBucketPolicyInput) -> DeleteBucketPolicyOutput = settings::delete_policy;
    put_bucket_encryption(PutBucketEncryptionInput) -> PutBucketEncryptionOutput = settings::put_encryption;
    get_bucket_encryption(GetBucketEncryptionInput) -> GetBucketEncryptionOutput = settings::get_encryption;
    delete_bucket_encryption(DeleteBucketEncryptionInput) -> DeleteBucketEncryptionOutput = settings::delete_encryption;
    put_bucket_versioning(PutBucketVersioningInput) -> PutBucketVersioningOutput = settings::put_versioning;
    get_bucket_versioning(GetBucketVersioningInput) -> GetBucketVersioningOutput = settings::get_versioning;
    put_public_access_block(PutPublicAccessBlockInput) -> PutPublicAccessBlockOutput = settings::put_public_access;
    get_public_access_block(GetPublicAccessBlockInput) -> GetPublicAccessBlockOutput = settings::get_public_access;
    delete_public_access_block(DeletePublicAccessBlockInput) -> DeletePublicAccessBlockOutput = settings::delete_public_access;
    put_bucket_tagging(PutBucketTaggingInput) -> PutBucketTaggingOutput = settings::put_tagging;
    get_bucket_tagging(GetBucketTaggingInput) -> GetBucketTaggingOutput = settings::get_tagging;
    delete_bucket_tagging(DeleteBucketTaggingInput) -> DeleteBucketTaggingOutput = settings::delete_tagging;
    get_object(GetObjectInput) -> GetObjectOutput = objects::get;
    head_object(HeadObjectInput) -> HeadObjectOutput = objects::head;
    copy_object(CopyObjectInput) -> CopyObjectOutput = objects::copy;
    delete_object(DeleteObjectInput) -> DeleteObjectOutput = objects::delete;
    delete_objects(DeleteObjectsInput) -> DeleteObjectsOutput = objects::delete_many;
    list_objects(ListObjectsInput) -> ListObjectsOutput = listing::first_version;
    list_objects_v2(ListObjectsV2Input) -> ListObjectsV2Output = listing::second_version;
    create_multipart_upload(CreateMultipartUploadInput) -> CreateMultipartUploadOutput = multipart::create;
    complete_multipart_upload(CompleteMultipartUploadInput) -> CompleteMultipartUploadOutput = multipart::complete;
    abort_multipart_upload(AbortMultipartUploadInput) -> AbortMultipartUploadOutput = multipart::abort;
    list_multipart_uploads(ListMultipartUploadsInput) -> ListMultipartUploadsOutput = multipart::list;
    list_parts(ListPartsInput) -> ListPartsOutput = multipart::list_parts;
}
