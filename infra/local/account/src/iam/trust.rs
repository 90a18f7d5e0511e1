//! Trust policies: who may take on a role, and since when.

use super::{
    identity,
    policy::{Context, Document, Principal, Question, Verdict},
};
use crate::{call::ACCOUNT_ID, world::World};
use jiff::Timestamp;

/// Whether a service can assume a role right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleState {
    /// There is no such role.
    Missing,
    /// It was made or changed a moment ago and will be assumable when that has spread.
    NotYet,
    /// The service can assume it.
    Trusted,
    /// Its trust policy does not let the service in, and no change is under way.
    Refused,
}

/// Can `service` (for example `eks.amazonaws.com`) assume the role with this ARN or name at `now`?
pub fn role_assumable_by(world: &World, role: &str, service: &str, now: Timestamp) -> RoleState {
    role_assumable_with(world, role, service, &["sts:AssumeRole"], &[], now)
}

/// The same where the service needs several actions (`sts:TagSession` for Pod Identity) and sends condition keys
/// (`aws:SourceArn`, `aws:SourceAccount`).
pub fn role_assumable_with(
    world: &World,
    role: &str,
    service: &str,
    actions: &[&str],
    conditions: &[(&str, &str)],
    now: Timestamp,
) -> RoleState {
    let Some(role) = identity::find_role(world, role) else { return RoleState::Missing };
    let principal = Principal::Service(service.to_owned());
    let mut context = Context::default();
    context.set("aws:SourceAccount", ACCOUNT_ID);
    for (key, value) in conditions {
        context.set(key, *value);
    }
    let trusts = |document: &Document| {
        actions.iter().all(|action| {
            let question = Question { action, resource: &role.arn, principal: Some(&principal), context: &context };
            document.verdict(&question) == Verdict::Allowed
        })
    };
    match (role.trust.effective(now).is_some_and(trusts), trusts(role.trust.current())) {
        (true, _) => RoleState::Trusted,
        (false, true) => RoleState::NotYet,
        (false, false) => RoleState::Refused,
    }
}

/// Whether the role trusts a web identity of `issuer` (with `https://`) with this subject and audience at `now`; the
/// provider itself must be known to IAM and accept the audience.
pub fn role_trusts_web_identity(
    world: &World,
    role: &str,
    issuer: &str,
    subject: &str,
    audience: &str,
    now: Timestamp,
) -> bool {
    let Some((arn, provider)) = super::provider_for(world, issuer) else { return false };
    let name = issuer.trim_start_matches("https://");
    let mut context = Context::default();
    context.set(&format!("{name}:aud"), audience);
    context.set(&format!("{name}:sub"), subject);
    let principal = Principal::Federated(arn);
    let action = "sts:AssumeRoleWithWebIdentity";
    let question = Question { action, resource: role, principal: Some(&principal), context: &context };
    provider.client_ids.iter().any(|id| id == audience)
        && trust_in_force(world, role, now).is_some_and(|trust| trust.verdict(&question) == Verdict::Allowed)
}

/// The trust policy of the role with this ARN as it is in force at `now`; none if there is no such role, or not yet.
pub(crate) fn trust_in_force<'a>(world: &'a World, role: &str, now: Timestamp) -> Option<&'a Document> {
    identity::find_role(world, role)?.trust.effective(now)
}
