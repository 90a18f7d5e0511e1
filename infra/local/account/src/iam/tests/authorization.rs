//! Which calls the policies let through.

use crate::{
    call::{Call, Caller},
    iam::{allows, authorize, test_world::*},
    world::World,
};
use serde_json::{Value, json};

fn ask(world: &World, caller: &Caller, service: &'static str, action: &str, input: Value) -> Result<(), String> {
    let call = Call { caller: caller.clone(), ..call(service, action, input) };
    authorize(world, &call).map_err(|refused| refused.to_string())
}

fn may(statements: Value, service: &'static str, action: &str, input: Value) -> bool {
    let mut world = world();
    let caller = role(&mut world, "subject", statements);
    ask(&world, &caller, service, action, input).is_ok()
}

#[test]
fn statements_allow_and_deny_as_documented() {
    let vpc = || json!({ "VpcId": "vpc-1" });
    let tagged = |value: &str| json!({ "TagSpecifications": [{ "ResourceType": "vpc", "Tags": [{ "Key": "owner", "Value": value }] }] });
    let table = [
        (
            "nothing allows",
            json!([{ "Effect": "Allow", "Action": "s3:*", "Resource": "*" }]),
            "DeleteVpc",
            vpc(),
            false,
        ),
        (
            "a wildcard",
            json!([{ "Effect": "Allow", "Action": "ec2:Delete*", "Resource": "*" }]),
            "DeleteVpc",
            vpc(),
            true,
        ),
        (
            "actions have no case",
            json!([{ "Effect": "Allow", "Action": "EC2:deletevpc", "Resource": "*" }]),
            "DeleteVpc",
            vpc(),
            true,
        ),
        (
            "a deny wins over an allow",
            json!([{ "Effect": "Allow", "Action": "*", "Resource": "*" },
                   { "Effect": "Deny", "Action": "ec2:DeleteVpc", "Resource": "arn:aws:ec2:*:*:vpc/vpc-1" }]),
            "DeleteVpc",
            vpc(),
            false,
        ),
        (
            "not the resource",
            json!([{ "Effect": "Allow", "Action": "*", "Resource": "arn:aws:ec2:*:*:vpc/vpc-2" }]),
            "DeleteVpc",
            vpc(),
            false,
        ),
        (
            "NotAction leaves out",
            json!([{ "Effect": "Allow", "NotAction": "ec2:Delete*", "Resource": "*" }]),
            "DeleteVpc",
            vpc(),
            false,
        ),
        (
            "NotAction lets in",
            json!([{ "Effect": "Allow", "NotAction": "iam:*", "Resource": "*" }]),
            "DeleteVpc",
            vpc(),
            true,
        ),
        (
            "NotResource",
            json!([{ "Effect": "Allow", "Action": "*", "NotResource": "arn:aws:ec2:*:*:vpc/*" }]),
            "DeleteVpc",
            vpc(),
            false,
        ),
        (
            "a request tag that fits",
            json!([{ "Effect": "Allow", "Action": "*", "Resource": "*", "Condition": { "StringEquals": { "aws:RequestTag/owner": "us" } } }]),
            "CreateVpc",
            tagged("us"),
            true,
        ),
        (
            "a request tag that does not",
            json!([{ "Effect": "Allow", "Action": "*", "Resource": "*", "Condition": { "StringEquals": { "aws:RequestTag/owner": "us" } } }]),
            "CreateVpc",
            tagged("them"),
            false,
        ),
        (
            "only these tag keys",
            json!([{ "Effect": "Allow", "Action": "*", "Resource": "*", "Condition": { "ForAllValues:StringEquals": { "aws:TagKeys": ["cost"] } } }]),
            "CreateVpc",
            tagged("us"),
            false,
        ),
        (
            "tagging while creating is a permission of its own",
            json!([{ "Effect": "Allow", "Action": "ec2:CreateVpc", "Resource": "*" }]),
            "CreateVpc",
            tagged("us"),
            false,
        ),
        (
            "another region",
            json!([{ "Effect": "Allow", "Action": "*", "Resource": "*", "Condition": { "StringEquals": { "aws:RequestedRegion": "eu-west-1" } } }]),
            "DeleteVpc",
            vpc(),
            false,
        ),
    ];
    for (what, statements, action, input, expected) in table {
        assert_eq!(may(statements, "ec2", action, input), expected, "{what}");
    }
}

