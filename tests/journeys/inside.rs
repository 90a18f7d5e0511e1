//! What the journeys inside of a cluster share: running a stage, and looking into the cluster as an administrator.

use account::kubernetes::{Reply, Request, User};
use domain::states::Stage;
use engine::{
    record::{Operation, Principal},
    submit::{ClusterWrite, Submission},
};
use harness::{Product, grounds::Done};
use http::Method;
use serde_json::{Value, json};

/// The product with a cluster's control plane, and what else `more` decides.
pub(crate) async fn with_control_plane(more: Value) -> (Product, Operation) {
    let ground = Done::to(Stage::ControlPlane);
    let product = ground.product().await;
    product.decide(ground.operation.cluster_id, more).await;
    (product, ground.operation.clone())
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
        needs_approval: false,
    };
    let accepted = product.front.desk.submit(submission).await.unwrap();
    product.ended(accepted.operation.id).await
}

/// Objects of a kind, by the path of their list: `/api/v1/persistentvolumes`.
pub(crate) fn objects(product: &Product, path: &str) -> Vec<Value> {
    let body = ask(product, Method::GET, path, &Value::Null);
    body["items"].as_array().cloned().unwrap_or_default()
}

/// Makes an object as an administrator of the cluster.
pub(crate) fn make(product: &Product, path: &str, object: &Value) {
    let made = ask(product, Method::POST, path, object);
    assert_eq!(made["metadata"]["name"], object["metadata"]["name"], "{made}");
}

fn ask(product: &Product, method: Method, path: &str, object: &Value) -> Value {
    let request = Request {
        method,
        path: path.to_owned(),
        query: String::new(),
        content_type: Some("application/json".to_owned()),
        accept: None,
        body: if object.is_null() { Vec::new() } else { object.to_string().into_bytes() },
        user: User::system("admin"),
    };
    let now = product.account.now();
    let reply = product.account.with_world(|world| {
        let arn = "arn:aws:eks:us-west-2:111122223333:cluster/demo";
        let reply = world.kubernetes.get_mut(arn).unwrap().handle(&request, now);
        account::hyperpod_nodes::reconcile(world, now);
        reply
    });
    match reply {
        Reply::Json { body, .. } => body,
        other => unreachable!("{other:?}"),
    }
}
