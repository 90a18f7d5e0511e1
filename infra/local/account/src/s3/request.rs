//! What is done to a request before `s3s` reads it: the signature is taken off, chunks are put together.
//!
//! Chunk signatures are not verified: the signature of the request, which has been, covers the key and the length.

use bytes::{Bytes, BytesMut};
use http::{
    HeaderName, HeaderValue, Request, StatusCode, Uri,
    header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, HOST},
};
use s3s::{S3Error, S3ErrorCode, S3Result};
use sha2::{Digest, Sha256};

const CONTENT_HASH: &str = "x-amz-content-sha256";

/// The request as an unsigned one with a plain body.
pub(super) fn plain(request: Request<Bytes>) -> S3Result<Request<Bytes>> {
    let (mut parts, mut body) = request.into_parts();
    let hash = parts.headers.remove(CONTENT_HASH).and_then(|hash| hash.to_str().ok().map(str::to_owned));
    match hash.as_deref() {
        Some(hash) if hash.starts_with("STREAMING-") => {
            let (content, trailers) = chunks(&body)?;
            check_length(&parts.headers, content.len())?;
            for (name, value) in trailers {
                parts.headers.insert(name, value);
            }
            body = content;
        }
        Some(hash) if hash.len() == 64 && hex::encode(Sha256::digest(&body)) != hash => {
            let mut error = S3Error::with_message(
                S3ErrorCode::Custom("XAmzContentSHA256Mismatch".into()),
                "The provided 'x-amz-content-sha256' header does not match what was computed.",
            );
            error.set_status_code(StatusCode::BAD_REQUEST);
            return Err(error);
        }
        _ => {}
    }
    for name in
        ["x-amz-decoded-content-length", "x-amz-trailer", "x-amz-security-token", "x-amz-sdk-checksum-algorithm"]
    {
        parts.headers.remove(name);
    }
    parts.headers.remove(AUTHORIZATION);
    // A client in the same process leaves the host to its transport, which there is none of.
    if !parts.headers.contains_key(HOST)
        && let Some(host) = parts.uri.authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok())
    {
        parts.headers.insert(HOST, host);
    }
    keep_real_encodings(&mut parts.headers);
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    parts.uri = without_signature(&parts.uri)?;
    Ok(Request::from_parts(parts, body))
}

/// `aws-chunked` is how the body travelled, not what it is.
fn keep_real_encodings(headers: &mut http::HeaderMap) {
    let Some(encoding) = headers.remove(CONTENT_ENCODING) else { return };
    let text = encoding.to_str().unwrap_or_default().to_owned();
    let real: Vec<_> = text.split(',').map(str::trim).filter(|one| !one.is_empty() && *one != "aws-chunked").collect();
    if let Some(value) = HeaderValue::from_str(&real.join(",")).ok().filter(|_| !real.is_empty()) {
        headers.insert(CONTENT_ENCODING, value);
    }
}

fn check_length(headers: &http::HeaderMap, found: usize) -> S3Result<()> {
    let said = headers.get("x-amz-decoded-content-length").and_then(|length| length.to_str().ok()?.parse().ok());
    if said.is_some_and(|said: usize| said != found) {
        return Err(S3Error::new(S3ErrorCode::IncompleteBody));
    }
    Ok(())
}

/// A presigned URL without its `X-Amz-` parameters.
fn without_signature(uri: &Uri) -> S3Result<Uri> {
    let Some(query) = uri.query() else { return Ok(uri.clone()) };
    let signed = |pair: &&str| !pair.to_ascii_lowercase().starts_with("x-amz-");
    let kept: Vec<_> = query.split('&').filter(signed).collect();
    let mut parts = uri.clone().into_parts();
    let path = if kept.is_empty() { uri.path().to_owned() } else { format!("{}?{}", uri.path(), kept.join("&")) };
    parts.path_and_query = Some(path.parse().map_err(|_| S3Error::new(S3ErrorCode::InvalidURI))?);
    Uri::from_parts(parts).map_err(|_| S3Error::new(S3ErrorCode::InvalidURI))
}

type Trailers = Vec<(HeaderName, HeaderValue)>;

/// The content of an `aws-chunked` body and its trailers.
fn chunks(body: &[u8]) -> S3Result<(Bytes, Trailers)> {
    let incomplete = || S3Error::new(S3ErrorCode::IncompleteBody);
    let (mut content, mut rest) = (BytesMut::new(), body);
    loop {
        let (line, after) = line(rest).ok_or_else(incomplete)?;
        let size = line.split(';').next().and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
        let size = size.ok_or_else(incomplete)?;
        if size == 0 {
            return Ok((content.freeze(), trailers(after)));
        }
        let (chunk, after) = after.split_at_checked(size).ok_or_else(incomplete)?;
        content.extend_from_slice(chunk);
        rest = after.strip_prefix(b"\r\n").ok_or_else(incomplete)?;
    }
}

fn trailers(mut rest: &[u8]) -> Trailers {
    let mut trailers = Vec::new();
    while let Some((text, after)) = line(rest).filter(|(text, _)| !text.is_empty()) {
        if let Some((name, value)) = text.split_once(':')
            && let (Ok(name), Ok(value)) = (name.trim().parse::<HeaderName>(), HeaderValue::from_str(value.trim()))
            && name.as_str().starts_with("x-amz-checksum-")
        {
            trailers.push((name, value));
        }
        rest = after;
    }
    trailers
}

fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.windows(2).position(|pair| pair == b"\r\n")?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 2..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_put_together_and_trailers_become_headers() {
        let body = "5;chunk-signature=ab\r\nhello\r\n1\r\n!\r\n0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n";
        let request = Request::builder()
            .uri("/b/k?x-id=PutObject&X-Amz-Signature=1")
            .header(CONTENT_HASH, "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
            .header("content-encoding", "gzip,aws-chunked")
            .header("x-amz-decoded-content-length", "6")
            .header("authorization", "AWS4-HMAC-SHA256 x")
            .body(Bytes::from(body))
            .unwrap();
        let plain = plain(request).unwrap();
        assert_eq!((plain.body().as_ref(), plain.uri().to_string().as_str()), (&b"hello!"[..], "/b/k?x-id=PutObject"));
        assert_eq!(plain.headers()["x-amz-checksum-crc32"], "AAAA");
        assert_eq!(plain.headers()["content-encoding"], "gzip");
        assert!(!plain.headers().contains_key("authorization"));
    }

    #[test]
    fn a_body_that_is_cut_off_or_changed_is_refused() {
        let with = |hash: &str, body: &'static str| {
            let request = Request::builder().uri("/b/k").header(CONTENT_HASH, hash).body(Bytes::from(body)).unwrap();
            plain(request).unwrap_err().code().as_str().to_owned()
        };
        assert_eq!(with("STREAMING-UNSIGNED-PAYLOAD-TRAILER", "5\r\nhel"), "IncompleteBody");
        assert_eq!(with(&"0".repeat(64), "hello"), "XAmzContentSHA256Mismatch");
    }
}
