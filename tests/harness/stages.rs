//! Running stages of a cluster that is there, and running an operation again.

use crate::Product;
use domain::{
    ids::{ClusterId, OperationId},
    states::Stage,
};
use engine::{
    record::{Operation, Principal},
    submit::{ClusterWrite, Submission},
};
use serde_json::json;

impl Product {
    /// Submits stages of a cluster, from `first` to `last`, as an operation of its own.
    pub async fn submit_stages(&self, cluster: ClusterId, first: Stage, last: Stage) -> Operation {
        let submission = self.run_of_stages(cluster, first, last).await;
        self.owner.desk.submit(submission).await.unwrap().operation
    }

    /// A request to run stages of a cluster.
    pub async fn run_of_stages(&self, cluster: ClusterId, first: Stage, last: Stage) -> Submission {
        let cluster = self.owner.desk.store.cluster(cluster).await.unwrap().unwrap();
        Submission {
            kind: "run_stage",
            cluster: ClusterWrite::Keep(cluster),
            principal: Principal { id: "a-person".to_owned(), agent: false },
            input: json!({ "stage": first }),
            idempotency_key: None,
            machine: "cluster",
            stages: Some((first, last)),
            lane: "cluster",
            needs_approval: false,
        }
    }

    /// An operation that failed, run again to its end.
    pub async fn again(&self, id: OperationId) -> Operation {
        self.owner.desk.retry(id).await.unwrap();
        self.ended(id).await
    }
}
