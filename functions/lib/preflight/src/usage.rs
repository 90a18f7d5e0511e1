//! What HyperPod clusters of an account use of its quotas: Service Quotas does not tell. Pure.

use cloud::sagemaker::{Attached, Group};
use serde::Serialize;
use std::collections::BTreeMap;

/// Instances in use, by how they are bought.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// On demand, by type with `ml.`.
    pub on_demand: BTreeMap<String, u32>,
    /// Spot, by type.
    pub spot: BTreeMap<String, u32>,
    /// All of them, those of training plans too.
    pub total: u32,
}

impl Usage {
    /// What these clusters use. A group counts with what it has or wants, whichever is more: what is wanted is taken from
    /// the quota when the request is accepted. What restricted groups use is not shown by AWS and is missing here.
    pub fn of(clusters: &[Attached]) -> Self {
        let mut usage = Self::default();
        for group in clusters.iter().flat_map(|cluster| &cluster.groups) {
            usage.add(group);
        }
        usage
    }

    fn add(&mut self, group: &Group) {
        let count = group.current.max(group.target);
        self.total = self.total.saturating_add(count);
        // Capacity of a training plan does not count against the quota for cluster usage.
        let of_kind = match (&group.training_plan, group.spot) {
            (Some(_), _) => return,
            (None, true) => &mut self.spot,
            (None, false) => &mut self.on_demand,
        };
        let used = of_kind.entry(group.instance_type.clone()).or_default();
        *used = used.saturating_add(count);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use cloud::sagemaker::Network;
    use domain::status::{HyperPodClusterStatus, InstanceGroupStatus};

    pub(crate) fn group(instance_type: &str, current: u32, target: u32) -> Group {
        Group {
            name: "g".to_owned(),
            instance_type: instance_type.to_owned(),
            current,
            target,
            status: InstanceGroupStatus::read("InService"),
            spot: false,
            training_plan: None,
            execution_role: String::new(),
            network: None,
            lifecycle: None,
            deep_checks: Vec::new(),
        }
    }

    pub(crate) fn cluster(name: &str, groups: Vec<Group>) -> Attached {
        Attached {
            arn: format!("arn:aws:sagemaker:us-west-2:111122223333:cluster/{name}"),
            name: name.to_owned(),
            status: HyperPodClusterStatus::read("InService"),
            failure: String::new(),
            created_at: None,
            eks_arn: None,
            network: Network::default(),
            continuous: true,
            recovers: true,
            autoscaled: false,
            groups,
            restricted: Vec::new(),
        }
    }

    #[test]
    fn groups_of_one_type_add_up_over_clusters_and_plans_count_in_the_total_alone() {
        let planned = Group { training_plan: Some("arn".to_owned()), ..group("ml.p5.48xlarge", 4, 4) };
        let spot = Group { spot: true, ..group("ml.g5.xlarge", 1, 2) };
        let first = cluster("a", vec![group("ml.g5.xlarge", 3, 1), spot, planned]);
        let usage = Usage::of(&[first, cluster("b", vec![group("ml.g5.xlarge", 0, 2)])]);
        assert_eq!(usage.on_demand, BTreeMap::from([("ml.g5.xlarge".to_owned(), 5)]));
        assert_eq!(usage.spot, BTreeMap::from([("ml.g5.xlarge".to_owned(), 2)]));
        assert_eq!(usage.total, 11);
    }
}
