//! Is a call allowed? Weighs the policies that apply, in AWS's order, and words the refusal as the service would.
//!
//! IAM User Guide, "Policy evaluation logic": an explicit deny anywhere decides; otherwise an identity policy, or a
//! resource policy that names the caller, must allow, and a permissions boundary and a session policy, where there are
//! any, must allow too. There are no organizations here, so no service control policies.

use super::{
    actions, credentials,
    identity::{self, Identity},
    managed,
    permissions::{self, Policies},
    policy::{Context, Document, Principal, Question, Verdict},
};
use crate::{
    call::{ACCOUNT_ID, AwsError, Call, Caller},
    world::World,
};
use jiff::Timestamp;

/// One permission that a call needs.
#[derive(Debug, Clone)]
pub(crate) struct Need {
    /// `service:Action`.
    pub(crate) action: String,
    /// ARN, or `*` where the action has no resource types.
    pub(crate) resource: String,
    /// Condition keys that this permission has beyond those of the caller.
    pub(crate) context: Context,
    /// The policy of the resource itself, if it has one.
    pub(crate) resource_policy: Option<Document>,
}

/// What the policies came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    Allowed,
    /// A statement of this kind of policy denies.
    Denied(&'static str),
    /// No statement of this kind of policy allows.
    NotAllowed(&'static str),
}

/// May the caller make this call, by the policies in force at `call.now`?
///
/// # Errors
/// The refusal of the service that is called: `AccessDeniedException`, `UnauthorizedOperation` (EC2) or `AccessDenied`
/// (IAM, STS, S3), naming caller, action, resource and the kind of policy.
pub fn authorize(world: &World, call: &Call) -> Result<(), AwsError> {
    if call.caller == Caller::root() {
        return Ok(());
    }
    let needs = actions::needs(world, call);
    authorize_needs(world, &call.caller, call.service, &call.region, call.now, &needs)
}

/// The same where the permissions that are needed are known already.
pub(crate) fn authorize_needs(
    world: &World,
    caller: &Caller,
    service: &str,
    region: &str,
    now: Timestamp,
    needs: &[Need],
) -> Result<(), AwsError> {
    let identity = identity::of_caller(world, caller);
    let mut policies = identity.as_ref().map(|found| permissions::in_force(world, found, now)).unwrap_or_default();
    policies.session = credentials::session_of(world, caller).and_then(|session| session.policy.clone());
    let (principal, facts) = who_asks(world, caller, region, now);
    for need in needs {
        let mut context = facts.clone();
        context.merge(&need.context);
        let question =
            Question { action: &need.action, resource: &need.resource, principal: Some(&principal), context: &context };
        let decision = if *caller == Caller::root() {
            root_decision(need.resource_policy.as_ref(), &question)
        } else {
            decide(&policies, need.resource_policy.as_ref(), &question)
        };
        if decision != Decision::Allowed {
            return Err(refusal(service, &caller.arn, need, decision));
        }
    }
    Ok(())
}

/// May the role do this on its own, outside of any call of ours: a node reading its lifecycle scripts, a driver mounting
/// a bucket, a service creating an interface in a subnet?
///
/// # Errors
/// The words of a refusal, for an event or a log line.
pub fn allows(world: &World, role_arn: &str, action: &str, resource_arn: &str, now: Timestamp) -> Result<(), String> {
    let Some(role) = identity::find_role(world, role_arn) else {
        return Err(format!("The role {role_arn} does not exist"));
    };
    let found = identity::of_role(role);
    let policies = permissions::in_force(world, &found, now);
    let mut context = facts(Some(&found), resource_arn.split(':').nth(3).unwrap_or_default(), now);
    let tags = actions::neighbours::tags_of(world, resource_arn);
    context.add_tags("aws:ResourceTag", &tags);
    let principal = Principal::Aws { arns: vec![role.arn.clone()], account: ACCOUNT_ID.to_owned() };
    let need = Need {
        action: action.to_owned(),
        resource: resource_arn.to_owned(),
        context: Context::default(),
        resource_policy: actions::neighbours::policy_of(world, resource_arn),
    };
    let question = Question { action, resource: resource_arn, principal: Some(&principal), context: &context };
    match decide(&policies, need.resource_policy.as_ref(), &question) {
        Decision::Allowed => Ok(()),
        refused => Err(words(&role.arn, &need, refused, "")),
    }
}

/// May the caller of some call do this further thing that the called service does in their name?
///
/// # Errors
/// The words of a refusal.
pub fn caller_may(
    world: &World,
    caller: &Caller,
    action: &str,
    resource_arn: &str,
    now: Timestamp,
) -> Result<(), String> {
    let mut context = Context::default();
    context.add_tags("aws:ResourceTag", &actions::neighbours::tags_of(world, resource_arn));
    let need = Need {
        action: action.to_owned(),
        resource: resource_arn.to_owned(),
        context,
        resource_policy: actions::neighbours::policy_of(world, resource_arn),
    };
    let region = resource_arn.split(':').nth(3).unwrap_or_default();
    authorize_needs(world, caller, "", region, now, &[need]).map_err(|refused| refused.message)
}

/// Weighs the policies of an identity and of a resource.
pub(super) fn decide(policies: &Policies, resource_policy: Option<&Document>, question: &Question) -> Decision {
    let strongest = |documents: &[Document]| {
        documents.iter().map(|document| document.verdict(question)).max().unwrap_or(Verdict::Silent)
    };
    let identity = strongest(&policies.identity);
    let boundary = policies.boundary.as_deref().map(strongest);
    let session = policies.session.as_ref().map(|document| document.verdict(question));
    let resource = resource_policy.map_or(Verdict::Silent, |document| document.verdict(question));
    for (verdict, kind) in [
        (Some(identity), "identity-based policy"),
        (boundary, "permissions boundary"),
        (session, "session policy"),
        (Some(resource), "resource-based policy"),
    ] {
        if verdict == Some(Verdict::Denied) {
            return Decision::Denied(kind);
        }
    }
    if boundary.is_some_and(|verdict| verdict != Verdict::Allowed) {
        Decision::NotAllowed("permissions boundary")
    } else if session.is_some_and(|verdict| verdict != Verdict::Allowed) {
        Decision::NotAllowed("session policy")
    } else if identity != Verdict::Allowed && resource != Verdict::Allowed {
        Decision::NotAllowed("identity-based policy")
    } else {
        Decision::Allowed
    }
}

/// The root user may do everything that a resource policy does not deny.
fn root_decision(resource_policy: Option<&Document>, question: &Question) -> Decision {
    match resource_policy.map(|document| document.verdict(question)) {
        Some(Verdict::Denied) => Decision::Denied("resource-based policy"),
        _ => Decision::Allowed,
    }
}

/// The condition keys that every request has. All doors stand for AWS's TLS endpoints.
pub(super) fn facts(identity: Option<&Identity>, region: &str, now: Timestamp) -> Context {
    let mut context = Context::default();
    context.set("aws:PrincipalAccount", ACCOUNT_ID);
    context.set("aws:ResourceAccount", ACCOUNT_ID);
    context.set("aws:CurrentTime", now.to_string());
    context.set("aws:EpochTime", now.as_second().to_string());
    context.set("aws:SecureTransport", "true");
    context.set("aws:ViaAWSService", "false");
    if !region.is_empty() {
        context.set("aws:RequestedRegion", region);
    }
    match identity {
        Some(found) => {
            context.set("aws:PrincipalArn", found.arn);
            context.set("aws:PrincipalType", found.kind);
            context.add_tags("aws:PrincipalTag", found.tags);
            if let Some(name) = found.user_name {
                context.set("aws:username", name);
            }
        }
        None => context.set("aws:PrincipalType", "Account"),
    }
    context
}

/// The caller as a trust or bucket policy sees them: who they are, and their condition keys.
pub(crate) fn who_asks(world: &World, caller: &Caller, region: &str, now: Timestamp) -> (Principal, Context) {
    let identity = identity::of_caller(world, caller);
    let mut context = facts(identity.as_ref(), region, now);
    context.set("aws:userid", caller.user_id.clone());
    if let Some(session) = credentials::session_of(world, caller) {
        context.add_tags("aws:PrincipalTag", &session.tags);
    }
    (principal(caller, identity.as_ref()), context)
}

/// The caller under all the names that a resource or trust policy can give it.
pub(super) fn principal(caller: &Caller, identity: Option<&Identity>) -> Principal {
    let mut arns = vec![caller.arn.clone()];
    arns.extend(identity.map(|found| found.arn.to_owned()));
    Principal::Aws { arns, account: ACCOUNT_ID.to_owned() }
}

fn refusal(service: &str, caller: &str, need: &Need, decision: Decision) -> AwsError {
    let quote = if service == "s3" { "\"" } else { "" };
    let message = words(caller, need, decision, quote);
    match service {
        "ec2" => {
            let message = format!("You are not authorized to perform this operation. {message}");
            AwsError::new("UnauthorizedOperation", message).with_status(403)
        }
        "iam" | "sts" | "s3" => AwsError::new("AccessDenied", message).with_status(403),
        "eks" | "lambda" => AwsError::new("AccessDeniedException", message).with_status(403),
        _ => AwsError::new("AccessDeniedException", message),
    }
}

fn words(caller: &str, need: &Need, decision: Decision, quote: &str) -> String {
    let why = match decision {
        Decision::Denied(kind) => format!("with an explicit deny in a{} {kind}", article(kind)),
        Decision::NotAllowed(kind) => format!("because no {kind} allows the {} action", need.action),
        Decision::Allowed => String::new(),
    };
    format!(
        "User: {caller} is not authorized to perform: {} on resource: {quote}{}{quote} {why}",
        need.action, need.resource
    )
}

fn article(kind: &str) -> &'static str {
    if kind.starts_with('i') { "n" } else { "" }
}

/// A managed policy's document as it is in force at `now`, whoever manages it.
pub(super) fn managed_document(world: &World, arn: &str, now: Timestamp) -> Option<Document> {
    match managed::find(arn) {
        Some(policy) => Some(policy.document().clone()),
        None => world.iam.policies.get(arn)?.in_force.effective(now).cloned(),
    }
}