#[test]
fn a_role_is_passed_only_to_the_service_that_the_policy_names() {
    let statements = |service: &str| {
        json!([
            { "Effect": "Allow", "Action": ["eks:*", "iam:CreateServiceLinkedRole"], "Resource": "*" },
            { "Effect": "Allow", "Action": "iam:PassRole", "Resource": "arn:aws:iam::111122223333:role/hyper/*",
              "Condition": { "StringEquals": { "iam:PassedToService": service } } }
        ])
    };
    let input = |role: &str| json!({ "name": "c", "roleArn": role });
    let ours = "arn:aws:iam::111122223333:role/hyper/cluster";
    assert!(may(statements("eks.amazonaws.com"), "eks", "CreateCluster", input(ours)));
    assert!(!may(statements("ec2.amazonaws.com"), "eks", "CreateCluster", input(ours)));
    assert!(!may(
        statements("eks.amazonaws.com"),
        "eks",
        "CreateCluster",
        input("arn:aws:iam::111122223333:role/other")
    ));
}

#[test]
fn hyperpod_needs_the_roles_of_every_group_and_access_to_the_orchestrator() {
    let input = json!({
        "ClusterName": "c",
        "InstanceGroups": [{ "ExecutionRole": "arn:aws:iam::111122223333:role/a" }, { "ExecutionRole": "arn:aws:iam::111122223333:role/b" }],
        "Orchestrator": { "Eks": { "ClusterArn": "arn:aws:eks:us-west-2:111122223333:cluster/c" } },
        "Tags": [{ "Key": "k", "Value": "v" }],
    });
    assert_eq!(
        resources(&call("sagemaker", "CreateCluster", input)),
        [
            "sagemaker:CreateCluster arn:aws:sagemaker:us-west-2:111122223333:cluster/*",
            "iam:PassRole arn:aws:iam::111122223333:role/a",
            "iam:PassRole arn:aws:iam::111122223333:role/b",
            "eks:DescribeCluster arn:aws:eks:us-west-2:111122223333:cluster/c",
            "eks:CreateAccessEntry arn:aws:eks:us-west-2:111122223333:cluster/c",
            "eks:DescribeAccessEntry arn:aws:eks:us-west-2:111122223333:access-entry/c/*",
            "eks:DeleteAccessEntry arn:aws:eks:us-west-2:111122223333:access-entry/c/*",
            "eks:AssociateAccessPolicy arn:aws:eks:us-west-2:111122223333:access-entry/c/*",
            "iam:CreateServiceLinkedRole arn:aws:iam::111122223333:role/aws-service-role/hyperpod.sagemaker.amazonaws.com/AWSServiceRoleForSageMakerHyperPod",
            "sagemaker:AddTags arn:aws:sagemaker:us-west-2:111122223333:cluster/*",
        ]
    );
}

#[test]
fn each_service_words_a_refusal_its_own_way() {
    let mut world = world();
    let caller =
        role(&mut world, "nobody", json!([{ "Effect": "Allow", "Action": "sts:GetCallerIdentity", "Resource": "*" }]));
    let who = "arn:aws:sts::111122223333:assumed-role/nobody/test";
    assert_eq!(
        ask(&world, &caller, "eks", "DescribeCluster", json!({ "name": "c" })).unwrap_err(),
        format!(
            "AccessDeniedException: User: {who} is not authorized to perform: eks:DescribeCluster on resource: \
             arn:aws:eks:us-west-2:111122223333:cluster/c because no identity-based policy allows the \
             eks:DescribeCluster action"
        )
    );
    let refused = ask(&world, &caller, "ec2", "DescribeVpcs", json!({})).unwrap_err();
    assert!(refused.starts_with("UnauthorizedOperation: You are not authorized to perform this operation. User: "));
    let refused = ask(&world, &caller, "iam", "GetRole", json!({ "RoleName": "nobody" })).unwrap_err();
    assert!(refused.contains("AccessDenied: ") && refused.contains("role/nobody"), "{refused}");
}

