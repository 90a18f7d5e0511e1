//! ReplicaSets: as many pods as asked for.

use super::pods;
use crate::kubernetes::{Cluster, object, resource::known};
use jiff::Timestamp;
use serde_json::json;

const FROM: &str = "replicaset-controller";

pub(super) fn run(cluster: &mut Cluster, now: Timestamp) {
    for set in cluster.all("apps", "replicasets") {
        let owned = cluster.pods_of(&set);
        let mut active: Vec<_> =
            owned.into_iter().filter(|pod| !pods::is_over(pod) && !object::is_terminating(pod)).collect();
        let wanted = usize::try_from(object::number(&set, "/spec/replicas").unwrap_or(1)).unwrap_or(0);
        if !object::is_terminating(&set) {
            for _ in active.len()..wanted {
                if !cluster.make_pod(&set, pods::from_template(&set), FROM, now) {
                    break;
                }
            }
            active.sort_by_key(|pod| pods::worth(pod));
            for pod in active.iter().take(active.len().saturating_sub(wanted)) {
                cluster.drop_pod(&set, pod, FROM, now);
            }
        }
        let active: Vec<_> = cluster
            .pods_of(&set)
            .into_iter()
            .filter(|pod| !pods::is_over(pod) && !object::is_terminating(pod))
            .collect();
        let ready = active.iter().filter(|pod| pods::is_ready(pod)).count();
        let mut next = set.copy();
        next["status"] = json!({
            "replicas": active.len(), "fullyLabeledReplicas": active.len(), "readyReplicas": ready,
            "availableReplicas": ready, "observedGeneration": set["metadata"]["generation"],
        });
        cluster.write(known("apps", "replicasets"), &set, next);
    }
}
