//! Endpoint slices of Services, and the counts of disruption budgets: both are made of the pods that a selector finds.

use super::{deployments::share, pods};
use crate::kubernetes::{
    Cluster, object,
    resource::known,
    selector::{LabelSelector, selects},
    serve::Options,
    store::Shared,
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Writes a slice for every Service that has a selector.
pub(super) fn run(cluster: &mut Cluster, now: Timestamp) {
    let slices = known("discovery.k8s.io", "endpointslices");
    for service in cluster.all("", "services") {
        let selector = LabelSelector::pairs(&service["spec"]["selector"]);
        if selector.is_empty() || service["spec"]["type"] == "ExternalName" || object::is_terminating(&service) {
            continue;
        }
        let namespace = object::namespace(&service);
        let behind: Vec<Value> = cluster
            .store
            .list(known("", "pods"), namespace)
            .filter(|pod| selector.matches(object::labels(pod)) && !pods::is_over(pod))
            .filter(|pod| !object::text(pod, "/status/podIP").is_empty())
            .map(|pod| endpoint(pod))
            .collect();
        let ports: Vec<Value> = object::list(&service, "/spec/ports")
            .iter()
            .map(|port| json!({"name": object::text(port, "/name"), "port": port["targetPort"].as_i64().or(port["port"].as_i64()), "protocol": port["protocol"]}))
            .collect();
        let name = object::name(&service);
        let known_slice = cluster
            .store
            .list(slices, namespace)
            .find(|slice| object::labels(slice)["kubernetes.io/service-name"] == name)
            .cloned();
        match known_slice {
            Some(slice) => {
                let mut next = slice.copy();
                next["endpoints"] = behind.into();
                next["ports"] = ports.into();
                cluster.write(slices, &slice, next);
            }
            None => {
                let body = json!({
                    "metadata": {
                        "generateName": format!("{name}-"), "ownerReferences": object::owned_by(&service),
                        "labels": {"kubernetes.io/service-name": name, "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"},
                    },
                    "addressType": "IPv4", "endpoints": behind, "ports": ports,
                });
                let mut options = Options::internal("kube-controller-manager");
                // A namespace that is ending takes no slices.
                _ = cluster.create(slices, namespace, body, &mut options, now);
            }
        }
    }
}

fn endpoint(pod: &Value) -> Value {
    let (ready, ending) = (pods::is_ready(pod), object::is_terminating(pod));
    json!({
        "addresses": [pod["status"]["podIP"]],
        "conditions": {"ready": ready, "serving": object::has_condition(pod, "Ready"), "terminating": ending},
        "nodeName": pod["spec"]["nodeName"],
        "targetRef": {"kind": "Pod", "namespace": object::namespace(pod), "name": object::name(pod), "uid": pod["metadata"]["uid"]},
    })
}

/// Counts what each budget still allows.
pub(super) fn budgets(cluster: &mut Cluster, now: Timestamp) {
    for budget in cluster.all("policy", "poddisruptionbudgets") {
        let chosen: Vec<Shared> = cluster
            .store
            .list(known("", "pods"), object::namespace(&budget))
            .filter(|pod| selects(&budget, pod) && !pods::is_over(pod))
            .cloned()
            .collect();
        let healthy = i64::try_from(chosen.iter().filter(|pod| pods::is_ready(pod)).count()).unwrap_or(i64::MAX);
        let expected = expected(cluster, &chosen);
        let spec = &budget["spec"];
        let desired = if spec["minAvailable"].is_null() {
            (expected - share(&spec["maxUnavailable"], expected, true)).max(0)
        } else {
            share(&spec["minAvailable"], expected, true)
        };
        let allowed = if expected > 0 { (healthy - desired).max(0) } else { 0 };
        let mut next = budget.copy();
        let conditions = budget["status"]["conditions"].clone();
        next["status"] = json!({
            "currentHealthy": healthy, "desiredHealthy": desired, "disruptionsAllowed": allowed,
            "expectedPods": expected, "observedGeneration": budget["metadata"]["generation"], "conditions": conditions,
        });
        let reason = if allowed > 0 { "SufficientPods" } else { "InsufficientPods" };
        object::set_condition(&mut next, "DisruptionAllowed", allowed > 0, (reason, ""), now);
        cluster.write(known("policy", "poddisruptionbudgets"), &budget, next);
    }
}

/// How many pods their controllers want; a pod without one counts itself.
fn expected(cluster: &Cluster, chosen: &[Shared]) -> i64 {
    let mut owners: Vec<&str> = Vec::new();
    let mut count = 0;
    for pod in chosen {
        let Some(owner) = object::controller_of(pod) else {
            count += 1;
            continue;
        };
        let uid = object::text(owner, "/uid");
        if owners.contains(&uid) {
            continue;
        }
        owners.push(uid);
        let resource = cluster.resource_of_kind(object::text(owner, "/apiVersion"), object::text(owner, "/kind"));
        let scale = resource
            .filter(|resource| resource.has("scale"))
            .and_then(|resource| cluster.store.get(&resource, object::namespace(pod), object::text(owner, "/name")))
            .and_then(|found| object::number(found, "/spec/replicas"));
        let mine =
            chosen.iter().filter(|one| object::controller_of(one).is_some_and(|other| other["uid"] == uid)).count();
        count += scale.unwrap_or(i64::try_from(mine).unwrap_or(i64::MAX));
    }
    count
}
