//! AssumeRoleWithWebIdentity: a service account's token becomes a session (IAM roles for service accounts).
//!
//! The token is a JWT whose issuer is an IAM OpenID Connect provider. All clusters are simulated in one world, so that
//! tokens are signed with a key derived from its seed (HS256) instead of each cluster's own RSA key.

use super::{denied, known_role, open, trusts};
use crate::{
    call::{Answer, AwsError, Call},
    iam::{
        self, Grant,
        policy::{Context, Principal},
    },
    world::World,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sha2::Sha256;

/// A projected service account token, as a cluster's API server signs it.
///
/// `issuer` is the cluster's issuer URL, `subject` is `system:serviceaccount:NAMESPACE:NAME`.
pub fn mint_web_identity_token(
    world: &World,
    issuer: &str,
    subject: &str,
    audience: &str,
    now: Timestamp,
    lifetime: SignedDuration,
) -> String {
    let expires = now.saturating_add(lifetime).unwrap_or(Timestamp::MAX).as_second();
    let header = json!({ "alg": "HS256", "typ": "JWT" });
    let claims = json!({ "iss": issuer, "sub": subject, "aud": [audience], "iat": now.as_second(), "exp": expires });
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&header), part(&claims));
    let signature = URL_SAFE_NO_PAD.encode(signature(world, &signed).finalize().into_bytes());
    format!("{signed}.{signature}")
}

/// Answers the action. It is not signed: the token is what proves the caller.
pub(super) fn assume(world: &mut World, call: &Call) -> Answer {
    let (role_arn, token) = (call.required("RoleArn"), call.required("WebIdentityToken"));
    let claims = claims(world, token)?;
    let text = |name: &str| claims[name].as_str().unwrap_or_default().to_owned();
    let (issuer, subject) = (text("iss"), text("sub"));
    let Some((provider_arn, provider)) = iam::provider_for(world, &issuer) else {
        return Err(invalid(format!("No OpenIDConnect provider found in your account for {issuer}")));
    };
    if claims["exp"].as_i64().is_none_or(|expires| expires <= call.now.as_second()) {
        return Err(AwsError::new(
            "ExpiredTokenException",
            "Token expired: current date/time is after the expiration date/time",
        ));
    }
    let audiences: Vec<&str> = match &claims["aud"] {
        Value::String(one) => vec![one],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let Some(audience) = audiences.iter().find(|one| provider.client_ids.iter().any(|id| id == *one)) else {
        return Err(invalid("Incorrect token audience"));
    };
    let audience = (*audience).to_owned();
    let name = issuer.trim_start_matches("https://");
    let mut context = Context::default();
    context.set(&format!("{name}:aud"), audience.clone());
    context.set(&format!("{name}:sub"), subject.clone());
    context.set("aws:FederatedProvider", provider_arn.clone());
    context.set("sts:RoleSessionName", call.required("RoleSessionName"));
    let who = Principal::Federated(provider_arn.clone());
    let trust = iam::trust_in_force(world, role_arn, call.now);
    if !trusts(trust, "sts:AssumeRoleWithWebIdentity", role_arn, &who, &context) {
        return Err(denied("Not authorized to perform sts:AssumeRoleWithWebIdentity"));
    }
    let (role, id) = known_role(world, role_arn)?;
    super::check_duration(world, call, &role, false)?;
    let grant = Grant { duration: call.number("DurationSeconds").unwrap_or(3600), ..Grant::default() };
    let mut answer = open(world, call, &role, &id, grant)?;
    answer["SubjectFromWebIdentityToken"] = subject.into();
    answer["Audience"] = audience.into();
    answer["Provider"] = provider_arn.into();
    Ok(answer)
}

fn claims(world: &World, token: &str) -> Result<Value, AwsError> {
    let read = || {
        let (signed, given) = token.rsplit_once('.')?;
        signature(world, signed).verify_slice(&URL_SAFE_NO_PAD.decode(given).ok()?).ok()?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(signed.split_once('.')?.1).ok()?).ok()
    };
    read().ok_or_else(|| {
        invalid("The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)")
    })
}

fn signature(world: &World, signed: &str) -> Hmac<Sha256> {
    let mut key = [0; 64];
    for (number, chunk) in key.chunks_mut(8).enumerate() {
        chunk.copy_from_slice(&world.hash(&format!("web identity key {number}")).to_be_bytes());
    }
    let mut mac = Hmac::<Sha256>::new(&key.into());
    mac.update(signed.as_bytes());
    mac
}

fn invalid(message: impl Into<String>) -> AwsError {
    AwsError::new("InvalidIdentityToken", message)
}
