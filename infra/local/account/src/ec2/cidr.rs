//! Address arithmetic of VPCs and subnets: sizes, overlap, and which secondary blocks AWS allows.
//!
//! Source: Amazon VPC user guide, "VPC CIDR blocks" and "Subnet CIDR blocks".

use super::invalid;
use crate::call::AwsError;
use ipnet::Ipv4Net;
use std::net::Ipv4Addr;

/// Addresses that AWS keeps in every subnet: the first four and the last.
pub const RESERVED: u32 = 5;

/// Reads a block; host bits are cleared, as EC2 does (100.68.0.18/18 becomes 100.68.0.0/18).
///
/// # Errors
/// `InvalidParameterValue` if it is no IPv4 block.
pub fn parse(member: &str, text: &str) -> Result<Ipv4Net, AwsError> {
    let block: Ipv4Net = text.parse().map_err(|_| invalid(member, text, "This is not a valid CIDR block."))?;
    Ok(block.trunc())
}

/// Whether AWS accepts the block's size for VPCs and subnets alike: /16 to /28.
pub fn sized(block: Ipv4Net) -> bool {
    (16..=28).contains(&block.prefix_len())
}

/// Whether two blocks share an address.
pub fn overlap(one: Ipv4Net, other: Ipv4Net) -> bool {
    one.contains(&other) || other.contains(&one)
}

/// How many addresses of a subnet can be given out when none is used.
pub fn usable(block: Ipv4Net) -> u32 {
    (1u32 << (32 - u32::from(block.prefix_len().max(1)))).saturating_sub(RESERVED)
}

/// The addresses of a subnet that can be given out, lowest first.
pub fn assignable(block: Ipv4Net) -> impl Iterator<Item = Ipv4Addr> {
    let first = u32::from(block.network());
    let last = u32::from(block.broadcast());
    (first.saturating_add(4)..last).map(Ipv4Addr::from)
}

const fn net(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const TEN: Ipv4Net = net(10, 0, 0, 0, 8);
const TEN_LOW: Ipv4Net = net(10, 0, 0, 0, 15);
const TEN_FIRST: Ipv4Net = net(10, 0, 0, 0, 16);
const SEVENTEEN_TWO: Ipv4Net = net(172, 16, 0, 0, 12);
const DEFAULT_VPC: Ipv4Net = net(172, 31, 0, 0, 16);
const NINETEEN_TWO: Ipv4Net = net(192, 168, 0, 0, 16);
const BENCHMARK: Ipv4Net = net(198, 19, 0, 0, 16);

/// Whether AWS lets `new` join a VPC whose blocks are `present`, the primary first; overlap is another question.
///
/// A VPC stays in the private range of its primary block; publicly routable blocks and 100.64.0.0/10 always fit, and
/// 198.19.0.0/16 never does.
pub fn may_join(present: &[Ipv4Net], new: Ipv4Net) -> bool {
    let private = [TEN, SEVENTEEN_TWO, NINETEEN_TWO];
    let Some(primary) = present.first() else { return true };
    let home = private.iter().find(|range| range.contains(primary));
    let foreign = private.iter().any(|range| Some(range) != home && overlap(*range, new));
    if foreign || overlap(BENCHMARK, new) {
        return false;
    }
    match home {
        Some(range) if *range == TEN => {
            !(overlap(TEN_FIRST, new) && present.iter().any(|block| TEN_LOW.contains(block)))
        }
        Some(range) if *range == SEVENTEEN_TWO => !overlap(DEFAULT_VPC, new),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{Ipv4Net, assignable, may_join, overlap, parse, usable};
    use proptest::prelude::*;

    fn block(text: &str) -> Ipv4Net {
        text.parse().expect("a block")
    }

    #[test]
    fn secondary_blocks_follow_the_table_of_the_vpc_guide() {
        for (primary, new, allowed) in [
            ("10.192.0.0/16", "10.1.0.0/16", true),
            ("10.192.0.0/16", "10.0.0.0/16", true),
            ("10.1.0.0/16", "10.0.0.0/16", false),
            ("10.192.0.0/16", "172.16.0.0/16", false),
            ("10.192.0.0/16", "192.168.0.0/24", false),
            ("10.192.0.0/16", "100.64.0.0/16", true),
            ("10.192.0.0/16", "198.19.1.0/24", false),
            ("10.192.0.0/16", "54.0.0.0/16", true),
            ("172.16.0.0/16", "172.20.0.0/16", true),
            ("172.16.0.0/16", "172.31.0.0/16", false),
            ("172.16.0.0/16", "10.0.0.0/16", false),
            ("192.168.0.0/24", "192.168.4.0/24", true),
            ("100.64.0.0/16", "10.0.0.0/16", false),
            ("100.64.0.0/16", "100.80.0.0/16", true),
        ] {
            assert_eq!(may_join(&[block(primary)], block(new)), allowed, "{new} beside {primary}");
        }
    }

    #[test]
    fn host_bits_are_cleared() {
        assert_eq!(parse("CidrBlock", "100.68.0.18/18").expect("a block"), block("100.68.0.0/18"));
    }

    proptest! {
        #[test]
        fn overlap_is_having_an_address_in_common(a: u32, b: u32, la in 16u8..=28, lb in 16u8..=28) {
            // Near neighbours overlap often enough to matter.
            let b = a ^ (b & 0x3_ffff);
            let one = Ipv4Net::new(a.into(), la).expect("a length").trunc();
            let two = Ipv4Net::new(b.into(), lb).expect("a length").trunc();
            let in_common = u32::from(one.network()) <= u32::from(two.broadcast())
                && u32::from(two.network()) <= u32::from(one.broadcast());
            prop_assert_eq!(overlap(one, two), in_common);
            prop_assert_eq!(overlap(one, two), overlap(two, one));
        }

        #[test]
        fn assignable_addresses_are_all_but_five(a: u32, length in 20u8..=28) {
            let block = Ipv4Net::new(a.into(), length).expect("a length").trunc();
            prop_assert_eq!(u32::try_from(assignable(block).count()).expect("a count"), usable(block));
            prop_assert!(assignable(block).all(|address| block.contains(&address)));
        }
    }
}
