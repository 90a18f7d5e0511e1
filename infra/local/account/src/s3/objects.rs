//! Objects: written, read, copied, deleted, with conditions, ranges and checksums.

use super::{
    access::Visit,
    state::{Bucket, Object as Kept},
};
use crate::{iam::policy::Context, world::World};
use bytes::Bytes;
use s3s::{
    Body, S3Error, S3ErrorCode, S3Result,
    checksum::ChecksumHasher,
    crypto::{Checksum as _, Crc32, Crc32c, Crc64Nvme, Sha1, Sha256},
    dto::*,
};
use std::{collections::BTreeMap, time::SystemTime};

/// PutObject.
pub(super) fn put(world: &mut World, visit: &Visit, input: PutObjectInput, body: Bytes) -> S3Result<PutObjectOutput> {
    let (name, key) = (input.bucket.as_str(), input.key.as_str());
    let mut context = Context::default();
    if let Some(encryption) = &input.server_side_encryption {
        context.set("s3:x-amz-server-side-encryption", encryption.as_str());
    }
    let bucket = visit.bucket_with(world, "s3:PutObject", name, Some(key), context)?;
    check_write(bucket.objects.get(key), input.if_match.as_ref(), input.if_none_match.as_ref())?;
    let mut object = Kept::new(body, visit.now);
    if input.content_md5.as_ref().is_some_and(|sent| !md5_matches(sent, &object.etag)) {
        let message = "The Content-MD5 you specified did not match what we received.";
        return Err(S3Error::with_message(S3ErrorCode::BadDigest, message));
    }
    object.checksum = checked(
        &object.body,
        &[
            ("crc32", &input.checksum_crc32),
            ("crc32c", &input.checksum_crc32c),
            ("crc64nvme", &input.checksum_crc64nvme),
            ("sha1", &input.checksum_sha1),
            ("sha256", &input.checksum_sha256),
        ],
    )?;
    object.headers = headers(&[
        ("content-type", &input.content_type),
        ("cache-control", &input.cache_control),
        ("content-encoding", &input.content_encoding),
        ("content-disposition", &input.content_disposition),
        ("content-language", &input.content_language),
    ]);
    object.metadata = input.metadata.unwrap_or_default().into_iter().collect();
    let sums = checksum(&object);
    let output = PutObjectOutput {
        e_tag: Some(ETag::Strong(object.etag.clone())),
        server_side_encryption: Some(ServerSideEncryption::from(bucket.encryption.algorithm.clone())),
        checksum_crc32: sums.checksum_crc32,
        checksum_crc32c: sums.checksum_crc32c,
        checksum_crc64nvme: sums.checksum_crc64nvme,
        checksum_sha1: sums.checksum_sha1,
        checksum_sha256: sums.checksum_sha256,
        ..PutObjectOutput::default()
    };
    bucket.objects.insert(input.key.clone(), object);
    Ok(output)
}

/// GetObject.
pub(super) fn get(world: &mut World, visit: &Visit, input: GetObjectInput) -> S3Result<GetObjectOutput> {
    let (bucket, object) = find(world, visit, &input.bucket, &input.key)?;
    check_read(&object, input.if_match.as_ref(), input.if_none_match.as_ref())?;
    let length = object.body.len();
    let (body, content_range) = match &input.range {
        Some(range) => {
            let span = range.check(length as u64).map_err(|_| S3Error::new(S3ErrorCode::InvalidRange))?;
            let (start, end) =
                (usize::try_from(span.start).unwrap_or(length), usize::try_from(span.end).unwrap_or(length));
            let shown = format!("bytes {start}-{}/{length}", end.saturating_sub(1));
            (object.body.slice(start..end), Some(shown))
        }
        None => (object.body.clone(), None),
    };
    let whole = content_range.is_none() && input.checksum_mode.is_some();
    let sums = if whole { checksum(&object) } else { Checksum::default() };
    let header = |name: &str| object.headers.get(name).cloned();
    Ok(GetObjectOutput {
        accept_ranges: Some("bytes".to_owned()),
        content_length: i64::try_from(body.len()).ok(),
        body: Some(StreamingBlob::from(Body::from(body))),
        content_range,
        content_type: header("content-type").or_else(|| Some("binary/octet-stream".to_owned())),
        cache_control: header("cache-control"),
        content_encoding: header("content-encoding"),
        content_disposition: header("content-disposition"),
        content_language: header("content-language"),
        e_tag: Some(ETag::Strong(object.etag.clone())),
        last_modified: Some(time(object.modified)),
        metadata: Some(object.metadata.clone().into_iter().collect()),
        server_side_encryption: Some(ServerSideEncryption::from(bucket)),
        checksum_crc32: sums.checksum_crc32,
        checksum_crc32c: sums.checksum_crc32c,
        checksum_crc64nvme: sums.checksum_crc64nvme,
        checksum_sha1: sums.checksum_sha1,
        checksum_sha256: sums.checksum_sha256,
        ..GetObjectOutput::default()
    })
}

