//! The plan page: what is told before anything starts.

use crate::{House, cluster, groups};
use serde_json::{Value, json};

async fn planned(house: &House, input: Value) -> Value {
    let before = house.mutations();
    let plan = house.send("create_cluster", input, surface::Request { validate_only: true, ..crate::person() });
    let plan = plan.await.unwrap();
    assert_eq!(house.mutations(), before, "a plan changes nothing");
    plan
}

fn stage<'a>(plan: &'a Value, name: &str) -> &'a Value {
    plan["stages"].as_array().unwrap().iter().find(|stage| stage["stage"] == name).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_creation_tells_cost_places_time_and_what_stays() {
    let house = House::furnished().await;
    let mut input = cluster("a");
    input["hyperpod"] = json!({ "instanceGroups": groups() });
    let plan = planned(&house, input).await;
    assert_eq!(plan["ready"], true, "{:#}", plan["findings"]);
    assert_eq!(plan["stages"].as_array().unwrap().len(), 6);
    let lines = plan["cost"]["lines"].as_array().unwrap();
    let of = |item: &str| lines.iter().find(|line| line["item"].as_str().unwrap().starts_with(item)).unwrap();
    assert_eq!((&of("EKS control plane")["hourlyUsd"], &of("NAT gateway")["hourlyUsd"]), (&json!(0.1), &json!(0.045)));
    assert_eq!(of("workers")["hourlyUsd"], 1.654);
    assert_eq!((&plan["cost"]["knownHourlyUsd"], &plan["cost"]["incomplete"]), (&json!(1.799), &json!(false)));
    let group = &plan["groups"][0];
    assert_eq!((&group["zoneId"], &group["addressesNeeded"]), (&json!("usw2-az2"), &json!(30)));
    assert!(group["zoneName"].as_str().unwrap().starts_with("us-west-2"), "{group}");
    assert!(group["subnet"].as_str().unwrap().contains("/20 (to be made)"), "{group}");
    assert_eq!((&group["addressesFree"], &group["nodesAtMost"]), (&json!(4091), &json!(136)));
    assert_eq!((&plan["kubernetesVersion"], &plan["image"]), (&json!("1.34"), &json!("latest")));
    assert!(plan["endOfSupport"].as_str().is_some_and(|date| date.len() == 10), "{plan}");
    assert!(plan["lifecycleScripts"].as_str().unwrap().starts_with("lifecycle/"));
    assert!(stage(&plan, "control-plane")["afterFailure"].as_str().unwrap().contains("billed"));
}

