//! What S3 keeps.

use crate::iam::policy::Document;
use bytes::Bytes;
use jiff::Timestamp;
use s3s::crypto::{Checksum, Md5};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// S3's part of the world.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The account's buckets by name.
    pub buckets: BTreeMap<String, Bucket>,
    /// Names that other accounts have taken, with the region of each bucket.
    pub foreign: BTreeMap<String, String>,
    /// Names of buckets that were deleted, until S3 lets them be taken again.
    pub(super) settling: BTreeMap<String, Timestamp>,
}

/// A bucket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// Where it is.
    pub region: String,
    /// When it was made.
    pub created: Timestamp,
    /// Its tags.
    pub tags: BTreeMap<String, String>,
    /// Default encryption; every bucket has one.
    pub encryption: Encryption,
    /// `Enabled` or `Suspended`; none if it was never switched on.
    pub versioning: Option<String>,
    /// The public access block; new buckets have all four switched on.
    pub public_access: Option<PublicAccess>,
    pub(super) policy: Option<Document>,
    pub(super) objects: BTreeMap<String, Object>,
    pub(super) uploads: BTreeMap<String, Upload>,
}

/// Default encryption of a bucket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Encryption {
    /// `AES256` or `aws:kms`.
    pub algorithm: String,
    /// Key id or ARN, for `aws:kms`.
    pub key: Option<String>,
    /// Whether a bucket key is used.
    pub bucket_key: bool,
}

/// The four switches of a public access block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PublicAccess {
    /// `BlockPublicAcls`.
    pub block_acls: bool,
    /// `IgnorePublicAcls`.
    pub ignore_acls: bool,
    /// `BlockPublicPolicy`.
    pub block_policy: bool,
    /// `RestrictPublicBuckets`.
    pub restrict: bool,
}

/// An object: its bytes and what was said about them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Object {
    /// The content; base64 where the world is written down.
    #[serde(with = "base64_bytes")]
    pub body: Bytes,
    /// Entity tag, without quotes.
    pub etag: String,
    /// When it was written.
    pub modified: Timestamp,
    /// Headers that are given back as they came: `content-type`, `cache-control` …
    pub headers: BTreeMap<String, String>,
    /// `x-amz-meta-` pairs.
    pub metadata: BTreeMap<String, String>,
    /// Algorithm (`crc32`, `sha256` …) and value of the checksum that it was sent with.
    pub checksum: Option<(String, String)>,
}

/// A multipart upload under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Upload {
    pub(super) key: String,
    pub(super) started: Timestamp,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) parts: BTreeMap<i32, Object>,
}

impl Object {
    /// An object of these bytes with the entity tag that S3 gives it.
    pub fn new(body: Bytes, modified: Timestamp) -> Self {
        let etag = hex::encode(Md5::checksum(&body));
        Self { body, etag, modified, headers: BTreeMap::new(), metadata: BTreeMap::new(), checksum: None }
    }
}

impl Bucket {
    /// An empty bucket with today's defaults.
    pub(super) fn new(region: &str, created: Timestamp) -> Self {
        Self {
            region: region.to_owned(),
            created,
            tags: BTreeMap::new(),
            encryption: Encryption { algorithm: "AES256".to_owned(), key: None, bucket_key: false },
            versioning: None,
            public_access: Some(PublicAccess {
                block_acls: true,
                ignore_acls: true,
                block_policy: true,
                restrict: true,
            }),
            policy: None,
            objects: BTreeMap::new(),
            uploads: BTreeMap::new(),
        }
    }
}

mod base64_bytes {
    use base64::{Engine, engine::general_purpose::STANDARD};
    use bytes::Bytes;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Bytes::from).map_err(D::Error::custom)
    }
}
