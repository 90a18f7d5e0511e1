//! Destructive requests of those who may not approve them: recorded, shown, not started.

use crate::{House, person};
use account::faults::{Effect, Fault};
use contract::Scope;
use domain::{ErrorCode, states::OperationState};
use serde_json::{Value, json};
use std::time::Duration;
use surface::{Principal, Request};

fn agent() -> Request {
    Request {
        principal: Principal { id: "an-agent".to_owned(), agent: true },
        scopes: vec![Scope::Read, Scope::Logs, Scope::Operate, Scope::Admin],
        ..person()
    }
}

fn stop() -> Value {
    json!({ "tag": "research" })
}

/// The imported cluster `research`, on which nodes run.
async fn imported() -> House {
    let house = House::furnished().await;
    let input = json!({ "eksClusterName": "research", "region": "us-west-2" });
    let made = house.ask("import_cluster", input, Some("k")).await.unwrap();
    house.product.ended(House::id(&made)).await;
    house
}

async fn shown(house: &House, answer: &Value) -> Value {
    house.ask("get_operation", json!({ "operationId": answer["operationId"] }), None).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_agents_destructive_request_waits_for_a_person_with_the_plan_that_would_run() {
    let house = imported().await;
    let changed = || house.product.made("sagemaker", "UpdateCluster");
    let before = changed();
    let answer = house.send("stop_spending", stop(), agent()).await.unwrap();
    assert_eq!((&answer["state"], &answer["alreadyRunning"]), (&json!("awaiting_approval"), &json!(false)));
    assert!(answer["next"].as_str().unwrap().contains("scope approve"), "{answer}");
    tokio::time::sleep(Duration::from_secs(300)).await;
    let seen = shown(&house, &answer).await;
    assert_eq!(
        (&seen["state"], &seen["done"], &seen["changes"]),
        (&json!("awaiting_approval"), &json!(false), &json!(0))
    );
    let changes = seen["outcome"]["plan"]["changes"].to_string();
    assert!(changes.contains("set to zero in HyperPod cluster"), "{seen:#}");
    assert_eq!(changed(), before, "nothing was started, by the sweep neither");
    let waited = json!({ "operationId": answer["operationId"] });
    let waited = house.ask("wait_for_operation", waited, None).await.unwrap();
    assert_eq!(waited["outcome"], seen["outcome"], "a wait ends at once, since only a person goes on");
}

#[tokio::test(start_paused = true)]
async fn the_same_request_again_is_the_same_operation_and_a_person_can_do_it_meanwhile() {
    let house = imported().await;
    let first = house.send("stop_spending", stop(), agent()).await.unwrap();
    let again = house.send("stop_spending", stop(), agent()).await.unwrap();
    assert_eq!((&again["operationId"], &again["alreadyRunning"]), (&first["operationId"], &json!(true)));
    let persons = house.ask("stop_spending", stop(), Some("p")).await.unwrap();
    assert_ne!(persons["operationId"], first["operationId"], "it holds no lane");
    let once_more = house.send("stop_spending", stop(), agent()).await.unwrap();
    assert_eq!(once_more["operationId"], persons["operationId"], "what was asked for runs");
    let ended = house.product.ended(House::id(&persons)).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    assert_eq!(shown(&house, &first).await["state"], "awaiting_approval");
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_a_person_is_withdrawn_by_cancel_and_not_started_by_retry() {
    let house = imported().await;
    let before = house.product.made("sagemaker", "UpdateCluster");
    let answer = house.send("stop_spending", stop(), agent()).await.unwrap();
    let id = json!({ "operationId": answer["operationId"] });
    let cancelled = house.send("cancel_operation", id.clone(), agent()).await.unwrap();
    assert_eq!(cancelled["state"], "cancelled");
    let retried = house.send("retry_operation", id.clone(), agent()).await.unwrap();
    assert_eq!((&retried["state"], &retried["operationId"]), (&json!("awaiting_approval"), &answer["operationId"]));
    tokio::time::sleep(Duration::from_secs(120)).await;
    let seen = shown(&house, &answer).await;
    assert_eq!((&seen["state"], &seen["attempt"]), (&json!("awaiting_approval"), &json!(2)));
    assert!(seen["outcome"]["plan"]["changes"].is_array(), "planned anew: {seen:#}");
    assert_eq!(house.product.made("sagemaker", "UpdateCluster"), before);
    house.send("cancel_operation", id, agent()).await.unwrap();
    let anew = house.send("stop_spending", stop(), agent()).await.unwrap();
    assert_ne!(anew["operationId"], answer["operationId"], "the withdrawn one is in nobody's way");
}

#[tokio::test(start_paused = true)]
async fn a_persons_failed_request_that_an_agent_tries_again_waits_for_a_person() {
    let house = imported().await;
    let refusal = Effect::Error { code: "ValidationException".to_owned(), status: 400, message: "not now".to_owned() };
    let fault = Fault::new("refused", refusal).on("sagemaker", "UpdateCluster");
    house.product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
    let asked = house.ask("stop_spending", stop(), Some("p")).await.unwrap();
    assert_eq!(house.product.ended(House::id(&asked)).await.state, OperationState::Failed);
    house.product.account.with_world(|world| world.faults.clear());
    let before = house.product.made("sagemaker", "UpdateCluster");
    let id = json!({ "operationId": asked["operationId"] });
    let retried = house.send("retry_operation", id.clone(), agent()).await.unwrap();
    assert_eq!(retried["state"], "awaiting_approval");
    assert!(retried["next"].as_str().unwrap().contains("scope approve"), "{retried}");
    tokio::time::sleep(Duration::from_secs(300)).await;
    let seen = shown(&house, &asked).await;
    assert_eq!((&seen["state"], &seen["attempt"]), (&json!("awaiting_approval"), &json!(2)));
    assert!(seen["outcome"]["plan"]["changes"].to_string().contains("set to zero"), "{seen:#}");
    assert_eq!(house.product.made("sagemaker", "UpdateCluster"), before, "an agent starts nothing that takes away");
    let again = house.ask("stop_spending", stop(), Some("q")).await.unwrap();
    assert_eq!(house.product.ended(House::id(&again)).await.state, OperationState::Succeeded, "a person does");
}

#[tokio::test(start_paused = true)]
async fn what_adds_or_mends_waits_for_nobody() {
    let house = imported().await;
    let run = house.send("run_stage", json!({ "tag": "research", "stage": "selection" }), agent()).await.unwrap();
    assert_eq!(run["state"], "accepted");
    let refused = house.ask("stop_spending", stop(), Some("p")).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::OperationInProgress);
}
