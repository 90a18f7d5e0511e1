//! A whole creation in process: real time, virtual time, transitions and writes; and how soon the product sees that AWS is
//! ready.

use crate::{figure, rounded};
use account::{kubernetes, world::World};
use anyhow::{Result, ensure};
use domain::states::{OperationState, Stage};
use engine::record::Operation;
use harness::{Product, decisions};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How many creations are measured.
const CREATIONS: u64 = 3;
/// Where HyperPod's agent writes its verdict about a node.
const HEALTH: &str = "sagemaker.amazonaws.com/node-health-status";
/// With how many seeds the reaction is measured.
const SEEDS: u64 = 10;

fn decided() -> Value {
    json!({ "hyperpod": {
        "instanceGroups": { "workers": { "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 1 } },
    } })
}

async fn product(seed: u64) -> Product {
    let product = Product::new(seed).await;
    product.account.with_world(|world| {
        for quota in ["ml.g6.4xlarge for cluster usage", "ml.m5.2xlarge for cluster usage"] {
            account::quotas::set(world, "sagemaker", quota, "us-west-2", 8.0);
        }
    });
    product
}

/// Nothing to verified, several times: the median of the real time, the rest of the last.
pub(crate) async fn whole() -> Result<Value> {
    let (mut real, mut last) = (Vec::new(), Value::Null);
    for seed in 0..CREATIONS {
        let product = product(seed).await;
        let before = counted(&product);
        let began = Instant::now();
        let accepted = product.create(decisions("demo", decided()), Stage::Verification).await;
        let ended = product.ended(accepted.operation.id).await;
        real.push(began.elapsed().as_secs_f64());
        ensure!(ended.state == OperationState::Succeeded, "the creation failed: {:#?}", ended.failure);
        last = told(&product, &ended, &before);
    }
    last["realSeconds"] = figure(rounded(crate::quantile(&mut real, 0.5)), "s", "< 3");
    Ok(last)
}

fn told(product: &Product, ended: &Operation, before: &Counted) -> Value {
    let after = counted(product);
    let virtual_minutes = ended.finished_at.map(|end| end.duration_since(ended.created_at).as_secs_f64() / 60.0);
    json!({
        "virtualMinutes": rounded(virtual_minutes.unwrap_or_default()),
        "changes": ended.journal_length,
        "stateTransitions": after.transitions - before.transitions,
        "tableWrites": after.writes - before.writes,
        "tableReads": after.reads - before.reads,
        "awsReads": after.aws_reads - before.aws_reads,
    })
}

struct Counted {
    transitions: usize,
    writes: u64,
    reads: u64,
    aws_reads: u64,
}

fn counted(product: &Product) -> Counted {
    product.account.read(|world: &World| {
        let entered = |kind: &str| kind.ends_with("StateEntered");
        let histories = world.states.executions.values().map(|execution| &execution.history);
        let transitions = histories.map(|history| history.iter().filter(|event| entered(&event.kind)).count()).sum();
        let (mut writes, mut reads, mut aws_reads) = (0, 0, 0);
        for (name, count) in world.calls.counts() {
            match name.split_once(':').map_or("", |(service, _)| service) {
                "dynamodb" => {
                    writes += count.mutating;
                    reads += count.succeeded - count.mutating;
                }
                "states" | "lambda" => {}
                _ => aws_reads += count.succeeded - count.mutating,
            }
        }
        Counted { transitions, writes, reads, aws_reads }
    })
}

/// From the moment at which HyperPod says of every node that it is Schedulable, which is the last thing that AWS does by
/// itself, to the end of the operation that waits for it.
pub(crate) async fn reaction() -> Result<Value> {
    let mut taken = Vec::new();
    for seed in 0..SEEDS {
        let product = product(100 + seed).await;
        let accepted = product.create(decisions("demo", decided()), Stage::Dependencies).await;
        let made = product.ended(accepted.operation.id).await;
        ensure!(made.state == OperationState::Succeeded, "the foundation failed: {:#?}", made.failure);
        taken.push(until_seen(&product, &made).await?);
    }
    #[expect(clippy::cast_precision_loss, reason = "ten values")]
    let mean = taken.iter().sum::<f64>() / taken.len() as f64;
    let longest = taken.iter().copied().fold(0.0, f64::max);
    Ok(json!({ "mean": figure(rounded(mean), "s", "<= 10"), "longest": figure(rounded(longest), "s", "") }))
}

async fn until_seen(product: &Product, made: &Operation) -> Result<f64> {
    let asked = product.submit_stages(made.cluster_id, Stage::HyperPod, Stage::HyperPod).await;
    let mut ready = None;
    loop {
        let operation = product.operation(asked.id).await;
        if let (Some(ready), Some(end)) = (ready, operation.finished_at) {
            ensure!(operation.state == OperationState::Succeeded, "{:#?}", operation.failure);
            return Ok(end.duration_since(ready).as_secs_f64());
        }
        ensure!(!operation.is_terminal(), "it ended before its node was there: {:#?}", operation.failure);
        if ready.is_none() && is_ready(product) {
            ready = Some(product.account.now());
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// The HyperPod cluster is in service, and every node runs in SageMaker and is Schedulable in Kubernetes.
fn is_ready(product: &Product) -> bool {
    use account::sagemaker::{ClusterStatus, NodeStatus};
    let now = product.account.now();
    product.account.with_world(|world| {
        let Some(cluster) = world.sagemaker.clusters.values().next() else { return false };
        let run = cluster.nodes.values().filter(|node| node.status == NodeStatus::Running).count();
        let kubernetes = world.kubernetes.get_mut(&cluster.eks_arn);
        let is_served = cluster.status == ClusterStatus::InService && run > 0 && run == cluster.nodes.len();
        is_served && kubernetes.is_some_and(|kubernetes| schedulable_nodes(kubernetes, now) == run)
    })
}

fn schedulable_nodes(cluster: &mut kubernetes::Cluster, now: Timestamp) -> usize {
    let request = kubernetes::Request {
        method: http::Method::GET,
        path: "/api/v1/nodes".to_owned(),
        query: String::new(),
        content_type: None,
        accept: None,
        body: Vec::new(),
        user: kubernetes::User::system("figures"),
    };
    let kubernetes::Reply::Json { body, .. } = cluster.handle(&request, now) else { return 0 };
    let is_ready = |node: &&Value| node["metadata"]["labels"][HEALTH] == "Schedulable";
    body["items"].as_array().into_iter().flatten().filter(is_ready).count()
}
