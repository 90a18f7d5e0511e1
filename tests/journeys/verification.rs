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
        let (product, made) = with_control_plane(decided(1)).await;
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
    let (product, made) = with_control_plane(decided(0)).await;
    let ended = verified(&product, &made).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    let checks = checks(&product, &made).await;
    for name in ["nodes", "gpus", "addons", "healthMonitoringAgent", "healthLabels", "bucketReadable"] {
        assert_eq!(status(&checks, name), "noNodeYet", "{checks:#?}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_role_that_is_made_carries_the_deployments_permissions_boundary() {
    let boundary = "arn:aws:iam::111122223333:policy/boundary";
    let product = Product::within(33, boundary).await;
    let iam = aws_sdk_iam::Client::new(&product.owner.cloud.engine_config(&product.installed.home()).await);
    let document =
        json!({ "Version": "2012-10-17", "Statement": [{ "Effect": "Allow", "Action": "*", "Resource": "*" }] });
    let made = iam.create_policy().policy_name("boundary").policy_document(document.to_string()).send().await.unwrap();
    assert_eq!(made.policy().unwrap().arn(), Some(boundary));
    product.account.with_world(|world| {
        assert!(account::quotas::set(world, "sagemaker", "ml.g6.4xlarge for cluster usage", "us-west-2", 8.0));
    });
    let accepted = product.create(harness::decisions("demo", decided(1)), Stage::Verification).await;
    let ended = product.ended(accepted.operation.id).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    let ours = iam.list_roles().path_prefix("/hyperpod-instantstart/").send().await.unwrap();
    assert_eq!(ours.roles().len(), domain::naming::Role::ALL.len(), "{ours:#?}");
    for role in ours.roles() {
        // Lists leave the boundary out.
        let role = iam.get_role().role_name(role.role_name()).send().await.unwrap().role.unwrap();
        let carried = role.permissions_boundary().and_then(|carried| carried.permissions_boundary_arn());
        assert_eq!(carried, Some(boundary), "{}", role.role_name());
    }
}

#[tokio::test(start_paused = true)]
async fn a_hyperpod_cluster_that_somebody_deleted_is_not_verified() {
    let (product, made) = with_control_plane(decided(0)).await;
    let config = product.owner.cloud.engine_config(&product.installed.home()).await;
    assert_eq!(verified(&product, &made).await.state, OperationState::Succeeded);
    let name = product.account.read(|world| world.sagemaker.clusters.values().next().unwrap().name.clone());
    aws_sdk_sagemaker::Client::new(&config).delete_cluster().cluster_name(&name).send().await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(1800)).await;
    let ended = run(&product, &made, Stage::Verification, Stage::Verification).await;
    let failure = ended.failure.unwrap();
    assert_eq!(failure.code, domain::codes::ErrorCode::DependencyMissing, "{failure:?}");
    assert!(failure.action.contains("hyperpod stage"), "{}", failure.action);
}
