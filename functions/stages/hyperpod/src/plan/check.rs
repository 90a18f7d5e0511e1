//! What must be right about a new group before anything is changed for it (SPEC G3, C6; field report BR-047).

use crate::{
    desired::Wanted,
    observe::{Observed, foundation::Site},
};
use cloud::sagemaker::{Capacity, TrainingPlan};
use domain::{codes::ErrorCode, failure::Failure};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Checks groups that are to be made.
pub(super) fn new_groups(groups: &[&Wanted], seen: &Observed, site: &Site, now: Timestamp) -> Result<(), Failure> {
    for group in groups {
        zone(group, site)?;
        if let Capacity::Plan(arn) = &group.capacity {
            held(group, seen.plans.get(arn.as_str()), now)?;
        }
    }
    self_rules(groups, site)
}

/// Checks that each training plan holds all that is asked of it together: `more` are groups with the instances that they
/// are to have beyond those that they have.
pub(super) fn shares(more: &[(&Wanted, u32)], seen: &Observed, now: Timestamp) -> Result<(), Failure> {
    let mut shares: BTreeMap<&str, Vec<(&Wanted, u32)>> = BTreeMap::new();
    for &(group, count) in more {
        if let Capacity::Plan(arn) = &group.capacity {
            shares.entry(arn.as_str()).or_default().push((group, count));
        }
    }
    for (arn, sharing) in shares {
        let Some(plan) = seen.plans.get(arn) else { continue };
        let free = plan.free(seen.cluster.iter().map(|cluster| &cluster.attached), now);
        let wanted = sharing.iter().fold(0_u32, |sum, (_, count)| sum.saturating_add(*count));
        if wanted > free {
            return Err(too_few(plan, free, wanted, &sharing));
        }
    }
    Ok(())
}

fn too_few(plan: &TrainingPlan, free: u32, wanted: u32, sharing: &[(&Wanted, u32)]) -> Failure {
    let shares: Vec<String> = sharing.iter().map(|(group, count)| format!("{} {count}", group.name)).collect();
    let text = format!(
        "{free} of {} instances of training plan {} are free, {wanted} are wanted: {}",
        plan.total,
        plan.name,
        shares.join(", ")
    );
    Failure::new(ErrorCode::CapacityUnavailable, text).with_action("Ask for less, or free instances of the plan.")
}

fn wrong(group: &Wanted, what: String) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("instance group {}: {what}", group.name))
}

fn zone(group: &Wanted, site: &Site) -> Result<(), Failure> {
    if site.zones.iter().any(|zone| zone.id == group.zone_id.as_str()) {
        return Ok(());
    }
    let there: Vec<&str> = site.zones.iter().map(|zone| zone.id.as_str()).collect();
    Err(wrong(group, format!("zone {} is not one of {}", group.zone_id, there.join(", "))))
}

/// The plan decides: what it is for, its type, its zone, whether it is still to come or there.
fn held(group: &Wanted, plan: Option<&TrainingPlan>, now: Timestamp) -> Result<(), Failure> {
    let Some(plan) = plan else {
        return Err(wrong(group, "its training plan does not exist in this account and Region".to_owned()));
    };
    let name = &plan.name;
    if matches!(plan.status.as_str(), "Expired" | "Failed") || plan.blocks.iter().all(|block| block.end <= now) {
        let text = format!("training plan {name} is {}: it gives no instances any more", plan.status);
        return Err(Failure { code: ErrorCode::CapacityUnavailable, ..wrong(group, text) });
    }
    if !plan.targets.is_empty() && !plan.targets.iter().any(|target| target == "hyperpod-cluster") {
        let text = format!("training plan {name} is for {}, not for hyperpod-cluster", plan.targets.join(", "));
        return Err(wrong(group, text));
    }
    if let Some(block) = plan.blocks.iter().find(|block| block.instance_type != group.instance_type.as_str()) {
        return Err(wrong(
            group,
            format!("training plan {name} has {}, not {}", block.instance_type, group.instance_type),
        ));
    }
    let coming = plan.blocks.iter().filter(|block| block.end > now);
    if let Some(other) =
        coming.filter_map(|block| block.zone_id.as_deref()).find(|zone| *zone != group.zone_id.as_str())
    {
        return Err(wrong(group, format!("training plan {name} is in zone {other}, not in {}", group.zone_id)));
    }
    Ok(())
}

/// EFA needs every security group to allow all traffic with itself, both ways, by rules that name it.
fn self_rules(groups: &[&Wanted], site: &Site) -> Result<(), Failure> {
    let Some(group) = groups.iter().find(|group| group.has_efa()) else { return Ok(()) };
    for security_group in &site.security_groups {
        let rules = security_group.self_rules;
        let lacks = match (rules.ingress, rules.egress) {
            (true, true) => continue,
            (false, false) => "ingress from and egress to",
            (false, true) => "ingress from",
            (true, false) => "egress to",
        };
        let text = format!(
            "security group {} lacks {lacks} itself for all traffic, which EFA of {} needs",
            security_group.id, group.instance_type
        );
        return Err(Failure { code: ErrorCode::DependencyMissing, ..wrong(group, text) }
            .with_action("Run the control-plane stage, or import the cluster again with the fix `self-rules`."));
    }
    Ok(())
}
