//! The canonical form of a request, over which a signature is made.

use super::Signed;
use crate::endpoint;
use bytes::Bytes;
use http::Request;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use sha2::{Digest, Sha256};

/// All but the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const ENCODED_PATH: &AsciiSet = &ENCODED.remove(b'/');
const BODY_HASH: &str = "x-amz-content-sha256";

/// Method, path, query, signed headers, their names and the body's hash, a line each.
pub(super) fn request(request: &Request<Bytes>, signed: &Signed) -> String {
    let headers: String = signed.headers.iter().map(|name| format!("{name}:{}\n", header(request, name))).collect();
    [
        request.method().as_str(),
        &path(request.uri().path(), &signed.service),
        &query(request.uri().query().unwrap_or_default()),
        &headers,
        &signed.headers.join(";"),
        &body_hash(request, signed),
    ]
    .join("\n")
}

/// S3 signs the path as it is sent; all others encode it once more, without `.` and `..`.
fn path(path: &str, service: &str) -> String {
    if service == "s3" {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => parts.truncate(parts.len().saturating_sub(1)),
            _ => parts.push(part),
        }
    }
    let slash = if path.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    utf8_percent_encode(&format!("/{}{slash}", parts.join("/")), ENCODED_PATH).to_string()
}

/// Sorted, and encoded in one way only.
fn query(query: &str) -> String {
    let encoded = |text: &str| {
        let decoded: Vec<u8> = percent_decode_str(text).collect();
        percent_encoding::percent_encode(&decoded, ENCODED).to_string()
    };
    let mut pairs: Vec<(String, String)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .filter(|(name, _)| *name != "X-Amz-Signature")
        .map(|(name, value)| (encoded(name), encoded(value)))
        .collect();
    pairs.sort();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

fn header(request: &Request<Bytes>, name: &str) -> String {
    if name == "host" {
        return endpoint::host(request).unwrap_or_default();
    }
    let values = request.headers().get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let single = |value: std::borrow::Cow<'_, str>| value.split_whitespace().collect::<Vec<_>>().join(" ");
    values.map(single).collect::<Vec<_>>().join(",")
}

fn body_hash(request: &Request<Bytes>, signed: &Signed) -> String {
    match request.headers().get(BODY_HASH).and_then(|hash| hash.to_str().ok()) {
        Some(hash) => hash.to_owned(),
        None if signed.expires.is_some() && signed.service == "s3" => "UNSIGNED-PAYLOAD".to_owned(),
        None => hex::encode(Sha256::digest(request.body())),
    }
}

/// Whether the body's hash, if the request names one, is the body's. `UNSIGNED-PAYLOAD` and streaming signatures name
/// none.
pub(super) fn body_is_as_signed(request: &Request<Bytes>) -> bool {
    let named = request.headers().get(BODY_HASH).and_then(|hash| hash.to_str().ok());
    named.filter(|hash| hash.len() == 64).is_none_or(|hash| hash == hex::encode(Sha256::digest(request.body())))
}
