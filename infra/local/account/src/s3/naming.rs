//! Which operation of S3 a request asks for, by method, target and query: for the call log and for faults, before the
//! request is read.

use bytes::Bytes;
use http::{Method, Request};

/// Subresources of buckets as they stand in the query, with the noun that their operations are named by.
const SETTINGS: &[(&str, &str)] = &[
    ("location", "BucketLocation"),
    ("policy", "BucketPolicy"),
    ("encryption", "BucketEncryption"),
    ("versioning", "BucketVersioning"),
    ("publicAccessBlock", "PublicAccessBlock"),
    ("tagging", "BucketTagging"),
];

/// The operation's name as in S3's API reference, for example `PutObject`; `host` is the request's host without port.
pub fn operation(request: &Request<Bytes>, host: &str) -> String {
    let hosted = super::store::bucket_of_host(host).is_some();
    let path = request.uri().path().trim_start_matches('/');
    let (bucket, key) = match hosted {
        true => (true, !path.is_empty()),
        false => (!path.is_empty(), path.split_once('/').is_some_and(|(_, key)| !key.is_empty())),
    };
    let query: Vec<(String, String)> =
        serde_urlencoded::from_str(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let has = |name: &str| query.iter().any(|(found, _)| found == name);
    match (bucket, key) {
        (false, _) => "ListBuckets".to_owned(),
        (true, false) => on_bucket(request.method(), has),
        (true, true) => on_object(request, has).to_owned(),
    }
}

fn on_bucket(method: &Method, has: impl Fn(&str) -> bool) -> String {
    if let Some((_, noun)) = SETTINGS.iter().find(|(name, _)| has(name)) {
        let verb = match *method {
            Method::PUT => "Put",
            Method::DELETE => "Delete",
            _ => "Get",
        };
        return format!("{verb}{noun}");
    }
    let name = match *method {
        Method::PUT => "CreateBucket",
        Method::DELETE => "DeleteBucket",
        Method::HEAD => "HeadBucket",
        Method::POST => "DeleteObjects",
        _ if has("uploads") => "ListMultipartUploads",
        _ if has("list-type") => "ListObjectsV2",
        _ => "ListObjects",
    };
    name.to_owned()
}

fn on_object(request: &Request<Bytes>, has: impl Fn(&str) -> bool) -> &'static str {
    match *request.method() {
        Method::PUT if has("partNumber") => "UploadPart",
        Method::PUT if request.headers().contains_key("x-amz-copy-source") => "CopyObject",
        Method::PUT => "PutObject",
        Method::POST if has("uploads") => "CreateMultipartUpload",
        Method::POST => "CompleteMultipartUpload",
        Method::DELETE if has("uploadId") => "AbortMultipartUpload",
        Method::DELETE => "DeleteObject",
        Method::HEAD => "HeadObject",
        _ if has("uploadId") => "ListParts",
        _ => "GetObject",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_found_by_method_target_and_query() {
        let name = |method: Method, uri: &str| {
            let request = Request::builder().method(method).uri(uri).body(Bytes::new()).unwrap();
            let host = request.uri().host().unwrap_or("127.0.0.1").to_owned();
            operation(&request, &host)
        };
        assert_eq!(name(Method::GET, "/"), "ListBuckets");
        assert_eq!(name(Method::PUT, "/bucket"), "CreateBucket");
        assert_eq!(name(Method::PUT, "/bucket?policy"), "PutBucketPolicy");
        assert_eq!(name(Method::GET, "/bucket/?list-type=2&prefix=a"), "ListObjectsV2");
        assert_eq!(name(Method::PUT, "/bucket/a/b"), "PutObject");
        assert_eq!(
            name(Method::PUT, "https://bucket.s3.us-west-2.amazonaws.com/a?partNumber=1&uploadId=u"),
            "UploadPart"
        );
        assert_eq!(name(Method::PUT, "https://bucket.s3.us-west-2.amazonaws.com/"), "CreateBucket");
        assert_eq!(name(Method::GET, "https://s3.us-west-2.amazonaws.com/bucket/key"), "GetObject");
    }
}
