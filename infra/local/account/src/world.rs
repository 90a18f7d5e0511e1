//! Everything that the account knows, as one plain value.

use crate::{
    calls, eks, faults, iam,
    life::{Agenda, Event},
    s3,
    shared::Shared,
};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, ops::Range};

/// The whole simulated account besides DynamoDB's database file.
///
/// It can be written to disk, cloned to fork a test, and compared. Each service keeps its own part in its own field and
/// is the only one to write it; others ask it through its functions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// What draws and ids derive from; two worlds with one seed and one history are equal.
    pub seed: u64,
    /// By how much AWS's durations are divided; 1 is AWS's own pace, 0 is read as 1.
    pub pace: u32,
    /// By how much waits of executions, intervals of schedules and repeats of invocations are divided, where that is not
    /// the pace: at 1, a test sees AWS hurry and the product wait as it always does.
    pub pace_of_waits: Option<u32>,
    /// What will happen by itself.
    pub agenda: Agenda,
    /// EventBridge.
    pub events: crate::events::State,
    /// Lambda.
    pub lambda: crate::lambda::State,
    /// Step Functions.
    pub states: crate::states::State,
    /// What was made to go wrong.
    pub faults: faults::State,
    /// What was asked of the account.
    pub calls: calls::Log,
    /// EC2 networking.
    pub ec2: crate::ec2::State,
    /// What zones have to give.
    pub capacity: crate::capacity::State,
    /// Applied quotas and requests for more.
    pub quotas: crate::quotas::State,
    /// EKS clusters.
    pub eks: eks::State,
    /// Kubernetes API servers by the ARN of their EKS cluster.
    pub kubernetes: BTreeMap<String, Shared<crate::kubernetes::Cluster>>,
    /// HyperPod clusters and training plans.
    pub sagemaker: crate::sagemaker::State,
    /// CloudWatch log groups.
    pub logs: crate::logs::State,
    /// What HyperPod has written into Kubernetes.
    pub hyperpod_nodes: crate::hyperpod_nodes::State,
    /// Users, roles, policies, sessions.
    pub iam: iam::State,
    /// Buckets and objects.
    pub s3: s3::State,
    made: BTreeMap<String, u64>,
}

impl World {
    /// An empty account.
    pub fn new(seed: u64, pace: u32) -> Self {
        Self { seed, pace, ..Self::default() }
    }

    /// Lets everything happen that is due at `now`, in order.
    pub fn advance(&mut self, now: Timestamp) {
        while let Some((at, event)) = self.agenda.take_due(now) {
            event.happen(self, at);
            crate::hyperpod_nodes::reconcile(self, at);
        }
    }

    /// Puts an event `after` from `now` on the agenda, divided by the pace.
    pub fn schedule(&mut self, now: Timestamp, after: SignedDuration, event: Event) {
        let at = now.saturating_add(self.paced(after)).unwrap_or(Timestamp::MAX);
        self.agenda.add(at, event);
    }

    /// A duration of AWS's at this world's pace.
    pub fn paced(&self, duration: SignedDuration) -> SignedDuration {
        divided(duration, self.pace)
    }

    /// How long a wait lasts that somebody asked for.
    pub fn waited(&self, wait: SignedDuration) -> SignedDuration {
        divided(wait, self.pace_of_waits.unwrap_or(self.pace))
    }

    /// Draws a duration from `range` (seconds) by seed and `label`, so that a draw depends on what it is for and not on
    /// how many were made before it.
    pub fn draw(&self, label: &str, range: Range<u32>) -> SignedDuration {
        let span = u64::from(range.end.saturating_sub(range.start).max(1));
        let drawn = u64::from(range.start) + self.hash(label) % span;
        SignedDuration::from_secs(i64::try_from(drawn).unwrap_or(i64::MAX))
    }

    /// A number that depends on seed and `label` alone.
    pub fn hash(&self, label: &str) -> u64 {
        let digest = Sha256::new().chain_update(self.seed.to_be_bytes()).chain_update(label).finalize();
        digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// Takes back all that was done since `before`, except that no id is given twice.
    pub(crate) fn return_to(&mut self, before: World) {
        let made = std::mem::take(&mut self.made);
        *self = Self { made, ..before };
    }

    /// A new AWS-style id: `prefix` followed by 17 hexadecimal digits, as in `vpc-0a1b2c3d4e5f67890`.
    pub fn new_id(&mut self, prefix: &str) -> String {
        format!("{prefix}0{:016x}", self.next_number(prefix))
    }

    /// A new number without meaning, unlike any that was drawn for `purpose` before.
    pub fn next_number(&mut self, purpose: &str) -> u64 {
        let count = self.made.entry(purpose.to_owned()).or_default();
        *count += 1;
        let label = format!("{purpose}#{count}");
        self.hash(&label)
    }
}

fn divided(duration: SignedDuration, pace: u32) -> SignedDuration {
    duration / i32::try_from(pace.max(1)).unwrap_or(i32::MAX)
}
