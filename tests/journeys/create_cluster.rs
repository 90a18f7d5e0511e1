//! Creating a cluster in one go, with its capacity decided from the start: from nothing to verified.

use crate::asking::{VERIFIED, assert_verified, decided, house, node_of, stages};
use serde_json::json;
use std::collections::BTreeMap;

/// Every change that the creation of a cluster with one GPU node and one system node makes in the account.
const CHANGES: [(&str, u64); 37] = [
    ("ec2:AllocateAddress", 1),
    ("ec2:AssociateRouteTable", 5),
    ("ec2:AttachInternetGateway", 1),
    ("ec2:AuthorizeSecurityGroupEgress", 1),
    ("ec2:AuthorizeSecurityGroupIngress", 1),
    ("ec2:CreateInternetGateway", 1),
    ("ec2:CreateNatGateway", 1),
    ("ec2:CreateRoute", 3),
    ("ec2:CreateRouteTable", 3),
    ("ec2:CreateSecurityGroup", 1),
    ("ec2:CreateSubnet", 5),
    ("ec2:CreateVpc", 1),
    ("ec2:CreateVpcEndpoint", 1),
    ("ec2:ModifySubnetAttribute", 2),
    ("ec2:ModifyVpcAttribute", 1),
    ("ec2:ModifyVpcEndpoint", 1),
    ("eks:AssociateAccessPolicy", 2),
    ("eks:CreateAccessEntry", 2),
    ("eks:CreateAddon", 5),
    ("eks:CreateCluster", 1),
    ("eks:CreatePodIdentityAssociation", 1),
    ("iam:AttachRolePolicy", 2),
    ("iam:CreateOpenIDConnectProvider", 1),
    ("iam:CreateRole", 3),
    ("iam:PutRolePolicy", 2),
    ("kubernetes:delete pods", 2),
    ("kubernetes:patch clusterrolebindings", 5),
    ("kubernetes:patch clusterroles", 5),
    ("kubernetes:patch daemonsets", 5),
    ("kubernetes:patch namespaces", 1),
    ("kubernetes:patch persistentvolumeclaims", 1),
    ("kubernetes:patch persistentvolumes", 1),
    ("kubernetes:patch pods", 2),
    ("kubernetes:patch serviceaccounts", 4),
    ("s3:CreateBucket", 1),
    ("s3:PutObject", 3),
    ("sagemaker:CreateCluster", 1),
];

/// The same as counts by action.
pub(crate) fn whole() -> BTreeMap<String, u64> {
    CHANGES.into_iter().map(|(action, times)| (action.to_owned(), times)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_cluster_decided_from_the_start_is_verified_and_everything_is_made_once() {
    let house = house(101).await;
    let before = house.product.changes();
    let ended = house.run("create_cluster", decided()).await;
    assert_verified(&house, &ended).await;
    assert_eq!(stages(&house, "demo").await, VERIFIED);
    assert_eq!(house.product.changes_since(&before), whole());
    let shown = house.ask("list_nodes", json!({ "tag": "demo" }), None).await.unwrap();
    let instance = node_of(&house, "workers").instance_id.unwrap();
    assert!(shown.to_string().contains(&instance), "{shown:#}");
}