/// HeadObject.
pub(super) fn head(world: &mut World, visit: &Visit, input: HeadObjectInput) -> S3Result<HeadObjectOutput> {
    let (bucket, object) = find(world, visit, &input.bucket, &input.key)?;
    check_read(&object, input.if_match.as_ref(), input.if_none_match.as_ref())?;
    let sums = if input.checksum_mode.is_some() { checksum(&object) } else { Checksum::default() };
    let header = |name: &str| object.headers.get(name).cloned();
    Ok(HeadObjectOutput {
        accept_ranges: Some("bytes".to_owned()),
        content_length: i64::try_from(object.body.len()).ok(),
        content_type: header("content-type").or_else(|| Some("binary/octet-stream".to_owned())),
        cache_control: header("cache-control"),
        content_encoding: header("content-encoding"),
        content_disposition: header("content-disposition"),
        content_language: header("content-language"),
        e_tag: Some(ETag::Strong(object.etag.clone())),
        last_modified: Some(time(object.modified)),
        metadata: Some(object.metadata.clone().into_iter().collect()),
        server_side_encryption: Some(ServerSideEncryption::from(bucket)),
        checksum_crc32: sums.checksum_crc32,
        checksum_crc32c: sums.checksum_crc32c,
        checksum_crc64nvme: sums.checksum_crc64nvme,
        checksum_sha1: sums.checksum_sha1,
        checksum_sha256: sums.checksum_sha256,
        ..HeadObjectOutput::default()
    })
}

/// CopyObject.
pub(super) fn copy(world: &mut World, visit: &Visit, input: CopyObjectInput) -> S3Result<CopyObjectOutput> {
    let CopySource::Bucket { bucket: source, key: source_key, .. } = &input.copy_source else {
        return Err(S3Error::new(S3ErrorCode::NotImplemented));
    };
    let (_, mut object) = find(world, visit, source, source_key)?;
    check_read(&object, input.copy_source_if_match.as_ref(), input.copy_source_if_none_match.as_ref())?;
    let replaces = input.metadata_directive.as_ref().is_some_and(|directive| directive.as_str() == "REPLACE");
    let onto_itself = source.as_ref() == input.bucket.as_str() && source_key.as_ref() == input.key.as_str();
    if onto_itself && !replaces {
        return Err(S3Error::with_message(
            S3ErrorCode::InvalidRequest,
            "This copy request is illegal because it is trying to copy an object to itself without changing the \
             object's metadata, storage class, website redirect location or encryption attributes.",
        ));
    }
    if replaces {
        object.metadata = input.metadata.unwrap_or_default().into_iter().collect();
        object.headers = headers(&[("content-type", &input.content_type), ("cache-control", &input.cache_control)]);
    }
    object.modified = visit.now;
    let bucket = visit.bucket(world, "s3:PutObject", &input.bucket, Some(&input.key))?;
    let result = CopyObjectResult {
        e_tag: Some(ETag::Strong(object.etag.clone())),
        last_modified: Some(time(visit.now)),
        ..CopyObjectResult::default()
    };
    bucket.objects.insert(input.key.clone(), object);
    Ok(CopyObjectOutput { copy_object_result: Some(result), ..CopyObjectOutput::default() })
}

/// DeleteObject: what is not there is deleted too.
pub(super) fn delete(world: &mut World, visit: &Visit, input: DeleteObjectInput) -> S3Result<DeleteObjectOutput> {
    let bucket = visit.bucket(world, "s3:DeleteObject", &input.bucket, Some(&input.key))?;
    bucket.objects.remove(&input.key);
    Ok(DeleteObjectOutput::default())
}

/// DeleteObjects: up to 1000, each with its own answer.
pub(super) fn delete_many(
    world: &mut World,
    visit: &Visit,
    input: DeleteObjectsInput,
) -> S3Result<DeleteObjectsOutput> {
    if input.delete.objects.len() > 1000 {
        return Err(S3Error::with_message(S3ErrorCode::MalformedXML, "The XML you provided was not well-formed"));
    }
    let (mut deleted, mut errors) = (Vec::new(), Vec::new());
    for ObjectIdentifier { key, .. } in input.delete.objects {
        match visit.bucket(world, "s3:DeleteObject", &input.bucket, Some(&key)) {
            Ok(bucket) => {
                bucket.objects.remove(&key);
                deleted.push(DeletedObject { key: Some(key), ..DeletedObject::default() });
            }
            Err(error) if *error.code() == S3ErrorCode::AccessDenied => errors.push(Error {
                key: Some(key),
                code: Some("AccessDenied".to_owned()),
                message: error.message().map(str::to_owned),
                version_id: None,
            }),
            Err(error) => return Err(error),
        }
    }
    let deleted = (!input.delete.quiet.unwrap_or(false)).then_some(deleted);
    Ok(DeleteObjectsOutput { deleted, errors: Some(errors), ..DeleteObjectsOutput::default() })
}

