//! Executions that somebody aborts: the operation is settled, says so, and is run again to its end.

use crate::{
    ground,
    ground::Ground,
    verdict::{judge, records_tell_the_truth},
};
use domain::states::{OperationState, Stage, StageState};
use harness::Product;
use std::time::Duration;

/// Stops every execution that runs, as somebody at the Step Functions console would.
async fn stop(product: &Product) {
    let running: Vec<String> = product.account.read(|world| {
        let executions = world.states.executions.values();
        executions.filter(|one| one.status.name() == "RUNNING").map(|one| one.arn.clone()).collect()
    });
    let config = product.owner.cloud.engine_config(&product.installed.home()).await;
    let states = aws_sdk_sfn::Client::new(&config);
    for arn in running {
        states.stop_execution().execution_arn(arn).send().await.unwrap();
    }
}

/// Aborts the stage after so many calls that change something, then runs it again.
async fn aborted(ground: &Ground, changes: u64) {
    let what = format!("{} aborted after {changes} changes", ground.stage);
    let product = ground.product().await;
    let asked = ground.ask(&product).await;
    let mut watched = product.account.changes();
    while product.account.read(|world| world.calls.mutations()) < changes {
        watched.changed().await.unwrap();
    }
    stop(&product).await;
    let settled = product.ended(asked.id).await;
    if settled.state == OperationState::Succeeded {
        return judge(ground, &product, &settled, &what).await;
    }
    let failure = settled.failure.as_ref().unwrap();
    assert!(failure.message.contains("aborted"), "{what}: {failure:#?}");
    assert!(failure.action.starts_with("Try again"), "{what}: {failure:#?}");
    let stage = product.stage(settled.cluster_id, ground.stage).await;
    assert_eq!(stage.state, StageState::Failed, "{what}");
    records_tell_the_truth(&product, &settled, &what).await;
    let ended = product.again(settled.id).await;
    assert_eq!(ended.attempt, 2, "{what}");
    judge(ground, &product, &ended, &what).await;
}

#[tokio::test(start_paused = true)]
async fn an_aborted_execution_is_settled_and_run_again_to_its_end() {
    for stage in Stage::ALL {
        let ground = ground::of(*stage);
        let all = ground.changes.len() as u64;
        for changes in [1, all / 3, all / 2, all * 3 / 4] {
            aborted(ground, changes).await;
        }
    }
}

/// The wait of an execution that is aborted between two ticks: nobody acts, and the record is settled at once.
#[tokio::test(start_paused = true)]
async fn an_execution_aborted_while_it_waits_is_settled_within_seconds() {
    let ground = ground::of(Stage::ControlPlane);
    let product = ground.product().await;
    let asked = ground.ask(&product).await;
    while product.operation(asked.id).await.waiting.is_none() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    stop(&product).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let settled = product.operation(asked.id).await;
    assert_eq!(settled.state, OperationState::Failed, "{settled:#?}");
    let ended = product.again(settled.id).await;
    judge(ground, &product, &ended, "aborted while it waits").await;
}
