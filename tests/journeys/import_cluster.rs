//! Importing EKS clusters that somebody else made: one that works, one that lacks what HyperPod needs, one of an older time.

use crate::asking::{VERIFIED, asked, assert_verified, capacity, owner, stages, with_hyperpod};
use account::{
    call::{Answer, Call},
    faults::{Effect, Fault},
    world::World,
};
use aws_sdk_eks::types::{AuthenticationMode, CreateAccessConfigRequest, VpcConfigRequest};
use domain::{
    codes::ErrorCode,
    states::{OperationState, Stage, StageState},
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
async fn br_017_a_cluster_that_does_not_let_us_in_is_told_with_the_way_in_and_is_not_touched() {
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

/// Answers as the services do, with one item on every page of a list.
fn one_at_a_time(world: &mut World, call: &Call) -> Answer {
    let pages = ["List", "Describe", "GetProducts", "Simulate"].iter().any(|verb| call.action.starts_with(verb));
    let size = match call.service {
        "eks" => "maxResults",
        "iam" => "MaxItems",
        _ => "MaxResults",
    };
    let mut call = call.clone();
    // Things asked for by id come whole, and events are asked for from the newest on.
    if pages && call.service != "events" && call.action != "ListClusterEvents" {
        call.input[size] = json!(1);
    }
    account::services::handle(world, &call)
}

#[tokio::test(start_paused = true)]
async fn br_143_every_list_of_aws_is_read_to_its_last_page() {
    let house = House::furnished_answering(one_at_a_time).await;
    let listed = house.ask("list_importable_clusters", json!({ "region": "us-west-2" }), None).await.unwrap();
    assert_eq!(listed["items"].as_array().unwrap().len(), 2, "{listed:#}");
    let ended = house.run("import_cluster", import("research", json!({ "grantAccess": true }))).await;
    assert_verified(&house, &ended).await;
    let (asked, made) = (asked(&house, "ec2", "DescribeSubnets"), house.product.made("ec2", "DescribeSubnets"));
    assert!(asked == made && asked > 6, "a page of its own for each: {asked}");
}

/// An EKS cluster called `older` beside `legacy`, which takes no access entries.
async fn older(house: &House) {
    let (subnets, role) = house.product.account.read(|world| {
        let legacy = account::eks::cluster(world, "us-west-2", "legacy").unwrap();
        (
            legacy.network.subnet_ids.clone(),
            format!("arn:aws:iam::{}:role/team-control-plane", house.product.installed.account),
        )
    });
    let eks = aws_sdk_eks::Client::new(&owner(house).await);
    let mode = CreateAccessConfigRequest::builder().authentication_mode(AuthenticationMode::ConfigMap).build();
    let network = VpcConfigRequest::builder().set_subnet_ids(Some(subnets)).build();
    let call = eks.create_cluster().name("older").role_arn(role).resources_vpc_config(network).access_config(mode);
    call.send().await.unwrap();
    tokio::time::sleep(Duration::from_secs(20 * 60)).await;
}

#[tokio::test(start_paused = true)]
async fn br_010_changes_of_a_cluster_are_sent_one_kind_at_a_time_and_a_refused_one_is_not_repeated() {
    let house = House::furnished().await;
    older(&house).await;
    let before = house.product.account.snapshot().unwrap();
    let input = import("older", json!({ "grantAccess": true, "fixes": ["authentication-mode", "self-rules"] }));
    let ended = house.run("import_cluster", input.clone()).await;
    assert_eq!(
        house.product.stage(ended.cluster_id, Stage::ControlPlane).await.state,
        StageState::Succeeded,
        "{ended:#?}"
    );
    for action in ["UpdateClusterConfig", "CreateAccessEntry", "AssociateAccessPolicy"] {
        let made = house.product.made("eks", action);
        assert_eq!(asked(&house, "eks", action), made, "{action} waits for the change before it");
        assert_eq!(made, if action == "UpdateClusterConfig" { 1 } else { 2 }, "{action}");
    }

    let house = House::at(&before).await;
    let (code, message) = ("InvalidParameterException".to_owned(), "Only one type of update can be allowed".to_owned());
    let refused = Fault::new("refused", Effect::Error { code, status: 400, message }).on("eks", "UpdateClusterConfig");
    house.product.account.with_world(|world| world.faults.switch_on(refused)).unwrap();
    let ended = house.run("import_cluster", input).await;
    let failure = ended.failure.unwrap();
    assert_eq!(failure.code, ErrorCode::InvalidInput, "{failure:#?}");
    assert!(failure.message.contains("Only one type of update"), "{failure:#?}");
    assert_eq!(asked(&house, "eks", "UpdateClusterConfig"), 1, "a refusal is no reason to ask again");
    let journal = house.ask("get_journal", json!({ "operationId": ended.id }), None).await.unwrap();
    let told = |change: &str| {
        journal["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["change"].as_str().unwrap().starts_with(change))
            .cloned()
    };
    assert_eq!(told("mend/self-").unwrap()["fate"], "applied", "{journal:#}");
    assert_eq!(told("mend/authentication-mode").unwrap()["fate"], "refused", "{journal:#}");
    let stage = house.product.stage(ended.cluster_id, Stage::ControlPlane).await;
    assert!(stage.remaining.iter().any(|line| line.contains("access")), "what is left is told: {:?}", stage.remaining);
}
