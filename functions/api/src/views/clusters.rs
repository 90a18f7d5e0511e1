//! Clusters: the view, the row of a list, the phase and the conditions.

use super::stages;
use contract::clusters::{ClusterSummary, ClusterView};
use domain::{
    catalogue::hardware,
    ids::{InstanceType, OperationId},
    states::{Condition, ConditionStatus, Phase, Stage, StageState},
};
use engine::record::{Cluster, StageRecord};
use serde::Deserialize;

/// A cluster with its stages, in order, and the operation that holds it now.
pub(crate) fn view(cluster: &Cluster, records: &[StageRecord], current: Option<OperationId>) -> ClusterView {
    let failed = records.iter().find(|record| record.state == StageState::Failed);
    ClusterView {
        tag: cluster.tag.clone(),
        cluster_id: cluster.id,
        account: cluster.target.account.clone(),
        region: cluster.target.region.clone(),
        origin: origin(cluster).to_owned(),
        eks_cluster_name: cluster.eks_name().to_owned(),
        generation: cluster.generation,
        phase: phase(cluster, records).to_string(),
        next: next(cluster, records, current),
        decisions: cluster.decisions.clone(),
        stages: records.iter().map(|record| stages::short(cluster, record)).collect(),
        conditions: records.iter().map(|record| condition(cluster, record)).collect(),
        current_operation: current,
        failure: failed.and_then(|record| record.failure.clone()),
        created_at: cluster.created_at,
        created_by: cluster.created_by.clone(),
    }
}

/// A cluster in a list; of an imported one, `selection` is that stage with what came of it.
pub(crate) fn summary(cluster: &Cluster, records: &[StageRecord], selection: Option<&StageRecord>) -> ClusterSummary {
    let at = at(cluster, records);
    let capacity = Capacity::of(cluster, selection);
    ClusterSummary {
        tag: cluster.tag.clone(),
        cluster_id: cluster.id,
        region: cluster.target.region.clone(),
        origin: origin(cluster).to_owned(),
        phase: phase(cluster, records).to_string(),
        stage: at.map(|record| record.stage),
        stage_state: at.map(|record| record.state),
        waiting: at.and_then(|record| record.waiting.clone()),
        instance_groups: capacity.groups,
        nodes_wanted: capacity.nodes,
        accelerators_wanted: capacity.accelerators,
        created_at: cluster.created_at,
    }
}

fn origin(cluster: &Cluster) -> &'static str {
    if cluster.import.is_some() { "imported" } else { "created" }
}

/// The phase; a stage that was left out on purpose counts as done.
fn phase(cluster: &Cluster, records: &[StageRecord]) -> Phase {
    let state = |record: &StageRecord| {
        if stages::is_left_out(cluster, record) { StageState::Succeeded } else { record.state }
    };
    Phase::of(&records.iter().map(|record| (record.stage, state(record))).collect())
}

/// The stage that says most about the cluster: the one that runs, else the first that is not done.
fn at<'a>(cluster: &Cluster, records: &'a [StageRecord]) -> Option<&'a StageRecord> {
    let open = |record: &&StageRecord| record.state != StageState::Succeeded && !stages::is_left_out(cluster, record);
    records.iter().find(|record| record.state == StageState::Running).or_else(|| records.iter().find(open))
}

fn next(cluster: &Cluster, records: &[StageRecord], current: Option<OperationId>) -> String {
    if let Some(id) = current {
        return format!("Call wait_for_operation with {id} until done is true.");
    }
    match at(cluster, records) {
        Some(record) => match stages::view(cluster, record).next {
            said if !said.is_empty() => said,
            _ => format!("run_stage with {} and {} goes on.", cluster.tag, record.stage),
        },
        None => String::new(),
    }
}

/// What the decisions ask for in all, and what an imported cluster had when its selection looked.
#[derive(Default)]
struct Capacity {
    groups: u32,
    nodes: u32,
    accelerators: u32,
}

impl Capacity {
    fn of(cluster: &Cluster, selection: Option<&StageRecord>) -> Self {
        let mut all = Self::default();
        let decision = cluster.decisions.hyperpod.as_ref();
        for group in decision.iter().flat_map(|decision| decision.instance_groups.values()) {
            all.add(&group.instance_type, group.instance_count);
        }
        if let Some(system) = decision.and_then(|decision| decision.system_group.as_ref()) {
            all.add(&system.instance_type, system.instance_count);
        }
        let decided =
            |name: &str| decision.is_some_and(|one| one.instance_groups.keys().any(|decided| decided.as_str() == name));
        for group in found(selection).iter().filter(|group| !decided(&group.name)) {
            all.add(&group.instance_type, group.target);
        }
        all
    }

    fn add(&mut self, instance_type: &InstanceType, count: u32) {
        let known = hardware(instance_type).and_then(|hardware| hardware.accelerator.as_ref());
        let each = known.map_or(0, |accelerator| accelerator.count);
        self.groups += 1;
        self.nodes = self.nodes.saturating_add(count);
        self.accelerators = self.accelerators.saturating_add(count.saturating_mul(each));
    }
}

/// A group as the stage selection tells it of a HyperPod cluster that was there.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    name: String,
    instance_type: InstanceType,
    target: u32,
}

fn found(selection: Option<&StageRecord>) -> Vec<Found> {
    let groups = selection.and_then(|record| record.outcome.pointer("/hyperpodCluster/groups"));
    groups.and_then(|groups| Deserialize::deserialize(groups).ok()).unwrap_or_default()
}

/// The aspect of a cluster that a stage stands for.
fn condition(cluster: &Cluster, record: &StageRecord) -> Condition {
    let kind = match record.stage {
        Stage::ControlPlane => "ControlPlaneReady",
        Stage::Selection => "Reachable",
        Stage::Dependencies => "DependenciesReady",
        Stage::HyperPod => "CapacityReady",
        Stage::Storage => "StorageReady",
        Stage::Verification => "Verified",
    };
    let (status, reason) = match record.state {
        StageState::Pending if stages::is_left_out(cluster, record) => (ConditionStatus::Unknown, "Imported"),
        StageState::Pending => (ConditionStatus::Unknown, "NotRunYet"),
        StageState::Running => (ConditionStatus::Unknown, "Running"),
        StageState::AwaitingDecision => (ConditionStatus::False, "AwaitingDecision"),
        StageState::Succeeded => (ConditionStatus::True, "Observed"),
        StageState::Failed => (ConditionStatus::False, "Failed"),
        StageState::Cancelled => (ConditionStatus::False, "Cancelled"),
    };
    Condition {
        kind: kind.to_owned(),
        status,
        reason: reason.to_owned(),
        message: stages::summary(cluster, record),
        last_transition_time: record.finished_at.or(record.started_at).unwrap_or(cluster.created_at),
    }
}
