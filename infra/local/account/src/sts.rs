//! STS: who am I, and sessions of roles.
//!
//! Credentials themselves are `iam`'s; here it is decided who gets them.

mod web_identity;

pub use web_identity::mint_web_identity_token;

use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call, Caller},
    iam::{
        self, Credentials, Grant, Need, RoleState,
        policy::{Context, Document, Kind, Question, Verdict},
    },
    world::World,
};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Answers one STS action.
///
/// # Errors
/// STS's own refusals; `InvalidAction` for an action that this account does not have.
pub fn handle(world: &mut World, call: &Call) -> Answer {
    match call.action.as_str() {
        "GetCallerIdentity" => Ok(caller_identity(&call.caller)),
        "AssumeRole" => assume_role(world, call),
        "AssumeRoleWithWebIdentity" => web_identity::assume(world, call),
        "GetSessionToken" => session_token(world, call),
        "GetAccessKeyInfo" => access_key_info(world, call),
        other => {
            Err(AwsError::new("InvalidAction", format!("Could not find operation {other} for version 2011-06-15")))
        }
    }
}

/// What `GetCallerIdentity` answers; it needs no permission.
pub fn caller_identity(caller: &Caller) -> Value {
    json!({ "UserId": caller.user_id, "Account": ACCOUNT_ID, "Arn": caller.arn })
}

/// A pod that wants the credentials of its service account.
#[derive(Debug, Clone)]
pub struct Pod<'a> {
    /// ARN of its EKS cluster.
    pub cluster_arn: &'a str,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its service account.
    pub service_account: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its uid.
    pub uid: &'a str,
}

