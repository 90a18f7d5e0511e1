//! EKS tokens: a `GetCallerIdentity` request, presigned and encoded, that names the cluster in a signed header.
//!
//! The form is aws-iam-authenticator's: `k8s-aws-v1.` and the URL in unpadded base64url; EKS takes it for 15 minutes
//! after its signing.

use crate::identity::Identity;
use aws_credential_types::{Credentials, provider::ProvideCredentials};
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SignatureLocation, SigningSettings, sign},
    sign::v4,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::HeaderValue;
use jiff::{SignedDuration, Timestamp};
use std::time::{Duration, SystemTime};

/// After how long a token is made anew: a minute before EKS stops taking it.
const LIFE: SignedDuration = SignedDuration::from_mins(14);

/// What is left of credentials when they are not used for another token.
const SPARE: SignedDuration = SignedDuration::from_secs(30);

/// `X-Amz-Expires` as aws-iam-authenticator sends it. EKS counts its 15 minutes by the date of the signature.
const EXPIRES: Duration = Duration::from_secs(60);

/// The signed header that binds a token to its cluster.
const CLUSTER_HEADER: &str = "x-k8s-aws-id";

/// A token could not be made.
#[derive(Debug, thiserror::Error)]
#[error("no token for cluster {cluster}: {why}")]
pub(crate) struct NoToken {
    cluster: String,
    why: String,
}

/// A token and until when it is used.
#[derive(Clone)]
pub(crate) struct Token {
    /// `Bearer …`, marked as sensitive.
    pub(crate) header: HeaderValue,
    good_until: Timestamp,
}

impl Token {
    pub(crate) fn is_good(&self, now: Timestamp) -> bool {
        now < self.good_until
    }

    /// Signs a token with the identity's credentials. Their end is the token's end, if it comes first: EKS refuses a token
    /// whose credentials have ended, whatever its date (field report BR-154).
    pub(crate) async fn sign(identity: &Identity) -> Result<Self, NoToken> {
        let fails = |why: String| NoToken { cluster: identity.cluster.clone(), why };
        let credentials = identity.credentials.provide_credentials().await.map_err(|error| fails(chain(&error)))?;
        let now = identity.time.now();
        let signed_at = Timestamp::try_from(now).map_err(|error| fails(error.to_string()))?;
        let good_until = good_until(signed_at, &credentials);
        if good_until <= signed_at {
            return Err(fails("the credentials end before a token could be used".to_owned()));
        }
        let url = presigned(identity, credentials, now).map_err(fails)?;
        let text = format!("Bearer k8s-aws-v1.{}", URL_SAFE_NO_PAD.encode(url));
        let mut header = HeaderValue::from_str(&text).map_err(|error| fails(error.to_string()))?;
        header.set_sensitive(true);
        Ok(Self { header, good_until })
    }
}

fn good_until(signed_at: Timestamp, credentials: &Credentials) -> Timestamp {
    let by_age = signed_at.saturating_add(LIFE).unwrap_or(Timestamp::MAX);
    let end = credentials.expiry().and_then(|end| Timestamp::try_from(end).ok());
    let by_credentials = end.and_then(|end| end.checked_sub(SPARE).ok());
    by_credentials.map_or(by_age, |end| end.min(by_age))
}

fn presigned(identity: &Identity, credentials: Credentials, now: SystemTime) -> Result<String, String> {
    let url = format!("https://{}/?Action=GetCallerIdentity&Version=2011-06-15", sts_host(&identity.region));
    let mut settings = SigningSettings::default();
    settings.signature_location = SignatureLocation::QueryParams;
    settings.expires_in = Some(EXPIRES);
    let signer = credentials.into();
    let params = v4::SigningParams::builder()
        .identity(&signer)
        .region(&identity.region)
        .name("sts")
        .time(now)
        .settings(settings)
        .build()
        .map_err(|error| error.to_string())?
        .into();
    let headers = std::iter::once((CLUSTER_HEADER, identity.cluster.as_str()));
    let unsigned = SignableRequest::new("GET", &url, headers, SignableBody::Bytes(&[])).map_err(|e| chain(&e))?;
    let (instructions, _) = sign(unsigned, &params).map_err(|error| chain(&error))?.into_parts();
    let mut request = http::Request::builder().uri(url).body(()).map_err(|error| error.to_string())?;
    instructions.apply_to_request_http1x(&mut request);
    Ok(request.uri().to_string())
}

