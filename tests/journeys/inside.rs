//! What the journeys inside of a cluster share: running a stage, and looking into the cluster as an administrator.

use account::eks;
use domain::states::Stage;
use engine::{
    record::{Operation, Principal},
    submit::{ClusterWrite, Submission},
};
use harness::{Product, decisions};
use serde_json::{Value, json};

/// The product with a cluster's control plane, and what else `more` decides.
pub(crate) async fn with_control_plane(seed: u64, more: Value) -> (Product, Operation) {
    let product = Product::new(seed).await;
    let accepted = product.create(decisions("demo", more), Stage::ControlPlane).await;
    let ended = product.ended(accepted.operation.id).await;
    assert!(ended.failure.is_none(), "{:#?}", ended.failure);
    (product, ended)
}

/// Runs stages of the operation's cluster, from the first to the last, to their end.
pub(crate) async fn run(product: &Product, made: &Operation, first: Stage, last: Stage) -> Operation {
    let cluster = product.front.desk.store.cluster(made.cluster_id).await.unwrap().unwrap();
    let submission = Submission {
        kind: "run_stage",
        cluster: ClusterWrite::Keep(cluster),
        principal: Principal { id: "a-person".to_owned(), agent: false },
        input: json!({ "stage": first }),
        idempotency_key: None,
        machine: "cluster",
        stages: Some((first, last)),
        lane: "cluster",
    };
    let accepted = product.front.desk.submit(submission).await.unwrap();
    product.ended(accepted.operation.id).await
}

/// Objects of a kind, by the path of their list: `/api/v1/persistentvolumes`.
pub(crate) fn objects(product: &Product, path: &str) -> Vec<Value> {
    let request = account::kubernetes::Request {
        method: "GET".to_owned(),
        path: path.to_owned(),
        user: account::kubernetes::User::system("admin"),
        ..account::kubernetes::Request::default()
    };
    let now = product.account.now();
    product.account.with_world(|world| {
        let arn = "arn:aws:eks:us-west-2:111122223333:cluster/demo";
        assert!(eks::cluster_by_arn(world, arn).is_some(), "the cluster is there");
        match world.kubernetes.get_mut(arn).unwrap().handle(&request, now) {
            account::kubernetes::Reply::Object { body, .. } => body["items"].as_array().cloned().unwrap_or_default(),
            other => unreachable!("{other:?}"),
        }
    })
}
