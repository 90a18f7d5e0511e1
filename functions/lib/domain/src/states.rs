//! Where operations, stages and clusters are: states for machines, conditions for aspects, a phase for people.
//!
//! The states of AWS's own resources are in `status`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::codes::worded_enum;

worded_enum! {
    /// Where an operation is.
    pub enum OperationState {
        /// Recorded, holds its lane, and no execution has been seen to run.
        Accepted = "accepted",
        /// Waits for a person; holds no lane.
        AwaitingApproval = "awaiting_approval",
        /// An execution ticks it.
        Running = "running",
        /// Done, as observed in the world.
        Succeeded = "succeeded",
        /// Ended short of it; can be retried.
        Failed = "failed",
        /// Ended because somebody asked for it.
        Cancelled = "cancelled",
    }
}

worded_enum! {
    /// Where a stage is.
    pub enum StageState {
        /// Not begun.
        Pending = "pending",
        /// Being ticked, or waiting for AWS.
        Running = "running",
        /// Nothing to do until somebody decides (no capacity was asked for).
        AwaitingDecision = "awaiting_decision",
        /// Done, as observed in the world.
        Succeeded = "succeeded",
        /// Ended short of it; can be run again alone.
        Failed = "failed",
        /// Ended because somebody asked for it.
        Cancelled = "cancelled",
    }
}

worded_enum! {
    /// What a tick that has nothing to do just now is waiting for.
    pub enum WaitingOn {
        /// AWS is changing a resource.
        Aws = "aws",
        /// AWS has no capacity at present and keeps trying.
        Capacity = "capacity",
        /// A training plan has not begun, or is between two blocks.
        PlanStart = "plan_start",
        /// Nodes are launching or joining Kubernetes.
        Nodes = "nodes",
        /// Deep health checks run on nodes.
        DeepChecks = "deep_checks",
        /// Another operation holds the lane, or another invocation the tick lease.
        Lane = "lane",
        /// A rate limit.
        Throttled = "throttled",
        /// A change was sent, its answer was lost, and the service may not show it yet.
        UncertainChange = "uncertain_change",
    }
}

worded_enum! {
    /// One of the six steps of making a cluster, in their order.
    pub enum Stage {
        /// Network, roles, EKS cluster, base add-ons, access entries.
        ControlPlane = "control-plane",
        /// The EKS cluster is reachable and fit.
        Selection = "selection",
        /// What HyperPod needs inside the cluster.
        Dependencies = "dependencies",
        /// The HyperPod cluster and its instance groups.
        HyperPod = "hyperpod",
        /// The project bucket as a claim.
        Storage = "storage",
        /// The acceptance checks.
        Verification = "verification",
    }
}

impl OperationState {
    /// Whether the operation has ended (and holds no lane).
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Succeeded | Self::Failed | Self::Cancelled => true,
            Self::Accepted | Self::AwaitingApproval | Self::Running => false,
        }
    }

    /// Whether a record may go from this state to another. A retry takes a failed or cancelled operation back to
    /// accepted; success is final.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Accepted => matches!(next, Self::Running | Self::Failed | Self::Cancelled),
            Self::AwaitingApproval => matches!(next, Self::Accepted | Self::Failed | Self::Cancelled),
            Self::Running => matches!(next, Self::Succeeded | Self::Failed | Self::Cancelled),
            Self::Failed | Self::Cancelled => matches!(next, Self::Accepted),
            Self::Succeeded => false,
        }
    }
}

impl StageState {
    /// Whether nothing happens to the stage until somebody asks.
    pub const fn is_settled(self) -> bool {
        match self {
            Self::AwaitingDecision | Self::Succeeded | Self::Failed | Self::Cancelled => true,
            Self::Pending | Self::Running => false,
        }
    }
}

impl Stage {
    /// 1 to 6.
    pub const fn number(self) -> u8 {
        match self {
            Self::ControlPlane => 1,
            Self::Selection => 2,
            Self::Dependencies => 3,
            Self::HyperPod => 4,
            Self::Storage => 5,
            Self::Verification => 6,
        }
    }

    /// The stage that follows; none after verification.
    pub const fn next(self) -> Option<Self> {
        match self {
            Self::ControlPlane => Some(Self::Selection),
            Self::Selection => Some(Self::Dependencies),
            Self::Dependencies => Some(Self::HyperPod),
            Self::HyperPod => Some(Self::Storage),
            Self::Storage => Some(Self::Verification),
            Self::Verification => None,
        }
    }
}

worded_enum! {
    /// Whether a condition holds.
    pub enum ConditionStatus {
        /// It holds.
        True = "True",
        /// It does not hold.
        False = "False",
        /// It could not be read; nothing acts on it.
        Unknown = "Unknown",
    }
}

/// One aspect of a cluster, in the shape of the Kubernetes API conventions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// An adjective in CamelCase (`ControlPlaneReady`).
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// A CamelCase word for machines.
    pub reason: String,
    /// A sentence for people.
    pub message: String,
    /// Since when the status is what it is (RFC 3339, UTC).
    #[schemars(with = "String")]
    #[schema(value_type = String, format = DateTime)]
    pub last_transition_time: jiff::Timestamp,
}

