//! One change at the most, and then a wait. Pure.

use crate::observe::Observed;
use cloud::sagemaker::Attached;
use domain::{codes::ErrorCode, failure::Failure, states::WaitingOn, status::HyperPodClusterStatus};
use engine::{
    ledger::Sent,
    plan::{self, End, Guard, Plan, Step, Wait},
    reconciler::Scene,
};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;

/// Sets groups' targets to zero, all in one update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StopGroups {
    /// The HyperPod cluster.
    pub cluster: String,
    /// Targets now, by group.
    pub from: BTreeMap<String, u32>,
}

const KEY: &str = "stop-groups";

impl plan::Change for StopGroups {
    fn key(&self) -> String {
        KEY.into()
    }

    fn title(&self) -> String {
        let groups: Vec<String> = self.from.iter().map(|(name, target)| format!("{name} from {target}")).collect();
        format!("set to zero in HyperPod cluster {}: {}", self.cluster, groups.join(", "))
    }

    fn guard(&self) -> Guard {
        // It sets.
        Guard::Service
    }
}

/// The whole plan of the operation.
pub(crate) fn plan(scene: Scene<'_>, seen: &Observed) -> Plan<StopGroups> {
    let Some(cluster) = &seen.cluster else {
        return Plan::done(json!({ "running": 0, "note": "there is no HyperPod cluster, so no node runs" }));
    };
    let name = &cluster.name;
    let from: BTreeMap<String, u32> = cluster
        .groups
        .iter()
        .filter(|group| group.target > 0)
        .map(|group| (group.name.clone(), group.target))
        .collect();
    let mut steps = Vec::new();
    match &cluster.status {
        // What a failed cluster had, AWS takes away by itself.
        HyperPodClusterStatus::Failed => {}
        HyperPodClusterStatus::InService => {
            if let Some(failure) = raised_again(scene, cluster, &from) {
                return Plan::failed(failure);
            }
            if !from.is_empty() && seen.deep_checking {
                let reason = "deep health checks run (about two hours, billed meanwhile); AWS takes no change of groups \
                              until they end";
                steps.push(Step::Wait(Wait::new(WaitingOn::DeepChecks, reason)));
            }
            if !from.is_empty() {
                steps.push(Step::Change(StopGroups { cluster: name.clone(), from }));
            }
        }
        busy => {
            let reason = format!("HyperPod cluster {name} is {busy}; AWS takes no change of groups meanwhile");
            steps.push(Step::Wait(Wait::new(WaitingOn::Aws, reason)));
        }
    }
    if let Err(failure) = still_running(seen, cluster, &mut steps) {
        return Plan { steps, end: End::Failed(failure) };
    }
    Plan { steps, end: End::Done(outcome(cluster)) }
}

/// Managed autoscaling that raises what was just set to zero wins every time: somebody must switch it off first.
fn raised_again(scene: Scene<'_>, cluster: &Attached, from: &BTreeMap<String, u32>) -> Option<Failure> {
    let sent =
        scene.ledger.get(KEY).filter(|sent| sent.sent == Sent::Applied && sent.journal.0 == scene.operation.id)?;
    let settled = !scene.ledger.may_be_invisible(KEY, scene.now, engine::ledger::VISIBILITY_WINDOW);
    if from.is_empty() || !cluster.autoscaled || !settled {
        return None;
    }
    let names: Vec<&str> = from.keys().map(String::as_str).collect();
    let text = format!(
        "managed autoscaling owns the counts of {} and raised them again after they were set to zero at {}",
        names.join(", "),
        sent.at
    );
    Some(Failure::new(ErrorCode::Conflict, text).with_action("Switch autoscaling off, then stop spending again."))
}

/// Waits for nodes that are on their way out; nodes of restricted groups never go by what is done here.
fn still_running(seen: &Observed, cluster: &Attached, steps: &mut Vec<Step<StopGroups>>) -> Result<(), Failure> {
    let restricted = seen.running.iter().filter(|node| cluster.restricted.contains(&node.group)).count();
    let going = seen.running.len() - restricted;
    if going > 0 {
        let reason = format!("{going} nodes are shut down by AWS (15 to 20 minutes; billed until they are terminated)");
        steps.push(Step::Wait(Wait::new(WaitingOn::Nodes, reason)));
    }
    if restricted > 0 {
        let text = format!(
            "{restricted} nodes run in restricted instance groups ({}), which this product does not change",
            cluster.restricted.join(", ")
        );
        return Err(
            Failure::new(ErrorCode::Conflict, text).with_action("Scale those groups with the AWS console or CLI.")
        );
    }
    Ok(())
}

fn outcome(cluster: &Attached) -> serde_json::Value {
    let groups: Vec<&str> = cluster.groups.iter().map(|group| group.name.as_str()).collect();
    let mut outcome = json!({
        "hyperpodCluster": cluster.name,
        "running": 0,
        "groupsAtZero": groups,
        "stillBilled": "EKS cluster, NAT gateway, buckets and file systems; a training plan is paid whether it is used or not",
    });
    if cluster.autoscaled {
        outcome["autoscalerOwned"] = json!(groups);
        outcome["warning"] = json!("managed autoscaling is on: pods that need nodes may raise these groups again");
    }
    outcome
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
