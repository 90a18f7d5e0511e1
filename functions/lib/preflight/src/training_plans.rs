//! How a training plan stands: its status says less than its dates do. Pure.
//!
//! Source: SageMaker API, `DescribeTrainingPlan`: `Scheduled` is a plan that waits for its start, and also one between
//! two of its blocks.

use crate::utc;
use cloud::{
    ec2::Zone,
    sagemaker::{Block, TrainingPlan},
};
use jiff::Timestamp;

/// The resource that instance groups need a plan to be for.
pub const TARGET: &str = "hyperpod-cluster";

/// Whether instance groups can use a plan, and what is to be known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Whether they can, now or from its next start.
    pub usable: bool,
    /// Why not, from when, or until when.
    pub note: String,
}

/// Whether a plan is for HyperPod at all.
pub fn is_for_hyperpod(plan: &TrainingPlan) -> bool {
    plan.targets.iter().any(|target| target == TARGET)
}

/// How `plan` stands at `now`, with so many instances free.
pub fn standing(plan: &TrainingPlan, free: u32, now: Timestamp) -> Standing {
    let no = |note: String| Standing { usable: false, note };
    if !is_for_hyperpod(plan) {
        return no(format!("It is for {}, not for HyperPod clusters.", plan.targets.join(", ")));
    }
    if plan.status != "Active" && plan.status != "Scheduled" {
        return no(match plan.status.as_str() {
            "Pending" => "It is being bought: AWS has not confirmed it yet.".to_owned(),
            "Expired" => {
                format!("It has ended{}.", last(plan).map(|end| format!(" at {}", utc(end))).unwrap_or_default())
            }
            status => format!("Its status is {status}."),
        });
    }
    let when = when(plan, now);
    match (when, free) {
        (None, _) => no("All of its blocks have ended.".to_owned()),
        (Some(when), 0) => no(format!("All {} instances are used by groups. {when}", plan.total)),
        (Some(when), free) => {
            Standing { usable: true, note: format!("{free} of {} instances are free. {when}", plan.total) }
        }
    }
}

/// When its capacity is there, as a sentence; none if it never is again.
pub fn when(plan: &TrainingPlan, now: Timestamp) -> Option<String> {
    if let Some(block) = plan.block_at(now) {
        return Some(match plan.next_start(now) {
            Some(next) => format!("This block ends at {}; the next starts at {}.", utc(block.end), utc(next)),
            None => format!("It ends at {}.", utc(block.end)),
        });
    }
    let next = plan.blocks.iter().filter(|block| block.start > now).min_by_key(|block| block.start)?;
    let between = plan.blocks.iter().any(|block| block.end <= now);
    let word = if between { "Between two blocks: the next starts" } else { "It starts" };
    Some(format!("{word} at {} and ends at {}.", utc(next.start), utc(next.end)))
}

/// When its last block ends.
pub fn last(plan: &TrainingPlan) -> Option<Timestamp> {
    plan.blocks.iter().map(|block| block.end).max()
}

/// Zone id of its capacity: as told, else by the zone's name in this account.
pub fn zone_id(plan: &TrainingPlan, zones: &[Zone]) -> Option<String> {
    let of = |block: &Block| {
        let by_name =
            || zones.iter().find(|zone| Some(&zone.name) == block.zone_name.as_ref()).map(|zone| zone.id.clone());
        block.zone_id.clone().or_else(by_name)
    };
    plan.blocks.iter().find_map(of)
}

/// Type of its instances.
pub fn instance_type(plan: &TrainingPlan) -> &str {
    plan.blocks.first().map_or("", |block| block.instance_type.as_str())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::usage::tests::{self as usage, cluster, group};
    use cloud::sagemaker::Group;

    pub(crate) const NOW: &str = "2026-12-01T08:00:00Z";

    pub(crate) fn plan(status: &str, available: u32, blocks: &[(&str, &str)]) -> TrainingPlan {
        TrainingPlan {
            arn: "arn:aws:sagemaker:us-west-2:111122223333:training-plan/big-plan-of-four-p5-nodes".to_owned(),
            name: "big".to_owned(),
            status: status.to_owned(),
            available,
            total: 4,
            targets: vec![TARGET.to_owned()],
            blocks: blocks
                .iter()
                .map(|(start, end)| Block {
                    start: start.parse().unwrap(),
                    end: end.parse().unwrap(),
                    zone_id: None,
                    zone_name: Some("us-west-2b".to_owned()),
                    instance_type: "ml.p5.48xlarge".to_owned(),
                })
                .collect(),
        }
    }

    fn stands(plan: &TrainingPlan) -> Standing {
        let now = NOW.parse().unwrap();
        standing(plan, plan.free(&[], now), now)
    }

    #[test]
    fn scheduled_is_the_time_before_the_start_and_the_gap_between_two_blocks() {
        let before = plan("Scheduled", 0, &[("2026-12-02T20:00:00Z", "2026-12-09T20:00:00Z")]);
        let seen = stands(&before);
        assert!(seen.usable && seen.note.contains("It starts at 2026-12-02 20:00 UTC"), "{seen:?}");
        let blocks =
            [("2026-11-20T00:00:00Z", "2026-11-30T00:00:00Z"), ("2026-12-05T00:00:00Z", "2026-12-15T00:00:00Z")];
        let seen = stands(&plan("Scheduled", 4, &blocks));
        assert!(seen.usable && seen.note.contains("Between two blocks: the next starts at 2026-12-05 00:00 UTC"));
    }

    #[test]
    fn a_plan_that_is_used_up_over_or_for_something_else_is_not_usable_and_says_why() {
        let running = [("2026-11-30T00:00:00Z", "2026-12-15T00:00:00Z")];
        assert!(stands(&plan("Active", 1, &running)).usable);
        assert!(stands(&plan("Active", 0, &running)).note.contains("All 4 instances are used"));
        let over = [("2026-11-20T00:00:00Z", "2026-11-30T00:00:00Z")];
        assert_eq!(stands(&plan("Expired", 4, &over)).note, "It has ended at 2026-11-30 00:00 UTC.");
        assert!(!stands(&plan("Active", 4, &over)).usable);
        assert!(!stands(&plan("Pending", 4, &running)).usable);
        let jobs = TrainingPlan { targets: vec!["training-job".to_owned()], ..plan("Active", 4, &running) };
        assert_eq!(stands(&jobs).note, "It is for training-job, not for HyperPod clusters.");
    }

    #[test]
    fn outside_of_a_block_a_plan_is_free_but_for_the_groups_that_wait_for_it() {
        let plan = plan("Scheduled", 0, &[("2026-12-02T20:00:00Z", "2026-12-09T20:00:00Z")]);
        let group = Group { training_plan: Some(plan.arn.clone()), ..group("ml.p5.48xlarge", 0, 3) };
        let clusters = [cluster("a", vec![group, usage::group("ml.p5.48xlarge", 1, 1)])];
        assert_eq!(plan.free(&clusters, NOW.parse().unwrap()), 1);
    }

    #[test]
    fn a_zone_told_by_name_is_translated_and_an_unknown_name_stays_unknown() {
        let zones = [Zone { id: "usw2-az2".to_owned(), name: "us-west-2b".to_owned() }];
        let plan = plan("Active", 1, &[("2026-11-30T00:00:00Z", "2026-12-15T00:00:00Z")]);
        assert_eq!(zone_id(&plan, &zones).as_deref(), Some("usw2-az2"));
        assert_eq!(zone_id(&plan, &[]), None);
    }
}
