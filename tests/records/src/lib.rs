//! Records as plans and looks are given them: a cluster called `demo` in us-west-2, and the operation that runs one of its
//! stages. For unit tests alone; no product crate depends on it otherwise.

use engine::record::{Cluster, Operation};
use serde_json::{Value, json};

/// The two records; members of `more` take the place of the cluster's own.
///
/// # Panics
/// If `more` makes it no cluster's record.
#[expect(clippy::unwrap_used, reason = "a test gave what is no record")]
pub fn records(more: &Value) -> (Cluster, Operation) {
    let mut cluster = json!({
        "schema": 1, "id": "01KBXZ3V8Y0000000000000000", "tag": "demo",
        "target": { "account": "111122223333", "region": "us-west-2" },
        "decisions": { "tag": "demo", "region": "us-west-2" }, "generation": 1, "version": 1,
        "createdAt": "2026-12-01T08:00:00Z", "createdBy": "x", "firstOperation": "01KBXZ3V8Y0000000000000001",
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        cluster[name] = value.clone();
    }
    let operation = json!({
        "schema": 1, "id": "01KBXZ3V8Y0000000000000001", "kind": "run_stage",
        "clusterId": "01KBXZ3V8Y0000000000000000", "clusterTag": "demo", "principal": { "id": "x", "agent": false },
        "input": {}, "inputHash": "", "machine": "cluster", "lane": "cluster", "state": "running", "attempt": 1,
        "journalLength": 0, "version": 1, "nonce": "", "createdAt": "2026-12-01T08:00:00Z",
        "updatedAt": "2026-12-01T08:00:00Z",
    });
    (serde_json::from_value(cluster).unwrap(), serde_json::from_value(operation).unwrap())
}