#[tokio::test(start_paused = true)]
async fn what_the_first_stage_makes_is_what_was_planned() {
    let house = House::new().await;
    let plan = planned(&house, cluster("a")).await;
    assert_eq!(plan["stages"].as_array().unwrap().len(), 3, "capacity is not decided");
    let made = house.ask("create_cluster", cluster("a"), Some("k")).await.unwrap();
    house.product.ended(House::id(&made)).await;
    let input = json!({ "operationId": made["operationId"], "limit": 100 });
    let journal = house.ask("get_journal", input, None).await.unwrap();
    let changes = stage(&plan, "control-plane")["changes"].as_array().unwrap();
    let of = |name: &str, list: &Value| list[name].as_str().unwrap().to_owned();
    let planned: Vec<(String, String)> = changes.iter().map(|one| (of("change", one), of("title", one))).collect();
    // Ids stand where the plan could only say that they are made above.
    let known = |title: &str| {
        !title.contains("(made above)") && !title.contains("-eks-cluster-") && !title.contains("default version")
    };
    let of_stage = journal["items"].as_array().unwrap().iter().filter(|entry| entry["stage"] == "control-plane");
    let entries: Vec<&Value> = of_stage.collect();
    assert!(entries.len() > 30, "the network, the EKS cluster and what belongs to it: {}", entries.len());
    for entry in entries {
        let (key, title) = (of("change", entry), of("title", entry));
        let Some((_, told)) = planned.iter().find(|(planned, _)| *planned == key) else {
            let own = ["create-access-entry/", "associate-access-policy/", "create-oidc-provider"];
            assert!(own.iter().any(|prefix| key.starts_with(prefix)), "{key} was not planned: {planned:#?}");
            continue;
        };
        assert!(!known(told) || *told == title || key.contains("oidc"), "{key}: planned {told:?}, made {title:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_plan_over_the_same_world_has_the_same_hash_and_another_choice_another() {
    let house = House::new().await;
    let first = planned(&house, cluster("a")).await;
    let again = planned(&house, cluster("a")).await;
    assert_eq!(first["hash"], again["hash"]);
    let mut other = cluster("a");
    other["vpcCidr"] = json!("10.99.0.0/16");
    assert_ne!(planned(&house, other).await["hash"], first["hash"]);
}

#[tokio::test(start_paused = true)]
async fn a_price_that_cannot_be_read_is_unknown_and_the_sum_says_so() {
    let house = House::furnished().await;
    let down =
        account::faults::Fault::new("p", account::faults::Effect::ServerError { status: 503 }).on("pricing", "*");
    house.product.account.with_world(|world| world.faults.switch_on(down).unwrap());
    let plan = planned(&house, cluster("a")).await;
    assert_eq!((&plan["cost"]["incomplete"], &plan["cost"]["knownHourlyUsd"]), (&json!(true), &json!(0.0)));
    assert!(plan["cost"]["lines"].as_array().unwrap().iter().all(|line| line.get("hourlyUsd").is_none()));
}

#[tokio::test(start_paused = true)]
async fn an_import_plans_only_the_fixes_that_were_asked_for() {
    let house = House::furnished().await;
    let request = surface::Request { validate_only: true, ..crate::person() };
    let input = json!({ "eksClusterName": "legacy", "region": "us-west-2", "fixes": ["self-rules"] });
    let plan = house.send("import_cluster", input, request).await.unwrap();
    let changes = stage(&plan, "control-plane")["changes"].as_array().unwrap();
    assert!(changes.iter().all(|one| one["change"].as_str().unwrap().starts_with("mend/self-")), "{changes:?}");
    assert_eq!(changes.len(), 2);
    assert!(plan["reused"].to_string().contains("EKS cluster legacy"), "{plan}");
}

/// The plan of running `stage` of cluster `a` again.
async fn again(house: &House, stage: &str) -> Value {
    let request = surface::Request { validate_only: true, ..crate::person() };
    let before = changes(house);
    let plan = house.send("run_stage", json!({ "tag": "a", "stage": stage }), request).await.unwrap();
    assert_eq!(changes(house), before, "a plan changes nothing");
    plan
}

/// Calls that changed something beside the control plane's own table and executions.
fn changes(house: &House) -> u64 {
    let ours = |action: &str| action.starts_with("dynamodb:") || action.starts_with("states:");
    house.product.account.read(|world| {
        let others = world.calls.counts().iter().filter(|(action, _)| !ours(action));
        others.map(|(_, count)| count.mutating).sum()
    })
}

#[tokio::test(start_paused = true)]
async fn a_stage_that_is_there_says_itself_what_it_would_do_and_then_does_it() {
    let house = House::new().await;
    let made = house.ask("create_cluster", cluster("a"), Some("k")).await.unwrap();
    house.product.ended(House::id(&made)).await;
    let whole = again(&house, "control-plane").await;
    assert_eq!((&stage(&whole, "control-plane")["changes"], &whole["ready"]), (&json!([]), &json!(true)), "{whole:#}");
    assert!(stage(&whole, "control-plane").get("unknown").is_none());

    let product = &house.product;
    let ec2 = aws_sdk_ec2::Client::new(&product.owner.cloud.engine_config(&product.installed.home()).await);
    let endpoints = ec2.describe_vpc_endpoints().send().await.unwrap();
    let endpoint = endpoints.vpc_endpoints()[0].vpc_endpoint_id().unwrap();
    ec2.delete_vpc_endpoints().vpc_endpoint_ids(endpoint).send().await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(120)).await;
    let plan = again(&house, "control-plane").await;
    let planned = stage(&plan, "control-plane")["changes"].as_array().unwrap().clone();
    assert!(!planned.is_empty(), "{plan:#}");
    assert_ne!(plan["hash"], whole["hash"]);
    let listed = house.ask("list_operations", json!({}), None).await.unwrap();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "asking is no operation");

    let run = house.ask("run_stage", json!({ "tag": "a", "stage": "control-plane" }), Some("r")).await.unwrap();
    let ended = house.product.ended(House::id(&run)).await;
    assert_eq!(ended.state, domain::states::OperationState::Succeeded, "{ended:#?}");
    let journal = house.ask("get_journal", json!({ "operationId": run["operationId"] }), None).await.unwrap();
    let done = |one: &Value| (one["change"].clone(), one["title"].clone());
    let entries: Vec<_> = journal["items"].as_array().unwrap().iter().map(done).collect();
    assert_eq!(entries, planned.iter().map(done).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn what_stands_on_ground_that_is_not_there_yet_is_said_to_be_unknown() {
    let house = House::furnished().await;
    let made = house.ask("create_cluster", cluster("a"), Some("k")).await.unwrap();
    house.product.ended(House::id(&made)).await;
    let request = surface::Request { validate_only: true, ..crate::person() };
    let input = json!({ "tag": "a", "instanceGroups": groups() });
    let plan = house.send("create_hyperpod", input, request).await.unwrap();
    assert_eq!(plan["ready"], true, "{:#}", plan["findings"]);
    let hyperpod = stage(&plan, "hyperpod")["changes"].as_array().unwrap();
    assert!(hyperpod.iter().any(|one| one["change"] == "create-cluster"), "{plan:#}");
    assert!(
        stage(&plan, "storage")["unknown"].as_str().is_some_and(|text| text.contains("stages before it")),
        "{plan:#}"
    );
    let seen = house.ask("get_cluster", json!({ "tag": "a" }), None).await.unwrap();
    assert!(seen["decisions"].get("hyperpod").is_none(), "no decision is kept");
}
