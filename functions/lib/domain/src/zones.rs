//! Zones in which EKS places control planes.

/// Zones that EKS does not take (EKS user guide, "Subnet requirements and considerations"). CreateCluster is the last
/// word: its refusal lists the zones that it accepts.
pub const NOT_FOR_EKS: [&str; 3] = ["use1-az3", "usw1-az2", "cac1-az3"];

/// Whether EKS takes the zone of this id.
pub fn eks_accepts(zone_id: &str) -> bool {
    !NOT_FOR_EKS.contains(&zone_id)
}

/// Two zones for a control plane: the `preferred` ones that are there and accepted first, then the others by id.
/// None if fewer than two are accepted.
pub fn two_for_eks(there: &[String], preferred: &[String]) -> Option<[String; 2]> {
    let accepted = |zone: &&String| there.contains(zone) && eks_accepts(zone);
    let mut chosen: Vec<&String> = Vec::new();
    for zone in preferred.iter().filter(accepted).chain(there.iter().filter(accepted)) {
        if !chosen.contains(&zone) {
            chosen.push(zone);
        }
    }
    match chosen.as_slice() {
        [first, second, ..] => Some([(*first).clone(), (*second).clone()]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn a_zone_that_eks_does_not_take_is_passed_over() {
        let there = zones(&["use1-az1", "use1-az2", "use1-az3"]);
        assert_eq!(two_for_eks(&there, &zones(&["use1-az3"])), Some(["use1-az1".into(), "use1-az2".into()]));
        assert_eq!(two_for_eks(&zones(&["use1-az1", "use1-az3"]), &[]), None);
    }

    #[test]
    fn the_zones_of_the_capacity_come_first() {
        let there = zones(&["usw2-az1", "usw2-az2", "usw2-az3"]);
        assert_eq!(two_for_eks(&there, &zones(&["usw2-az3"])), Some(["usw2-az3".into(), "usw2-az1".into()]));
    }
}
