//! Service account tokens that STS accepts (IRSA).

use crate::eks::cluster::Cluster;
use crate::{eks::cluster::cluster_by_arn, world::World};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::Sha256;

/// How long a token is good, in seconds; what the pod identity webhook asks for.
const LIFE: i64 = 86_400;

/// A web identity token's meaning, once its signature held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebIdentity {
    /// Issuer, with `https://`.
    pub issuer: String,
    /// `system:serviceaccount:NAMESPACE:NAME`.
    pub subject: String,
    /// Audience.
    pub audience: String,
}

/// The issuer of the cluster's service account tokens, with `https://`; none before the cluster is served.
pub fn issuer(world: &World, cluster_arn: &str) -> Option<String> {
    cluster_by_arn(world, cluster_arn).filter(|cluster| !cluster.endpoint.is_empty()).map(Cluster::issuer)
}

/// A token with which a pod of this service account calls `AssumeRoleWithWebIdentity`; none before the cluster is served.
pub fn web_identity(
    world: &World,
    cluster_arn: &str,
    namespace: &str,
    service_account: &str,
    now: Timestamp,
) -> Option<String> {
    let issuer = issuer(world, cluster_arn)?;
    let header = json!({ "alg": "HS256", "kid": "1", "typ": "JWT" });
    let claims = json!({
        "iss": issuer,
        "aud": ["sts.amazonaws.com"],
        "sub": format!("system:serviceaccount:{namespace}:{service_account}"),
        "iat": now.as_second(),
        "exp": now.as_second() + LIFE,
    });
    let signed =
        format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims.to_string()));
    let signature = signature(world, &issuer, &signed)?;
    Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.finalize().into_bytes())))
}

/// What a token that some cluster of this account gave out says; none if it was forged, or is over.
pub fn verify_web_identity(world: &World, token: &str, now: Timestamp) -> Option<WebIdentity> {
    let (signed, given) = token.rsplit_once('.')?;
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(signed.split('.').nth(1)?).ok()?).ok()?;
    let text = |pointer: &str| claims.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let issuer =
        text("/iss").filter(|issuer| crate::eks::clusters(world).any(|cluster| cluster.issuer() == *issuer))?;
    signature(world, &issuer, signed)?.verify_slice(&URL_SAFE_NO_PAD.decode(given).ok()?).ok()?;
    let fresh = claims.get("exp").and_then(Value::as_i64).is_some_and(|until| until > now.as_second());
    fresh.then(|| Some(WebIdentity { issuer, subject: text("/sub")?, audience: text("/aud/0")? }))?
}

/// Signed with a key of the issuer's own: only this account checks it, so nobody needs a public half.
fn signature(world: &World, issuer: &str, signed: &str) -> Option<Hmac<Sha256>> {
    let key = format!("{}/{}", world.seed, world.hash(&format!("service account key of {issuer}")));
    let mut signature = Hmac::<Sha256>::new_from_slice(key.as_bytes()).ok()?;
    signature.update(signed.as_bytes());
    Some(signature)
}
