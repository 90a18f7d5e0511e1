//! What the text of a cluster's failure is about.
//!
//! Source: SageMaker developer guide, "SageMaker HyperPod cluster events": the texts have no codes, their wording is all
//! that there is. What none of the words fits is shown as it came and never ends the stage.

use cloud::sagemaker::Event;
use jiff::{SignedDuration, Timestamp};

/// What keeps a node from coming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// AWS has none at present; the service goes on trying, and it heals.
    Capacity,
    /// The group's subnets are not where its capacity is.
    Placement,
    /// The lifecycle script.
    Script,
    /// The EFA check: security groups without self rules, or a bad link.
    Efa,
    /// The subnet has no address left.
    Addresses,
    /// The execution role may not do what a node needs.
    Permission,
    /// Something else.
    Other,
}

/// Failures of one round: those of nodes that were launched together come close after each other.
const ROUND: SignedDuration = SignedDuration::from_secs(60);

impl Cause {
    /// What `text` is about.
    pub(crate) fn of(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        let has = |words: &str| text.contains(words);
        match () {
            // Its text speaks of capacity too.
            () if has("none of the subnets") => Self::Placement,
            () if has("sufficient capacity") => Self::Capacity,
            () if has("lifecycle scripts did not run") => Self::Script,
            () if has("efa health checks did not run") => Self::Efa,
            () if has("free addresses") || has("insufficientfreeaddresses") || has("available ip address") => {
                Self::Addresses
            }
            () if has("not authorized") || has("accessdenied") || has("access denied") => Self::Permission,
            () => Self::Other,
        }
    }

    /// Whether trying again, as the service does, cannot mend it.
    pub(crate) fn stays(self) -> bool {
        match self {
            Self::Placement | Self::Script | Self::Efa | Self::Addresses | Self::Permission => true,
            Self::Capacity | Self::Other => false,
        }
    }
}

/// How often launches failed for `cause` since then: rounds, not events (a fault is told twice, and nodes that are
/// launched together fail together).
pub(crate) fn rounds(failures: &[Event], cause: Cause, since: Timestamp) -> usize {
    let of_cause = failures.iter().filter(|failure| failure.at >= since && Cause::of(&failure.text) == cause);
    let mut times: Vec<Timestamp> = of_cause.map(|failure| failure.at).collect();
    times.sort_unstable();
    let mut rounds = 0;
    let mut last: Option<Timestamp> = None;
    for at in times {
        if last.is_none_or(|last| at.duration_since(last) > ROUND) {
            rounds += 1;
        }
        last = Some(at);
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_service_are_told_apart() {
        let texts = [
            ("We currently do not have sufficient capacity to launch new ml.p5.48xlarge instances.", Cause::Capacity),
            (
                "We currently do not have sufficient capacity to launch new ml.p5.48xlarge instances. None of the subnets \
                 provided are in the Availability Zone of the training plan (usw2-az2).",
                Cause::Placement,
            ),
            ("Instance i-1 failed: \"Lifecycle scripts did not run successfully. To view", Cause::Script),
            ("EFA health checks did not run successfully. Ensure that", Cause::Efa),
            ("Failed to create customer ENI: the execution role x is not authorized to perform: y", Cause::Permission),
            ("Failed to create customer ENI: insufficient free addresses in subnet subnet-1", Cause::Addresses),
            ("Something new", Cause::Other),
        ];
        for (text, cause) in texts {
            assert_eq!(Cause::of(text), cause, "{text}");
        }
    }

    #[test]
    fn a_fault_told_twice_and_nodes_that_fail_together_are_one_round() {
        let at = |second: i64| Timestamp::from_second(1_790_000_000 + second).unwrap();
        let failure = |second: i64, text: &str| Event {
            id: String::new(),
            at: at(second),
            group: None,
            instance_id: None,
            text: text.to_owned(),
        };
        let script = "Lifecycle scripts did not run successfully";
        let failures = [
            failure(901, script),
            failure(900, script),
            failure(600, "do not have sufficient capacity"),
            failure(301, script),
            failure(300, script),
            failure(290, script),
            failure(-10, script),
        ];
        assert_eq!(rounds(&failures, Cause::Script, at(0)), 2);
        assert_eq!(rounds(&failures, Cause::Capacity, at(0)), 1);
        assert_eq!(rounds(&failures, Cause::Script, at(902)), 0);
    }
}
