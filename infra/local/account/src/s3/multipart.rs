//! Multipart uploads.

use super::{
    access::Visit,
    objects::{check_write, checked, headers, time},
    state::{Bucket, Object as Kept, Upload},
};
use crate::world::World;
use bytes::{Bytes, BytesMut};
use s3s::{
    S3Error, S3ErrorCode, S3Result,
    crypto::{Checksum as _, Md5},
    dto::*,
};

/// The least that every part but the last must hold.
const SMALLEST: usize = 5 * 1024 * 1024;

/// CreateMultipartUpload.
pub(super) fn create(
    world: &mut World,
    visit: &Visit,
    input: CreateMultipartUploadInput,
) -> S3Result<CreateMultipartUploadOutput> {
    visit.bucket(world, "s3:PutObject", &input.bucket, Some(&input.key))?;
    let id = format!("{:016x}{:016x}", world.next_number("s3-upload"), world.next_number("s3-upload"));
    let upload = Upload {
        key: input.key.clone(),
        started: visit.now,
        headers: headers(&[("content-type", &input.content_type), ("cache-control", &input.cache_control)]),
        metadata: input.metadata.unwrap_or_default().into_iter().collect(),
        parts: std::collections::BTreeMap::new(),
    };
    let bucket = visit.bucket(world, "s3:PutObject", &input.bucket, Some(&input.key))?;
    bucket.uploads.insert(id.clone(), upload);
    Ok(CreateMultipartUploadOutput {
        bucket: Some(input.bucket),
        key: Some(input.key),
        upload_id: Some(id),
        checksum_algorithm: input.checksum_algorithm,
        checksum_type: input.checksum_type,
        ..CreateMultipartUploadOutput::default()
    })
}

/// UploadPart.
pub(super) fn upload_part(
    world: &mut World,
    visit: &Visit,
    input: UploadPartInput,
    body: Bytes,
) -> S3Result<UploadPartOutput> {
    let bucket = visit.bucket(world, "s3:PutObject", &input.bucket, Some(&input.key))?;
    let upload = find(bucket, &input.upload_id, &input.key)?;
    if !(1..=10_000).contains(&input.part_number) {
        let message = "Part number must be an integer between 1 and 10000, inclusive";
        return Err(S3Error::with_message(S3ErrorCode::InvalidArgument, message));
    }
    let mut part = Kept::new(body, visit.now);
    part.checksum = checked(
        &part.body,
        &[
            ("crc32", &input.checksum_crc32),
            ("crc32c", &input.checksum_crc32c),
            ("crc64nvme", &input.checksum_crc64nvme),
            ("sha1", &input.checksum_sha1),
            ("sha256", &input.checksum_sha256),
        ],
    )?;
    let e_tag = Some(ETag::Strong(part.etag.clone()));
    upload.parts.insert(input.part_number, part);
    Ok(UploadPartOutput {
        e_tag,
        checksum_crc32: input.checksum_crc32,
        checksum_crc32c: input.checksum_crc32c,
        checksum_crc64nvme: input.checksum_crc64nvme,
        checksum_sha1: input.checksum_sha1,
        checksum_sha256: input.checksum_sha256,
        ..UploadPartOutput::default()
    })
}

/// CompleteMultipartUpload: the entity tag is the digest of the parts' digests, with their number.
pub(super) fn complete(
    world: &mut World,
    visit: &Visit,
    input: CompleteMultipartUploadInput,
) -> S3Result<CompleteMultipartUploadOutput> {
    let bucket = visit.bucket(world, "s3:PutObject", &input.bucket, Some(&input.key))?;
    let upload = find(bucket, &input.upload_id, &input.key)?.clone();
    check_write(bucket.objects.get(&input.key), input.if_match.as_ref(), input.if_none_match.as_ref())?;
    let named = input.multipart_upload.and_then(|upload| upload.parts).unwrap_or_default();
    let mut object = assemble(&upload, &named, visit)?;
    object.headers = upload.headers;
    object.metadata = upload.metadata;
    let e_tag = Some(ETag::Strong(object.etag.clone()));
    bucket.objects.insert(input.key.clone(), object);
    bucket.uploads.remove(&input.upload_id);
    Ok(CompleteMultipartUploadOutput {
        location: Some(format!("https://{}.s3.{}.amazonaws.com/{}", input.bucket, bucket.region, input.key)),
        bucket: Some(input.bucket),
        key: Some(input.key),
        e_tag,
        ..CompleteMultipartUploadOutput::default()
    })
}

