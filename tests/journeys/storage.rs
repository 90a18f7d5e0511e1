//! The storage stage: done means that a pod has read the bucket.

use crate::inside::{objects, run, with_control_plane};
use account::{
    faults::{Effect, Fault},
    iam,
};
use domain::{
    codes::ErrorCode,
    states::{OperationState, Stage},
};
use engine::record::Operation;
use harness::Product;
use serde_json::{Value, json};

/// One GPU node, and one CPU node for what the cluster itself runs.
fn nodes() -> Value {
    json!({ "hyperpod": {
        "instanceGroups": { "workers": { "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 1 } },
        "systemGroup": { "zoneId": "usw2-az2", "instanceType": "ml.m5.2xlarge", "instanceCount": 1 },
    } })
}

/// A cluster with nodes, before its storage.
async fn with_nodes(seed: u64, more: Value) -> (Product, Operation) {
    let (product, made) = with_control_plane(seed, more).await;
    let ended = run(&product, &made, Stage::Dependencies, Stage::HyperPod).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    (product, made)
}

#[tokio::test(start_paused = true)]
async fn a_pod_on_a_hyperpod_node_has_read_the_bucket() {
    let (product, made) = with_nodes(21, nodes()).await;
    let ended = run(&product, &made, Stage::Storage, Stage::Storage).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    let outcome = product.stage(made.cluster_id, Stage::Storage).await.outcome;
    assert_eq!(outcome["read"]["status"], "pass", "{outcome:#}");
    assert!(outcome["read"]["node"].as_str().unwrap().starts_with("hyperpod-i-"), "{outcome:#}");
    let claims = objects(&product, "/api/v1/persistentvolumeclaims");
    assert_eq!((claims.len(), &claims[0]["status"]["phase"]), (1, &json!("Bound")));
    let probes = objects(&product, "/api/v1/namespaces/default/pods");
    assert!(probes.is_empty(), "the probe is removed: {probes:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_driver_without_permission_fails_with_the_claim_bound_and_succeeds_once_it_has_it() {
    let (product, made) = with_nodes(22, nodes()).await;
    let cluster = product.front.desk.store.cluster(made.cluster_id).await.unwrap().unwrap();
    let role = domain::naming::Names::of(&cluster.tag, cluster.id).role(domain::naming::Role::S3Driver);
    let root = product.account.read(iam::root_credentials);
    let iam = aws_sdk_iam::Client::new(
        &gateway::wiring::cloud(&product.account, &root).engine_config(&product.installed.home()).await,
    );
    // Somebody's deny, beside our own policy, from the moment that the role is there.
    let denying = {
        let iam = iam.clone();
        let role = role.clone();
        tokio::spawn(async move {
            let deny = json!({ "Version": "2012-10-17", "Statement": [{ "Effect": "Deny", "Action": "s3:*", "Resource": "*" }] });
            loop {
                let put = iam.put_role_policy().role_name(&role).policy_name("deny").policy_document(deny.to_string());
                if put.send().await.is_ok() {
                    return;
                }
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            }
        })
    };
    let ended = run(&product, &made, Stage::Storage, Stage::Storage).await;
    denying.await.unwrap();
    assert_eq!(ended.state, OperationState::Failed, "{ended:#?}");
    let failure = ended.failure.unwrap();
    assert_eq!(failure.code, ErrorCode::PermissionDenied, "{failure:#?}");
    assert!(failure.message.contains("s3-claim is Bound") && failure.message.contains("AccessDenied"), "{failure:#?}");
    let claims = objects(&product, "/api/v1/persistentvolumeclaims");
    assert_eq!((claims.len(), &claims[0]["status"]["phase"]), (1, &json!("Bound")));

    iam.delete_role_policy().role_name(&role).policy_name("deny").send().await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let again = run(&product, &made, Stage::Storage, Stage::Storage).await;
    assert_eq!(again.state, OperationState::Succeeded, "{again:#?}\n{}", product.trail());
    assert_eq!(objects(&product, "/api/v1/persistentvolumes").len(), 1);
    assert_eq!(product.made("eks", "CreatePodIdentityAssociation"), 1);
    assert!(objects(&product, "/api/v1/namespaces/default/pods").is_empty(), "no probe is left");
}

#[tokio::test(start_paused = true)]
async fn a_role_that_eks_refuses_for_longer_than_three_minutes_is_no_spreading() {
    let (product, made) = with_control_plane(24, json!({})).await;
    let effect = Effect::Error {
        code: "InvalidParameterException".to_owned(),
        status: 400,
        message: "Role provided in the request does not exist.".to_owned(),
    };
    let refusing = Fault::new("role", effect).on("eks", "CreatePodIdentityAssociation");
    product.account.with_world(|world| world.faults.switch_on(refusing)).unwrap();
    let ended = run(&product, &made, Stage::Storage, Stage::Storage).await;
    assert_eq!(ended.state, OperationState::Failed, "{ended:#?}");
    let failure = ended.failure.unwrap();
    assert_eq!(failure.code, ErrorCode::PermissionDenied, "{failure:#?}");
    assert!(failure.action.contains("service control policy"), "{failure:#?}");
    assert_eq!(failure.upstream.unwrap().code, "InvalidParameterException");
    let took = ended.finished_at.unwrap().duration_since(ended.created_at).as_secs();
    assert!((180..300).contains(&took), "bounded by the role's age: {took} s");

    product.account.with_world(|world| world.faults.clear());
    let again = run(&product, &made, Stage::Storage, Stage::Storage).await;
    assert_eq!(again.state, OperationState::Succeeded, "{again:#?}\n{}", product.trail());
    assert_eq!(product.made("iam", "CreateRole"), 2, "the cluster's and the driver's, each once");
}

#[tokio::test(start_paused = true)]
async fn a_role_that_somebody_makes_under_our_name_meanwhile_is_looked_at_again_and_is_a_conflict() {
    let (product, made) = with_control_plane(25, json!({})).await;
    let cluster = product.front.desk.store.cluster(made.cluster_id).await.unwrap().unwrap();
    let role = domain::naming::Names::of(&cluster.tag, cluster.id).role(domain::naming::Role::S3Driver);
    // It is there when ours is to be made, and nobody could see it before that.
    let effect = Effect::Error {
        code: "EntityAlreadyExists".to_owned(),
        status: 409,
        message: format!("Role with name {role} already exists."),
    };
    let raced = Fault::new("raced", effect).on("iam", "CreateRole").nth(1);
    product.account.with_world(|world| world.faults.switch_on(raced)).unwrap();
    let ended = run(&product, &made, Stage::Storage, Stage::Storage).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    assert_eq!(product.made("iam", "CreateRole"), 2, "looked for again, not found, and made");

    let root = product.account.read(iam::root_credentials);
    let iam = aws_sdk_iam::Client::new(
        &gateway::wiring::cloud(&product.account, &root).engine_config(&product.installed.home()).await,
    );
    let untag = iam.untag_role().role_name(&role).tag_keys(domain::naming::TAG_CLUSTER);
    untag.send().await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let before = product.changes();
    let again = run(&product, &made, Stage::Storage, Stage::Storage).await;
    let failure = again.failure.unwrap();
    assert_eq!(failure.code, ErrorCode::Conflict, "{failure:#?}");
    assert!(failure.message.contains(&role) && failure.action.contains("Delete the role"), "{failure:#?}");
    assert_eq!(product.changes_since(&before), std::collections::BTreeMap::new());
}

#[tokio::test(start_paused = true)]
async fn without_a_wanted_node_the_claim_is_there_and_the_read_is_said_to_be_open() {
    let mut empty = nodes();
    empty["hyperpod"]["instanceGroups"]["workers"]["instanceCount"] = json!(0);
    empty["hyperpod"].as_object_mut().unwrap().remove("systemGroup");
    let (product, made) = with_nodes(23, empty).await;
    let ended = run(&product, &made, Stage::Storage, Stage::Storage).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    let outcome = product.stage(made.cluster_id, Stage::Storage).await.outcome;
    assert_eq!(outcome["read"]["detail"], "no node yet", "{outcome:#}");
    assert_eq!(objects(&product, "/api/v1/persistentvolumeclaims").len(), 1);
}
