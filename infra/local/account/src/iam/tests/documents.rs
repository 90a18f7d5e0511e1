//! Policy documents that IAM refuses, and its limits.

use crate::iam::test_world::*;
use serde_json::{Value, json};

fn refused(statements: Value) -> String {
    let mut world = world();
    let document = policy(statements);
    iam(&mut world, "CreatePolicy", json!({ "PolicyName": "p", "PolicyDocument": document })).unwrap_err().to_string()
}

#[test]
fn br_109_a_resource_that_is_no_arn_is_refused() {
    assert_eq!(
        refused(json!([{ "Effect": "Allow", "Action": "s3:GetObject", "Resource": "my-models/*" }])),
        "MalformedPolicyDocument: Resource my-models/* must be in ARN format or \"*\"."
    );
    assert_eq!(
        refused(json!([{ "Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws-cn:s3:::b" }])),
        "MalformedPolicyDocument: Partition \"aws-cn\" is not valid for resource \"arn:aws-cn:s3:::b\"."
    );
}

#[test]
fn identity_policies_are_refused_in_iams_words() {
    let statement = |change: fn(&mut Value)| {
        let mut statement = json!({ "Effect": "Allow", "Action": "s3:GetObject", "Resource": "*" });
        change(&mut statement);
        refused(json!([statement]))
    };
    for (change, expected) in [
        ((|one| one["Effect"] = "Maybe".into()) as fn(&mut Value), "Syntax errors in policy."),
        (
            |one| one["Action"] = "GetObject".into(),
            "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.",
        ),
        (|one| one["Action"] = json!([]), "Policy statement must contain actions."),
        (|one| one["Resource"] = json!([]), "Policy statement must contain resources."),
        (|one| one["Principal"] = "*".into(), "Policy document should not specify a principal."),
        (|one| one["Resources"] = "*".into(), "Syntax errors in policy."),
        (|one| one["NotAction"] = "*".into(), "Syntax errors in policy."),
        (|one| one["Condition"] = json!({ "StringIs": { "aws:x": "y" } }), "Invalid Condition type : StringIs."),
        (
            |one| one["Sid"] = "with space".into(),
            "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular expression [0-9A-Za-z]*",
        ),
    ] {
        assert_eq!(statement(change), format!("MalformedPolicyDocument: {expected}"));
    }
    let same = json!({ "Sid": "a", "Effect": "Allow", "Action": "*", "Resource": "*" });
    let twice = "MalformedPolicyDocument: Statement IDs (SID) in a single policy must be unique.";
    assert_eq!(refused(json!([same, same])), twice);
}

#[test]
fn trust_policies_are_refused_in_iams_words() {
    let refused = |statement: Value| {
        let document = policy(json!([statement]));
        let input = json!({ "RoleName": "r", "AssumeRolePolicyDocument": document });
        iam(&mut world(), "CreateRole", input).unwrap_err().to_string()
    };
    let eks = json!({ "Service": "eks.amazonaws.com" });
    for (statement, expected) in [
        (json!({ "Effect": "Allow", "Action": "sts:AssumeRole" }), "Missing required field Principal"),
        (
            json!({ "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": eks, "Resource": "*" }),
            "Has prohibited field Resource",
        ),
        (
            json!({ "Effect": "Allow", "Action": "s3:*", "Principal": eks }),
            "AssumeRole policy may only specify STS AssumeRole actions.",
        ),
        (
            json!({ "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": { "Service": "eks" } }),
            "Invalid principal in policy: \"SERVICE\":\"eks\"",
        ),
        (
            json!({ "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": { "AWS": "arn:aws:iam::111122223333:role/none" } }),
            "Invalid principal in policy: \"AWS\":\"arn:aws:iam::111122223333:role/none\"",
        ),
    ] {
        assert_eq!(refused(statement), format!("MalformedPolicyDocument: {expected}"));
    }
}

#[test]
fn sizes_are_counted_without_white_space() {
    let mut world = world();
    role(&mut world, "r", json!([{ "Effect": "Allow", "Action": "*", "Resource": "*" }]));
    let long = |length: usize| {
        let resource = format!("arn:aws:s3:::{}", "b".repeat(length));
        policy(json!([{ "Effect": "Allow", "Action": "*", "Resource": resource }]))
            .replace(':', " : ")
            .replace("arn : aws : s3 :  :  : ", "arn:aws:s3:::")
    };
    let mut put = |length| {
        iam(&mut world, "PutRolePolicy", json!({ "RoleName": "r", "PolicyName": "q", "PolicyDocument": long(length) }))
    };
    assert_eq!(
        put(10_200).unwrap_err().to_string(),
        "LimitExceeded: Maximum policy size of 10240 bytes exceeded for role r"
    );
    assert!(put(10_000).is_ok());
    assert!(put(10_000).is_ok(), "what is replaced does not count");
}
