//! Which permissions a call needs: the Service Authorization Reference for the actions that this account has.
//!
//! A service's file maps an action to resources and condition keys; whatever it does not name needs `service:Action` on
//! `*`, as actions without resource types do. S3 asks for its own permissions, in `crate::s3`.

mod data;
mod ec2;
mod eks;
mod iam;
pub(super) mod neighbours;
mod request_tags;
mod sagemaker;

use super::{authorize::Need, identity, policy::Context};
use crate::{
    call::{ACCOUNT_ID, Call},
    world::World,
};
use serde_json::Value;

/// Everything that must be allowed for `call` to go ahead; empty for calls that need no permission.
pub(super) fn needs(world: &World, call: &Call) -> Vec<Need> {
    let asked = Asked { world, call, request: request_tags::context(call) };
    match call.service {
        "ec2" => ec2::needs(&asked),
        "eks" => eks::needs(&asked),
        "iam" => iam::needs(&asked),
        "sagemaker" => sagemaker::needs(&asked),
        "sts" => sts(&asked),
        _ => data::needs(&asked),
    }
}

/// A call and what every permission for it has in common.
struct Asked<'a> {
    world: &'a World,
    call: &'a Call,
    /// `aws:RequestTag/…` and `aws:TagKeys`.
    request: Context,
}

impl Asked<'_> {
    /// The call's own action on `resource`, with the tags that the resource has.
    fn on(&self, resource: impl Into<String>) -> Need {
        let action = format!("{}:{}", prefix(self.call.service), self.call.action);
        self.other(&action, resource)
    }

    /// Another action that the call implies.
    fn other(&self, action: &str, resource: impl Into<String>) -> Need {
        let resource = resource.into();
        let mut context = self.request.clone();
        let tags = neighbours::tags_of(self.world, &resource);
        context.add_tags("aws:ResourceTag", &tags);
        if matches!(self.call.service, "ec2" | "iam" | "sagemaker") {
            context.add_tags(&format!("{}:ResourceTag", self.call.service), &tags);
        }
        Need { action: action.to_owned(), resource, context, resource_policy: None }
    }

    /// `arn:aws:SERVICE:REGION:ACCOUNT:resource` in the call's region.
    fn arn(&self, resource: &str) -> String {
        format!("arn:aws:{}:{}:{ACCOUNT_ID}:{resource}", prefix(self.call.service), self.call.region)
    }

    /// The permission to hand the role in `value`, if there is one, to `service`.
    fn pass_role(&self, value: Option<&Value>, service: &str) -> Option<Need> {
        let role = value.and_then(Value::as_str)?;
        let arn = identity::resolve_role(self.world, role).unwrap_or(role);
        let mut need = self.other("iam:PassRole", arn);
        need.context.set("iam:PassedToService", service);
        need.context.add_tags("iam:ResourceTag", &neighbours::tags_of(self.world, arn));
        Some(need)
    }

    /// The permission to make a service-linked role, as long as there is none.
    fn service_linked_role(&self, service: &str) -> Option<Need> {
        let (name, arn) = super::service_linked::name_and_arn(service)?;
        if self.world.iam.roles.contains_key(name) {
            return None;
        }
        let mut need = self.other("iam:CreateServiceLinkedRole", arn);
        need.context.set("iam:AWSServiceName", service);
        Some(need)
    }
}

/// The prefix of a service's actions and ARNs where it differs from the name in the credential scope.
fn prefix(service: &str) -> &str {
    match service {
        "monitoring" => "cloudwatch",
        "service-quotas" => "servicequotas",
        other => other,
    }
}

/// STS's actions on roles are decided together with the trust policy, in `crate::sts`; telling callers who they are
/// needs no permission.
fn sts(_asked: &Asked) -> Vec<Need> {
    Vec::new()
}
