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
        let cluster = self.front.desk.store.cluster(cluster).await.unwrap().unwrap();
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
        self.front.desk.submit(submission).await.unwrap().operation
    }

    /// An operation that failed, run again to its end.
    pub async fn again(&self, id: OperationId) -> Operation {
        self.front.desk.retry(id).await.unwrap();
        self.ended(id).await
    }
}
