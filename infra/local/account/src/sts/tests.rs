//! Sessions as their users get them.

use super::*;
use crate::iam::{authenticate, authorize, test_world::*};
use jiff::SignedDuration;

fn sts(world: &mut World, caller: &Caller, action: &str, input: Value) -> Answer {
    handle(world, &Call { caller: caller.clone(), ..call("sts", action, input) })
}

fn make_role(world: &mut World, name: &str, document: &str) -> String {
    let input = json!({ "RoleName": name, "AssumeRolePolicyDocument": document });
    iam(world, "CreateRole", input).unwrap()["Role"]["Arn"].as_str().unwrap().to_owned()
}

#[test]
fn trust_in_the_account_needs_the_callers_policy_too() {
    let mut world = world();
    let account = trust(json!({ "AWS": "111122223333" }));
    let target = make_role(&mut world, "target", &account);
    let statement = |action: &str| json!([{ "Effect": "Allow", "Action": action, "Resource": "*" }]);
    let without = role(&mut world, "without", statement("s3:*"));
    let with = role(&mut world, "with", statement("sts:AssumeRole"));
    let input = json!({ "RoleArn": target, "RoleSessionName": "s" });
    let refused = sts(&mut world, &without, "AssumeRole", input.clone()).unwrap_err();
    assert_eq!((refused.code.as_str(), refused.status), ("AccessDenied", 403));
    assert!(refused.message.contains("sts:AssumeRole on resource: arn:aws:iam::111122223333:role/target"));
    let answer = sts(&mut world, &with, "AssumeRole", input).unwrap();
    assert_eq!(answer["AssumedRoleUser"]["Arn"], "arn:aws:sts::111122223333:assumed-role/target/s");
}

#[test]
fn trust_in_a_role_itself_is_enough_and_chained_sessions_last_an_hour() {
    let mut world = world();
    let caller = role(&mut world, "caller", json!([{ "Effect": "Allow", "Action": "s3:*", "Resource": "*" }]));
    let document = trust(json!({ "AWS": "arn:aws:iam::111122223333:role/caller" }));
    let target = make_role(&mut world, "target", &document);
    let input = json!({ "RoleArn": target, "RoleSessionName": "s", "DurationSeconds": 3600 });
    let answer = sts(&mut world, &caller, "AssumeRole", input).unwrap();
    let key = answer["Credentials"]["AccessKeyId"].as_str().unwrap();
    let found = authenticate(&world, key, answer["Credentials"]["SessionToken"].as_str(), noon()).unwrap();
    assert_eq!(found.caller.role.as_deref(), Some("target"));
    let longer = json!({ "RoleArn": target, "RoleSessionName": "s", "DurationSeconds": 3601 });
    assert_eq!(sts(&mut world, &caller, "AssumeRole", longer).unwrap_err().code, "ValidationError");
}

#[test]
fn a_session_policy_narrows_and_session_tags_are_principal_tags() {
    let mut world = world();
    let caller = role(&mut world, "caller", json!([{ "Effect": "Allow", "Action": "*", "Resource": "*" }]));
    let target = make_role(&mut world, "target", &trust(json!({ "AWS": "arn:aws:iam::111122223333:role/caller" })));
    let document = policy(json!([{ "Effect": "Allow", "Action": "eks:*",
        "Resource": "arn:aws:eks:*:*:cluster/${aws:PrincipalTag/team}" }]));
    iam(&mut world, "PutRolePolicy", json!({ "RoleName": "target", "PolicyName": "p", "PolicyDocument": document }))
        .unwrap();
    let narrow = policy(json!([{ "Effect": "Allow", "Action": "eks:Describe*", "Resource": "*" }]));
    let input = json!({ "RoleArn": target, "RoleSessionName": "s", "Policy": narrow, "Tags": [{ "Key": "team", "Value": "red" }] });
    let answer = sts(&mut world, &caller, "AssumeRole", input).unwrap();
    let credentials = &answer["Credentials"];
    let found = authenticate(
        &world,
        credentials["AccessKeyId"].as_str().unwrap(),
        credentials["SessionToken"].as_str(),
        noon(),
    );
    let session = found.unwrap().caller;
    let ask = |action: &str, name: &str| {
        authorize(&world, &Call { caller: session.clone(), ..call("eks", action, json!({ "name": name })) })
    };
    assert_eq!(ask("DescribeCluster", "red"), Ok(()));
    assert!(ask("DescribeCluster", "blue").is_err());
    assert!(
        ask("DeleteCluster", "red")
            .unwrap_err()
            .message
            .ends_with("because no session policy allows the eks:DeleteCluster action")
    );
}

#[test]
fn callers_are_told_who_they_are_and_root_assumes_nothing() {
    let mut world = world();
    let target = make_role(&mut world, "target", &trust(json!({ "AWS": "111122223333" })));
    let who = sts(&mut world, &Caller::root(), "GetCallerIdentity", json!({})).unwrap();
    assert_eq!(
        who,
        json!({ "UserId": "111122223333", "Account": "111122223333", "Arn": "arn:aws:iam::111122223333:root" })
    );
    let input = json!({ "RoleArn": target, "RoleSessionName": "s" });
    let refused = sts(&mut world, &Caller::root(), "AssumeRole", input).unwrap_err();
    assert_eq!(refused.message, "Roles may not be assumed by root accounts.");
}