#[test]
fn a_boundary_narrows_what_the_policies_allow() {
    let mut world = world();
    let caller = role(&mut world, "bounded", json!([{ "Effect": "Allow", "Action": "*", "Resource": "*" }]));
    let document = policy(json!([{ "Effect": "Allow", "Action": "ec2:*", "Resource": "*" }]));
    let made =
        iam(&mut world, "CreatePolicy", json!({ "PolicyName": "boundary", "PolicyDocument": document })).unwrap();
    let boundary = made["Policy"]["Arn"].clone();
    let input = json!({ "RoleName": "bounded", "PermissionsBoundary": boundary });
    iam(&mut world, "PutRolePermissionsBoundary", input).unwrap();
    assert_eq!(ask(&world, &caller, "ec2", "DescribeVpcs", json!({})), Ok(()));
    let refused = ask(&world, &caller, "eks", "ListClusters", json!({})).unwrap_err();
    assert!(refused.ends_with("because no permissions boundary allows the eks:ListClusters action"), "{refused}");
}

#[test]
fn a_role_can_be_made_only_with_the_boundary_that_is_asked_for() {
    let statements = json!([{ "Effect": "Allow", "Action": "iam:CreateRole", "Resource": "arn:aws:iam::111122223333:role/hyper/*",
        "Condition": { "StringEquals": { "iam:PermissionsBoundary": "arn:aws:iam::111122223333:policy/b" } } }]);
    let input = |path: &str, boundary: &str| json!({ "RoleName": "r", "Path": path, "PermissionsBoundary": boundary });
    let right = "arn:aws:iam::111122223333:policy/b";
    assert!(may(statements.clone(), "iam", "CreateRole", input("/hyper/", right)));
    assert!(!may(statements.clone(), "iam", "CreateRole", input("/hyper/", "arn:aws:iam::111122223333:policy/c")));
    assert!(!may(statements, "iam", "CreateRole", input("/", right)));
}

#[test]
fn resource_tags_decide_about_what_exists() {
    let mut world = world();
    let statements = json!([{ "Effect": "Allow", "Action": "iam:*", "Resource": "*",
        "Condition": { "StringEquals": { "aws:ResourceTag/owner": "us" } } }]);
    let caller = role(&mut world, "tagger", statements);
    let read = json!({ "RoleName": "tagger" });
    assert!(ask(&world, &caller, "iam", "GetRole", read.clone()).is_err());
    let tags = json!([{ "Key": "owner", "Value": "us" }]);
    iam(&mut world, "TagRole", json!({ "RoleName": "tagger", "Tags": tags })).unwrap();
    assert_eq!(ask(&world, &caller, "iam", "GetRole", read), Ok(()));
}

#[test]
fn policy_variables_stand_for_the_callers_own_tags() {
    let mut world = world();
    let statements = json!([{ "Effect": "Allow", "Action": "eks:*", "Resource": "arn:aws:eks:*:${aws:PrincipalAccount}:cluster/${aws:PrincipalTag/team}-*" }]);
    let caller = role(&mut world, "member", statements);
    let read = |name: &str| json!({ "name": name });
    assert!(ask(&world, &caller, "eks", "DescribeCluster", read("red-1")).is_err(), "the tag is missing");
    iam(&mut world, "TagRole", json!({ "RoleName": "member", "Tags": [{ "Key": "team", "Value": "red" }] })).unwrap();
    assert_eq!(ask(&world, &caller, "eks", "DescribeCluster", read("red-1")), Ok(()));
    assert!(ask(&world, &caller, "eks", "DescribeCluster", read("blue-1")).is_err());
}

