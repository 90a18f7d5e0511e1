//! EKS tokens as `aws eks get-token` makes them: a `GetCallerIdentity` presigned with signature version 4.

use crate::iam::Credentials;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
const HOST: &str = "sts.us-west-2.amazonaws.com";

/// A token for `cluster` whose URL was signed at `at`; `header` is the signed header that names the cluster.
pub(crate) fn token(credentials: &Credentials, header: &str, cluster: &str, at: Timestamp) -> String {
    let (time, date) = (at.strftime("%Y%m%dT%H%M%SZ").to_string(), at.strftime("%Y%m%d").to_string());
    let scope = format!("{date}/us-west-2/sts/aws4_request");
    let mut query = vec![
        ("Action".to_owned(), "GetCallerIdentity".to_owned()),
        ("Version".to_owned(), "2011-06-15".to_owned()),
        ("X-Amz-Algorithm".to_owned(), "AWS4-HMAC-SHA256".to_owned()),
        ("X-Amz-Credential".to_owned(), format!("{}/{scope}", credentials.access_key_id)),
        ("X-Amz-Date".to_owned(), time.clone()),
        ("X-Amz-Expires".to_owned(), "60".to_owned()),
        ("X-Amz-SignedHeaders".to_owned(), format!("host;{header}")),
    ];
    query.extend(credentials.session_token.iter().map(|token| ("X-Amz-Security-Token".to_owned(), token.clone())));
    query.sort();
    let encoded = |text: &str| utf8_percent_encode(text, PLAIN).to_string();
    let pairs: Vec<_> = query.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    let query = pairs.join("&");
    let empty = hex::encode(Sha256::digest(""));
    let canonical = format!("GET\n/\n{query}\nhost:{HOST}\n{header}:{cluster}\n\nhost;{header}\n{empty}");
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hex::encode(Sha256::digest(canonical)));
    let start = format!("AWS4{}", credentials.secret_access_key).into_bytes();
    let key =
        [date.as_str(), "us-west-2", "sts", "aws4_request", &text].iter().fold(start, |key, part| keyed(&key, part));
    format!(
        "k8s-aws-v1.{}",
        URL_SAFE_NO_PAD.encode(format!("https://{HOST}/?{query}&X-Amz-Signature={}", hex::encode(key)))
    )
}

fn keyed(key: &[u8], part: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(part.as_bytes());
    mac.finalize().into_bytes().to_vec()
}
