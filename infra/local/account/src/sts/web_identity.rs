//! AssumeRoleWithWebIdentity: a service account's token becomes a session (IAM roles for service accounts).
//!
//! The token is a JWT whose issuer is an IAM OpenID Connect provider; whether it is genuine is for EKS to say, which
//! signed it.

use super::{check_duration, denied, known_role, open, trusts};
use crate::{
    call::{Answer, AwsError, Call},
    eks::{self, WebIdentity},
    iam::{
        self, Grant,
        policy::{Context, Principal},
    },
    world::World,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::Value;

/// Answers the action. It is not signed: the token is what proves the caller.
pub(super) fn assume(world: &mut World, call: &Call) -> Answer {
    let token = call.required("WebIdentityToken");
    match eks::verify_web_identity(world, token, call.now) {
        Some(identity) => assume_as(world, call, &identity),
        None if is_over(token, call.now.as_second()) => Err(AwsError::new(
            "ExpiredTokenException",
            "Token expired: current date/time must be before the expiration date/time",
        )),
        None => Err(invalid(
            "The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)",
        )),
    }
}

/// The same for an identity that was proven.
pub(super) fn assume_as(world: &mut World, call: &Call, identity: &WebIdentity) -> Answer {
    let role_arn = call.required("RoleArn");
    let WebIdentity { issuer, subject, audience } = identity;
    let Some((provider_arn, provider)) = iam::provider_for(world, issuer) else {
        return Err(invalid(format!("No OpenIDConnect provider found in your account for {issuer}")));
    };
    if !provider.client_ids.contains(audience) {
        return Err(invalid("Incorrect token audience"));
    }
    let name = issuer.trim_start_matches("https://");
    let mut context = Context::default();
    context.set(&format!("{name}:aud"), audience.as_str());
    context.set(&format!("{name}:sub"), subject.as_str());
    context.set("aws:FederatedProvider", provider_arn.as_str());
    context.set("sts:RoleSessionName", call.required("RoleSessionName"));
    let who = Principal::Federated(provider_arn.clone());
    let trust = iam::trust_in_force(world, role_arn, call.now);
    if !trusts(trust, "sts:AssumeRoleWithWebIdentity", role_arn, &who, &context) {
        return Err(denied("Not authorized to perform sts:AssumeRoleWithWebIdentity"));
    }
    let (role, id) = known_role(world, role_arn)?;
    check_duration(world, call, &role, false)?;
    let grant = Grant { duration: call.number("DurationSeconds").unwrap_or(3600), ..Grant::default() };
    let mut answer = open(world, call, &role, &id, grant)?;
    answer["SubjectFromWebIdentityToken"] = subject.as_str().into();
    answer["Audience"] = audience.as_str().into();
    answer["Provider"] = provider_arn.into();
    Ok(answer)
}

/// Whether the token says of itself that it has expired.
fn is_over(token: &str, now: i64) -> bool {
    let claims = || {
        let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
        serde_json::from_slice::<Value>(&claims).ok()?["exp"].as_i64()
    };
    claims().is_some_and(|until| until <= now)
}

fn invalid(message: impl Into<String>) -> AwsError {
    AwsError::new("InvalidIdentityToken", message)
}
