//! Waiting, trying again, stopping, and the control plane's own health.

use crate::{House, cluster};
use account::faults::{Effect, Fault};
use domain::ErrorCode;
use serde_json::json;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn br_155_a_long_wait_is_cut_and_says_so() {
    let house = House::new().await;
    let began = tokio::time::Instant::now();
    let created = house.ask("create_cluster", cluster("a"), Some("k")).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(3), "what takes minutes is answered at once: {:?}", began.elapsed());
    let held = account::faults::Fault::new("t", account::faults::Effect::Throttle).on("ec2", "*");
    house.product.account.with_world(|world| world.faults.switch_on(held).unwrap());
    let began = tokio::time::Instant::now();
    let input = json!({ "operationId": created["operationId"], "timeoutSeconds": 600 });
    let seen = house.ask("wait_for_operation", input, None).await.unwrap();
    let took = began.elapsed();
    assert!(took >= Duration::from_secs(24) && took <= Duration::from_secs(25), "{took:?}");
    assert_eq!((&seen["done"], &seen["state"]), (&json!(false), &json!("running")));
    assert!(seen["note"].as_str().unwrap().contains("600 was cut to 25"), "{seen}");
    assert!(seen["next"].as_str().unwrap().contains("wait_for_operation"));
    let began = tokio::time::Instant::now();
    let input = json!({ "operationId": created["operationId"], "timeoutSeconds": 0 });
    let seen = house.ask("wait_for_operation", input, None).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1) && seen.get("note").is_none(), "{seen}");
}

#[tokio::test(start_paused = true)]
async fn after_a_killed_invocation_reads_tell_until_when_nobody_may_act() {
    let house = House::new().await;
    let kill = Effect::Kill { function: "*".to_owned() };
    let fault = Fault::new("killed", kill).on("ec2", "CreateSubnet").nth(2);
    house.product.account.with_world(|world| world.faults.switch_on(fault).unwrap());
    let created = house.ask("create_cluster", cluster("a"), None).await.unwrap();
    while house.product.account.read(|world| world.faults.active()[0].met == 0) {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let id = json!({ "operationId": created["operationId"] });
    let seen = house.ask("get_operation", id.clone(), None).await.unwrap();
    assert_ne!(seen["waiting"]["on"], "lane", "a change may take some seconds: {seen:#}");
    tokio::time::sleep(Duration::from_secs(30)).await;
    let lease = house.product.operation(House::id(&created)).await.lease.unwrap();
    let free = lease.until.to_string();
    let seen = house.ask("get_operation", id.clone(), None).await.unwrap();
    assert_eq!((&seen["waiting"]["on"], &seen["waiting"]["nextLookAt"]), (&json!("lane"), &json!(free)), "{seen:#}");
    assert!(seen["summary"].as_str().unwrap().contains(&format!("may act at {free}")), "{seen:#}");
    let stage = house.ask("get_stage", json!({ "tag": "a", "stage": "control-plane" }), None).await.unwrap();
    assert_eq!(stage["waiting"], seen["waiting"]);
    assert_eq!(
        house.ask("get_cluster", json!({ "tag": "a" }), None).await.unwrap()["stages"][0]["waiting"],
        stage["waiting"]
    );
    tokio::time::sleep(Duration::from_secs(100)).await;
    let seen = house.ask("get_operation", id, None).await.unwrap();
    assert_eq!((&seen["state"], seen["waiting"]["on"] == "lane"), (&json!("running"), false), "{seen:#}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_when_the_operation_does() {
    let house = House::new().await;
    let held = account::faults::Fault::new("t", account::faults::Effect::Throttle).on("ec2", "*");
    house.product.account.with_world(|world| world.faults.switch_on(held).unwrap());
    let created = house.ask("create_cluster", cluster("a"), Some("k")).await.unwrap();
    let id = json!({ "operationId": created["operationId"] });
    let cancelled = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        house.ask("cancel_operation", id.clone(), Some("c")).await.unwrap()
    };
    let (seen, _) = tokio::join!(house.ask("wait_for_operation", id.clone(), None), cancelled);
    let seen = seen.unwrap();
    assert_eq!((&seen["done"], &seen["state"]), (&json!(true), &json!("cancelled")));
    assert!(seen["next"].as_str().unwrap().contains("retry_operation"), "{seen}");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_operation_is_tried_again_under_the_same_id() {
    let house = House::new().await;
    let created = house.ask("create_cluster", cluster("a"), Some("k")).await.unwrap();
    let id = json!({ "operationId": created["operationId"] });
    house.ask("cancel_operation", id.clone(), None).await.unwrap();
    house.product.ended(House::id(&created)).await;
    let again = house.ask("cancel_operation", id.clone(), None).await.unwrap();
    assert_eq!((&again["state"], &again["alreadyRunning"]), (&json!("cancelled"), &json!(false)), "asked twice");
    let retried = house.ask("retry_operation", id.clone(), None).await.unwrap();
    assert_eq!((&retried["operationId"], &retried["alreadyRunning"]), (&created["operationId"], &json!(false)));
    let twice = house.ask("retry_operation", id.clone(), None).await.unwrap();
    assert_eq!(twice["alreadyRunning"], true);
    assert_eq!(house.ask("get_operation", id, None).await.unwrap()["attempt"], 2);
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_is_not_there_is_not_found_whatever_is_asked_of_it() {
    let house = House::new().await;
    let id = json!({ "operationId": "01J9ZB3V5K8M2N4P6Q7R8S9T0V" });
    for name in ["get_operation", "wait_for_operation", "get_journal", "retry_operation", "cancel_operation"] {
        assert_eq!(house.ask(name, id.clone(), None).await.unwrap_err().code, ErrorCode::NotFound, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn health_tells_which_part_does_not_work() {
    let house = House::new().await;
    let seen = house.ask("get_health", json!({}), None).await.unwrap();
    assert_eq!((&seen["status"], &seen["time"]), (&json!("ok"), &json!(house.product.account.now().to_string())));
    let broken =
        account::faults::Fault::new("e", account::faults::Effect::ServerError { status: 500 }).on("states", "*");
    house.product.account.with_world(|world| world.faults.switch_on(broken).unwrap());
    let seen = house.ask("get_health", json!({}), None).await.unwrap();
    assert_eq!(seen["status"], "degraded");
    assert_eq!((&seen["checks"][0]["ok"], &seen["checks"][1]["ok"]), (&json!(true), &json!(false)), "{seen}");
}