/// `AssumeRoleForPodIdentity` of eks-auth, once the association is found: credentials of `role_arn` for six hours, with
/// the session tags that EKS adds. Whether the node's role may ask (`eks-auth:AssumeRoleForPodIdentity`) is for the
/// caller to find out with [`iam::allows`].
///
/// # Errors
/// `AccessDeniedException` if the role does not trust `pods.eks.amazonaws.com` for this cluster (yet).
pub fn assume_role_for_pod_identity(
    world: &mut World,
    role_arn: &str,
    pod: &Pod,
    now: Timestamp,
) -> Result<Credentials, AwsError> {
    let cluster = pod.cluster_arn.rsplit('/').next().unwrap_or_default();
    let tags: BTreeMap<String, String> = [
        ("eks-cluster-arn", pod.cluster_arn),
        ("eks-cluster-name", cluster),
        ("kubernetes-namespace", pod.namespace),
        ("kubernetes-service-account", pod.service_account),
        ("kubernetes-pod-name", pod.name),
        ("kubernetes-pod-uid", pod.uid),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .collect();
    let keys: Vec<_> = tags.iter().map(|(key, value)| (format!("aws:RequestTag/{key}"), value.as_str())).collect();
    let mut conditions: Vec<(&str, &str)> = keys.iter().map(|(key, value)| (key.as_str(), *value)).collect();
    conditions.push(("aws:SourceArn", pod.cluster_arn));
    let actions = ["sts:AssumeRole", "sts:TagSession"];
    let state = iam::role_assumable_with(world, role_arn, "pods.eks.amazonaws.com", &actions, &conditions, now);
    let role = iam::role_by_arn(world, role_arn).map(|(name, _)| name.to_owned());
    let session_name: String = format!("eks-{cluster}-{}-{}", pod.name, pod.uid).chars().take(64).collect();
    let grant = Grant { duration: 6 * 3600, tags, policy: None };
    let opened = match (state, role) {
        (RoleState::Trusted, Some(role)) => iam::open_session(world, &role, &session_name, grant, now),
        _ => None,
    };
    opened.ok_or_else(|| {
        let message =
            format!("Unauthorized Exception! EKS does not have permissions to assume the associated role {role_arn}.");
        AwsError::new("AccessDeniedException", message).with_status(403)
    })
}

fn assume_role(world: &mut World, call: &Call) -> Answer {
    let role_arn = call.required("RoleArn");
    if call.caller == Caller::root() {
        return Err(denied("Roles may not be assumed by root accounts."));
    }
    let grant = requested_grant(call)?;
    let (principal, mut context) = iam::who_asks(world, &call.caller, &call.region, call.now);
    context.set("sts:RoleSessionName", call.required("RoleSessionName"));
    if let Some(id) = call.text("ExternalId") {
        context.set("sts:ExternalId", id);
    }
    context.add_tags("aws:RequestTag", &grant.tags);
    let tagged = (!grant.tags.is_empty()).then_some("sts:TagSession");
    for action in std::iter::once("sts:AssumeRole").chain(tagged) {
        let trust = iam::trust_in_force(world, role_arn, call.now).cloned();
        let question = Question { action, resource: role_arn, principal: Some(&principal), context: &context };
        let verdict = trust.as_ref().map_or(Verdict::Silent, |trust| trust.verdict(&question));
        let trust = match verdict {
            // Trust in the role or user itself is enough within an account.
            Verdict::Allowed => trust,
            Verdict::AllowedForAccount => None,
            Verdict::Silent | Verdict::Denied => {
                let caller = &call.caller.arn;
                return Err(denied(format!(
                    "User: {caller} is not authorized to perform: {action} on resource: {role_arn}"
                )));
            }
        };
        let need = Need {
            action: action.to_owned(),
            resource: role_arn.to_owned(),
            context: context.clone(),
            resource_policy: trust,
        };
        iam::authorize_needs(world, &call.caller, "sts", &call.region, call.now, &[need])?;
    }
    let (role, id) = known_role(world, role_arn)?;
    check_duration(world, call, &role, call.caller.role.is_some())?;
    open(world, call, &role, &id, grant)
}

/// Opens the session and answers it in the form that all the AssumeRole actions share.
fn open(world: &mut World, call: &Call, role: &str, id: &str, grant: Grant) -> Answer {
    let session = call.required("RoleSessionName");
    let packed = (!grant.tags.is_empty() || grant.policy.is_some()).then_some(6);
    let credentials = iam::open_session(world, role, session, grant, call.now)
        .ok_or_else(|| denied("The role that is assumed does not exist."))?;
    let mut answer = json!({
        "Credentials": describe(&credentials),
        "AssumedRoleUser": {
            "AssumedRoleId": format!("{id}:{session}"),
            "Arn": format!("arn:aws:sts::{ACCOUNT_ID}:assumed-role/{role}/{session}"),
        },
    });
    if let Some(percent) = packed {
        answer["PackedPolicySize"] = percent.into();
    }
    Ok(answer)
}

fn describe(credentials: &Credentials) -> Value {
    json!({
        "AccessKeyId": credentials.access_key_id,
        "SecretAccessKey": credentials.secret_access_key,
        "SessionToken": credentials.session_token,
        "Expiration": credentials.expiration.map(Timestamp::as_second),
    })
}

/// Duration, tags and session policy of the request.
fn requested_grant(call: &Call) -> Result<Grant, AwsError> {
    let text = |tag: &Value, name: &str| tag[name].as_str().unwrap_or_default().to_owned();
    let tags = call.list("Tags").iter().map(|tag| (text(tag, "Key"), text(tag, "Value"))).collect();
    let policy = match call.text("Policy") {
        Some(text) => Some(
            Document::parse(text, Kind::Identity)
                .map_err(|why| AwsError::new("MalformedPolicyDocument", why.to_string()))?,
        ),
        None => None,
    };
    Ok(Grant { duration: call.number("DurationSeconds").unwrap_or(3600), tags, policy })
}

fn check_duration(world: &World, call: &Call, role: &str, chained: bool) -> Result<(), AwsError> {
    let Some(wanted) = call.number("DurationSeconds") else { return Ok(()) };
    if chained && wanted > 3600 {
        return Err(AwsError::new(
            "ValidationError",
            "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining.",
        ));
    }
    if wanted > iam::session_limit(world, role).unwrap_or(3600) {
        return Err(AwsError::new(
            "ValidationError",
            "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.",
        ));
    }
    Ok(())
}

fn known_role(world: &World, arn: &str) -> Result<(String, String), AwsError> {
    let found = iam::role_by_arn(world, arn).map(|(name, id)| (name.to_owned(), id.to_owned()));
    found.ok_or_else(|| denied(format!("Not authorized to perform sts:AssumeRole on {arn}")))
}

fn session_token(world: &mut World, call: &Call) -> Answer {
    if call.caller.role.is_some() {
        return Err(denied("Cannot call GetSessionToken with session credentials"));
    }
    let longest = if call.caller == Caller::root() { 3600 } else { 129_600 };
    let duration = call.number("DurationSeconds").unwrap_or(43_200).min(longest);
    let credentials = iam::user_session(world, &call.caller, duration, call.now);
    Ok(json!({ "Credentials": describe(&credentials) }))
}

fn access_key_info(world: &World, call: &Call) -> Answer {
    let key = call.required("AccessKeyId");
    match iam::access_key_owner(world, key) {
        Some(account) => Ok(json!({ "Account": account })),
        None => Err(AwsError::new("ValidationError", format!("Invalid Access Key ID: {key}"))),
    }
}

fn denied(message: impl Into<String>) -> AwsError {
    AwsError::new("AccessDenied", message).with_status(403)
}

/// What a trust policy says to `question`, with `context` as the only circumstances.
fn trusts(trust: Option<&Document>, action: &str, role: &str, who: &iam::policy::Principal, context: &Context) -> bool {
    let question = Question { action, resource: role, principal: Some(who), context };
    trust.is_some_and(|trust| trust.verdict(&question) == Verdict::Allowed)
}

#[cfg(test)]
mod tests;
