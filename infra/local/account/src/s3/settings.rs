//! Settings of a bucket: policy, encryption, versioning, public access, tags.

use super::{
    access::Visit,
    buckets::not_set,
    state::{Encryption, PublicAccess},
};
use crate::{
    iam::policy::{Document, Kind},
    world::World,
};
use s3s::{S3Error, S3ErrorCode, S3Result, dto::*};

/// PutBucketPolicy.
pub(super) fn put_policy(
    world: &mut World,
    visit: &Visit,
    input: PutBucketPolicyInput,
) -> S3Result<PutBucketPolicyOutput> {
    let bucket = visit.bucket(world, "s3:PutBucketPolicy", &input.bucket, None)?;
    if input.policy.len() > 20 * 1024 {
        return Err(S3Error::with_message(
            S3ErrorCode::MalformedPolicy,
            "Policy exceeds the maximum allowed document size.",
        ));
    }
    let document = Document::parse(&input.policy, Kind::Resource)
        .map_err(|why| S3Error::with_message(S3ErrorCode::MalformedPolicy, why.to_string()))?;
    check_resources(&input.bucket, &input.policy)?;
    bucket.policy = Some(document);
    Ok(PutBucketPolicyOutput::default())
}

/// A bucket policy speaks of its own bucket only.
fn check_resources(bucket: &str, text: &str) -> S3Result<()> {
    let policy: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let statements = policy["Statement"].as_array().cloned().unwrap_or_else(|| vec![policy["Statement"].clone()]);
    let own = format!("arn:aws:s3:::{bucket}");
    for statement in statements {
        let resources = &statement["Resource"];
        let list = resources.as_array().cloned().unwrap_or_else(|| vec![resources.clone()]);
        let fits = |one: &str| {
            one.strip_prefix(own.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '*']))
        };
        if !list.iter().filter_map(serde_json::Value::as_str).all(fits) {
            return Err(S3Error::with_message(S3ErrorCode::MalformedPolicy, "Policy has invalid resource"));
        }
    }
    Ok(())
}

/// GetBucketPolicy.
pub(super) fn get_policy(
    world: &mut World,
    visit: &Visit,
    input: GetBucketPolicyInput,
) -> S3Result<GetBucketPolicyOutput> {
    let bucket = visit.bucket(world, "s3:GetBucketPolicy", &input.bucket, None)?;
    let policy = bucket.policy.as_ref().map(|policy| policy.text().to_owned());
    if policy.is_none() {
        return Err(not_set(S3ErrorCode::NoSuchBucketPolicy, "The bucket policy does not exist"));
    }
    Ok(GetBucketPolicyOutput { policy })
}

/// DeleteBucketPolicy.
pub(super) fn delete_policy(
    world: &mut World,
    visit: &Visit,
    input: DeleteBucketPolicyInput,
) -> S3Result<DeleteBucketPolicyOutput> {
    visit.bucket(world, "s3:DeleteBucketPolicy", &input.bucket, None)?.policy = None;
    Ok(DeleteBucketPolicyOutput::default())
}

/// PutBucketEncryption.
pub(super) fn put_encryption(
    world: &mut World,
    visit: &Visit,
    input: PutBucketEncryptionInput,
) -> S3Result<PutBucketEncryptionOutput> {
    let bucket = visit.bucket(world, "s3:PutEncryptionConfiguration", &input.bucket, None)?;
    let rule = input.server_side_encryption_configuration.rules.into_iter().next();
    let bucket_key = rule.as_ref().and_then(|rule| rule.bucket_key_enabled).unwrap_or(false);
    let Some(default) = rule.and_then(|rule| rule.apply_server_side_encryption_by_default) else {
        return Err(S3Error::with_message(S3ErrorCode::MalformedXML, "The XML you provided was not well-formed"));
    };
    let algorithm = default.sse_algorithm.as_str().to_owned();
    bucket.encryption = Encryption { algorithm, key: default.kms_master_key_id, bucket_key };
    Ok(PutBucketEncryptionOutput::default())
}

/// GetBucketEncryption: every bucket has one since 2023.
pub(super) fn get_encryption(
    world: &mut World,
    visit: &Visit,
    input: GetBucketEncryptionInput,
) -> S3Result<GetBucketEncryptionOutput> {
    let bucket = visit.bucket(world, "s3:GetEncryptionConfiguration", &input.bucket, None)?;
    let default = ServerSideEncryptionByDefault {
        kms_master_key_id: bucket.encryption.key.clone(),
        sse_algorithm: ServerSideEncryption::from(bucket.encryption.algorithm.clone()),
    };
    let rule = ServerSideEncryptionRule {
        apply_server_side_encryption_by_default: Some(default),
        bucket_key_enabled: Some(bucket.encryption.bucket_key),
    };
    let configuration = ServerSideEncryptionConfiguration { rules: vec![rule] };
    Ok(GetBucketEncryptionOutput { server_side_encryption_configuration: Some(configuration) })
}

/// DeleteBucketEncryption: back to S3's own keys.
pub(super) fn delete_encryption(
    world: &mut World,
    visit: &Visit,
    input: DeleteBucketEncryptionInput,
) -> S3Result<DeleteBucketEncryptionOutput> {
    let bucket = visit.bucket(world, "s3:PutEncryptionConfiguration", &input.bucket, None)?;
    bucket.encryption = Encryption { algorithm: "AES256".to_owned(), key: None, bucket_key: false };
    Ok(DeleteBucketEncryptionOutput::default())
}