#[test]
fn a_transaction_needs_the_permission_of_each_step() {
    let input = json!({ "TransactItems": [
        { "Put": { "TableName": "t" } }, { "ConditionCheck": { "TableName": "t" } }, { "Update": { "TableName": "u" } }
    ] });
    assert_eq!(
        resources(&call("dynamodb", "TransactWriteItems", input)),
        [
            "dynamodb:PutItem arn:aws:dynamodb:us-west-2:111122223333:table/t",
            "dynamodb:ConditionCheckItem arn:aws:dynamodb:us-west-2:111122223333:table/t",
            "dynamodb:UpdateItem arn:aws:dynamodb:us-west-2:111122223333:table/u",
        ]
    );
}

#[test]
fn a_deleted_role_may_nothing_even_in_a_live_session() {
    let mut world = world();
    let caller = role(&mut world, "gone", json!([{ "Effect": "Allow", "Action": "*", "Resource": "*" }]));
    iam(&mut world, "DeleteRolePolicy", json!({ "RoleName": "gone", "PolicyName": "p" })).unwrap();
    iam(&mut world, "DeleteRole", json!({ "RoleName": "gone" })).unwrap();
    assert!(ask(&world, &caller, "eks", "ListClusters", json!({})).is_err());
}

#[test]
fn a_node_role_is_asked_outside_of_a_call() {
    let mut world = world();
    let subnet = "arn:aws:ec2:us-west-2:111122223333:subnet/subnet-1";
    role(
        &mut world,
        "node",
        json!([{ "Effect": "Allow", "Action": "ec2:CreateNetworkInterface", "Resource": subnet }]),
    );
    let node = "arn:aws:iam::111122223333:role/node";
    assert_eq!(allows(&world, node, "ec2:CreateNetworkInterface", subnet, noon()), Ok(()));
    let other = "arn:aws:ec2:us-west-2:111122223333:subnet/subnet-2";
    let refused = allows(&world, node, "ec2:CreateNetworkInterface", other, noon()).unwrap_err();
    assert!(refused.contains(other) && refused.contains("because no identity-based policy allows"), "{refused}");
}

#[test]
fn br_017_a_simulation_names_the_missing_actions() {
    let mut world = world();
    role(
        &mut world,
        "runner",
        json!([{ "Effect": "Allow", "Action": "eks:CreateCluster", "Resource": "*",
        "Condition": { "StringEquals": { "aws:RequestTag/owner": "us" } } }]),
    );
    let answer = iam(&mut world, "SimulatePrincipalPolicy", json!({
        "PolicySourceArn": "arn:aws:iam::111122223333:role/runner",
        "ActionNames": ["eks:CreateCluster", "iam:PassRole", "ec2:CreateNatGateway"],
        "ContextEntries": [{ "ContextKeyName": "aws:RequestTag/owner", "ContextKeyType": "string", "ContextKeyValues": ["us"] }],
    }))
    .unwrap();
    let decisions: Vec<_> = answer["EvaluationResults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["EvalDecision"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(decisions, ["allowed", "implicitDeny", "implicitDeny"]);
}

#[test]
fn tags_of_networks_and_of_the_callers_further_rights_count() {
    let mut world = world();
    let caller = role(
        &mut world,
        "owner",
        json!([{ "Effect": "Allow", "Action": "ec2:*", "Resource": "*",
            "Condition": { "StringEquals": { "ec2:ResourceTag/owner": "us", "aws:ResourceTag/owner": "us" } } }]),
    );
    let delete =
        |world: &World, id: &str| ask(world, &caller, "ec2", "DeleteSubnet", json!({ "SubnetId": id })).is_ok();
    let tags = std::collections::BTreeMap::from([("owner".to_owned(), "us".to_owned())]);
    world.ec2.network("us-west-2").tags.insert("subnet-1".to_owned(), tags);
    assert_eq!((delete(&world, "subnet-1"), delete(&world, "subnet-2")), (true, false));
    let entry = "arn:aws:eks:us-west-2:111122223333:cluster/c";
    let refused = crate::iam::caller_may(&world, &caller, "eks:CreateAccessEntry", entry, noon()).unwrap_err();
    assert!(refused.contains("eks:CreateAccessEntry"), "{refused}");
}
