//! IPv4 address arithmetic for VPCs and subnets: what overlaps, what is free, what EC2 accepts.
//!
//! Which networks exist is read elsewhere and given here; addresses per node are in `capacity`.
//!
//! Sources: Amazon VPC user guide, "VPC CIDR blocks" (sizes, association restrictions) and "Subnet sizing" (five
//! reserved addresses); Amazon EKS, "VPC and subnet requirements".

use std::net::Ipv4Addr;

use ipnet::Ipv4Net;

/// Prefix of the VPC that we choose.
pub const VPC_PREFIX: u8 = 16;
/// The largest and the smallest block of a VPC or subnet that EC2 makes.
pub const BLOCK_PREFIXES: std::ops::RangeInclusive<u8> = 16..=28;
/// Prefix of the subnets that hold only NAT gateways, load balancers and the EKS control plane's interfaces.
pub const EKS_SUBNET_PREFIX: u8 = 24;
/// The smallest EKS subnet that we carve from a small VPC: EKS recommends 16 free addresses.
const SMALLEST_EKS_SUBNET_PREFIX: u8 = 27;
/// Addresses that AWS keeps in each subnet: the first four and the last.
pub const RESERVED_ADDRESSES: u32 = 5;

const fn net(a: u8, b: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, 0, 0), prefix)
}

const TEN: Ipv4Net = net(10, 0, 8);
const ONE_SEVEN_TWO: Ipv4Net = net(172, 16, 12);
const ONE_NINE_TWO: Ipv4Net = net(192, 168, 16);
const SHARED: Ipv4Net = net(100, 64, 10);

/// The ranges that we take addresses from: RFC 1918 and the shared range of RFC 6598.
pub const PRIVATE_RANGES: [Ipv4Net; 4] = [TEN, ONE_SEVEN_TWO, ONE_NINE_TWO, SHARED];

/// Ranges that are private and still must not be a VPC's: EKS gives services 10.100.0.0/16 or 172.20.0.0/16, and
/// 172.17.0.0/16 is Docker's bridge and used by several AWS services.
const AVOIDED: [Ipv4Net; 3] = [net(10, 100, 16), net(172, 20, 16), net(172, 17, 16)];

/// Why a network cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CidrError {
    /// Not an IPv4 network at all.
    #[error("{0:?} is not an IPv4 CIDR block: expected one such as 10.0.0.0/16")]
    Malformed(String),
    /// Bits behind the prefix are set.
    #[error("{given} has bits set behind its prefix: expected {network}")]
    HostBits {
        /// What was given.
        given: Ipv4Net,
        /// The network that it lies in.
        network: Ipv4Net,
    },
    /// Too large or too small.
    #[error("{0} is not between /16 and /28, the sizes that EC2 makes")]
    Size(Ipv4Net),
    /// Not private.
    #[error("{0} is not in 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10")]
    NotPrivate(Ipv4Net),
    /// Overlaps something that exists.
    #[error("{wanted} overlaps {existing}")]
    Overlap {
        /// What was asked for.
        wanted: Ipv4Net,
        /// What is there.
        existing: Ipv4Net,
    },
    /// Overlaps a range that EKS or AWS services use inside every VPC.
    #[error("{wanted} overlaps {reserved}, which Kubernetes services or AWS services use")]
    Reserved {
        /// What was asked for.
        wanted: Ipv4Net,
        /// The range.
        reserved: Ipv4Net,
    },
    /// EC2 refuses this block beside the VPC's primary one.
    #[error("EC2 does not associate {wanted} with a VPC of {primary}")]
    Restricted {
        /// What was asked for.
        wanted: Ipv4Net,
        /// The VPC's primary block.
        primary: Ipv4Net,
    },
}

/// Whether two networks share an address. Of two CIDR blocks that overlap, one contains the other.
pub fn overlap(a: Ipv4Net, b: Ipv4Net) -> bool {
    a.contains(&b) || b.contains(&a)
}

/// The first of the existing networks that shares an address with this one.
pub fn first_overlap(wanted: Ipv4Net, existing: &[Ipv4Net]) -> Option<Ipv4Net> {
    existing.iter().copied().find(|other| overlap(wanted, *other))
}

