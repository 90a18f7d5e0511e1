//! What the journeys through the front door share: the usual requests, and how a cluster and its stages stand.

use account::sagemaker::{Cluster, Node};
use domain::states::Stage;
use engine::record::Operation;
use harness::{Product, grounds::Done, house::House};
use serde_json::{Value, json};

/// All stages as [`stages`] shows them when each was run once and is done.
pub(crate) const VERIFIED: [&str; 6] = ["succeeded 1"; 6];

/// A house with the quotas of the usual choices.
pub(crate) async fn house(seed: u64) -> House {
    let house = House::over(Product::new(seed).await);
    house.product.allow_the_usual();
    house
}

/// A house in which the stages of `demo` are done up to one of them, decided as [`decided`] does.
pub(crate) async fn after(stage: Stage) -> House {
    House::over(Done::to(stage).product().await)
}

/// `count` GPU nodes, and one CPU node for what the cluster itself runs.
pub(crate) fn capacity(count: u32) -> Value {
    json!({
        "instanceGroups": { "workers": { "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": count } },
        "systemGroup": { "zoneId": "usw2-az2", "instanceType": "ml.m5.4xlarge", "instanceCount": 1 },
    })
}

/// A request for a cluster called `demo` with one GPU node.
pub(crate) fn decided() -> Value {
    json!({ "tag": "demo", "region": "us-west-2", "hyperpod": capacity(1) })
}

/// The decision of [`capacity`] for `demo`, as `create_hyperpod` takes it.
pub(crate) fn decision(count: u32) -> Value {
    let mut decision = capacity(count);
    decision["tag"] = json!("demo");
    decision
}

/// How the account's owner configures clients of its services.
pub(crate) async fn owner(house: &House) -> aws_config::SdkConfig {
    house.product.owner.cloud.engine_config(&house.product.installed.home()).await
}

/// The stages of a cluster in order, as the front door shows them: state and how often it was run.
pub(crate) async fn stages(house: &House, tag: &str) -> Vec<String> {
    let cluster = house.ask("get_cluster", json!({ "tag": tag }), None).await.unwrap();
    let stages = cluster["stages"].as_array().unwrap().iter();
    stages.map(|stage| format!("{} {}", stage["state"].as_str().unwrap(), stage["attempts"])).collect()
}

/// A stage of `demo` as the front door shows it.
pub(crate) async fn stage(house: &House, stage: Stage) -> Value {
    house.ask("get_stage", json!({ "tag": "demo", "stage": stage }), None).await.unwrap()
}

/// Asserts that the cluster was verified, each check with what it found.
pub(crate) async fn assert_verified(house: &House, ended: &Operation) {
    let product = &house.product;
    assert!(ended.failure.is_none(), "{ended:#?}\n{}", product.trail());
    let outcome = product.stage(ended.cluster_id, Stage::Verification).await.outcome;
    let checks = outcome["checks"].as_array().unwrap_or_else(|| panic!("nothing was checked: {outcome:#}"));
    for check in checks {
        assert_eq!(check["status"], "pass", "{check:#}");
    }
}

/// Looks at the HyperPod cluster on the EKS cluster called `name`.
pub(crate) fn with_hyperpod<R>(house: &House, name: &str, look: impl FnOnce(&Cluster) -> R) -> R {
    let on = format!(":cluster/{name}");
    house.product.account.read(|world| {
        let mut clusters = world.sagemaker.clusters.values();
        look(clusters.find(|cluster| cluster.eks_arn.ends_with(&on)).unwrap())
    })
}

/// The only node of a group on `demo`.
pub(crate) fn node_of(house: &House, group: &str) -> Node {
    with_hyperpod(house, "demo", |cluster| cluster.nodes.values().find(|node| node.group == group).unwrap().clone())
}

/// How an action was called, whatever came of it.
pub(crate) fn asked(house: &House, service: &str, action: &str) -> u64 {
    house.product.account.read(|world| world.calls.count(service, action).all)
}
