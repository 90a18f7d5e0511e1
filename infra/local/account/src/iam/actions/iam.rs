//! IAM's own actions.

use super::{Asked, Need};
use crate::iam::{identity, service_linked};

/// Permissions for an IAM call.
pub(super) fn needs(asked: &Asked) -> Vec<Need> {
    let call = asked.call;
    let mut need = asked.on(resource(asked));
    let boundary = match call.action.as_str() {
        "CreateRole" | "CreateUser" | "PutRolePermissionsBoundary" | "PutUserPermissionsBoundary" => {
            call.text("PermissionsBoundary").map(str::to_owned)
        }
        // For a change of what a role may do, the key holds the boundary that the role has.
        _ => call
            .text("RoleName")
            .and_then(|name| asked.world.iam.roles.get(name).and_then(|role| role.grants.current().boundary.clone())),
    };
    if let Some(boundary) = boundary {
        need.context.set("iam:PermissionsBoundary", boundary);
    }
    if call.action.starts_with("Attach") || call.action.starts_with("Detach") {
        need.context.set("iam:PolicyARN", call.required("PolicyArn"));
    }
    if let Some(service) = call.text("AWSServiceName") {
        need.context.set("iam:AWSServiceName", service);
    }
    let mut needs = vec![need];
    let tagged = !call.list("Tags").is_empty();
    let tagging = match call.action.as_str() {
        "CreateRole" => Some("iam:TagRole"),
        "CreateUser" => Some("iam:TagUser"),
        "CreatePolicy" => Some("iam:TagPolicy"),
        "CreateOpenIDConnectProvider" => Some("iam:TagOpenIDConnectProvider"),
        _ => None,
    };
    needs.extend(tagging.filter(|_| tagged).map(|action| asked.other(action, resource(asked))));
    needs
}

fn resource(asked: &Asked) -> String {
    let call = asked.call;
    let path = call.text("Path").unwrap_or("/");
    match call.action.as_str() {
        "CreateServiceLinkedRole" => match service_linked::name_and_arn(call.required("AWSServiceName")) {
            Some((_, arn)) => arn,
            None => "*".to_owned(),
        },
        "CreatePolicy" => identity::arn("policy", path, call.required("PolicyName")),
        "CreateOpenIDConnectProvider" => {
            identity::arn("oidc-provider", "/", &crate::iam::oidc::without_scheme(call.required("Url")))
        }
        "SimulatePrincipalPolicy" => call.required("PolicySourceArn").to_owned(),
        _ if call.text("RoleName").is_some() || call.text("UserName").is_some() => holder(asked, path),
        _ => {
            let named = ["PolicyArn", "OpenIDConnectProviderArn"].iter().find_map(|name| call.text(name));
            if call.action == "GetUser" {
                return asked.call.caller.arn.clone();
            }
            named.unwrap_or("*").to_owned()
        }
    }
}

/// The role or user that the call is about, with its path if it exists and the requested one if it is being made.
fn holder(asked: &Asked, path: &str) -> String {
    let (world, call) = (asked.world, asked.call);
    if let Some(name) = call.text("RoleName") {
        let existing = world.iam.roles.get(name).map(|role| role.arn.clone());
        return existing.unwrap_or_else(|| identity::arn("role", path, name));
    }
    let name = call.required("UserName");
    let existing = world.iam.users.get(name).map(|user| user.arn.clone());
    existing.unwrap_or_else(|| identity::arn("user", path, name))
}