const ISSUER: &str = "https://oidc.eks.us-west-2.amazonaws.com/id/AAAA";
const DRIVER: &str = "system:serviceaccount:kube-system:s3-csi-driver-sa";

fn cluster_with_driver_role() -> (World, String) {
    let mut world = world();
    let name = ISSUER.trim_start_matches("https://");
    let provider = format!("arn:aws:iam::111122223333:oidc-provider/{name}");
    let document = json!({ "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Principal": { "Federated": provider }, "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": { "StringEquals": { format!("{name}:aud"): "sts.amazonaws.com", format!("{name}:sub"): DRIVER } },
    }] });
    let arn = make_role(&mut world, "driver", &document.to_string());
    (world, arn)
}

fn irsa(world: &mut World, role: &str, subject: &str, audience: &str) -> Result<Value, String> {
    let token = mint_web_identity_token(world, ISSUER, subject, audience, noon(), SignedDuration::from_hours(1));
    let input = json!({ "RoleArn": role, "RoleSessionName": "pod", "WebIdentityToken": token });
    sts(world, &Caller::root(), "AssumeRoleWithWebIdentity", input).map_err(|refused| refused.code)
}

#[test]
fn a_service_account_gets_the_role_that_trusts_it() {
    let (mut world, role) = cluster_with_driver_role();
    assert_eq!(
        irsa(&mut world, &role, DRIVER, "sts.amazonaws.com").unwrap_err(),
        "InvalidIdentityToken",
        "no provider"
    );
    iam(&mut world, "CreateOpenIDConnectProvider", json!({ "Url": ISSUER })).unwrap();
    assert_eq!(
        irsa(&mut world, &role, DRIVER, "sts.amazonaws.com").unwrap_err(),
        "InvalidIdentityToken",
        "no audience"
    );
    let arn = format!("arn:aws:iam::111122223333:oidc-provider/{}", ISSUER.trim_start_matches("https://"));
    let input = json!({ "OpenIDConnectProviderArn": arn, "ClientID": "sts.amazonaws.com" });
    iam(&mut world, "AddClientIDToOpenIDConnectProvider", input).unwrap();
    let answer = irsa(&mut world, &role, DRIVER, "sts.amazonaws.com").unwrap();
    assert_eq!(answer["SubjectFromWebIdentityToken"], DRIVER);
    let other = "system:serviceaccount:default:default";
    assert_eq!(irsa(&mut world, &role, other, "sts.amazonaws.com").unwrap_err(), "AccessDenied");
}

#[test]
fn a_token_that_was_changed_or_is_old_is_refused() {
    let (mut world, role) = cluster_with_driver_role();
    iam(&mut world, "CreateOpenIDConnectProvider", json!({ "Url": ISSUER, "ClientIDList": ["sts.amazonaws.com"] }))
        .unwrap();
    let hour = SignedDuration::from_hours(1);
    let mut ask = |token: String| {
        let input = json!({ "RoleArn": role, "RoleSessionName": "pod", "WebIdentityToken": token });
        sts(&mut world, &Caller::root(), "AssumeRoleWithWebIdentity", input).unwrap_err().code
    };
    let other_world = World::new(99, 1);
    assert_eq!(
        ask(mint_web_identity_token(&other_world, ISSUER, DRIVER, "sts.amazonaws.com", noon(), hour)),
        "InvalidIdentityToken"
    );
    assert_eq!(ask("a.b.c".to_owned()), "InvalidIdentityToken");
    let old = mint_web_identity_token(&World::new(7, 1), ISSUER, DRIVER, "sts.amazonaws.com", noon() - hour, hour);
    assert_eq!(ask(old), "ExpiredTokenException");
}

#[test]
fn a_pod_gets_the_role_of_its_association_with_its_own_tags() {
    let mut world = world();
    let document = json!({ "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Principal": { "Service": "pods.eks.amazonaws.com" }, "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Condition": { "StringEquals": { "aws:RequestTag/kubernetes-namespace": "aws-hyperpod" } },
    }] });
    let role = make_role(&mut world, "pod", &document.to_string());
    let pod = |namespace| Pod {
        cluster_arn: "arn:aws:eks:us-west-2:111122223333:cluster/c",
        namespace,
        service_account: "operator",
        name: "p",
        uid: "u",
    };
    let credentials = assume_role_for_pod_identity(&mut world, &role, &pod("aws-hyperpod"), noon()).unwrap();
    assert_eq!(credentials.expiration, Some(noon() + SignedDuration::from_hours(6)));
    let refused = assume_role_for_pod_identity(&mut world, &role, &pod("default"), noon()).unwrap_err();
    assert_eq!(refused.code, "AccessDeniedException");
}
