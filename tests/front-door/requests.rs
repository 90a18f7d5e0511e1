//! Creating, deciding, importing, running: what is recorded, and what is refused before anything is.

use crate::{House, cluster, groups, person};
use account::faults::{Effect, Fault};
use domain::{
    ErrorCode,
    ids::ClusterTag,
    states::{OperationState, Stage, StageState},
};
use engine::{
    record::StageRecord,
    store::{Condition, Transaction, keys::Key},
};
use serde_json::{Value, json};
use std::time::Duration;
use surface::Request;

#[tokio::test(start_paused = true)]
async fn br_158_the_same_creation_three_times_is_one_operation() {
    let house = House::new().await;
    let first = house.ask("create_cluster", cluster("a"), Some("k1")).await.unwrap();
    assert_eq!((&first["alreadyRunning"], &first["kind"]), (&json!(false), &json!("create_cluster")));
    assert_eq!(first["completionTool"], "wait_for_operation");
    for key in [Some("k1"), Some("k2"), None] {
        let again = house.ask("create_cluster", cluster("a"), key).await.unwrap();
        assert_eq!((&again["operationId"], &again["alreadyRunning"]), (&first["operationId"], &json!(true)), "{key:?}");
    }
    let listed = house.ask("list_operations", json!({}), None).await.unwrap();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    // Long enough for the network and the request for the cluster.
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!((house.product.made("ec2", "CreateVpc"), house.product.made("eks", "CreateCluster")), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_creation_that_has_ended_is_its_key_s_answer_and_a_tag_in_use_for_everybody_else() {
    let house = House::new().await;
    let first = house.ask("create_cluster", cluster("a"), Some("k1")).await.unwrap();
    house.ask("cancel_operation", json!({ "operationId": first["operationId"] }), None).await.unwrap();
    let ended = house.product.ended(House::id(&first)).await;
    let again = house.ask("create_cluster", cluster("a"), Some("k1")).await.unwrap();
    assert_eq!((&again["operationId"], &again["state"]), (&first["operationId"], &json!(ended.state)));
    assert_eq!(again["alreadyRunning"], false, "it was recorded before, and nothing runs");
    for key in [Some("k2"), None] {
        let refused = house.ask("create_cluster", cluster("a"), key).await.unwrap_err();
        assert_eq!((refused.code, refused.errors[0].pointer.as_str()), (ErrorCode::Conflict, "/tag"));
        assert_eq!(refused.operation_id, Some(ended.id));
        assert!(refused.detail.contains("the tag a is in use"), "{}", refused.detail);
        assert!(refused.action.contains(&format!("retry_operation with {}", ended.id)), "{}", refused.action);
    }
    let store = &house.product.front.desk.store;
    let done = engine::record::Operation { state: OperationState::Succeeded, version: ended.version + 1, ..ended };
    let write = Transaction::new().put(&Key::operation(done.id), &done, &Condition::Any);
    store.write(write).await.unwrap();
    let refused = house.ask("create_cluster", cluster("a"), None).await.unwrap_err();
    assert!(refused.action.contains("get_cluster with a"), "{}", refused.action);
}

#[tokio::test(start_paused = true)]
async fn a_key_or_a_tag_that_stands_for_another_request_is_refused_with_its_operation() {
    let house = House::new().await;
    let first = house.ask("create_cluster", cluster("a"), Some("k1")).await.unwrap();
    let refused = house.ask("create_cluster", cluster("b"), Some("k1")).await.unwrap_err();
    assert_eq!((refused.code, refused.status), (ErrorCode::IdempotencyMismatch, 422));
    assert_eq!(refused.operation_id.unwrap().to_string(), first["operationId"]);
    let other = json!({ "tag": "a", "region": "us-east-1" });
    let refused = house.ask("create_cluster", other, Some("k2")).await.unwrap_err();
    assert_eq!((refused.code, refused.status), (ErrorCode::Conflict, 409));
    assert!(refused.action.contains("another tag"), "{}", refused.action);
    let missing = house.ask("get_cluster", json!({ "tag": "b" }), None).await.unwrap_err();
    assert_eq!(missing.code, ErrorCode::NotFound);
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_in_itself_is_refused_whole_and_changes_nothing() {
    let house = House::new().await;
    let before = house.mutations();
    let input = json!({ "tag": "a", "region": "us-west-2", "vpcCidr": "8.8.0.0/16", "hyperpod": { "instanceGroups": {
        "g": { "zoneId": "use1-az1", "instanceType": "ml.g6.4xlarge", "instanceCount": 1, "capacityType": "training-plan" } } } });
    let refused = house.ask("create_cluster", input, Some("k")).await.unwrap_err();
    let pointers: Vec<&str> = refused.errors.iter().map(|error| error.pointer.as_str()).collect();
    assert_eq!(
        pointers,
        ["/vpcCidr", "/hyperpod/instanceGroups/g/zoneId", "/hyperpod/instanceGroups/g/trainingPlanArn"]
    );
    let refused = house.ask("create_cluster", json!({ "tag": "a", "region": "mars" }), Some("k")).await.unwrap_err();
    assert_eq!((refused.status, refused.errors[0].pointer.as_str()), (400, "/region"));
    assert_eq!(house.mutations(), before);
}

#[tokio::test(start_paused = true)]
async fn br_160_an_execution_that_could_not_be_started_is_an_accepted_operation_all_the_same() {
    let house = House::new().await;
    let throttled = account::faults::Fault::new("t", account::faults::Effect::Throttle).on("states", "StartExecution");
    house.product.account.with_world(|world| world.faults.switch_on(throttled.times(1)).unwrap());
    let answer = house.ask("create_cluster", cluster("a"), Some("k")).await.unwrap();
    assert_eq!(answer["state"], "accepted");
    let again = house.ask("create_cluster", cluster("a"), Some("k")).await.unwrap();
    assert_eq!(again["operationId"], answer["operationId"]);
    assert_eq!(house.product.made("states", "StartExecution"), 1, "the replay started it");
}

#[tokio::test(start_paused = true)]
async fn br_157_who_hangs_up_blocks_nobody_and_finds_what_was_taken() {
    let house = House::new().await;
    let slow = Fault::new("slow", Effect::Slow { seconds: 5 }).on("ec2", "DescribeVpcs");
    house.product.account.with_world(|world| world.faults.switch_on(slow).unwrap());
    let hung_up = house.ask("create_cluster", cluster("a"), Some("k1"));
    tokio::time::timeout(Duration::from_secs(1), hung_up).await.unwrap_err();
    house.product.account.with_world(|world| world.faults.clear());
    let first = house.ask("create_cluster", cluster("a"), Some("k1")).await.unwrap();
    let id = json!({ "operationId": first["operationId"] });
    let held = Fault::new("held", Effect::Throttle).on("ec2", "*");
    house.product.account.with_world(|world| world.faults.switch_on(held).unwrap());
    let hung_up = house.ask("wait_for_operation", id.clone(), None);
    tokio::time::timeout(Duration::from_secs(3), hung_up).await.unwrap_err();
    let began = tokio::time::Instant::now();
    let seen = house.ask("get_operation", id, None).await.unwrap();
    assert_eq!(seen["state"], "running", "the work goes on without its caller: {seen}");
    let again = house.ask("create_cluster", cluster("a"), Some("k2")).await.unwrap();
    assert_eq!((&again["operationId"], &again["alreadyRunning"]), (&first["operationId"], &json!(true)));
    let busy = house.ask("run_stage", json!({ "tag": "a", "stage": "selection" }), None).await.unwrap_err();
    assert_eq!(
        (busy.code, busy.operation_id.unwrap().to_string()),
        (ErrorCode::OperationInProgress, first["operationId"].as_str().unwrap().to_owned())
    );
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn br_140_whatever_the_size_of_a_request_its_execution_is_told_ids_alone() {
    let house = House::new().await;
    let group = json!({ "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 0 });
    for (tag, count) in [("small", 1), ("large", 100)] {
        let groups: serde_json::Map<String, Value> =
            (0..count).map(|number| (format!("g-{number:060}"), group.clone())).collect();
        let mut input = cluster(tag);
        input["hyperpod"] = json!({ "instanceGroups": groups });
        house.ask("create_cluster", input, None).await.unwrap();
    }
    let inputs: Vec<usize> = house.product.account.read(|world| {
        world.states.executions.values().filter(|one| one.name.contains('-')).map(|one| one.input.len()).collect()
    });
    assert!(inputs.len() >= 2 && inputs.iter().all(|bytes| *bytes <= 200), "{inputs:?}");
}

/// A cluster of which the first three stages are done and nothing runs.
async fn grounded(house: &House, tag: &str) {
    let answer = house.ask("create_cluster", cluster(tag), Some(tag)).await.unwrap();
    house.ask("cancel_operation", json!({ "operationId": answer["operationId"] }), None).await.unwrap();
    house.product.ended(House::id(&answer)).await;
    let store = &house.product.front.desk.store;
    let cluster = store.cluster_by_tag(&tag.parse::<ClusterTag>().unwrap()).await.unwrap().unwrap();
    for stage in [Stage::ControlPlane, Stage::Selection, Stage::Dependencies] {
        let before = store.stage(cluster.id, stage).await.unwrap();
        let record = StageRecord { state: StageState::Succeeded, attempts: 1, version: before.version + 1, ..before };
        store.write(Transaction::new().put_stage(cluster.id, &record, &Condition::Any)).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn capacity_is_decided_once_and_the_same_decision_again_is_no_contradiction() {
    let house = House::furnished().await;
    let made = house.ask("create_cluster", cluster("a"), Some("k")).await.unwrap();
    house.product.ended(House::id(&made)).await;
    // The stage must not come further than this test looks.
    let throttled = Fault::new("the stage waits", Effect::Throttle).on("eks", "*");
    let throttled = throttled.for_role("hyperpod-instantstart-hyperpod");
    house.product.account.with_world(|world| world.faults.switch_on(throttled).unwrap());
    let decision = json!({ "tag": "a", "instanceGroups": groups() });
    let first = house.ask("create_hyperpod", decision.clone(), Some("k1")).await.unwrap();
    let again = house.ask("create_hyperpod", decision.clone(), None).await.unwrap();
    assert_eq!((&again["operationId"], &again["alreadyRunning"]), (&first["operationId"], &json!(true)));
    let operation = house.product.operation(House::id(&first)).await;
    assert_eq!((operation.first_stage, operation.last_stage), (Some(Stage::HyperPod), Some(Stage::Verification)));
    let seen = house.ask("get_cluster", json!({ "tag": "a" }), None).await.unwrap();
    assert_eq!((&seen["generation"], &seen["currentOperation"]), (&json!(2), &first["operationId"]));
    assert_eq!(seen["decisions"]["hyperpod"]["instanceGroups"]["workers"]["instanceCount"], 1);
    let mut other = decision;
    other["instanceGroups"]["workers"]["instanceCount"] = 2.into();
    let refused = house.ask("create_hyperpod", other, Some("k2")).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict, "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn capacity_without_ground_is_refused_with_the_stage_to_run() {
    let house = House::new().await;
    let answer = house.ask("create_cluster", cluster("a"), Some("k")).await.unwrap();
    house.ask("cancel_operation", json!({ "operationId": answer["operationId"] }), None).await.unwrap();
    house.product.ended(House::id(&answer)).await;
    let input = json!({ "tag": "a", "instanceGroups": groups() });
    let refused = house.ask("create_hyperpod", input, Some("k2")).await.unwrap_err();
    assert_eq!((refused.code, refused.status), (ErrorCode::DependencyMissing, 409));
    assert!(refused.action.contains("run_stage for control-plane"), "{}", refused.action);
    let none = json!({ "tag": "a", "instanceGroups": {} });
    let refused = house.ask("create_hyperpod", none, Some("k3")).await.unwrap_err();
    assert_eq!((refused.status, refused.errors[0].pointer.as_str()), (400, "/instanceGroups"));
}

#[tokio::test(start_paused = true)]
async fn records_of_success_are_no_ground_and_a_hyperpod_cluster_is_whatever_records_say() {
    let house = House::furnished().await;
    grounded(&house, "a").await;
    let input = json!({ "tag": "a", "instanceGroups": groups() });
    let refused = house.ask("create_hyperpod", input, Some("k2")).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::DependencyMissing, "{refused:?}");
    assert!(
        refused.detail.contains("no EKS cluster") && refused.action.contains("run_stage for control-plane"),
        "{refused:?}"
    );
    // An import of what HyperPod stands on already, whose stages have not come to an end.
    let import = json!({ "eksClusterName": "research", "region": "us-west-2" });
    let answer = house.ask("import_cluster", import, Some("k3")).await.unwrap();
    house.ask("cancel_operation", json!({ "operationId": answer["operationId"] }), None).await.unwrap();
    house.product.ended(House::id(&answer)).await;
    let stages = house.ask("list_stages", json!({ "tag": "research" }), None).await.unwrap();
    assert!(stages["items"].as_array().unwrap().iter().all(|one| one["state"] != "succeeded"), "{stages}");
    let input = json!({ "tag": "research", "instanceGroups": groups() });
    let request = Request { validate_only: true, ..person() };
    let plan = house.send("create_hyperpod", input, request).await.unwrap();
    assert!(plan["stages"].is_array(), "{plan}");
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_has_seen_another_generation_changes_nothing() {
    let house = House::new().await;
    grounded(&house, "a").await;
    let before = house.mutations();
    for (name, input) in [
        ("create_hyperpod", json!({ "tag": "a", "instanceGroups": groups() })),
        ("run_stage", json!({ "tag": "a", "stage": "selection" })),
        ("stop_spending", json!({ "tag": "a" })),
    ] {
        let refused = house.send(name, input, Request { expected_generation: Some(9), ..person() }).await.unwrap_err();
        assert_eq!((refused.code, refused.status), (ErrorCode::PreconditionFailed, 412), "{name}");
    }
    assert_eq!(house.mutations(), before);
}

#[tokio::test(start_paused = true)]
async fn one_stage_runs_alone_and_a_second_change_meanwhile_is_told_who_is_at_it() {
    let house = House::new().await;
    grounded(&house, "a").await;
    let run = house.ask("run_stage", json!({ "tag": "a", "stage": "selection" }), Some("k1")).await.unwrap();
    let operation = house.product.operation(House::id(&run)).await;
    assert_eq!((operation.first_stage, operation.last_stage), (Some(Stage::Selection), Some(Stage::Selection)));
    let refused = house.ask("stop_spending", json!({ "tag": "a" }), Some("k2")).await.unwrap_err();
    assert_eq!((refused.code, refused.status), (ErrorCode::OperationInProgress, 409));
    assert_eq!(refused.operation_id, Some(operation.id));
}

#[tokio::test(start_paused = true)]
async fn stop_spending_runs_beside_the_stages() {
    let house = House::new().await;
    grounded(&house, "a").await;
    let answer = house.ask("stop_spending", json!({ "tag": "a" }), Some("k")).await.unwrap();
    let operation = house.product.operation(House::id(&answer)).await;
    assert_eq!((operation.machine.as_str(), operation.stage), ("stop-spending", None));
}

#[tokio::test(start_paused = true)]
async fn an_import_enters_at_selection_unless_something_is_to_be_mended() {
    let house = House::furnished().await;
    let plain = json!({ "eksClusterName": "research", "region": "us-west-2" });
    let mended = json!({ "eksClusterName": "legacy", "region": "us-west-2", "tag": "b", "fixes": ["self-rules"], "grantAccess": true });
    for (input, first) in [(plain, Stage::Selection), (mended, Stage::ControlPlane)] {
        let answer = house.ask("import_cluster", input, None).await.unwrap();
        let operation = house.product.operation(House::id(&answer)).await;
        assert_eq!((operation.first_stage, operation.last_stage), (Some(first), Some(Stage::Verification)));
    }
    let seen = house.ask("get_cluster", json!({ "tag": "research" }), None).await.unwrap();
    assert_eq!((&seen["origin"], &seen["eksClusterName"]), (&json!("imported"), &json!("research")));
    assert!(seen["stages"][0]["summary"].as_str().unwrap().contains("imported"), "{}", seen["stages"][0]);
    let twice = json!({ "eksClusterName": "research", "region": "us-west-2", "tag": "c" });
    let refused = house.ask("import_cluster", twice, None).await.unwrap_err();
    assert!(refused.code == ErrorCode::Conflict && refused.detail.contains("managed here as research"), "{refused:?}");
    let repeated = json!({ "eksClusterName": "x", "region": "us-west-2", "fixes": ["nat", "nat"] });
    assert_eq!(house.ask("import_cluster", repeated, None).await.unwrap_err().errors[0].pointer, "/fixes/1");
}

#[tokio::test(start_paused = true)]
async fn an_eks_cluster_is_managed_once_though_two_ask_at_the_same_time() {
    let house = House::furnished().await;
    let as_tag = |tag: &str| json!({ "eksClusterName": "research", "region": "us-west-2", "tag": tag });
    let (first, second) = tokio::join!(
        house.ask("import_cluster", as_tag("first"), None),
        house.ask("import_cluster", as_tag("second"), None)
    );
    let refused = [first, second].into_iter().filter_map(Result::err).collect::<Vec<_>>();
    assert_eq!(refused.iter().map(|problem| problem.code).collect::<Vec<_>>(), [ErrorCode::Conflict], "{refused:?}");
    let managed = house.ask("list_clusters", json!({}), None).await.unwrap();
    assert_eq!(managed["items"].as_array().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn stages_and_regions_are_told() {
    let house = House::new().await;
    house.ask("create_cluster", crate::cluster("a"), Some("k")).await.unwrap();
    let stages = house.ask("list_stages", json!({ "tag": "a" }), None).await.unwrap();
    let names: Vec<_> = stages["items"].as_array().unwrap().iter().map(|stage| stage["stage"].clone()).collect();
    assert_eq!(json!(names), json!(Stage::ALL));
    let one = house.ask("get_stage", json!({ "tag": "a", "stage": "control-plane" }), None).await.unwrap();
    assert_eq!(one["stage"], "control-plane");
    let regions = house.ask("list_regions", json!({}), None).await.unwrap();
    let named = regions["items"].as_array().unwrap().iter().any(|region| region["region"] == "us-west-2");
    assert!(named, "{regions}");
}

#[tokio::test(start_paused = true)]
async fn every_operation_and_query_of_the_list_is_carried_out_by_somebody() {
    let house = House::new().await;
    for descriptor in contract::ALL {
        let answered = house.ask(descriptor.name, Value::Object(Default::default()), None).await;
        let unknown = answered.is_err_and(|problem| problem.code == ErrorCode::Internal);
        assert!(!unknown, "{}", descriptor.name);
    }
}
