//! Evictions: deletions of pods that respect disruption budgets (`pkg/registry/core/pod/storage/eviction.go`).

use crate::kubernetes::{
    Cluster, Reply, object,
    refusal::Refusal,
    resource::known,
    selector::selects,
    serve::{Call, Deletion},
};
use serde_json::json;

pub(super) fn evict(cluster: &mut Cluster, call: &Call<'_>) -> Result<Reply, Refusal> {
    let body = call.body()?;
    let (namespace, name) = (call.route.namespace.as_str(), call.route.name.as_str());
    let pod = cluster.find(&call.resource, namespace, name)?.copy();
    let over = matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed" | "Pending"));
    let dry_run = call.query.dry_run(&body["deleteOptions"])?;
    if !over && !object::is_terminating(&pod) {
        spend(cluster, &pod, dry_run)?;
    }
    let deletion = Deletion {
        grace: body["deleteOptions"]["gracePeriodSeconds"].as_i64(),
        uid: object::text(&body, "/deleteOptions/preconditions/uid").to_owned(),
        dry_run,
        ..Deletion::default()
    };
    cluster.delete(&call.resource, namespace, name, &deletion, call.now)?;
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Ok(Reply::Json { status: 201, body: status, warnings: Vec::new() })
}

/// Takes one allowed disruption from the pod's budget.
fn spend(cluster: &mut Cluster, pod: &serde_json::Value, dry_run: bool) -> Result<(), Refusal> {
    let budgets = known("policy", "poddisruptionbudgets");
    let matching: Vec<_> =
        cluster.store.list(budgets, object::namespace(pod)).filter(|budget| selects(budget, pod)).cloned().collect();
    let budget = match matching.as_slice() {
        [] => return Ok(()),
        [one] => one,
        _ => {
            let message =
                "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
            return Err(Refusal::new(500, "InternalError", message));
        }
    };
    let name = object::name(budget);
    let number = |field: &str| object::number(budget, &format!("/status/{field}")).unwrap_or(0);
    let unready = !object::has_condition(pod, "Ready");
    let healthy_enough = number("currentHealthy") >= number("desiredHealthy") && number("desiredHealthy") > 0;
    if unready && (budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow" || healthy_enough) {
        return Ok(());
    }
    let observed = number("observedGeneration") >= object::number(budget, "/metadata/generation").unwrap_or(0);
    if !observed || number("disruptionsAllowed") <= 0 {
        let mut refusal =
            Refusal::new(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.");
        let why = if observed {
            format!(
                "The disruption budget {name} needs {} healthy pods and has {} currently",
                number("desiredHealthy"),
                number("currentHealthy")
            )
        } else {
            format!("The disruption budget {name} is still being processed by the server.")
        };
        refusal.details = json!({"causes": [{"reason": "DisruptionBudget", "message": why}]});
        return Err(refusal);
    }
    if !dry_run {
        let mut budget = budget.copy();
        budget["status"]["disruptionsAllowed"] = (number("disruptionsAllowed") - 1).into();
        cluster.store.put(budgets, budget);
    }
    Ok(())
}
