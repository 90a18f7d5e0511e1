//! Signature version 4: reading and verifying signatures in headers and in presigned URLs. Whose key it is, IAM says.
//!
//! Errors carry STS's codes; the protocol layer says them in each service's words.

mod canonical;

use crate::{
    call::{AwsError, Caller},
    endpoint, iam,
    world::World,
};
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::{Request, header::AUTHORIZATION};
use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// How far a signature's time may be from the account's.
const SKEW: SignedDuration = SignedDuration::from_mins(5);
/// How long STS takes a presigned request, whatever the URL says: EKS tokens live from this.
const STS_LIFETIME: SignedDuration = SignedDuration::from_mins(15);
/// The longest life of a presigned URL: seven days.
const LONGEST: i64 = 604_800;

/// A signature as it was found on a request; nothing is verified yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// Access key id.
    pub access_key_id: String,
    /// Date of the credential scope: `20260102`.
    pub date: String,
    /// Region of the credential scope.
    pub region: String,
    /// Service of the credential scope.
    pub service: String,
    /// Names of the signed headers, in lower case.
    pub headers: Vec<String>,
    /// Session token, if one was sent.
    pub session_token: Option<String>,
    /// When it was signed.
    pub time: Timestamp,
    /// Seconds that a presigned URL lives; none for signatures in headers.
    pub expires: Option<i64>,
    signature: String,
}

/// Who presigned a URL, and what for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presigned {
    /// Who signed it.
    pub caller: Caller,
    /// Service, region and signed headers.
    pub signed: Signed,
}

/// The signature on a request; none if it has none.
///
/// # Errors
/// `IncompleteSignature` if there is one that cannot be read.
pub fn read(request: &Request<Bytes>) -> Result<Option<Signed>, AwsError> {
    if let Some(header) = request.headers().get(AUTHORIZATION) {
        let text = header.to_str().map_err(|_| incomplete("Authorization header is not ASCII"))?;
        return in_header(request, text).map(Some);
    }
    let query: Vec<(String, String)> =
        serde_urlencoded::from_str(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let find = |name: &str| query.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str());
    if find("X-Amz-Algorithm").is_none() {
        return Ok(None);
    }
    let wanted = |name: &str| find(name).ok_or_else(|| incomplete(&format!("Query must contain {name}")));
    if wanted("X-Amz-Algorithm")? != ALGORITHM {
        return Err(incomplete("Unsupported AWS 'algorithm'"));
    }
    let expires: i64 = wanted("X-Amz-Expires")?.parse().map_err(|_| incomplete("X-Amz-Expires must be a number"))?;
    if !(1..=LONGEST).contains(&expires) {
        return Err(incomplete("X-Amz-Expires must be from 1 to 604800 seconds"));
    }
    let parts = Parts {
        credential: wanted("X-Amz-Credential")?,
        headers: wanted("X-Amz-SignedHeaders")?,
        signature: wanted("X-Amz-Signature")?,
        time: wanted("X-Amz-Date")?,
        session_token: find("X-Amz-Security-Token"),
    };
    Ok(Some(Signed { expires: Some(expires), ..parts.signed()? }))
}

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

fn in_header(request: &Request<Bytes>, text: &str) -> Result<Signed, AwsError> {
    let rest = text.strip_prefix(ALGORITHM).ok_or_else(|| incomplete("Unsupported AWS 'algorithm'"))?;
    let part = |name: &str| {
        let mut parts = rest.split(',').map(str::trim);
        let found = parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        found.ok_or_else(|| incomplete(&format!("Authorization header requires '{name}' parameter.")))
    };
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let time = header("x-amz-date").ok_or_else(|| {
        incomplete("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.")
    })?;
    let parts = Parts {
        credential: part("Credential")?,
        headers: part("SignedHeaders")?,
        signature: part("Signature")?,
        time,
        session_token: header("x-amz-security-token"),
    };
    parts.signed()
}

/// The texts of a signature, wherever they stood.
struct Parts<'a> {
    credential: &'a str,
    headers: &'a str,
    signature: &'a str,
    time: &'a str,
    session_token: Option<&'a str>,
}

impl Parts<'_> {
    fn signed(&self) -> Result<Signed, AwsError> {
        let scope: Vec<&str> = self.credential.split('/').collect();
        let [access_key_id, date, region, service, "aws4_request"] = scope[..] else {
            return Err(incomplete("Credential must have exactly 5 slash-delimited elements, the last aws4_request"));
        };
        let time: DateTime = DateTime::strptime("%Y%m%dT%H%M%SZ", self.time)
            .map_err(|_| incomplete("X-Amz-Date must be in the form 20260102T030405Z"))?;
        let time = time.to_zoned(TimeZone::UTC).map_err(|_| incomplete("X-Amz-Date is no time"))?.timestamp();
        if !self.time.starts_with(date) {
            return Err(mismatch(
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP",
            ));
        }
        Ok(Signed {
            access_key_id: access_key_id.to_owned(),
            date: date.to_owned(),
            region: region.to_owned(),
            service: service.to_owned(),
            headers: self.headers.split(';').map(str::to_ascii_lowercase).collect(),
            session_token: self.session_token.map(str::to_owned),
            time,
            expires: None,
            signature: self.signature.to_owned(),
        })
    }
}

