//! Where an instance finds capacity: the types and subnets of its group in their order, or the zone of its plan.

use super::{birth::Errand, cluster::CapacityKind, plans, world_access};
use crate::world::World;

/// Capacity that was taken.
pub(super) struct Spot {
    pub(super) instance_type: String,
    pub(super) subnet: String,
    pub(super) zone: String,
    pub(super) zone_id: String,
}

/// Takes capacity for one instance.
///
/// # Errors
/// The text of the failure event: no capacity anywhere, no subnet in the plan's zone, or the plan is used up.
pub(super) fn take(world: &mut World, errand: &Errand) -> Result<Spot, String> {
    let kind = errand.group.kind();
    let types: Vec<String> = errand.group.instance_types().into_iter().map(str::to_owned).collect();
    let zone_of_plan = match &kind {
        CapacityKind::Plan(arn) => Some(plans::free_zone(world, arn, &errand.arn, &errand.node.logical_id)?),
        CapacityKind::Spot | CapacityKind::OnDemand => None,
    };
    let mut fits = false;
    for instance_type in &types {
        for id in &errand.subnets {
            let Some(subnet) = world_access::subnet(world, &errand.region, id) else { continue };
            let wanted = errand.node.zones.is_empty() || errand.node.zones.contains(&subnet.zone);
            if !wanted || zone_of_plan.as_ref().is_some_and(|zone_id| *zone_id != subnet.zone_id) {
                continue;
            }
            fits = true;
            // What a plan holds is set aside already; it does not come from the zone's pools.
            if zone_of_plan.is_some()
                || world_access::take_capacity(world, &errand.region, &subnet.zone_id, instance_type, &kind)
            {
                let (zone, zone_id) = (subnet.zone, subnet.zone_id);
                return Ok(Spot { instance_type: instance_type.clone(), subnet: id.clone(), zone, zone_id });
            }
        }
    }
    let types = types.join(", ");
    Err(match zone_of_plan {
        Some(zone_id) if !fits => format!(
            "We currently do not have sufficient capacity to launch new {types} instances. None of the subnets provided \
             are in the Availability Zone of the training plan ({zone_id}). Verify that the subnets of the instance group \
             match the training plan's Availability Zone and that TrainingPlanArn is correct."
        ),
        _ => format!("We currently do not have sufficient capacity to launch new {types} instances. Please try again."),
    })
}