impl Condition {
    /// Puts the condition into a list that holds one of each type. The time of an unchanged status stays.
    pub fn put_into(mut self, list: &mut Vec<Condition>) {
        match list.iter_mut().find(|held| held.kind == self.kind) {
            Some(held) => {
                if held.status == self.status {
                    self.last_transition_time = held.last_transition_time;
                }
                *held = self;
            }
            None => list.push(self),
        }
    }
}

worded_enum! {
    /// One word for people about a cluster. Derived, never stored, and no code branches on it.
    pub enum Phase {
        /// Nothing has begun.
        Pending = "Pending",
        /// A stage runs.
        Provisioning = "Provisioning",
        /// The stages that could run are done; capacity is still to be decided.
        AwaitingDecision = "AwaitingDecision",
        /// Some stages are done, the next was not asked for.
        Partial = "Partial",
        /// All stages are done.
        Ready = "Ready",
        /// A stage failed and none runs.
        Failed = "Failed",
        /// A stage was cancelled and none runs.
        Cancelled = "Cancelled",
    }
}

impl Phase {
    /// The word for a cluster whose stages are in these states; a stage without an entry is pending.
    pub fn of(stages: &BTreeMap<Stage, StageState>) -> Self {
        let state = |stage: &Stage| stages.get(stage).copied().unwrap_or(StageState::Pending);
        let any = |wanted: StageState| Stage::ALL.iter().any(|stage| state(stage) == wanted);
        let all = |wanted: StageState| Stage::ALL.iter().all(|stage| state(stage) == wanted);
        match () {
            () if any(StageState::Running) => Self::Provisioning,
            () if any(StageState::Failed) => Self::Failed,
            () if any(StageState::Cancelled) => Self::Cancelled,
            () if any(StageState::AwaitingDecision) => Self::AwaitingDecision,
            () if all(StageState::Succeeded) => Self::Ready,
            () if all(StageState::Pending) => Self::Pending,
            () => Self::Partial,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_follow_each_other_from_one_to_six() {
        let mut stage = Some(Stage::ControlPlane);
        let mut walked = Vec::new();
        while let Some(here) = stage {
            walked.push(here);
            stage = here.next();
        }
        assert_eq!(walked, Stage::ALL);
        assert_eq!(walked.iter().map(|stage| stage.number()).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        assert_eq!("hyperpod".parse::<Stage>().unwrap(), Stage::HyperPod);
    }

    #[test]
    fn an_ended_operation_goes_nowhere_but_to_a_retry() {
        for state in OperationState::ALL {
            for next in OperationState::ALL {
                if state.is_terminal() && state.may_become(*next) {
                    assert_eq!(*next, OperationState::Accepted);
                    assert_ne!(*state, OperationState::Succeeded);
                }
            }
        }
        assert!(OperationState::Running.may_become(OperationState::Succeeded));
        assert!(!OperationState::Accepted.may_become(OperationState::Succeeded));
    }

    #[test]
    fn an_unchanged_condition_keeps_its_time() {
        let at = |second| jiff::Timestamp::from_second(second).unwrap();
        let condition = |status, second| Condition {
            kind: "ControlPlaneReady".to_owned(),
            status,
            reason: "Active".to_owned(),
            message: "The EKS cluster is ACTIVE.".to_owned(),
            last_transition_time: at(second),
        };
        let mut list = Vec::new();
        condition(ConditionStatus::True, 1).put_into(&mut list);
        condition(ConditionStatus::True, 2).put_into(&mut list);
        assert_eq!((list.len(), list[0].last_transition_time), (1, at(1)));
        condition(ConditionStatus::Unknown, 3).put_into(&mut list);
        assert_eq!((list.len(), list[0].last_transition_time), (1, at(3)));
        let json = serde_json::to_value(&list[0]).unwrap();
        assert_eq!((&json["type"], &json["status"]), (&"ControlPlaneReady".into(), &"Unknown".into()));
        assert_eq!(json["lastTransitionTime"], "1970-01-01T00:00:03Z");
    }

    #[test]
    fn the_phase_follows_the_stages() {
        use StageState::{AwaitingDecision, Failed, Running, Succeeded};
        let phase =
            |states: &[StageState]| Phase::of(&Stage::ALL.iter().copied().zip(states.iter().copied()).collect());
        assert_eq!(phase(&[]), Phase::Pending);
        assert_eq!(phase(&[Succeeded, Running]), Phase::Provisioning);
        assert_eq!(phase(&[Succeeded, Failed]), Phase::Failed);
        assert_eq!(phase(&[Failed, Running]), Phase::Provisioning);
        assert_eq!(phase(&[Succeeded, Succeeded, Succeeded, AwaitingDecision]), Phase::AwaitingDecision);
        assert_eq!(phase(&[Succeeded; 3]), Phase::Partial);
        assert_eq!(phase(&[Succeeded; 6]), Phase::Ready);
    }
}