/// PutBucketVersioning.
pub(super) fn put_versioning(
    world: &mut World,
    visit: &Visit,
    input: PutBucketVersioningInput,
) -> S3Result<PutBucketVersioningOutput> {
    let bucket = visit.bucket(world, "s3:PutBucketVersioning", &input.bucket, None)?;
    bucket.versioning = input.versioning_configuration.status.map(|status| status.as_str().to_owned());
    Ok(PutBucketVersioningOutput::default())
}

/// GetBucketVersioning.
pub(super) fn get_versioning(
    world: &mut World,
    visit: &Visit,
    input: GetBucketVersioningInput,
) -> S3Result<GetBucketVersioningOutput> {
    let bucket = visit.bucket(world, "s3:GetBucketVersioning", &input.bucket, None)?;
    let status = bucket.versioning.clone().map(BucketVersioningStatus::from);
    Ok(GetBucketVersioningOutput { status, ..GetBucketVersioningOutput::default() })
}

/// PutPublicAccessBlock.
pub(super) fn put_public_access(
    world: &mut World,
    visit: &Visit,
    input: PutPublicAccessBlockInput,
) -> S3Result<PutPublicAccessBlockOutput> {
    let bucket = visit.bucket(world, "s3:PutBucketPublicAccessBlock", &input.bucket, None)?;
    let wanted = input.public_access_block_configuration;
    bucket.public_access = Some(PublicAccess {
        block_acls: wanted.block_public_acls.unwrap_or(false),
        ignore_acls: wanted.ignore_public_acls.unwrap_or(false),
        block_policy: wanted.block_public_policy.unwrap_or(false),
        restrict: wanted.restrict_public_buckets.unwrap_or(false),
    });
    Ok(PutPublicAccessBlockOutput::default())
}

/// GetPublicAccessBlock.
pub(super) fn get_public_access(
    world: &mut World,
    visit: &Visit,
    input: GetPublicAccessBlockInput,
) -> S3Result<GetPublicAccessBlockOutput> {
    let bucket = visit.bucket(world, "s3:GetBucketPublicAccessBlock", &input.bucket, None)?;
    let Some(kept) = bucket.public_access else {
        let code = S3ErrorCode::Custom("NoSuchPublicAccessBlockConfiguration".into());
        return Err(not_set(code, "The public access block configuration was not found"));
    };
    let configuration = PublicAccessBlockConfiguration {
        block_public_acls: Some(kept.block_acls),
        ignore_public_acls: Some(kept.ignore_acls),
        block_public_policy: Some(kept.block_policy),
        restrict_public_buckets: Some(kept.restrict),
    };
    Ok(GetPublicAccessBlockOutput { public_access_block_configuration: Some(configuration) })
}

/// DeletePublicAccessBlock.
pub(super) fn delete_public_access(
    world: &mut World,
    visit: &Visit,
    input: DeletePublicAccessBlockInput,
) -> S3Result<DeletePublicAccessBlockOutput> {
    visit.bucket(world, "s3:PutBucketPublicAccessBlock", &input.bucket, None)?.public_access = None;
    Ok(DeletePublicAccessBlockOutput::default())
}

/// PutBucketTagging: replaces all tags.
pub(super) fn put_tagging(
    world: &mut World,
    visit: &Visit,
    input: PutBucketTaggingInput,
) -> S3Result<PutBucketTaggingOutput> {
    let bucket = visit.bucket(world, "s3:PutBucketTagging", &input.bucket, None)?;
    let count = input.tagging.tag_set.len();
    let pairs = input.tagging.tag_set.into_iter();
    let tags: std::collections::BTreeMap<_, _> =
        pairs.map(|tag| (tag.key.unwrap_or_default(), tag.value.unwrap_or_default())).collect();
    if tags.len() != count || tags.len() > 50 {
        return Err(S3Error::with_message(
            S3ErrorCode::InvalidTag,
            "Cannot provide multiple Tags with the same key, or more than 50",
        ));
    }
    bucket.tags = tags;
    Ok(PutBucketTaggingOutput::default())
}

/// GetBucketTagging.
pub(super) fn get_tagging(
    world: &mut World,
    visit: &Visit,
    input: GetBucketTaggingInput,
) -> S3Result<GetBucketTaggingOutput> {
    let bucket = visit.bucket(world, "s3:GetBucketTagging", &input.bucket, None)?;
    if bucket.tags.is_empty() {
        return Err(not_set(S3ErrorCode::NoSuchTagSet, "The TagSet does not exist"));
    }
    let tags = bucket.tags.iter().map(|(key, value)| Tag { key: Some(key.clone()), value: Some(value.clone()) });
    Ok(GetBucketTaggingOutput { tag_set: tags.collect() })
}

/// DeleteBucketTagging.
pub(super) fn delete_tagging(
    world: &mut World,
    visit: &Visit,
    input: DeleteBucketTaggingInput,
) -> S3Result<DeleteBucketTaggingOutput> {
    visit.bucket(world, "s3:PutBucketTagging", &input.bucket, None)?.tags.clear();
    Ok(DeleteBucketTaggingOutput::default())
}
