//! The verification stage: every check with its figure, red ones with their fix.

use crate::inside::{run, with_control_plane};
use account::eks::AddonOutcome;
use domain::states::{OperationState, Stage};
use engine::record::Operation;
use harness::Product;
use serde_json::{Value, json};

fn decided(workers: u32) -> Value {
    json!({ "hyperpod": {
        "instanceGroups": { "workers": { "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": workers } },
    } })
}

async fn verified(product: &Product, made: &Operation) -> Operation {
    run(product, made, Stage::Dependencies, Stage::Verification).await
}

async fn checks(product: &Product, made: &Operation) -> Vec<Value> {
    let stage = product.stage(made.cluster_id, Stage::Verification).await;
    stage.observed["checks"].as_array().cloned().unwrap_or_default()
}

fn status<'a>(checks: &'a [Value], name: &str) -> &'a Value {
    &checks.iter().find(|check| check["name"] == name).unwrap()["status"]
}

#[tokio::test(start_paused = true)]
async fn a_cluster_with_a_gpu_node_is_verified() {
    for outcome in [AddonOutcome::Degraded, AddonOutcome::CreateFailed, AddonOutcome::CreateFailedForGood] {
        let (product, made) = with_control_plane(31, decided(1)).await;
        product.account.with_world(|world| world.eks.addon_outcome = Some(outcome));
        let ended = verified(&product, &made).await;
        assert_eq!(ended.state, OperationState::Succeeded, "{outcome:?}: {ended:#?}\n{}", product.trail());
        let checks = checks(&product, &made).await;
        for check in &checks {
            assert_eq!(check["status"], "pass", "{check}");
        }
        let cycles = u64::from(outcome == AddonOutcome::CreateFailedForGood);
        assert!(product.made("eks", "DeleteAddon") <= cycles, "{outcome:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn where_no_node_is_wanted_checks_say_no_node_yet() {
    let (product, made) = with_control_plane(32, decided(0)).await;
    let ended = verified(&product, &made).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    let checks = checks(&product, &made).await;
    for name in ["nodes", "gpus", "addons", "healthMonitoringAgent", "healthLabels", "bucketReadable"] {
        assert_eq!(status(&checks, name), "noNodeYet", "{checks:#?}");
    }
}
