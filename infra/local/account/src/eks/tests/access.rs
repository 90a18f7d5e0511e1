use super::place::{ARN, Place, TOKEN};
use super::presigned::token;
use crate::{
    call::ACCOUNT_ID,
    eks::{authenticate, grant_service_access},
    iam,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::SignedDuration;
use serde_json::{Value, json};

const READER: &str = "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/eu-west-1/AWSReservedSSO_Admin_abc";
const HEADER: &str = "x-k8s-aws-id";
const VIEW: &str = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy";

fn place() -> Place {
    let mut place = Place::with_cluster(json!({}));
    place.role(READER, "ec2.amazonaws.com");
    place
}

fn entry(more: Value) -> Value {
    let mut input = json!({ "clusterName": "demo", "principalArn": READER });
    for (name, value) in more.as_object().unwrap() {
        input[name] = value.clone();
    }
    input
}

#[test]
fn the_creator_is_an_administrator_unless_told_otherwise() {
    let mut place = place();
    let root = format!("arn:aws:iam::{ACCOUNT_ID}:root");
    let listed = place.call("ListAccessEntries", json!({ "clusterName": "demo" })).unwrap();
    assert_eq!(listed["accessEntries"], json!([root]));
    let policies =
        place.call("ListAssociatedAccessPolicies", json!({ "clusterName": "demo", "principalArn": root })).unwrap();
    assert!(
        policies["associatedAccessPolicies"][0]["policyArn"]
            .as_str()
            .unwrap()
            .ends_with("/AmazonEKSClusterAdminPolicy")
    );
    let mut closed = Place::with_cluster(
        json!({ "accessConfig": { "authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": false } }),
    );
    assert_eq!(closed.call("ListAccessEntries", json!({ "clusterName": "demo" })).unwrap()["accessEntries"], json!([]));
}

#[test]
fn br_007_an_entry_is_for_the_exact_role_arn_with_its_path() {
    let mut place = place();
    let wrong = [
        ("arn:aws:iam::111122223333:role/AWSReservedSSO_Admin_abc", "invalid principal"),
        ("arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_abc/ann", "invalid format"),
        ("arn:aws:iam::111122223333:role/aws-service-role/x.amazonaws.com/AWSServiceRoleForX", "Service Linked Role"),
    ];
    for (principal, words) in wrong {
        let refusal = place.refused("CreateAccessEntry", json!({ "clusterName": "demo", "principalArn": principal }));
        assert_eq!(refusal.code, "InvalidParameterException");
        assert!(refusal.message.contains(words), "{}", refusal.message);
    }
    let made = place.call("CreateAccessEntry", entry(json!({}))).unwrap()["accessEntry"].clone();
    assert_eq!(made["username"], "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_abc/{{SessionName}}");
    assert_eq!(made["type"], "STANDARD");
    let again = place.refused("CreateAccessEntry", entry(json!({})));
    assert_eq!(
        (again.code.as_str(), again.message.as_str()),
        ("ResourceInUseException", "The specified access entry resource is already in use on this cluster.")
    );
}

#[test]
fn names_that_belong_to_the_cluster_are_refused() {
    let mut place = place();
    for more in [
        json!({ "kubernetesGroups": ["system:masters"] }),
        json!({ "username": "eks:me" }),
        json!({ "username": "me{{SessionName}}" }),
        json!({ "type": "EC2_LINUX", "kubernetesGroups": ["a"] }),
        json!({ "type": "OTHER" }),
    ] {
        assert_eq!(place.refused("CreateAccessEntry", entry(more.clone())).code, "InvalidParameterException", "{more}");
    }
}

#[test]
fn access_takes_up_to_a_minute_to_arrive_and_to_go() {
    let mut place = place();
    place.call("CreateAccessEntry", entry(json!({ "kubernetesGroups": ["readers"] }))).unwrap();
    let scope = json!({ "type": "namespace", "namespaces": ["kube-*"] });
    place.call("AssociateAccessPolicy", entry(json!({ "policyArn": VIEW, "accessScope": scope }))).unwrap();
    place.pass_seconds(4);
    let credentials = place.session("AWSReservedSSO_Admin_abc", "ann@example.com");
    let token = token(&credentials, HEADER, "demo", place.now);
    assert_eq!(authenticate(&mut place.world, ARN, &token, place.now), None);
    place.pass_seconds(56);
    let user = authenticate(&mut place.world, ARN, &token, place.now).unwrap();
    assert_eq!(user.name, "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_abc/ann-example.com");
    assert_eq!(user.groups, ["readers"]);
    let pods = |place: &mut Place, namespace: &str| {
        place.kubernetes(user.clone(), "GET", &format!("/api/v1/namespaces/{namespace}/pods"), Value::Null).0
    };
    assert_eq!((pods(&mut place, "kube-system"), pods(&mut place, "default")), (200, 403));

    place.call("DisassociateAccessPolicy", entry(json!({ "policyArn": VIEW }))).unwrap();
    place.pass_seconds(60);
    authenticate(&mut place.world, ARN, &token, place.now).unwrap();
    assert_eq!(pods(&mut place, "kube-system"), 403);
    place.call("DeleteAccessEntry", entry(json!({}))).unwrap();
    assert!(authenticate(&mut place.world, ARN, &token, place.now).is_some());
    place.pass_seconds(60);
    assert_eq!(authenticate(&mut place.world, ARN, &token, place.now), None);
}

#[test]
fn a_token_counts_for_fifteen_minutes_for_one_cluster_and_one_request() {
    let mut place = place();
    let now = place.now;
    let minutes_ago = |minutes| now.checked_sub(SignedDuration::from_mins(minutes)).unwrap();
    let root = iam::root_credentials(&place.world);
    assert!(authenticate(&mut place.world, ARN, &token(&root, HEADER, "demo", minutes_ago(15)), now).is_some());
    let session = place.session("AWSReservedSSO_Admin_abc", "ann");
    let mut stranger = root.clone();
    stranger.secret_access_key.push('x');
    let wrong = [
        token(&root, HEADER, "demo", minutes_ago(16)),
        token(&root, HEADER, "demo", minutes_ago(-6)),
        token(&root, HEADER, "other", now),
        token(&root, "x-other", "demo", now),
        token(&stranger, HEADER, "demo", now),
        token(&session, HEADER, "demo", now),
        "k8s-aws-v1.%%%".to_owned(),
        format!("k8s-aws-v1.{}", URL_SAFE_NO_PAD.encode("https://example.com/?Action=GetCallerIdentity")),
        String::new(),
    ];
    for token in wrong {
        assert_eq!(authenticate(&mut place.world, ARN, &token, now), None, "{token}");
    }
    let other = "arn:aws:eks:us-west-2:111122223333:cluster/other";
    assert_eq!(authenticate(&mut place.world, other, &token(&root, HEADER, "demo", now), now), None);
}

#[test]
fn policies_have_a_scope_and_only_some_entries() {
    let mut place = place();
    place.call("CreateAccessEntry", entry(json!({}))).unwrap();
    let associate = |policy: &str, scope: Value| entry(json!({ "policyArn": policy, "accessScope": scope }));
    let unknown = associate("arn:aws:eks::aws:cluster-access-policy/None", json!({ "type": "cluster" }));
    assert_eq!(place.refused("AssociateAccessPolicy", unknown).code, "ResourceNotFoundException");
    for scope in [json!({ "type": "namespace" }), json!({ "type": "cluster", "namespaces": ["a"] })] {
        assert_eq!(place.refused("AssociateAccessPolicy", associate(VIEW, scope)).code, "InvalidParameterException");
    }
    for scope in [json!({ "type": "namespace", "namespaces": ["a"] }), json!({ "type": "cluster", "namespaces": [] })] {
        place.call("AssociateAccessPolicy", associate(VIEW, scope.clone())).unwrap();
        let listed = place.call("ListAssociatedAccessPolicies", entry(json!({}))).unwrap();
        assert_eq!(listed["associatedAccessPolicies"].as_array().unwrap().len(), 1);
        assert_eq!(listed["associatedAccessPolicies"][0]["accessScope"], scope);
    }
    let with_view = json!({ "clusterName": "demo", "associatedPolicyArn": VIEW });
    assert_eq!(place.call("ListAccessEntries", with_view).unwrap()["accessEntries"], json!([READER]));
    let all = place.call("ListAccessPolicies", json!({})).unwrap();
    assert!(all["accessPolicies"].as_array().unwrap().iter().any(|policy| policy["arn"] == VIEW));
}

#[test]
fn entries_need_an_authentication_mode_that_uses_them() {
    let mut place = Place::with_cluster(json!({ "accessConfig": { "authenticationMode": "CONFIG_MAP" } }));
    let refusal = place.refused("ListAccessEntries", json!({ "clusterName": "demo" }));
    assert_eq!(refusal.code, "InvalidRequestException");
    assert!(refusal.message.contains("[API, API_AND_CONFIG_MAP]"));
}

#[test]
fn a_service_makes_the_entry_of_its_own_role_at_once() {
    let mut place = place();
    let principal = "arn:aws:iam::111122223333:role/aws-service-role/hyperpod.sagemaker.amazonaws.com/AWSServiceRoleForSageMakerHyperPod";
    let policies = [("AmazonSagemakerHyperpodClusterPolicy", Vec::new())];
    let now = place.now;
    grant_service_access(
        &mut place.world,
        ARN,
        principal,
        Some("hyperpod-service-linked-role"),
        "STANDARD",
        &policies,
        now,
    );
    let seen = place.call("DescribeAccessEntry", json!({ "clusterName": "demo", "principalArn": principal })).unwrap();
    assert_eq!(seen["accessEntry"]["username"], "hyperpod-service-linked-role");
}

#[test]
fn the_same_token_makes_one_entry() {
    let mut place = place();
    let mut ask = entry(json!({}));
    ask[TOKEN] = json!("t");
    let first = place.call("CreateAccessEntry", ask.clone()).unwrap();
    assert_eq!(place.call("CreateAccessEntry", ask).unwrap(), first);
}
