//! The controllers, the scheduler and the kubelets: each looks at the store and takes the next step, none remembers
//! what it saw. They take turns in a fixed order until nothing changes.

mod daemon_sets;
mod definitions;
mod deployments;
mod endpoints;
mod garbage;
mod jobs;
mod kubelet;
mod namespaces;
mod nodes;
mod pods;
mod replica_sets;
mod scheduler;
mod stateful_sets;
mod volumes;

use super::{
    Cluster, Host, bootstrap,
    resource::{Resource, known},
    store::Shared,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// How many turns in a row there may be; more would be two controllers undoing each other.
const TURNS: usize = 200;

/// What controllers and kubelets keep that is not in any object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Life {
    /// Revision at which nothing was left to do.
    settled: u64,
    wake: Option<Timestamp>,
    /// Until when a controller does not try again for the object of this uid.
    pauses: BTreeMap<String, Timestamp>,
    /// What kubelets do, by uid of the pod.
    runs: BTreeMap<String, kubelet::Run>,
}

impl Life {
    /// What a container of a pod printed; none if it never started.
    pub(super) fn log(&self, uid: &str, container: &str) -> Option<&str> {
        self.runs.get(uid)?.logs.get(container).map(String::as_str)
    }
}

/// The earliest time at which something wants to be looked at again.
#[derive(Debug, Default)]
pub(super) struct Wake(Option<Timestamp>);

impl Wake {
    pub(super) fn at(&mut self, time: Timestamp) {
        self.0 = Some(self.0.map_or(time, |earlier| earlier.min(time)));
    }

    pub(super) fn at_some(&mut self, time: Option<Timestamp>) {
        if let Some(time) = time {
            self.at(time);
        }
    }
}

impl Cluster {
    /// Whether controllers or kubelets have something to do at `now`.
    ///
    /// # Errors
    /// If not: when they next will, unless something changes before.
    pub fn is_due(&self, now: Timestamp) -> Result<(), Option<Timestamp>> {
        let quiet = self.store.revision() == self.life.settled;
        if quiet && self.life.wake.is_none_or(|wake| now < wake) { Err(self.life.wake) } else { Ok(()) }
    }

    /// Lets controllers and kubelets act until nothing changes; returns when they next want to be called.
    ///
    /// It costs nothing when nothing changed and that time is not there yet.
    pub fn reconcile(&mut self, host: &dyn Host, now: Timestamp) -> Option<Timestamp> {
        if let Err(next) = self.is_due(now) {
            return next;
        }
        let mut wake = Wake::default();
        for _ in 0..TURNS {
            let before = self.store.revision();
            wake = Wake::default();
            self.turn(host, now, &mut wake);
            if self.store.revision() == before {
                break;
            }
        }
        self.life.settled = self.store.revision();
        self.life.wake = wake.0;
        wake.0
    }

    fn turn(&mut self, host: &dyn Host, now: Timestamp, wake: &mut Wake) {
        self.life.pauses.retain(|_, until| *until > now);
        wake.at_some(self.life.pauses.values().min().copied());
        wake.at_some(self.forget_events(now));
        definitions::run(self, now);
        bootstrap::aggregate(self);
        namespaces::run(self, now);
        garbage::run(self, now);
        deployments::run(self, now, wake);
        replica_sets::run(self, now);
        daemon_sets::run(self, now);
        stateful_sets::run(self, now);
        jobs::run(self, now, wake);
        volumes::run(self, now);
        nodes::run(self, now, wake);
        scheduler::run(self, now);
        kubelet::run(self, host, now, wake);
        endpoints::run(self, now);
        endpoints::budgets(self, now);
    }

    /// The objects of a built-in resource as they are now.
    fn all(&self, group: &str, plural: &str) -> Vec<Shared> {
        self.store.list(known(group, plural), "").cloned().collect()
    }

    /// Writes an object if it differs from what is stored.
    fn write(&mut self, resource: &Resource, before: &Value, after: Value) {
        if *before != after {
            self.store.put(resource, after);
        }
    }
}