/// STS in the cluster's own Region: EKS takes no token that was signed for another partition.
fn sts_host(region: &str) -> String {
    let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("sts.{region}.{suffix}")
}

/// An error with what caused it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_credential_types::provider::SharedCredentialsProvider;
    use aws_smithy_async::time::{SharedTimeSource, StaticTimeSource};

    const SIGNED: u64 = 1_800_000_000;

    fn identity(seconds_left: Option<u64>) -> Identity {
        let end = seconds_left.map(|left| SystemTime::UNIX_EPOCH + Duration::from_secs(SIGNED + left));
        let credentials = Credentials::new("AKIDEXAMPLE", "secret", Some("session".to_owned()), end, "test");
        Identity {
            cluster: "demo".to_owned(),
            region: "us-west-2".to_owned(),
            credentials: SharedCredentialsProvider::new(credentials),
            time: SharedTimeSource::new(StaticTimeSource::new(SystemTime::UNIX_EPOCH + Duration::from_secs(SIGNED))),
            access_since: None,
        }
    }

    fn after(seconds: u64) -> Timestamp {
        Timestamp::from_second((SIGNED + seconds).cast_signed()).unwrap()
    }

    #[tokio::test]
    async fn a_token_is_a_presigned_get_caller_identity_that_names_the_cluster() {
        let token = Token::sign(&identity(None)).await.unwrap();
        let text = token.header.to_str().unwrap().strip_prefix("Bearer k8s-aws-v1.").unwrap().to_owned();
        let url = String::from_utf8(URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap();
        assert!(url.starts_with("https://sts.us-west-2.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15&"));
        for part in ["X-Amz-SignedHeaders=host%3Bx-k8s-aws-id", "X-Amz-Expires=60", "X-Amz-Security-Token=session"] {
            assert!(url.contains(part), "{part} in {url}");
        }
        assert!(token.header.is_sensitive());
    }

    #[tokio::test]
    async fn a_token_is_used_for_fourteen_minutes() {
        let token = Token::sign(&identity(Some(3600))).await.unwrap();
        assert!(token.is_good(after(14 * 60 - 1)));
        assert!(!token.is_good(after(14 * 60)));
    }

    #[tokio::test]
    async fn a_token_is_not_used_longer_than_its_credentials_live() {
        let token = Token::sign(&identity(Some(120))).await.unwrap();
        assert!(token.is_good(after(89)));
        assert!(!token.is_good(after(90)));
    }

    #[tokio::test]
    async fn br_154_no_request_has_a_token_whose_signer_has_ended() {
        let minutes = |count: u64| count * 60;
        // Signed at the fourteenth minute by credentials that end at the sixteenth.
        let token = Token::sign(&identity(Some(minutes(2)))).await.unwrap();
        assert!(token.is_good(after(minutes(1))), "at the fifteenth");
        assert!(!token.is_good(after(minutes(2))), "at the sixteenth");
        assert!(!token.is_good(after(minutes(3))), "at the seventeenth another is signed");
        assert!(!token.is_good(after(minutes(6))), "nor at the twentieth, though EKS' fifteen minutes last");
    }

    #[tokio::test]
    async fn credentials_that_are_about_to_end_sign_no_token() {
        let refused = Token::sign(&identity(Some(20))).await.err().unwrap().to_string();
        assert!(refused.contains("demo") && refused.contains("end before"), "{refused}");
    }
}
