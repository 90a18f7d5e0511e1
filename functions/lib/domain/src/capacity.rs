//! How many addresses nodes take, how many nodes fit in a subnet, and how large a subnet must be.
//!
//! Addresses per type are facts of `catalogue`; address arithmetic is in `cidr`.

use crate::catalogue::hardware;
use crate::cidr::usable_addresses;
use crate::ids::InstanceType;

/// The compute subnet that we make when nothing asks for a larger one.
pub const DEFAULT_PREFIX: u8 = 20;
/// Addresses kept free in a compute subnet, in percent of what the nodes take: replacements and deep checks launch new
/// nodes beside the old ones.
pub const RESERVE_PERCENT: u64 = 20;

/// Addresses that nodes take from their subnet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addresses {
    /// Of one node.
    pub per_node: u32,
    /// Of all of them.
    pub needed: u64,
    /// Of all of them, with the reserve.
    pub with_reserve: u64,
}

/// Addresses of `count` nodes of a type; none if the type is unknown.
pub fn addresses(instance_type: &InstanceType, count: u32) -> Option<Addresses> {
    let per_node = hardware(instance_type)?.node_ips;
    let needed = u64::from(per_node) * u64::from(count);
    Some(Addresses { per_node, needed, with_reserve: with_reserve(needed) })
}

/// A number of addresses with the reserve, rounded up.
pub fn with_reserve(needed: u64) -> u64 {
    needed + (needed * RESERVE_PERCENT).div_ceil(100)
}

/// Nodes of a type for which these free addresses suffice, without a reserve; none if the type is unknown.
pub fn nodes_that_fit(instance_type: &InstanceType, free_addresses: u32) -> Option<u32> {
    Some(free_addresses / hardware(instance_type)?.node_ips.max(1))
}

/// Why no subnet is large enough.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{needed} addresses (with {RESERVE_PERCENT} % reserve) are more than the largest subnet, a /16, has: at most {most}"
)]
pub struct TooLarge {
    /// Addresses with the reserve.
    pub needed: u64,
    /// Usable addresses of a /16.
    pub most: u32,
}

/// The prefix of the smallest subnet, but not smaller than our default, that holds this many addresses and the reserve.
///
/// # Errors
/// If a /16 is too small.
pub fn prefix_for(needed: u64) -> Result<u8, TooLarge> {
    let needed = with_reserve(needed);
    (16..=DEFAULT_PREFIX)
        .rev()
        .find(|prefix| u64::from(usable_addresses(*prefix)) >= needed)
        .ok_or(TooLarge { needed, most: usable_addresses(16) })
}

/// The prefix of the smallest legal subnet for so many nodes and the reserve, where a small one is wanted.
///
/// # Errors
/// If a /16 is too small.
pub fn smallest_prefix_for(needed: u64) -> Result<u8, TooLarge> {
    let needed = with_reserve(needed);
    (16..=28)
        .rev()
        .find(|prefix| u64::from(usable_addresses(*prefix)) >= needed)
        .ok_or(TooLarge { needed, most: usable_addresses(16) })
}

/// Whether nodes of a type can hold so many pods each: daemon sets, and the share of what the cluster itself runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PodRoom {
    /// Pods that must have a place.
    pub needed: u64,
    /// Places on all nodes.
    pub available: u64,
}

impl PodRoom {
    /// Places on `count` nodes of a type for daemon-set pods on each and single pods anywhere; none if the type is
    /// unknown.
    pub fn on(instance_type: &InstanceType, count: u32, daemons_per_node: u32, singles: u32) -> Option<Self> {
        let (count, pods) = (u64::from(count), u64::from(hardware(instance_type)?.max_pods));
        Some(Self { needed: count * u64::from(daemons_per_node) + u64::from(singles), available: count * pods })
    }

    /// Whether all find a place.
    pub fn suffices(self) -> bool {
        self.needed <= self.available
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn t(name: &str) -> InstanceType {
        name.parse().unwrap()
    }

    #[test]
    fn sixteen_p5_need_a_21_and_sixty_four_a_19() {
        let sixteen = addresses(&t("ml.p5.48xlarge"), 16).unwrap();
        assert_eq!(sixteen, Addresses { per_node: 81, needed: 1296, with_reserve: 1556 });
        assert_eq!(smallest_prefix_for(sixteen.needed), Ok(21));
        assert_eq!(prefix_for(sixteen.needed), Ok(20), "the default is larger than what they need");
        let sixty_four = addresses(&t("ml.p5.48xlarge"), 64).unwrap();
        assert_eq!((sixty_four.needed, prefix_for(sixty_four.needed)), (5184, Ok(19)));
    }

    #[test]
    fn the_published_table_of_a_20_holds() {
        let holds = |name, nodes| assert_eq!(nodes_that_fit(&t(name), usable_addresses(20)), Some(nodes), "{name}");
        holds("ml.p5.48xlarge", 50);
        holds("ml.p5en.48xlarge", 62);
        holds("ml.p6-b300.48xlarge", 61);
        holds("ml.p6-b200.48xlarge", 71);
        holds("ml.p4d.24xlarge", 77);
        holds("ml.g5.12xlarge", 81);
        holds("ml.g5.4xlarge", 136);
        holds("ml.g5.xlarge", 272);
    }

    #[test]
    fn four_p5_do_not_fit_in_forty_addresses() {
        assert_eq!(addresses(&t("ml.p5.48xlarge"), 4).unwrap().needed, 324);
        assert_eq!(nodes_that_fit(&t("ml.p5.48xlarge"), 40), Some(0));
    }

    #[test]
    fn an_unknown_type_has_unknown_needs() {
        assert_eq!(addresses(&t("ml.p9.48xlarge"), 4), None);
        assert_eq!(nodes_that_fit(&t("ml.p9.48xlarge"), 4000), None);
        assert_eq!(PodRoom::on(&t("ml.p9.48xlarge"), 1, 1, 1), None);
    }

    #[test]
    fn no_node_needs_no_address_and_the_most_is_refused_with_figures() {
        assert_eq!(prefix_for(0), Ok(20));
        let most = addresses(&t("ml.p5.48xlarge"), 6758).unwrap();
        let error = prefix_for(most.needed).unwrap_err();
        assert_eq!(error, TooLarge { needed: 656_878, most: 65_531 });
    }

    #[test]
    fn small_nodes_may_not_hold_what_the_cluster_runs() {
        let room = PodRoom::on(&t("ml.g5.xlarge"), 1, 11, 9).unwrap();
        assert_eq!(room, PodRoom { needed: 20, available: 14 });
        assert!(!room.suffices());
        assert!(PodRoom::on(&t("ml.g5.xlarge"), 3, 11, 9).unwrap().suffices());
    }

    proptest! {
        #[test]
        fn the_chosen_subnet_holds_the_nodes_and_the_next_smaller_does_not(needed in 0_u64..54_000) {
            let prefix = smallest_prefix_for(needed).unwrap();
            prop_assert!(u64::from(usable_addresses(prefix)) >= with_reserve(needed));
            prop_assert!(prefix == 28 || u64::from(usable_addresses(prefix + 1)) < with_reserve(needed));
            prop_assert_eq!(prefix_for(needed).unwrap(), prefix.min(DEFAULT_PREFIX));
        }
    }
}
