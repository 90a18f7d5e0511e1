//! The selection stage: a cluster that was just made is reached and found fit; one out of reach is told at once.

use aws_sdk_eks::types::VpcConfigRequest;
use domain::{
    codes::ErrorCode,
    states::{OperationState, Stage},
};
use engine::{
    record::Operation,
    submit::{ClusterWrite, Submission},
};
use harness::{Product, decisions};
use serde_json::json;
use std::time::Duration;

/// The stage run once more by an operation of its own, to its end.
async fn run_stage(product: &Product, earlier: &Operation) -> Operation {
    let cluster = product.front.desk.store.cluster(earlier.cluster_id).await.unwrap().unwrap();
    let submission = Submission {
        kind: "run_stage",
        cluster: ClusterWrite::Keep(cluster),
        principal: earlier.principal.clone(),
        input: json!({ "stage": "selection" }),
        idempotency_key: None,
        machine: "cluster",
        stages: Some((Stage::Selection, Stage::Selection)),
        lane: "cluster",
        needs_approval: false,
    };
    let accepted = product.front.desk.submit(submission).await.unwrap();
    product.ended(accepted.operation.id).await
}

#[tokio::test(start_paused = true)]
async fn br_011_a_cluster_is_reached_until_its_endpoint_is_private() {
    let product = Product::new(31).await;
    let accepted = product.create(decisions("demo", json!({})), Stage::Selection).await;
    let ended = product.ended(accepted.operation.id).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    let outcome = product.stage(ended.cluster_id, Stage::Selection).await.outcome;
    assert_eq!(outcome["eksClusterName"], "demo");
    assert!(outcome["serverVersion"].as_str().is_some_and(|version| version.starts_with("v1.34")), "{outcome:#}");
    assert_eq!(outcome["hyperpodCluster"], json!(null), "nothing is attached yet");
    let findings = outcome["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "what we make lacks nothing; its endpoint is open: {findings:#?}");

    let config = product.owner.cloud.engine_config(&product.installed.home()).await;
    let eks = aws_sdk_eks::Client::new(&config);
    let network = VpcConfigRequest::builder().endpoint_public_access(false).endpoint_private_access(true).build();
    eks.update_cluster_config().name("demo").resources_vpc_config(network).send().await.unwrap();
    tokio::time::sleep(Duration::from_secs(900)).await;
    let ended = run_stage(&product, &ended).await;
    let failure = ended.failure.as_ref().unwrap();
    assert_eq!(failure.code, ErrorCode::NetworkUnreachable, "{failure}");
    assert!(failure.action.contains("public endpoint access"), "{}", failure.action);
    let took = ended.finished_at.unwrap().duration_since(ended.created_at).as_secs();
    assert!(took <= 10, "told within ten seconds: {took}");
}