/// The object and its bucket's encryption. A missing key is told only to those who may list the bucket.
fn find(world: &mut World, visit: &Visit, bucket: &str, key: &str) -> S3Result<(String, Kept)> {
    let found = visit.bucket(world, "s3:GetObject", bucket, Some(key))?;
    if let Some(object) = found.objects.get(key) {
        return Ok((found.encryption.algorithm.clone(), object.clone()));
    }
    visit.allow(world, "s3:ListBucket", bucket, None, Context::default())?;
    Err(S3Error::with_message(S3ErrorCode::NoSuchKey, "The specified key does not exist."))
}

/// Conditions of a write.
pub(super) fn check_write(
    existing: Option<&Kept>,
    matches: Option<&ETagCondition>,
    none_matches: Option<&ETagCondition>,
) -> S3Result<()> {
    if matches.is_some() && existing.is_none() {
        return Err(S3Error::with_message(S3ErrorCode::NoSuchKey, "The specified key does not exist."));
    }
    let fits = |condition: &ETagCondition| existing.is_some_and(|object| is(object, condition));
    if matches.is_some_and(|condition| !fits(condition)) || none_matches.is_some_and(fits) {
        return Err(precondition());
    }
    Ok(())
}

fn check_read(object: &Kept, matches: Option<&ETagCondition>, none_matches: Option<&ETagCondition>) -> S3Result<()> {
    if matches.is_some_and(|condition| !is(object, condition)) {
        return Err(precondition());
    }
    if none_matches.is_some_and(|condition| is(object, condition)) {
        return Err(S3Error::new(S3ErrorCode::NotModified));
    }
    Ok(())
}

fn is(object: &Kept, condition: &ETagCondition) -> bool {
    condition.as_etag().is_none_or(|etag| etag.value() == object.etag)
}

fn precondition() -> S3Error {
    S3Error::with_message(
        S3ErrorCode::PreconditionFailed,
        "At least one of the pre-conditions you specified did not hold",
    )
}

/// Compares the checksum that was sent, if one was, with the body's.
pub(super) fn checked(body: &[u8], sent: &[(&str, &Option<String>)]) -> S3Result<Option<(String, String)>> {
    let Some((name, value)) = sent.iter().find_map(|(name, value)| value.as_ref().map(|value| (*name, value))) else {
        return Ok(None);
    };
    if computed(body, name).as_ref() != Some(value) {
        let shown = name.to_uppercase();
        return Err(S3Error::with_message(
            S3ErrorCode::BadDigest,
            format!("The {shown} you specified did not match the calculated checksum."),
        ));
    }
    Ok(Some((name.to_owned(), value.clone())))
}

fn computed(body: &[u8], name: &str) -> Option<String> {
    let mut hasher = ChecksumHasher::default();
    match name {
        "crc32" => hasher.crc32 = Some(Crc32::new()),
        "crc32c" => hasher.crc32c = Some(Crc32c::new()),
        "crc64nvme" => hasher.crc64nvme = Some(Crc64Nvme::new()),
        "sha1" => hasher.sha1 = Some(Sha1::new()),
        _ => hasher.sha256 = Some(Sha256::new()),
    }
    hasher.update(body);
    let sums = hasher.finalize();
    [sums.checksum_crc32, sums.checksum_crc32c, sums.checksum_crc64nvme, sums.checksum_sha1, sums.checksum_sha256]
        .into_iter()
        .flatten()
        .next()
}

/// The checksum that the object was sent with, in its own member.
fn checksum(object: &Kept) -> Checksum {
    let mut sums = Checksum::default();
    if let Some((name, value)) = &object.checksum {
        let value = Some(value.clone());
        match name.as_str() {
            "crc32" => sums.checksum_crc32 = value,
            "crc32c" => sums.checksum_crc32c = value,
            "crc64nvme" => sums.checksum_crc64nvme = value,
            "sha1" => sums.checksum_sha1 = value,
            _ => sums.checksum_sha256 = value,
        }
    }
    sums
}

fn md5_matches(sent: &str, etag: &str) -> bool {
    use base64::{Engine, engine::general_purpose::STANDARD};
    STANDARD.decode(sent).is_ok_and(|bytes| hex::encode(bytes) == etag)
}

/// The headers that were sent.
pub(super) fn headers(sent: &[(&str, &Option<String>)]) -> BTreeMap<String, String> {
    let given = sent.iter().filter_map(|(name, value)| Some(((*name).to_owned(), value.as_ref()?.clone())));
    given.collect()
}

/// A moment as `s3s` has it.
pub(super) fn time(at: jiff::Timestamp) -> Timestamp {
    Timestamp::from(SystemTime::from(at))
}

/// The bucket's objects as listings show one.
pub(super) fn shown(bucket: &Bucket, key: &str) -> Option<Object> {
    let object = bucket.objects.get(key)?;
    Some(Object {
        key: Some(key.to_owned()),
        e_tag: Some(ETag::Strong(object.etag.clone())),
        size: i64::try_from(object.body.len()).ok(),
        last_modified: Some(time(object.modified)),
        storage_class: Some(ObjectStorageClass::from_static(ObjectStorageClass::STANDARD)),
        ..Object::default()
    })
}
