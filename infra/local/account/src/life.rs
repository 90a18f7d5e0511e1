//! What happens by itself: the agenda of a world.

use crate::world::World;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something that will happen in the world at a known time, unless the thing it is about is gone by then.
///
/// Each service has its own enum of these; an event names its thing by id and finds out at its time whether it still
/// applies (level-triggered: a deleted cluster's "becomes ACTIVE" does nothing).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// Of EventBridge.
    Events(crate::events::Event),
    /// Of Step Functions.
    States(crate::states::Event),
    /// Of EC2.
    Ec2(crate::ec2::Event),
    /// Of Service Quotas.
    Quotas(crate::quotas::Event),
    /// Of an EKS cluster.
    Eks(crate::eks::Event),
    /// Something in SageMaker.
    SageMaker(crate::sagemaker::Event),
    /// A Kubernetes cluster has something to do.
    Kubernetes(crate::hyperpod_nodes::Wake),
}

impl Event {
    /// Lets the event happen at `at`; it may put further events on the agenda.
    pub fn happen(self, world: &mut World, at: Timestamp) {
        match self {
            Self::Events(event) => event.happen(world, at),
            Self::States(event) => event.happen(world, at),
            Self::Ec2(event) => event.happen(world, at),
            Self::Quotas(event) => event.happen(world, at),
            Self::Eks(event) => event.happen(world, at),
            Self::SageMaker(event) => event.happen(world, at),
            // What is due is found by `hyperpod_nodes::reconcile`, which follows every event.
            Self::Kubernetes(_) => {}
        }
    }
}

/// Events in the order of their time, first come first served within one instant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Agenda {
    #[serde(with = "entries")]
    due: BTreeMap<(Timestamp, u64), Event>,
    next: u64,
}

impl Agenda {
    /// Puts `event` on the agenda.
    pub fn add(&mut self, at: Timestamp, event: Event) {
        self.due.insert((at, self.next), event);
        self.next += 1;
    }

    /// The time of the next event, if there is one.
    pub fn next_time(&self) -> Option<Timestamp> {
        self.due.keys().next().map(|(at, _)| *at)
    }

    /// Takes the first event that is due at `now`.
    pub fn take_due(&mut self, now: Timestamp) -> Option<(Timestamp, Event)> {
        let key = *self.due.keys().next().filter(|(at, _)| *at <= now)?;
        self.due.remove(&key).map(|event| (key.0, event))
    }
}

/// JSON keys are strings, so the agenda is written as a list.
mod entries {
    use super::{BTreeMap, Deserialize, Event, Timestamp};
    use serde::{Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        due: &BTreeMap<(Timestamp, u64), Event>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        due.iter().collect::<Vec<_>>().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<(Timestamp, u64), Event>, D::Error> {
        Vec::deserialize(deserializer).map(|entries: Vec<_>| entries.into_iter().collect())
    }
}
