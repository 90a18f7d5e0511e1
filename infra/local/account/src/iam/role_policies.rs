//! What roles and users are granted: inline policies and attached managed ones.

use super::{
    managed, paging,
    policy::{Document, Kind},
    refusals::{invalid, limit, malformed, no_policy, no_such},
    roles::{self, check_name, encoded},
    state::Grants,
    users,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde_json::json;

/// Managed policies on one role or user; AWS raises it to 20 on request.
const ATTACHED: usize = 10;

/// Whose grants an action is about.
#[derive(Clone, Copy)]
enum Holder {
    Role,
    User,
}

impl Holder {
    /// Word in IAM's messages, and the quota of inline policies in characters.
    fn word(self) -> (&'static str, &'static str, usize) {
        match self {
            Self::Role => ("role", "Role", 10_240),
            Self::User => ("user", "User", 2_048),
        }
    }

    fn name(self, call: &Call) -> &str {
        call.required(if matches!(self, Self::Role) { "RoleName" } else { "UserName" })
    }

    fn grants<'a>(self, world: &'a World, call: &Call) -> Result<&'a Grants, AwsError> {
        match self {
            Self::Role => roles::find(world, call).map(|role| role.grants.current()),
            Self::User => users::find(world, call).map(|user| user.grants.current()),
        }
    }

    fn change(self, world: &mut World, call: &Call, change: impl FnOnce(&mut Grants)) -> Answer {
        match self {
            Self::Role => roles::change_grants(world, call, change),
            Self::User => users::change_grants(world, call, change),
        }
    }
}

/// Answers an action on the policies of a role or user; none if it is not one.
pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    use Holder::{Role, User};
    Some(match call.action.as_str() {
        "PutRolePolicy" => put(world, call, Role),
        "GetRolePolicy" => get(world, call, Role),
        "DeleteRolePolicy" => delete(world, call, Role),
        "ListRolePolicies" => list(world, call, Role),
        "AttachRolePolicy" => attach(world, call, Role),
        "DetachRolePolicy" => detach(world, call, Role),
        "ListAttachedRolePolicies" => attached(world, call, Role),
        "PutUserPolicy" => put(world, call, User),
        "GetUserPolicy" => get(world, call, User),
        "DeleteUserPolicy" => delete(world, call, User),
        "ListUserPolicies" => list(world, call, User),
        "AttachUserPolicy" => attach(world, call, User),
        "DetachUserPolicy" => detach(world, call, User),
        "ListAttachedUserPolicies" => attached(world, call, User),
        _ => return None,
    })
}

fn put(world: &mut World, call: &Call, holder: Holder) -> Answer {
    let (name, text) = (call.required("PolicyName").to_owned(), call.required("PolicyDocument"));
    check_name("policyName", &name, 128)?;
    let grants = holder.grants(world, call)?;
    let document = Document::parse(text, Kind::Identity).map_err(|why| malformed(why.to_string()))?;
    let size = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).count();
    let others = grants.inline.iter().filter(|(taken, _)| **taken != name).map(|(_, other)| size(other.text()));
    let (word, _, longest) = holder.word();
    if others.sum::<usize>() + size(text) > longest {
        let holder = holder.name(call);
        return Err(limit(format!("Maximum policy size of {longest} bytes exceeded for {word} {holder}")));
    }
    holder.change(world, call, |grants| {
        grants.inline.insert(name, document);
    })
}

fn get(world: &World, call: &Call, holder: Holder) -> Answer {
    let (name, grants) = (call.required("PolicyName"), holder.grants(world, call)?);
    let document = grants.inline.get(name).ok_or_else(|| no_inline(holder, name))?;
    let (_, title, _) = holder.word();
    let mut answer = json!({ "PolicyName": name, "PolicyDocument": encoded(document) });
    answer[format!("{title}Name")] = holder.name(call).into();
    Ok(answer)
}

fn delete(world: &mut World, call: &Call, holder: Holder) -> Answer {
    let name = call.required("PolicyName").to_owned();
    if !holder.grants(world, call)?.inline.contains_key(&name) {
        return Err(no_inline(holder, &name));
    }
    holder.change(world, call, |grants| {
        grants.inline.remove(&name);
    })
}

fn list(world: &World, call: &Call, holder: Holder) -> Answer {
    let names = holder.grants(world, call)?.inline.keys();
    paging::page(call, "PolicyNames", names.map(|name| (name.clone(), name.as_str().into())).collect())
}

fn attach(world: &mut World, call: &Call, holder: Holder) -> Answer {
    let arn = checked_arn(call)?.to_owned();
    let grants = holder.grants(world, call)?;
    if managed::find(&arn).is_none() && !world.iam.policies.contains_key(&arn) {
        return Err(no_such(format!("Policy {arn} does not exist or is not attachable.")));
    }
    if grants.attached.contains(&arn) {
        return Ok(json!({}));
    }
    if grants.attached.len() >= ATTACHED {
        let (_, title, _) = holder.word();
        return Err(limit(format!("Cannot exceed quota for PoliciesPer{title}: {ATTACHED}")));
    }
    holder.change(world, call, |grants| {
        grants.attached.insert(arn);
    })
}

fn detach(world: &mut World, call: &Call, holder: Holder) -> Answer {
    let arn = checked_arn(call)?.to_owned();
    if !holder.grants(world, call)?.attached.contains(&arn) {
        return Err(no_policy(&arn));
    }
    holder.change(world, call, |grants| {
        grants.attached.remove(&arn);
    })
}

fn attached(world: &World, call: &Call, holder: Holder) -> Answer {
    let prefix = call.text("PathPrefix").unwrap_or("/");
    let arns = holder.grants(world, call)?.attached.iter();
    let entries = arns.filter_map(|arn| {
        let (_, rest) = arn.split_once(":policy")?;
        let name = rest.rsplit('/').next()?;
        rest.starts_with(prefix).then(|| (arn.clone(), json!({ "PolicyName": name, "PolicyArn": arn })))
    });
    paging::page(call, "AttachedPolicies", entries.collect())
}

fn checked_arn(call: &Call) -> Result<&str, AwsError> {
    let arn = call.required("PolicyArn");
    if arn.starts_with("arn:aws:iam::") && arn.contains(":policy/") {
        return Ok(arn);
    }
    Err(invalid(format!("ARN {arn} is not valid.")))
}

fn no_inline(holder: Holder, name: &str) -> AwsError {
    let (word, ..) = holder.word();
    no_such(format!("The {word} policy with name {name} cannot be found."))
}