/// Whether the network lies in RFC 1918 or 100.64.0.0/10.
pub fn is_private(network: Ipv4Net) -> bool {
    PRIVATE_RANGES.iter().any(|range| range.contains(&network))
}

/// Addresses that resources can have in a subnet of this prefix.
pub fn usable_addresses(prefix: u8) -> u32 {
    1_u32.checked_shl(32 - u32::from(prefix.min(32))).unwrap_or(u32::MAX).saturating_sub(RESERVED_ADDRESSES)
}

/// Reads a VPC block that somebody gives us.
///
/// # Errors
/// Malformed, host bits set, not /16 to /28, not private, or in a range that is used inside every VPC.
pub fn read_vpc_cidr(text: &str) -> Result<Ipv4Net, CidrError> {
    let given: Ipv4Net = text.parse().map_err(|_| CidrError::Malformed(text.chars().take(40).collect()))?;
    let network = given.trunc();
    if given != network {
        return Err(CidrError::HostBits { given, network });
    }
    if !BLOCK_PREFIXES.contains(&given.prefix_len()) {
        return Err(CidrError::Size(given));
    }
    if !is_private(given) {
        return Err(CidrError::NotPrivate(given));
    }
    match first_overlap(given, &AVOIDED) {
        Some(reserved) => Err(CidrError::Reserved { wanted: given, reserved }),
        None => Ok(given),
    }
}

/// A free /16 for a VPC, given every block of every VPC of the Region (secondary blocks and peered networks too).
///
/// The order is fixed, so that two runs over the same world choose the same: 10.0.0.0/16 upwards, then 172.16.0.0/16
/// upwards, then 192.168.0.0/16; ranges that EKS services use are passed over. 100.64.0.0/10 is left for secondary
/// blocks. None if nothing is free.
pub fn choose_vpc_cidr(existing: &[Ipv4Net]) -> Option<Ipv4Net> {
    [TEN, ONE_SEVEN_TWO, ONE_NINE_TWO].iter().find_map(|range| first_free(*range, VPC_PREFIX, &[existing, &AVOIDED]))
}

/// The EKS subnets of a VPC, in two zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EksSubnets {
    /// For NAT gateways and public load balancers, one in each zone.
    pub public: [Ipv4Net; 2],
    /// For the control plane's interfaces, one in each zone.
    pub private: [Ipv4Net; 2],
}

/// Carves the EKS subnets from a VPC: /24 each from the start of the block (down to /27 in a small
/// VPC, at most an eighth of it each), so that the rest stays whole for compute.
///
/// None if the VPC is smaller than a /24: four such subnets would not leave half of it.
pub fn carve_eks_subnets(vpc: Ipv4Net) -> Option<EksSubnets> {
    let prefix = (vpc.prefix_len() + 4).clamp(EKS_SUBNET_PREFIX, SMALLEST_EKS_SUBNET_PREFIX);
    if prefix < vpc.prefix_len() + 3 {
        return None;
    }
    let mut subnets = vpc.subnets(prefix).ok()?;
    let mut pair = || Some([subnets.next()?, subnets.next()?]);
    Some(EksSubnets { public: pair()?, private: pair()? })
}

/// The lowest free subnet of a prefix length inside the VPC's blocks (in the order given), beside the existing subnets.
pub fn next_free_subnet(blocks: &[Ipv4Net], existing: &[Ipv4Net], prefix: u8) -> Option<Ipv4Net> {
    if !BLOCK_PREFIXES.contains(&prefix) {
        return None;
    }
    blocks.iter().find_map(|block| first_free(*block, prefix, &[existing]))
}

