//! An execution that somebody stops: its operation is settled, its lane is free, and a retry goes on where it was.

use crate::{
    asking::{assert_verified, decided, house, owner},
    create_cluster::whole,
};
use account::faults::{Effect, Fault};
use domain::{
    codes::ErrorCode,
    states::{OperationState, Stage},
};
use engine::record::Operation;
use harness::house::House;
use std::{collections::BTreeMap, time::Duration};

/// Stops the execution of the operation's attempt, as one may in the AWS console.
async fn abort(house: &House, operation: &Operation) {
    end(house, operation, ("Stopped", "somebody stopped it")).await;
}

/// Ends the execution of the operation's attempt with an error.
async fn end(house: &House, operation: &Operation, (error, cause): (&str, &str)) {
    let machine = &house.product.installed.machines.cluster;
    let arn = format!("{}:{}", machine.replace(":stateMachine:", ":execution:"), operation.execution_name());
    let stop = aws_sdk_sfn::Client::new(&owner(house).await).stop_execution().execution_arn(arn);
    stop.error(error).cause(cause).send().await.unwrap();
}

/// Asserts that the death was written down, and that a retry ends in a verified cluster with no more made since `before` than
/// an undisturbed creation makes.
async fn settled_and_retried(house: &House, operation: &Operation, before: &BTreeMap<String, u64>) {
    let ended = house.product.ended(operation.id).await;
    assert_eq!((ended.state, ended.stage), (OperationState::Failed, Some(Stage::ControlPlane)), "{ended:#?}");
    let failure = ended.failure.as_ref().unwrap();
    assert_eq!(failure.code, ErrorCode::Internal, "{failure:#?}");
    assert!(failure.message.contains("somebody stopped it"), "{failure:#?}");
    assert!(ended.left.iter().any(|line| line.starts_with("vpcId ")), "{:?}", ended.left);
    let lane = house.product.front.desk.store.lane(ended.cluster_id, &ended.lane).await.unwrap();
    assert!(lane.is_none(), "{lane:?}");
    let stage = house.product.stage(ended.cluster_id, Stage::ControlPlane).await;
    assert_eq!(stage.failure.as_ref(), Some(failure));

    let retried = serde_json::json!({ "operationId": ended.id });
    let ended = house.run("retry_operation", retried).await;
    assert_verified(house, &ended).await;
    assert_eq!(ended.attempt, 2);
    assert_eq!(house.product.changes_since(before), whole(), "nothing is made twice");
}

#[tokio::test(start_paused = true)]
async fn an_execution_aborted_while_it_waits_is_settled_and_goes_on_with_a_retry() {
    let house = house(109).await;
    let before = house.product.changes();
    let accepted = house.ask("create_cluster", decided(), None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(240)).await;
    let running = house.product.operation(House::id(&accepted)).await;
    assert!(running.waiting.is_some() && running.lease.is_none(), "{running:#?}");
    abort(&house, &running).await;
    settled_and_retried(&house, &running, &before).await;
}

#[tokio::test(start_paused = true)]
async fn an_execution_aborted_in_the_middle_of_a_change_is_settled_after_it() {
    let house = house(109).await;
    let before = house.product.changes();
    let slow = Fault::new("slow", Effect::Slow { seconds: 10 }).on("ec2", "CreateNatGateway").times(1);
    house.product.account.with_world(|world| world.faults.switch_on(slow)).unwrap();
    let accepted = house.ask("create_cluster", decided(), None).await.unwrap();
    while house.product.account.read(|world| world.faults.active()[0].met == 0) {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let running = house.product.operation(House::id(&accepted)).await;
    assert!(running.lease.is_some(), "{running:#?}");
    abort(&house, &running).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!house.product.operation(running.id).await.is_terminal(), "the invocation still acts");
    settled_and_retried(&house, &running, &before).await;
}

#[tokio::test(start_paused = true)]
async fn br_139_an_execution_that_grows_too_large_is_settled_within_a_minute_and_its_stage_can_run_again() {
    let house = house(109).await;
    let accepted = house.ask("create_cluster", decided(), None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(240)).await;
    let running = house.product.operation(House::id(&accepted)).await;
    let died = house.product.account.now();
    end(&house, &running, ("States.DataLimitExceeded", "the state's output is larger than 262144 bytes")).await;
    let ended = house.product.ended(running.id).await;
    assert_eq!((ended.state, ended.stage), (OperationState::Failed, Some(Stage::ControlPlane)), "{ended:#?}");
    assert!(ended.finished_at.unwrap().duration_since(died).as_secs() <= 60, "{ended:#?}");
    let failure = ended.failure.as_ref().unwrap();
    assert!(failure.message.contains("States.DataLimitExceeded") && failure.message.contains("262144"), "{failure:#?}");
    let lane = house.product.front.desk.store.lane(ended.cluster_id, &ended.lane).await.unwrap();
    assert!(lane.is_none(), "{lane:?}");
    let again = house.run("run_stage", serde_json::json!({ "tag": "demo", "stage": "control-plane" })).await;
    assert_eq!(again.state, OperationState::Succeeded, "{again:#?}");
    assert_eq!(house.product.made("eks", "CreateCluster"), 1, "the cluster that was being made is used");
}
