//! Roles and policies as things: made, listed, in the way, deleted.

use crate::iam::test_world::*;
use serde_json::json;

#[test]
fn a_role_is_answered_as_iam_answers_it() {
    let mut world = world();
    let document = trust(json!({ "Service": "eks.amazonaws.com" }));
    let made = iam(&mut world, "CreateRole", json!({
        "RoleName": "cluster", "Path": "/hyper/", "AssumeRolePolicyDocument": document, "Description": "d",
        "Tags": [{ "Key": "a", "Value": "b" }], "PermissionsBoundary": "arn:aws:iam::aws:policy/AdministratorAccess",
    }))
    .unwrap();
    let role = &made["Role"];
    assert_eq!(role["Arn"], "arn:aws:iam::111122223333:role/hyper/cluster");
    assert!(role["RoleId"].as_str().unwrap().starts_with("AROA") && role["RoleId"].as_str().unwrap().len() == 21);
    assert!(role["AssumeRolePolicyDocument"].as_str().unwrap().starts_with("%7B%22Version%22%3A%222012-10-17%22"));
    assert_eq!(role["PermissionsBoundary"]["PermissionsBoundaryType"], "PermissionsBoundaryPolicy");
    assert_eq!(iam(&mut world, "GetRole", json!({ "RoleName": "cluster" })).unwrap(), made);
    let listed = iam(&mut world, "ListRoles", json!({ "PathPrefix": "/hyper/" })).unwrap();
    assert!(listed["Roles"][0]["Tags"].is_null(), "lists do not tell tags");
}

#[test]
fn br_005_a_name_longer_than_64_is_refused_and_names_have_no_case() {
    let mut world = world();
    let document = trust(json!({ "Service": "eks.amazonaws.com" }));
    let mut create =
        |name: &str| iam(&mut world, "CreateRole", json!({ "RoleName": name, "AssumeRolePolicyDocument": document }));
    let refused = create(&"a".repeat(65)).unwrap_err();
    assert_eq!(refused.code, "ValidationError");
    assert!(refused.message.contains("'roleName'") && refused.message.contains("64"));
    assert!(create(&"a".repeat(64)).is_ok());
    assert!(create("Role").is_ok());
    assert_eq!(create("ROLE").unwrap_err().to_string(), "EntityAlreadyExists: Role with name ROLE already exists.");
}

#[test]
fn what_hangs_on_a_role_keeps_it_from_being_deleted() {
    let mut world = world();
    role(&mut world, "r", json!([{ "Effect": "Allow", "Action": "*", "Resource": "*" }]));
    let policy = json!({ "RoleName": "r", "PolicyArn": "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy" });
    iam(&mut world, "AttachRolePolicy", policy.clone()).unwrap();
    iam(&mut world, "AttachRolePolicy", policy.clone()).unwrap();
    let attached = iam(&mut world, "ListAttachedRolePolicies", json!({ "RoleName": "r" })).unwrap();
    assert_eq!(attached["AttachedPolicies"].as_array().unwrap().len(), 1);
    let delete = json!({ "RoleName": "r" });
    let refused = iam(&mut world, "DeleteRole", delete.clone()).unwrap_err();
    assert_eq!(refused.to_string(), "DeleteConflict: Cannot delete entity, must detach all policies first.");
    iam(&mut world, "DetachRolePolicy", policy.clone()).unwrap();
    let refused = iam(&mut world, "DeleteRole", delete.clone()).unwrap_err();
    assert_eq!(refused.to_string(), "DeleteConflict: Cannot delete entity, must delete policies first.");
    iam(&mut world, "DeleteRolePolicy", json!({ "RoleName": "r", "PolicyName": "p" })).unwrap();
    iam(&mut world, "DeleteRole", delete.clone()).unwrap();
    let missing = iam(&mut world, "DeleteRole", delete).unwrap_err();
    assert_eq!(missing.to_string(), "NoSuchEntity: The role with name r cannot be found.");
    assert_eq!(iam(&mut world, "DetachRolePolicy", policy).unwrap_err().code, "NoSuchEntity");
}

#[test]
fn lists_page_with_a_marker() {
    let mut world = world();
    let document = trust(json!({ "Service": "eks.amazonaws.com" }));
    for number in 0..5 {
        let input = json!({ "RoleName": format!("r{number}"), "AssumeRolePolicyDocument": document });
        iam(&mut world, "CreateRole", input).unwrap();
    }
    let (mut names, mut input) = (Vec::new(), json!({ "MaxItems": 2 }));
    loop {
        let page = iam(&mut world, "ListRoles", input.clone()).unwrap();
        names
            .extend(page["Roles"].as_array().unwrap().iter().map(|role| role["RoleName"].as_str().unwrap().to_owned()));
        if page["IsTruncated"] == false {
            break;
        }
        input["Marker"] = page["Marker"].clone();
    }
    assert_eq!(names, ["r0", "r1", "r2", "r3", "r4"]);
    assert_eq!(iam(&mut world, "ListRoles", json!({ "Marker": "?" })).unwrap_err().code, "ValidationError");
}

#[test]
fn a_policy_has_five_versions_and_one_default() {
    let mut world = world();
    let document = |action: &str| policy(json!([{ "Effect": "Allow", "Action": action, "Resource": "*" }]));
    let made =
        iam(&mut world, "CreatePolicy", json!({ "PolicyName": "p", "PolicyDocument": document("s3:*") })).unwrap();
    let arn = made["Policy"]["Arn"].clone();
    for _ in 0..4 {
        let input = json!({ "PolicyArn": arn, "PolicyDocument": document("eks:*"), "SetAsDefault": true });
        iam(&mut world, "CreatePolicyVersion", input).unwrap();
    }
    let input = json!({ "PolicyArn": arn, "PolicyDocument": document("eks:*") });
    assert_eq!(iam(&mut world, "CreatePolicyVersion", input).unwrap_err().code, "LimitExceeded");
    assert_eq!(iam(&mut world, "GetPolicy", json!({ "PolicyArn": arn })).unwrap()["Policy"]["DefaultVersionId"], "v5");
    let default = json!({ "PolicyArn": arn, "VersionId": "v5" });
    assert_eq!(iam(&mut world, "DeletePolicyVersion", default).unwrap_err().code, "DeleteConflict");
    assert_eq!(iam(&mut world, "DeletePolicy", json!({ "PolicyArn": arn })).unwrap_err().code, "DeleteConflict");
}

#[test]
fn service_linked_roles_belong_to_their_service() {
    let mut world = world();
    let input = json!({ "AWSServiceName": "eks.amazonaws.com" });
    let made = iam(&mut world, "CreateServiceLinkedRole", input.clone()).unwrap();
    assert_eq!(made["Role"]["Path"], "/aws-service-role/eks.amazonaws.com/");
    assert_eq!(iam(&mut world, "CreateServiceLinkedRole", input).unwrap_err().code, "InvalidInput");
    let name = json!({ "RoleName": "AWSServiceRoleForAmazonEKS" });
    assert_eq!(iam(&mut world, "DeleteRole", name.clone()).unwrap_err().code, "UnmodifiableEntity");
    let task = iam(&mut world, "DeleteServiceLinkedRole", name).unwrap();
    assert_eq!(iam(&mut world, "GetServiceLinkedRoleDeletionStatus", task).unwrap()["Status"], "SUCCEEDED");
}