/// The lowest aligned network of a prefix length in a range that overlaps none of the taken ones. Jumps over each
/// obstacle, so the cost follows the number of obstacles and not the size of the range.
fn first_free(range: Ipv4Net, prefix: u8, taken: &[&[Ipv4Net]]) -> Option<Ipv4Net> {
    if prefix < range.prefix_len() || prefix > 32 {
        return None;
    }
    let last = u32::from(range.broadcast());
    let mut start = u32::from(range.network());
    loop {
        let candidate = Ipv4Net::new(Ipv4Addr::from(start), prefix).ok()?;
        let obstacle = taken.iter().find_map(|nets| first_overlap(candidate, nets));
        let Some(obstacle) = obstacle else { return Some(candidate) };
        let behind = u32::from(obstacle.broadcast()).max(u32::from(candidate.broadcast()));
        start = behind.checked_add(1)?;
        // `behind` ends a block at least as large as the candidate, so the next start is aligned.
        if start > last {
            return None;
        }
    }
}

/// Whether EC2 associates a block with a VPC, given the VPC's blocks (the primary first) and what its route tables
/// and peers reach.
///
/// # Errors
/// Size, overlap, or the restriction by the primary block's range.
pub fn check_secondary(wanted: Ipv4Net, blocks: &[Ipv4Net], reached: &[Ipv4Net]) -> Result<(), CidrError> {
    if !BLOCK_PREFIXES.contains(&wanted.prefix_len()) {
        return Err(CidrError::Size(wanted));
    }
    if let Some(existing) = first_overlap(wanted, blocks).or_else(|| first_overlap(wanted, reached)) {
        return Err(CidrError::Overlap { wanted, existing });
    }
    if let Some(reserved) = first_overlap(wanted, &AVOIDED) {
        return Err(CidrError::Reserved { wanted, reserved });
    }
    match blocks.first() {
        Some(primary) if is_restricted(wanted, *primary) => Err(CidrError::Restricted { wanted, primary: *primary }),
        _ => Ok(()),
    }
}

/// EC2's table of association restrictions: a private block of one RFC 1918 range does not go beside a primary block
/// of another; 198.19.0.0/16 never; and a publicly routable or 100.64.0.0/10 block goes beside any.
fn is_restricted(wanted: Ipv4Net, primary: Ipv4Net) -> bool {
    let rfc1918 = [TEN, ONE_SEVEN_TWO, ONE_NINE_TWO];
    let home = |network: &Ipv4Net| rfc1918.iter().position(|range| range.contains(network));
    let other_range = match (home(&wanted), home(&primary)) {
        (Some(wanted), Some(primary)) => wanted != primary,
        (Some(_), None) => SHARED.contains(&primary),
        (None, _) => false,
    };
    let beside_primary = refused_beside(primary).is_some_and(|refused| overlap(wanted, refused));
    other_range || beside_primary || overlap(wanted, net(198, 19, 16))
}

/// The part of a primary block's own range that EC2 keeps for itself: 10.0.0.0/16 beside a primary in 10.0.0.0/15, and
/// 172.31.0.0/16 beside one in 172.16.0.0/12.
fn refused_beside(primary: Ipv4Net) -> Option<Ipv4Net> {
    let parts = [(net(10, 0, 15), net(10, 0, 16)), (ONE_SEVEN_TWO, net(172, 31, 16))];
    parts.into_iter().find_map(|(range, refused)| range.contains(&primary).then_some(refused))
}

/// A legal secondary /16 for a VPC that is full, or none.
///
/// `elsewhere` are the blocks of every other VPC of the Region and what is reached from this one: peering with them
/// should stay possible. 100.64.0.0/10 comes first, since it goes beside every primary block; then the primary's own
/// range.
pub fn propose_secondary(blocks: &[Ipv4Net], elsewhere: &[Ipv4Net]) -> Option<Ipv4Net> {
    let primary = *blocks.first()?;
    // What EC2 refuses beside this primary is an obstacle like any other.
    let refused: Vec<Ipv4Net> = refused_beside(primary).into_iter().collect();
    let own = [TEN, ONE_SEVEN_TWO, ONE_NINE_TWO].into_iter().find(|range| range.contains(&primary));
    std::iter::once(SHARED)
        .chain(own)
        .find_map(|range| first_free(range, VPC_PREFIX, &[blocks, elsewhere, &AVOIDED, &refused]))
}

#[cfg(test)]
#[path = "cidr_tests.rs"]
mod tests;