fn assemble(upload: &Upload, named: &[CompletedPart], visit: &Visit) -> S3Result<Kept> {
    if named.is_empty() {
        return Err(S3Error::with_message(S3ErrorCode::MalformedXML, "You must specify at least one part"));
    }
    let numbers: Vec<i32> = named.iter().map(|part| part.part_number.unwrap_or_default()).collect();
    if !numbers.is_sorted_by(|one, next| one < next) {
        let message = "The list of parts was not in ascending order. Parts must be ordered by part number.";
        return Err(S3Error::with_message(S3ErrorCode::InvalidPartOrder, message));
    }
    let (mut body, mut digests) = (BytesMut::new(), Vec::new());
    for (place, (wanted, number)) in named.iter().zip(numbers).enumerate() {
        let part = upload.parts.get(&number);
        let part = part.filter(|part| wanted.e_tag.as_ref().is_none_or(|etag| etag.value() == part.etag));
        let Some(part) = part else {
            return Err(S3Error::with_message(
                S3ErrorCode::InvalidPart,
                "One or more of the specified parts could not be found. The part may not have been uploaded, or the \
                 specified entity tag may not match the part's entity tag.",
            ));
        };
        if part.body.len() < SMALLEST && place + 1 < named.len() {
            let message = "Your proposed upload is smaller than the minimum allowed size";
            return Err(S3Error::with_message(S3ErrorCode::EntityTooSmall, message));
        }
        body.extend_from_slice(&part.body);
        digests.extend_from_slice(&Md5::checksum(&part.body));
    }
    let mut object = Kept::new(body.freeze(), visit.now);
    object.etag = format!("{}-{}", hex::encode(Md5::checksum(&digests)), named.len());
    Ok(object)
}

/// AbortMultipartUpload.
pub(super) fn abort(
    world: &mut World,
    visit: &Visit,
    input: AbortMultipartUploadInput,
) -> S3Result<AbortMultipartUploadOutput> {
    let bucket = visit.bucket(world, "s3:AbortMultipartUpload", &input.bucket, Some(&input.key))?;
    find(bucket, &input.upload_id, &input.key)?;
    bucket.uploads.remove(&input.upload_id);
    Ok(AbortMultipartUploadOutput::default())
}

/// ListMultipartUploads: at most a thousand, which is S3's page.
pub(super) fn list(
    world: &mut World,
    visit: &Visit,
    input: ListMultipartUploadsInput,
) -> S3Result<ListMultipartUploadsOutput> {
    let bucket = visit.bucket(world, "s3:ListBucketMultipartUploads", &input.bucket, None)?;
    let prefix = input.prefix.clone().unwrap_or_default();
    let fitting = bucket.uploads.iter().filter(|(_, upload)| upload.key.starts_with(&prefix));
    let uploads = fitting.take(1000).map(|(id, upload)| MultipartUpload {
        upload_id: Some(id.clone()),
        key: Some(upload.key.clone()),
        initiated: Some(time(upload.started)),
        ..MultipartUpload::default()
    });
    Ok(ListMultipartUploadsOutput {
        uploads: Some(uploads.collect()),
        bucket: Some(input.bucket),
        prefix: input.prefix,
        is_truncated: Some(false),
        ..ListMultipartUploadsOutput::default()
    })
}

/// ListParts.
pub(super) fn list_parts(world: &mut World, visit: &Visit, input: ListPartsInput) -> S3Result<ListPartsOutput> {
    let bucket = visit.bucket(world, "s3:ListMultipartUploadParts", &input.bucket, Some(&input.key))?;
    let upload = find(bucket, &input.upload_id, &input.key)?;
    let size = input.max_parts.and_then(|size| usize::try_from(size).ok()).unwrap_or(1000).clamp(1, 1000);
    let after = input.part_number_marker.unwrap_or(0);
    let mut rest = upload.parts.range(after.saturating_add(1)..).peekable();
    let parts: Vec<Part> = rest
        .by_ref()
        .take(size)
        .map(|(number, part)| Part {
            part_number: Some(*number),
            e_tag: Some(ETag::Strong(part.etag.clone())),
            size: i64::try_from(part.body.len()).ok(),
            last_modified: Some(time(part.modified)),
            ..Part::default()
        })
        .collect();
    let truncated = rest.peek().is_some();
    let next = parts.last().and_then(|part| part.part_number).filter(|_| truncated);
    Ok(ListPartsOutput {
        bucket: Some(input.bucket),
        key: Some(input.key),
        upload_id: Some(input.upload_id),
        parts: Some(parts),
        is_truncated: Some(truncated),
        next_part_number_marker: next,
        ..ListPartsOutput::default()
    })
}

fn find<'a>(bucket: &'a mut Bucket, id: &str, key: &str) -> S3Result<&'a mut Upload> {
    let upload = bucket.uploads.get_mut(id).filter(|upload| upload.key == key);
    upload.ok_or_else(|| {
        S3Error::with_message(
            S3ErrorCode::NoSuchUpload,
            "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or \
             completed.",
        )
    })
}
