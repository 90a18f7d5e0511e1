//! Importing EKS clusters that somebody else made: one that works, and one that lacks what HyperPod needs.

use crate::asking::{VERIFIED, asked, assert_verified, capacity, owner, stages, with_hyperpod};
use domain::{
    codes::ErrorCode,
    states::{OperationState, Stage},
};
use harness::house::House;
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};

fn import(name: &str, more: Value) -> Value {
    let mut input = json!({ "eksClusterName": name, "region": "us-west-2" });
    for (member, value) in more.as_object().unwrap() {
        input[member] = value.clone();
    }
    input
}

#[tokio::test(start_paused = true)]
async fn a_working_cluster_that_lets_us_in_is_verified_with_what_it_has() {
    let house = House::furnished().await;
    let before = house.product.changes();
    let ended = house.run("import_cluster", import("research", json!({ "grantAccess": true }))).await;
    assert_verified(&house, &ended).await;
    assert_eq!(stages(&house, "research").await, VERIFIED);
    let outcome = house.product.stage(ended.cluster_id, Stage::HyperPod).await.outcome;
    assert_eq!((&outcome["origin"], &outcome["nodes"]), (&json!("borrowed"), &json!("1 of 1")), "{outcome:#}");
    let listed = house.ask("list_clusters", json!({}), None).await.unwrap();
    let row = &listed["items"][0];
    assert_eq!((&row["instanceGroups"], &row["nodesWanted"]), (&json!(1), &json!(1)), "what it had is told: {row}");
    let changes = house.product.changes_since(&before);
    assert!(!changes.keys().any(|action| action.starts_with("ec2:")), "its network is not ours: {changes:?}");
    for action in ["CreateCluster", "UpdateCluster"] {
        assert_eq!(asked(&house, "sagemaker", action), 0, "{action}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_does_not_let_us_in_is_told_with_the_way_in_and_is_not_touched() {
    let house = House::furnished().await;
    let before = house.product.changes();
    let ended = house.run("import_cluster", import("research", json!({}))).await;
    assert_eq!(ended.state, OperationState::Failed, "{ended:#?}");
    let failure = ended.failure.unwrap();
    assert_eq!(failure.code, ErrorCode::PermissionDenied, "{failure:#?}");
    assert!(failure.action.contains("grantAccess"), "{failure:#?}");
    assert_eq!(house.product.changes_since(&before), BTreeMap::new());
    assert_eq!(stages(&house, "research").await[..2], ["pending 0", "failed 1"]);
}

/// Makes a public subnet in the VPC of `legacy`, as its owner would.
async fn public_subnet(house: &House) {
    let ec2 = aws_sdk_ec2::Client::new(&owner(house).await);
    let vpc = house
        .product
        .account
        .read(|world| account::eks::cluster(world, "us-west-2", "legacy").unwrap().network.vpc_id.clone());
    let gateway = ec2.create_internet_gateway().send().await.unwrap().internet_gateway.unwrap();
    let gateway = gateway.internet_gateway_id.unwrap();
    ec2.attach_internet_gateway().vpc_id(&vpc).internet_gateway_id(&gateway).send().await.unwrap();
    let subnet = ec2.create_subnet().vpc_id(&vpc).cidr_block("10.50.128.0/24").availability_zone_id("usw2-az1");
    let subnet = subnet.send().await.unwrap().subnet.unwrap().subnet_id.unwrap();
    let table = ec2.create_route_table().vpc_id(&vpc).send().await.unwrap().route_table.unwrap();
    let table = table.route_table_id.unwrap();
    ec2.associate_route_table().route_table_id(&table).subnet_id(subnet).send().await.unwrap();
    let route = ec2.create_route().route_table_id(table).destination_cidr_block("0.0.0.0/0").gateway_id(gateway);
    route.send().await.unwrap();
    // EC2's reads may miss what was just made.
    tokio::time::sleep(Duration::from_secs(60)).await;
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_lacks_things_is_mended_by_name_and_verified_with_new_nodes() {
    let house = House::furnished().await;
    let fixes = json!({
        "grantAccess": true,
        "fixes": ["self-rules", "nat", "endpoints"],
        "hyperpod": capacity(1),
    });
    let before = house.product.changes();
    let refused = house.ask("import_cluster", import("legacy", fixes.clone()), None).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::DependencyMissing, "{refused:#?}");
    assert!(refused.action.contains("internet gateway"), "{refused:#?}");
    assert_eq!(house.product.changes(), before, "nothing is begun that cannot be finished");

    public_subnet(&house).await;
    let before = house.product.changes();
    let ended = house.run("import_cluster", import("legacy", fixes)).await;
    assert_verified(&house, &ended).await;
    let changes = house.product.changes_since(&before);
    let mended =
        ["AuthorizeSecurityGroupIngress", "AuthorizeSecurityGroupEgress", "CreateNatGateway", "CreateVpcEndpoint"];
    for action in mended {
        assert!(changes.contains_key(&format!("ec2:{action}")), "{action}: {changes:?}");
    }
    for action in ["ec2:CreateVpc", "eks:CreateCluster", "eks:UpdateClusterConfig"] {
        assert!(!changes.contains_key(action), "{action}: {changes:?}");
    }
    assert_eq!(stages(&house, "legacy").await, VERIFIED);
    let findings = house.product.stage(ended.cluster_id, Stage::Selection).await.outcome["findings"].clone();
    assert!(!findings.to_string().contains("the fix "), "what was to be mended is: {findings:#}");
    with_hyperpod(&house, "legacy", |cluster| assert_eq!(cluster.nodes.len(), 2));
    house.product.account.read(|world| {
        let network = world.ec2.existing("us-west-2").unwrap();
        let legacy = &account::eks::cluster(world, "us-west-2", "legacy").unwrap().network;
        assert_eq!(account::ec2::self_rules(network, &legacy.security_group_ids[0]), (true, true));
        assert!(legacy.subnet_ids.iter().all(|subnet| network.has_s3_endpoint(subnet)));
    });
}
