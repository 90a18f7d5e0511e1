//! SimulatePrincipalPolicy: the real evaluation, without a call.

use super::{
    authorize::{Decision, decide, facts, principal},
    identity::{self, Identity},
    permissions,
    policy::{Context, Document, Kind, Question},
    refusals::{invalid, no_such},
};
use crate::{
    call::{Answer, AwsError, Call, Caller},
    world::World,
};
use serde_json::{Value, json};

/// Answers a simulation; none if the action is not one.
pub(super) fn handle(world: &World, call: &Call) -> Option<Answer> {
    (call.action == "SimulatePrincipalPolicy").then(|| simulate(world, call))
}

/// Like IAM's simulator it judges what is written, not what has spread already.
fn simulate(world: &World, call: &Call) -> Answer {
    let source = call.required("PolicySourceArn");
    let identity = source_identity(world, source)?;
    let written = jiff::Timestamp::MAX;
    let mut policies = permissions::in_force(world, &identity, written);
    policies.identity.extend(documents(call, "PolicyInputList")?);
    let boundaries = documents(call, "PermissionsBoundaryPolicyInputList")?;
    if !boundaries.is_empty() {
        policies.boundary = Some(boundaries);
    }
    let resource_policy = match call.text("ResourcePolicy") {
        Some(text) => Some(Document::parse(text, Kind::Resource).map_err(|why| invalid(why.to_string()))?),
        None => None,
    };
    let context = context(call, &identity);
    let caller = Caller { arn: identity.arn.to_owned(), user_id: String::new(), role: None };
    let principal = principal(&caller, Some(&identity));
    let resources = call.texts("ResourceArns");
    let resources = if resources.is_empty() { vec!["*"] } else { resources };
    let mut results = Vec::new();
    for action in call.texts("ActionNames") {
        if !action.contains(':') {
            return Err(invalid(format!("Invalid Action in ActionNames: {action}")));
        }
        let verdicts = resources.iter().map(|resource| {
            let question = Question { action, resource, principal: Some(&principal), context: &context };
            (*resource, decide(&policies, resource_policy.as_ref(), &question))
        });
        results.extend(
            verdicts.map(|(resource, decision)| result(action, resource, decision, policies.boundary.is_some())),
        );
    }
    page(call, results)
}

fn result(action: &str, resource: &str, decision: Decision, bounded: bool) -> Value {
    let word = match decision {
        Decision::Allowed => "allowed",
        Decision::Denied(_) => "explicitDeny",
        Decision::NotAllowed(_) => "implicitDeny",
    };
    let mut value = json!({
        "EvalActionName": action,
        "EvalResourceName": resource,
        "EvalDecision": word,
        "MatchedStatements": [],
        "MissingContextValues": [],
    });
    if bounded {
        let allowed = !matches!(
            decision,
            Decision::NotAllowed("permissions boundary") | Decision::Denied("permissions boundary")
        );
        value["PermissionsBoundaryDecisionDetail"] = json!({ "AllowedByPermissionsBoundary": allowed });
    }
    value
}

/// Results have no key of their own, so the marker is the number of the next one.
fn page(call: &Call, results: Vec<Value>) -> Answer {
    let keyed = results.into_iter().enumerate().map(|(number, result)| (format!("{number:06}"), result));
    super::paging::page(call, "EvaluationResults", keyed.collect())
}

fn source_identity<'a>(world: &'a World, arn: &str) -> Result<Identity<'a>, AwsError> {
    if arn.contains(":role/") {
        let role = identity::find_role(world, arn);
        return role.map(identity::of_role).ok_or_else(|| missing(arn));
    }
    let caller = Caller { arn: arn.to_owned(), user_id: String::new(), role: None };
    identity::of_caller(world, &caller).ok_or_else(|| missing(arn))
}

fn missing(arn: &str) -> AwsError {
    no_such(format!("Invalid Entity Arn: {arn} does not exist."))
}

fn documents(call: &Call, member: &str) -> Result<Vec<Document>, AwsError> {
    let texts = call.texts(member).into_iter();
    texts.map(|text| Document::parse(text, Kind::Identity).map_err(|why| invalid(why.to_string()))).collect()
}

fn context(call: &Call, identity: &Identity) -> Context {
    let mut context = facts(Some(identity), "", call.now);
    for entry in call.list("ContextEntries") {
        let key = entry["ContextKeyName"].as_str().unwrap_or_default();
        let values = entry["ContextKeyValues"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for (number, value) in values.enumerate() {
            if number == 0 {
                context.set(key, value);
            } else {
                context.add(key, value);
            }
        }
    }
    context
}
