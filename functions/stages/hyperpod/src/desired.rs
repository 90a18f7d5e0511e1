//! What the decisions ask for, group by group.

use cloud::sagemaker::Capacity;
use domain::{
    capacity::addresses,
    catalogue::hardware,
    decisions::{CapacityType, GroupDecision, HyperPodDecision},
    ids::{InstanceGroupName, InstanceType, ZoneId},
    naming::SYSTEM_GROUP,
};
use serde::Serialize;

/// A group that is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Wanted {
    pub(crate) name: InstanceGroupName,
    pub(crate) zone_id: ZoneId,
    pub(crate) instance_type: InstanceType,
    pub(crate) instance_count: u32,
    pub(crate) capacity: Capacity,
    pub(crate) volume_size_gib: Option<u32>,
}

impl Wanted {
    /// Addresses that its nodes take from their subnet; one each if the type is not known.
    pub(crate) fn addresses(&self) -> u64 {
        let known = addresses(&self.instance_type, self.instance_count);
        known.map_or_else(|| u64::from(self.instance_count), |known| known.needed)
    }

    /// Whether its nodes have EFA interfaces: those need security groups that allow themselves.
    pub(crate) fn has_efa(&self) -> bool {
        hardware(&self.instance_type).is_some_and(|hardware| hardware.efa_interfaces > 0)
    }
}

/// Every group that is wanted, by name; the system group is the group `system`.
pub(crate) fn groups(decision: &HyperPodDecision) -> Vec<Wanted> {
    let system: Option<InstanceGroupName> = SYSTEM_GROUP.parse().ok();
    let system = decision.system_group.as_ref().zip(system).map(|(group, name)| Wanted {
        name,
        zone_id: group.zone_id.clone(),
        instance_type: group.instance_type.clone(),
        instance_count: group.instance_count,
        capacity: Capacity::OnDemand,
        volume_size_gib: None,
    });
    let mut wanted: Vec<Wanted> = decision.instance_groups.iter().map(|(name, group)| decided(name, group)).collect();
    wanted.extend(system);
    wanted.sort_by(|a, b| a.name.as_str().cmp(b.name.as_str()));
    wanted
}

fn decided(name: &InstanceGroupName, group: &GroupDecision) -> Wanted {
    let capacity = match (group.capacity_type, &group.training_plan_arn) {
        (CapacityType::TrainingPlan, Some(arn)) => Capacity::Plan(arn.clone()),
        (CapacityType::Spot, _) => Capacity::Spot,
        // A plan without its ARN was refused with the request.
        (CapacityType::OnDemand | CapacityType::TrainingPlan, _) => Capacity::OnDemand,
    };
    Wanted {
        name: name.clone(),
        zone_id: group.zone_id.clone(),
        instance_type: group.instance_type.clone(),
        instance_count: group.instance_count,
        capacity,
        volume_size_gib: group.volume_size_gib,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_system_group_becomes_a_group_of_that_name_on_demand() {
        let decision: HyperPodDecision = serde_json::from_value(json!({
            "instanceGroups": {"workers": {
                "zoneId": "usw2-az2", "instanceType": "ml.p5.48xlarge", "instanceCount": 4, "capacityType": "spot",
            }},
            "systemGroup": {"zoneId": "usw2-az1", "instanceType": "ml.m5.2xlarge", "instanceCount": 1},
        }))
        .unwrap();
        let wanted = groups(&decision);
        let names: Vec<&str> = wanted.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["system", "workers"]);
        assert_eq!((&wanted[0].capacity, &wanted[1].capacity), (&Capacity::OnDemand, &Capacity::Spot));
        assert_eq!(wanted[1].addresses(), 4 * 81);
        assert!(wanted[1].has_efa() && !wanted[0].has_efa());
    }
}
