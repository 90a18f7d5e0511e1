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
use harness::{Product, grounds::Done};
use serde_json::json;

/// A cluster with nodes, before its storage.
async fn with_nodes() -> (Product, Operation) {
    let ground = Done::to(Stage::HyperPod);
    (ground.product().await, ground.operation.clone())
}

/// A cluster with a group and no node, before its storage.
async fn without_nodes() -> (Product, Operation) {
    let empty = json!({ "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 0 });
    let decided = json!({ "hyperpod": { "instanceGroups": { "workers": empty } } });
    let (product, made) = with_control_plane(decided).await;
    let ended = run(&product, &made, Stage::Dependencies, Stage::HyperPod).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    (product, made)
}

#[tokio::test(start_paused = true)]
async fn a_pod_on_a_hyperpod_node_has_read_the_bucket() {
    let (product, made) = with_nodes().await;
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
    let (product, made) = with_nodes().await;
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
    let (product, made) = with_control_plane(json!({})).await;
    let before = product.made("iam", "CreateRole");
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
    assert_eq!(product.made("iam", "CreateRole") - before, 1, "the driver's, once");
}

#[tokio::test(start_paused = true)]
async fn a_role_that_somebody_makes_under_our_name_meanwhile_is_looked_at_again_and_is_a_conflict() {
    let (product, made) = with_control_plane(json!({})).await;
    let cluster = product.front.desk.store.cluster(made.cluster_id).await.unwrap().unwrap();
    let role = domain::naming::Names::of(&cluster.tag, cluster.id).role(domain::naming::Role::S3Driver);
    let before = product.made("iam", "CreateRole");
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
    assert_eq!(product.made("iam", "CreateRole") - before, 1, "looked for again, not found, and made");

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
    let (product, made) = without_nodes().await;
    let ended = run(&product, &made, Stage::Storage, Stage::Storage).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    let outcome = product.stage(made.cluster_id, Stage::Storage).await.outcome;
    assert_eq!(outcome["read"]["detail"], "no node yet", "{outcome:#}");
    assert_eq!(objects(&product, "/api/v1/persistentvolumeclaims").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn br_025_br_026_an_association_that_somebody_deletes_or_changes_is_one_again_with_our_role() {
    let (product, made) = without_nodes().await;
    let ended = run(&product, &made, Stage::Storage, Stage::Storage).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    let eks = aws_sdk_eks::Client::new(&product.owner.cloud.engine_config(&product.installed.home()).await);
    let associations = || async {
        let listed = eks.list_pod_identity_associations().cluster_name("demo").send().await.unwrap();
        let ids = listed.associations().iter().map(|one| one.association_id().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let described = |id: String| eks.describe_pod_identity_association().cluster_name("demo").association_id(id).send();
    let [first] = &associations().await[..] else { panic!("one association") };
    let ours = described(first.clone()).await.unwrap().association.unwrap().role_arn.unwrap();

    // Gone, still listed for some seconds, and in the way of another meanwhile.
    eks.delete_pod_identity_association().cluster_name("demo").association_id(first).send().await.unwrap();
    for attempt in 0..2 {
        let ended = run(&product, &made, Stage::Storage, Stage::Storage).await;
        assert_eq!(ended.state, OperationState::Succeeded, "{attempt}: {ended:#?}\n{}", product.trail());
        tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    }
    let [second] = &associations().await[..] else { panic!("one association") };
    assert_ne!(second, first);
    assert_eq!(described(second.clone()).await.unwrap().association.unwrap().role_arn.as_ref(), Some(&ours));

    // Another role: the same association gets ours back.
    let nodes = format!("arn:aws:iam::{}:role/other", product.installed.account);
    let iam = aws_sdk_iam::Client::new(&product.owner.cloud.engine_config(&product.installed.home()).await);
    let trust = json!({ "Version": "2012-10-17", "Statement": [{ "Effect": "Allow",
        "Principal": { "Service": "pods.eks.amazonaws.com" }, "Action": ["sts:AssumeRole", "sts:TagSession"] }] });
    iam.create_role().role_name("other").assume_role_policy_document(trust.to_string()).send().await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let change = eks.update_pod_identity_association().cluster_name("demo").association_id(second).role_arn(&nodes);
    change.send().await.unwrap();
    let updated = product.made("eks", "UpdatePodIdentityAssociation");
    let ended = run(&product, &made, Stage::Storage, Stage::Storage).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    assert_eq!(product.made("eks", "UpdatePodIdentityAssociation"), updated + 1);
    assert_eq!(associations().await, [second.clone()]);
    assert_eq!(described(second.clone()).await.unwrap().association.unwrap().role_arn, Some(ours));
}
