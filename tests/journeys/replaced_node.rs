//! A node that HyperPod replaces after a newer release has published other lifecycle scripts: it runs what its group was
//! made with.

use crate::asking::{after, asked, assert_verified, decided, node_of};
use account::sagemaker::{FaultKind, NodeStatus, break_node};
use domain::{
    naming::project_bucket,
    states::{OperationState, Stage},
};
use gateway::functions;
use harness::{Product, decisions, house::House};
use hyperpod::Scripts;
use serde_json::json;
use std::time::Duration;

const ENTRY: &str = "#!/bin/bash\necho \"hyperpod-instantstart lifecycle scripts, version 2\"\nexit 0\n";

/// The next release over the same account: it has version 2 of the scripts.
async fn upgraded(house: House) -> House {
    let scripts = Scripts::of(vec![("on_create.sh".to_owned(), ENTRY.as_bytes().to_vec())]).unwrap();
    let account = house.product.account.snapshot().unwrap().account().unwrap();
    let functions = functions::with_scripts(&account, &house.product.installed, &scripts);
    House::over(Product::release(account, functions).await)
}

/// Keys of the entry scripts in the project's bucket.
fn entries(house: &House) -> Vec<String> {
    let home = house.product.installed.home();
    let id = home.account.parse().unwrap();
    let bucket = project_bucket(gateway::wiring::BUCKET_PREFIX, &id, &home.region).unwrap();
    let keys = house.product.account.read(|world| account::s3::list(world, &bucket, "").unwrap());
    keys.into_iter().filter(|key| key.ends_with("/on_create.sh")).collect()
}

#[tokio::test(start_paused = true)]
async fn a_replaced_node_runs_the_scripts_of_its_group_and_is_verified_under_its_new_id() {
    let house = after(Stage::Storage).await;
    let old = node_of(&house, "workers");

    let house = upgraded(house).await;
    let other = decisions("other", json!({ "hyperpod": decided()["hyperpod"] }));
    let other = house.product.create(other, Stage::HyperPod).await;
    let other = house.product.ended(other.operation.id).await;
    assert_eq!(other.state, OperationState::Succeeded, "{other:#?}\n{}", house.product.trail());
    assert_eq!(entries(&house).len(), 2, "version 2 is published beside version 1");

    let now = house.product.account.now();
    house.product.account.with_world(|world| {
        let arn =
            world.sagemaker.clusters.values().find(|it| it.nodes.contains_key(&old.logical_id)).unwrap().arn.clone();
        assert!(break_node(world, &arn, &old.logical_id, FaultKind::Xid(79), now));
    });
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let new = node_of(&house, "workers");
    assert_eq!(new.status, NodeStatus::Running, "{new:#?}");
    assert_ne!(new.instance_id, old.instance_id);
    assert_eq!(new.script, old.script, "the script that ran, by its SHA-256");

    let ended = house.run("run_stage", json!({ "tag": "demo", "stage": "verification" })).await;
    assert_verified(&house, &ended).await;
    let nodes = house.ask("list_nodes", json!({ "tag": "demo" }), None).await.unwrap().to_string();
    let (old, new) = (old.instance_id.unwrap(), new.instance_id.unwrap());
    assert!(nodes.contains(&new) && !nodes.contains(&old), "{nodes}");
    for action in
        ["BatchAddClusterNodes", "BatchDeleteClusterNodes", "BatchRebootClusterNodes", "BatchReplaceClusterNodes"]
    {
        assert_eq!(asked(&house, "sagemaker", action), 0, "{action}");
    }
}
