//! What can be chosen: as the account has it at the moment of asking, and unknown where it cannot be told.

use crate::House;
use account::faults::{Effect, Fault};
use serde_json::{Value, json};

fn region() -> Value {
    json!({ "region": "us-west-2" })
}

async fn items(house: &House, name: &str, input: Value) -> Vec<Value> {
    house.ask(name, input, None).await.unwrap()["items"].as_array().unwrap().clone()
}

fn denied(service: &str, action: &str) -> Fault {
    let (code, message) = ("AccessDeniedException".to_owned(), format!("not authorized to perform {service}:{action}"));
    Fault::new(action, Effect::Error { code, status: 403, message }).on(service, action)
}

fn switch_on(house: &House, fault: Fault) {
    house.product.account.with_world(|world| world.faults.switch_on(fault).unwrap());
}

#[tokio::test(start_paused = true)]
async fn zones_have_id_and_name_and_those_that_eks_does_not_take_are_marked() {
    let house = House::new().await;
    let before = house.mutations();
    let zones = items(&house, "list_zones", json!({ "region": "us-east-1" })).await;
    let accepted = |id: &str| zones.iter().find(|zone| zone["zoneId"] == id).map(|zone| zone["eksAccepts"].clone());
    assert_eq!((accepted("use1-az1"), accepted("use1-az3")), (Some(json!(true)), Some(json!(false))));
    assert!(zones.iter().all(|zone| zone["zoneName"].as_str().unwrap().starts_with("us-east-1")));
    let regions = items(&house, "list_regions", json!({})).await;
    assert!(regions.contains(&json!({ "region": "us-west-2", "enabled": true })));
    assert!(regions.iter().any(|one| one["enabled"] == false), "those that are off are told too");
    for name in ["list_zones", "list_instance_types", "list_training_plans", "list_importable_clusters"] {
        let refused = house.ask(name, json!({ "region": "us-west-9" }), None).await.unwrap_err();
        assert_eq!((refused.status, refused.errors[0].pointer.as_str()), (400, "/region"), "{name}");
        assert!(refused.errors[0].detail.contains("us-west-2"), "{}", refused.errors[0].detail);
    }
    assert_eq!(house.mutations(), before);
}

#[tokio::test(start_paused = true)]
async fn an_instance_type_has_its_zones_quota_use_and_price() {
    let house = House::furnished().await;
    let mut all = Vec::new();
    let mut input = json!({ "region": "us-west-2", "accelerated": true, "limit": 7 });
    loop {
        let page = house.ask("list_instance_types", input.clone(), None).await.unwrap();
        let found = page["items"].as_array().unwrap();
        assert!(found.len() <= 7);
        all.extend(found.iter().cloned());
        let Some(cursor) = page.get("nextCursor") else { break };
        input["cursor"] = cursor.clone();
    }
    assert_eq!(all.len(), 57);
    assert!(all.iter().map(|one| one["instanceType"].as_str().unwrap()).is_sorted());
    let of = |name: &str| all.iter().find(|one| one["instanceType"] == name).unwrap();
    let used = of("ml.g5.8xlarge");
    let quota = &used["quota"];
    assert_eq!(
        (&quota["limit"], &quota["used"], &quota["free"]),
        (&json!(32), &json!(1), &json!(31)),
        "research has one"
    );
    assert_eq!((&quota["source"], &used["hourlyUsd"]), (&json!("applied"), &json!(3.06)));
    assert!(!used["zoneIds"].as_array().unwrap().is_empty());
    assert_eq!(of("ml.p6-b200.48xlarge").get("hourlyUsd"), None, "no price is unknown, not zero");
}

#[tokio::test(start_paused = true)]
async fn a_zone_narrows_the_types_and_one_that_is_not_there_is_refused() {
    let house = House::new().await;
    house.product.account.with_world(|world| {
        account::capacity::set_offered(world, "usw2-az1", "ml.g6.4xlarge", false);
        account::capacity::set_offered(world, "usw2-az2", "ml.g6.4xlarge", true);
    });
    let input = |zone: &str| json!({ "region": "us-west-2", "zoneId": zone, "accelerated": true, "limit": 100 });
    let there = items(&house, "list_instance_types", input("usw2-az2")).await;
    assert!(there.iter().any(|one| one["instanceType"] == "ml.g6.4xlarge"));
    let elsewhere = items(&house, "list_instance_types", input("usw2-az1")).await;
    assert!(!elsewhere.iter().any(|one| one["instanceType"] == "ml.g6.4xlarge"));
    let refused = house.ask("list_instance_types", input("usw2-az9"), None).await.unwrap_err();
    assert_eq!(refused.errors[0].pointer, "/zoneId");
    assert!(refused.errors[0].detail.contains("usw2-az1"), "{}", refused.errors[0].detail);
}

#[tokio::test(start_paused = true)]
async fn quotas_that_may_not_be_read_are_unknown_with_the_reason() {
    let house = House::furnished().await;
    switch_on(&house, denied("servicequotas", "ListServiceQuotas"));
    let types = items(&house, "list_instance_types", json!({ "region": "us-west-2", "limit": 1 })).await;
    let quota = &types[0]["quota"];
    assert_eq!((&quota["source"], quota.get("limit"), quota.get("free")), (&json!("unknown"), None, None));
    assert!(quota["note"].as_str().unwrap().contains("ListServiceQuotas"), "{quota}");
}