/// Verifies that `request` was signed with `secret` and in time.
///
/// # Errors
/// `SignatureDoesNotMatch` or `RequestExpired`.
pub fn verify(signed: &Signed, request: &Request<Bytes>, secret: &str, now: Timestamp) -> Result<(), AwsError> {
    in_time(signed, now)?;
    if !signed.headers.iter().any(|name| name == "host") {
        return Err(mismatch("'Host' must be a 'SignedHeader' in the AWS Authorization."));
    }
    if !canonical::body_is_as_signed(request) {
        return Err(mismatch("The value of X-Amz-Content-Sha256 does not match the body."));
    }
    let expected = signature(signed, &canonical::request(request, signed), secret);
    if bool::from(expected.as_bytes().ct_eq(signed.signature.as_bytes())) {
        return Ok(());
    }
    Err(mismatch(
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key \
         and signing method. Consult the service documentation for details.",
    ))
}

fn in_time(signed: &Signed, now: Timestamp) -> Result<(), AwsError> {
    let compact = |time: Timestamp| time.strftime("%Y%m%dT%H%M%SZ").to_string();
    let later = |time: Timestamp, by: SignedDuration| time.saturating_add(by).unwrap_or(Timestamp::MAX);
    if signed.time > later(now, SKEW) {
        let message =
            format!("Signature not yet current: {} is still later than {}", compact(signed.time), compact(now));
        return Err(AwsError::new("RequestExpired", message));
    }
    let life = match signed.expires.map(SignedDuration::from_secs) {
        None => SKEW,
        Some(life) if signed.service == "sts" => life.max(STS_LIFETIME),
        Some(life) => life,
    };
    let end = later(signed.time, life);
    if now > end {
        let message = format!("Signature expired: {} is now earlier than {}", compact(signed.time), compact(now));
        return Err(AwsError::new("RequestExpired", message));
    }
    Ok(())
}

fn signature(signed: &Signed, canonical: &str, secret: &str) -> String {
    let scope = format!("{}/{}/{}/aws4_request", signed.date, signed.region, signed.service);
    let time = signed.time.strftime("%Y%m%dT%H%M%SZ");
    let hash = hex::encode(Sha256::digest(canonical));
    let text = format!("{ALGORITHM}\n{time}\n{scope}\n{hash}");
    let start = format!("AWS4{secret}").into_bytes();
    let key = [signed.date.as_str(), &signed.region, &signed.service, "aws4_request"]
        .into_iter()
        .fold(start, |key, part| keyed_hash(&key, part));
    hex::encode(keyed_hash(&key, &text))
}

fn keyed_hash(key: &[u8], text: &str) -> Vec<u8> {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any key will do");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// Who signed `request`, verified.
///
/// # Errors
/// IAM's for an unknown key, this module's for a wrong or late signature.
pub(crate) fn caller(
    world: &World,
    signed: &Signed,
    request: &Request<Bytes>,
    now: Timestamp,
) -> Result<Caller, AwsError> {
    let credential = iam::authenticate(world, &signed.access_key_id, signed.session_token.as_deref(), now)?;
    verify(signed, request, &credential.secret, now)?;
    Ok(credential.caller)
}

/// Verifies a presigned GET URL, as in an EKS token: `headers` are those that its user sends along, for example
/// `("x-k8s-aws-id", cluster)`. Which action it asks for and which headers had to be signed is the caller's to check.
///
/// # Errors
/// As for any signature; `IncompleteSignature` if the URL is none or not presigned.
pub fn verify_presigned(
    world: &World,
    url: &str,
    headers: &[(&str, &str)],
    now: Timestamp,
) -> Result<Presigned, AwsError> {
    let mut request = Request::get(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Bytes::new()).map_err(|_| incomplete("The presigned URL cannot be read"))?;
    if endpoint::host(&request).is_none() {
        return Err(incomplete("The presigned URL names no host"));
    }
    let signed = read(&request)?.ok_or_else(|| incomplete("The URL is not presigned"))?;
    let caller = caller(world, &signed, &request, now)?;
    Ok(Presigned { caller, signed })
}

fn incomplete(message: &str) -> AwsError {
    AwsError::new("IncompleteSignature", message)
}

fn mismatch(message: &str) -> AwsError {
    AwsError::new("SignatureDoesNotMatch", message).with_status(403)
}

#[cfg(test)]
mod tests;
