//! Identity providers, as an EKS cluster is made known to IAM.

use crate::iam::test_world::*;
use serde_json::json;

const ARN: &str = "arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/AAAA";

#[test]
fn br_014_a_provider_is_kept_without_scheme_and_made_once() {
    let mut world = world();
    let input =
        json!({ "Url": "https://oidc.eks.eu-central-1.amazonaws.com/id/AAAA", "ThumbprintList": ["9".repeat(40)] });
    let made = iam(&mut world, "CreateOpenIDConnectProvider", input.clone()).unwrap();
    assert_eq!(made["OpenIDConnectProviderArn"], ARN);
    let again = iam(&mut world, "CreateOpenIDConnectProvider", input).unwrap_err();
    assert_eq!((again.code.as_str(), again.status), ("EntityAlreadyExists", 409));
    let list = iam(&mut world, "ListOpenIDConnectProviders", json!({})).unwrap();
    assert_eq!(list["OpenIDConnectProviderList"], json!([{ "Arn": ARN }]));
    let add = json!({ "OpenIDConnectProviderArn": ARN, "ClientID": "sts.amazonaws.com" });
    iam(&mut world, "AddClientIDToOpenIDConnectProvider", add.clone()).unwrap();
    iam(&mut world, "AddClientIDToOpenIDConnectProvider", add).unwrap();
    let found = iam(&mut world, "GetOpenIDConnectProvider", json!({ "OpenIDConnectProviderArn": ARN })).unwrap();
    assert_eq!(found["Url"], "oidc.eks.eu-central-1.amazonaws.com/id/AAAA");
    assert_eq!(found["ClientIDList"], json!(["sts.amazonaws.com"]));
}

#[test]
fn a_provider_that_is_not_there_can_be_deleted_but_not_read() {
    let mut world = world();
    let input = json!({ "OpenIDConnectProviderArn": ARN });
    let missing = iam(&mut world, "GetOpenIDConnectProvider", input.clone()).unwrap_err();
    assert_eq!(missing.to_string(), format!("NoSuchEntity: OpenIDConnect Provider not found for arn {ARN}"));
    assert!(iam(&mut world, "DeleteOpenIDConnectProvider", input).is_ok());
    let plain = iam(&mut world, "CreateOpenIDConnectProvider", json!({ "Url": "http://x.example" })).unwrap_err();
    assert_eq!(plain.code, "ValidationError");
}

#[test]
fn a_role_trusts_a_service_account_only_by_way_of_a_known_provider() {
    let mut world = world();
    let issuer = "https://oidc.eks.eu-central-1.amazonaws.com/id/AAAA";
    let document = trust(json!({ "Federated": ARN })).replace("sts:AssumeRole\"", "sts:AssumeRoleWithWebIdentity\"");
    iam(&mut world, "CreateRole", json!({ "RoleName": "r", "AssumeRolePolicyDocument": document })).unwrap();
    let trusts = |world: &_, audience: &str| {
        crate::iam::role_trusts_web_identity(world, "r", issuer, "system:serviceaccount:a:b", audience, noon())
    };
    assert!(!trusts(&world, "sts.amazonaws.com"));
    let input = json!({ "Url": issuer, "ClientIDList": ["sts.amazonaws.com"] });
    iam(&mut world, "CreateOpenIDConnectProvider", input).unwrap();
    assert!(trusts(&world, "sts.amazonaws.com") && !trusts(&world, "other"));
}
