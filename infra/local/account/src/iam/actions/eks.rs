//! EKS's actions, with the roles that they pass on.

use super::{Asked, Need};
use crate::call::ACCOUNT_ID;
use serde_json::Value;

/// Permissions for an EKS call.
pub(super) fn needs(asked: &Asked) -> Vec<Need> {
    let call = asked.call;
    let mut need = asked.on(resource(asked));
    keys(asked, &mut need);
    let mut needs = vec![need];
    match call.action.as_str() {
        "CreateCluster" => {
            needs.extend(asked.pass_role(call.input.get("roleArn"), "eks.amazonaws.com"));
            needs.extend(asked.service_linked_role("eks.amazonaws.com"));
            if !call.input.get("tags").is_none_or(|tags| tags.as_object().is_some_and(serde_json::Map::is_empty)) {
                needs.push(asked.other("eks:TagResource", resource(asked)));
            }
        }
        "CreatePodIdentityAssociation" | "UpdatePodIdentityAssociation" => {
            needs.extend(asked.pass_role(call.input.get("roleArn"), "pods.eks.amazonaws.com"));
            needs.extend(call.text("roleArn").map(|role| asked.other("iam:GetRole", role)));
        }
        "CreateAddon" | "UpdateAddon" => {
            needs.extend(asked.pass_role(call.input.get("serviceAccountRoleArn"), "eks.amazonaws.com"));
            for association in call.list("podIdentityAssociations") {
                needs.extend(asked.pass_role(association.get("roleArn"), "pods.eks.amazonaws.com"));
                let cluster = asked.arn(&format!("cluster/{}", call.required("clusterName")));
                needs.push(asked.other("eks:CreatePodIdentityAssociation", cluster));
            }
        }
        _ => {}
    }
    needs
}

fn resource(asked: &Asked) -> String {
    let call = asked.call;
    let cluster = call.text("clusterName").or(call.text("name"));
    let arn = |resource: String| asked.arn(&resource);
    let text = |name: &str| call.text(name).unwrap_or("*").to_owned();
    match (call.action.as_str(), cluster) {
        ("TagResource" | "UntagResource" | "ListTagsForResource", _) => text("resourceArn"),
        ("DescribeAddon" | "UpdateAddon" | "DeleteAddon", Some(cluster)) => {
            arn(format!("addon/{cluster}/{}/*", text("addonName")))
        }
        (
            "DescribeAccessEntry"
            | "UpdateAccessEntry"
            | "DeleteAccessEntry"
            | "AssociateAccessPolicy"
            | "DisassociateAccessPolicy"
            | "ListAssociatedAccessPolicies",
            Some(cluster),
        ) => arn(access_entry(cluster, call.required("principalArn"))),
        (
            "DescribePodIdentityAssociation" | "UpdatePodIdentityAssociation" | "DeletePodIdentityAssociation",
            Some(cluster),
        ) => arn(format!("podidentityassociation/{cluster}/{}", text("associationId"))),
        ("ListClusters" | "DescribeAddonVersions" | "DescribeAddonConfiguration" | "DescribeClusterVersions", _) => {
            "*".to_owned()
        }
        (_, Some(cluster)) => arn(format!("cluster/{cluster}")),
        (_, None) => "*".to_owned(),
    }
}

/// `access-entry/CLUSTER/role/ACCOUNT/NAME/ID`; the id is the service's own and left open.
fn access_entry(cluster: &str, principal: &str) -> String {
    let resource = principal.splitn(6, ':').nth(5).unwrap_or_default();
    let (kind, path) = resource.split_once('/').unwrap_or(("role", resource));
    let name = path.rsplit('/').next().unwrap_or_default();
    format!("access-entry/{cluster}/{kind}/{ACCOUNT_ID}/{name}/*")
}

fn keys(asked: &Asked, need: &mut Need) {
    let call = asked.call;
    for (key, member) in
        [("eks:principalArn", "principalArn"), ("eks:accessEntryType", "type"), ("eks:policyArn", "policyArn")]
    {
        if let Some(value) = call.text(member) {
            need.context.set(key, value);
        }
    }
    for group in call.texts("kubernetesGroups") {
        need.context.add("eks:kubernetesGroups", group);
    }
    if call.action == "DeletePodIdentityAssociation" || call.action.contains("AccessEntry") {
        need.context.set("eks:clusterName", call.required("clusterName"));
    }
    let scope = |name: &str| call.input.get("accessScope").and_then(|scope| scope.get(name));
    if let Some(kind) = scope("type").and_then(Value::as_str) {
        need.context.set("eks:accessScope", kind);
    }
    for namespace in scope("namespaces").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        need.context.add("eks:namespaces", namespace);
    }
    let access = call.input.get("accessConfig");
    if let Some(mode) = access.and_then(|access| access["authenticationMode"].as_str()) {
        need.context.set("eks:authenticationMode", mode);
    }
    if let Some(admin) = access.and_then(|access| access["bootstrapClusterCreatorAdminPermissions"].as_bool()) {
        need.context.set("eks:bootstrapClusterCreatorAdminPermissions", admin.to_string());
    }
}
