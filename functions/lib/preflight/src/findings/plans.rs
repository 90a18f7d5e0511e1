//! Training plans: there, of the type, in the zone, with enough left, and not over (requirement G3).

use super::{blocking, unchecked, warning};
use crate::{
    request::{Request, Wanted},
    scene::Seen,
    training_plans::{self, standing},
};
use cloud::sagemaker::TrainingPlan;
use contract::plan::Finding;
use domain::{ErrorCode, ids::TrainingPlanArn};
use jiff::Timestamp;
use std::collections::BTreeMap;

pub(super) fn of(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let mut sharing: BTreeMap<&TrainingPlanArn, Vec<Wanted<'_>>> = BTreeMap::new();
    for group in request.groups() {
        if let Some(arn) = group.plan {
            sharing.entry(arn).or_default().push(group);
        }
    }
    let mut found = Vec::new();
    for (arn, groups) in sharing {
        let pointer = |group: &Wanted<'_>| group.pointer("trainingPlanArn");
        match seen.plans.get(arn.as_str()) {
            Some(Ok(Some(plan))) => found.extend(of_plan(plan, &groups, seen, request.now)),
            Some(Ok(None)) => found.extend(groups.iter().map(|group| {
                let message = format!("there is no training plan {arn}");
                blocking(
                    ErrorCode::InvalidInput,
                    &pointer(group),
                    message,
                    "See list_training_plans for those there are.",
                )
            })),
            Some(Err(trouble)) => {
                found.extend(groups.iter().map(|group| unchecked(&pointer(group), "the training plan", trouble)));
            }
            None => {}
        }
    }
    found
}

fn of_plan(plan: &TrainingPlan, groups: &[Wanted<'_>], seen: &Seen, now: Timestamp) -> Vec<Finding> {
    let zones = seen.zones.as_ref().map(Vec::as_slice).unwrap_or_default();
    let needs = groups.iter().fold(0_u32, |sum, group| sum.saturating_add(group.count));
    let clusters = seen.hyperpod.as_ref().map(Vec::as_slice).unwrap_or_default();
    let free = plan.free(clusters, now);
    let standing = standing(plan, free, now);
    let mut found = Vec::new();
    for group in groups {
        let at = group.pointer("trainingPlanArn");
        found.extend(matches(plan, group, training_plans::zone_id(plan, zones).as_deref()));
        if !standing.usable {
            let message = format!("training plan {} cannot be used. {}", plan.name, standing.note);
            found.push(blocking(
                ErrorCode::CapacityUnavailable,
                &at,
                message,
                "Choose another plan, see list_training_plans.",
            ));
        } else if needs > free {
            let message = format!(
                "training plan {} has {} of {} instances free, {needs} are needed",
                plan.name, free, plan.total
            );
            let action = "Ask for less, or free instances of the plan.";
            found.push(blocking(ErrorCode::CapacityUnavailable, &group.pointer("instanceCount"), message, action));
        } else if plan.block_at(now).is_none() {
            let message = format!(
                "training plan {}: {} The stage waits for it; nothing of it is billed again",
                plan.name, standing.note
            );
            found.push(warning(ErrorCode::CapacityUnavailable, &at, message, ""));
        }
    }
    found
}

/// Type and zone of a group against its plan's.
fn matches(plan: &TrainingPlan, group: &Wanted<'_>, zone: Option<&str>) -> Vec<Finding> {
    let mut found = Vec::new();
    let kind = training_plans::instance_type(plan);
    if kind != group.instance_type.as_str() {
        let message = format!("training plan {} holds {kind}, not {}", plan.name, group.instance_type);
        found.push(blocking(
            ErrorCode::InvalidInput,
            &group.pointer("instanceType"),
            message,
            format!("Choose {kind}."),
        ));
    }
    match zone {
        Some(zone) if zone == group.zone_id.as_str() => {}
        Some(zone) => {
            let message = format!("the capacity of training plan {} is in {zone}, not in {}", plan.name, group.zone_id);
            found.push(blocking(ErrorCode::InvalidInput, &group.pointer("zoneId"), message, format!("Choose {zone}.")));
        }
        None => {
            let message = format!("training plan {} does not say in which zone its capacity is", plan.name);
            let made = warning(ErrorCode::CapacityUnavailable, &group.pointer("zoneId"), message, "");
            found.push(Finding { severity: contract::plan::Severity::Unchecked, ..made });
        }
    }
    found
}