#[tokio::test(start_paused = true)]
async fn a_training_plan_tells_its_zone_its_dates_and_what_is_free() {
    let house = House::furnished().await;
    let plans = items(&house, "list_training_plans", region()).await;
    let plan = &plans[0];
    assert_eq!((&plan["name"], &plan["status"]), (&json!("spring-training"), &json!("Scheduled")));
    assert_eq!((&plan["total"], &plan["free"], &plan["usable"]), (&json!(4), &json!(4), &json!(true)));
    assert!(plan["zoneId"].as_str().unwrap().starts_with("usw2-az"), "{plan}");
    assert!(plan["note"].as_str().unwrap().contains("It starts at 2026-12-01 09:00 UTC"), "{plan}");
    assert_eq!(plan["startsAt"], "2026-12-01T09:00:00Z");
}

#[tokio::test(start_paused = true)]
async fn br_056_clusters_that_are_not_managed_are_listed_once_each_with_what_they_lack() {
    let house = House::furnished().await;
    let found = items(&house, "list_importable_clusters", region()).await;
    let names: Vec<&str> = found.iter().map(|one| one["eksClusterName"].as_str().unwrap()).collect();
    assert_eq!(names, ["legacy", "research"]);
    let [legacy, research] = [&found[0], &found[1]];
    assert_eq!((&research["hyperpodClusterName"], &research["nodes"]), (&json!("research"), &json!(1)));
    assert_eq!((legacy.get("hyperpodClusterName"), &legacy["nodes"]), (None, &json!(0)));
    let actions: Vec<&str> =
        legacy["findings"].as_array().unwrap().iter().map(|one| one["action"].as_str().unwrap()).collect();
    for fix in ["self-rules", "nat", "endpoints"] {
        assert!(actions.iter().any(|action| action.contains(&format!("the fix {fix}"))), "{fix}: {actions:?}");
    }
    assert!(actions.iter().any(|action| action.contains("grantAccess")), "{actions:?}");
    let lacking = research["findings"].as_array().unwrap();
    assert!(lacking.iter().all(|one| one["action"].as_str().unwrap().contains("grantAccess")), "{lacking:?}");
    house.ask("import_cluster", json!({ "eksClusterName": "research", "region": "us-west-2" }), None).await.unwrap();
    let left = items(&house, "list_importable_clusters", region()).await;
    assert_eq!(left.len(), 1);
}

/// `research`, taken over.
pub(crate) async fn research() -> House {
    let house = House::furnished().await;
    house.ask("import_cluster", json!({ "eksClusterName": "research", "region": "us-west-2" }), None).await.unwrap();
    house
}

#[tokio::test(start_paused = true)]
async fn nodes_are_told_by_sagemaker_alone_while_kubernetes_does_not_let_us_in() {
    let house = research().await;
    let seen = house.ask("list_nodes", json!({ "tag": "research" }), None).await.unwrap();
    assert_eq!((&seen["wanted"], &seen["running"], &seen["schedulable"]), (&json!(1), &json!(1), &json!(0)));
    assert!(!seen["kubernetesUnknown"].as_str().unwrap().is_empty(), "{seen}");
    let node = &seen["items"][0];
    assert_eq!(
        (&node["status"], &node["instanceGroup"], &node["joined"]),
        (&json!("Running"), &json!("workers"), &json!(false))
    );
    let other = json!({ "tag": "research", "instanceGroup": "other" });
    assert_eq!(house.ask("list_nodes", other, None).await.unwrap()["items"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_joined_shows_both_sides() {
    let house = research().await;
    let config = house.product.owner.cloud.engine_config(&house.product.installed.home()).await;
    let eks = aws_sdk_eks::Client::new(&config);
    let role = format!("arn:aws:iam::{}:role/hyperpod-instantstart-kubernetes-reader", house.product.installed.account);
    eks.create_access_entry().cluster_name("research").principal_arn(&role).send().await.unwrap();
    let scope = aws_sdk_eks::types::AccessScope::builder().r#type(aws_sdk_eks::types::AccessScopeType::Cluster).build();
    let policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSAdminViewPolicy";
    let call = eks.associate_access_policy().cluster_name("research").principal_arn(&role).policy_arn(policy);
    call.access_scope(scope).send().await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(120)).await;
    let seen = house.ask("list_nodes", json!({ "tag": "research" }), None).await.unwrap();
    assert_eq!(seen.get("kubernetesUnknown"), None, "{seen}");
    let node = &seen["items"][0];
    assert_eq!((&node["joined"], &node["ready"]), (&json!(true), &json!("True")));
    assert!(node["kubeletVersion"].as_str().unwrap().starts_with("v1."), "{node}");
    assert_eq!(node["nodeName"].as_str().unwrap(), format!("hyperpod-{}", node["instanceId"].as_str().unwrap()));
    assert!(node["zoneId"].as_str().unwrap().starts_with("usw2-az"), "{node}");
}

#[tokio::test(start_paused = true)]
async fn subnets_tell_where_they_lead_whose_they_are_and_what_for() {
    let house = research().await;
    let seen = house.ask("list_subnets", json!({ "tag": "research" }), None).await.unwrap();
    assert!(seen["vpcId"].as_str().unwrap().starts_with("vpc-"));
    let subnets = seen["items"].as_array().unwrap();
    let of = |route: &str| subnets.iter().filter(|one| one["defaultRoute"] == route).collect::<Vec<_>>();
    let (inside, outside) = (of("nat"), of("internet"));
    assert_eq!((inside.len(), outside.len()), (2, 1), "{seen}");
    assert!(inside.iter().all(|one| one["s3Endpoint"] == true && one["purpose"] == "compute"), "{seen}");
    assert!(outside.iter().all(|one| one["s3Endpoint"] == false && one["purpose"] == "other"), "{seen}");
    assert!(subnets.iter().all(|one| one["ownership"] == "borrowed"), "{seen}");
}
