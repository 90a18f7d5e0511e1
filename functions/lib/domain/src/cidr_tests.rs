//! Address arithmetic over chosen cases and over arbitrary networks.

use proptest::prelude::*;

use super::*;

fn n(text: &str) -> Ipv4Net {
    text.parse().unwrap()
}

fn nets(texts: &[&str]) -> Vec<Ipv4Net> {
    texts.iter().map(|text| n(text)).collect()
}

#[test]
fn the_first_free_vpc_is_the_lowest() {
    assert_eq!(choose_vpc_cidr(&[]), Some(n("10.0.0.0/16")));
    assert_eq!(choose_vpc_cidr(&nets(&["10.0.0.0/16", "10.2.0.0/16"])), Some(n("10.1.0.0/16")));
    assert_eq!(choose_vpc_cidr(&nets(&["10.0.128.0/28"])), Some(n("10.1.0.0/16")), "a part taken is taken");
    assert_eq!(choose_vpc_cidr(&nets(&["10.0.0.0/9"])), Some(n("10.128.0.0/16")), "a large network is passed at once");
    assert_eq!(choose_vpc_cidr(&nets(&["10.0.0.0/8"])), Some(n("172.16.0.0/16")));
    assert_eq!(choose_vpc_cidr(&nets(&["10.0.0.0/8", "172.16.0.0/12"])), Some(n("192.168.0.0/16")));
    assert_eq!(choose_vpc_cidr(&nets(&["10.0.0.0/8", "172.16.0.0/12", "192.168.9.0/24"])), None);
}

#[test]
fn the_services_range_of_eks_is_not_chosen() {
    let before: Vec<Ipv4Net> = (0..100).map(|second| n(&format!("10.{second}.0.0/16"))).collect();
    assert_eq!(choose_vpc_cidr(&before), Some(n("10.101.0.0/16")));
}

#[test]
fn a_given_block_is_checked_with_words() {
    assert_eq!(read_vpc_cidr("10.7.0.0/16"), Ok(n("10.7.0.0/16")));
    assert_eq!(read_vpc_cidr("100.64.0.0/20"), Ok(n("100.64.0.0/20")));
    let why = |text: &str| read_vpc_cidr(text).unwrap_err().to_string();
    assert!(why("10.0.0.0").contains("expected one such as 10.0.0.0/16"));
    assert!(why("10.0.0.1/16").contains("expected 10.0.0.0/16"));
    assert!(why("10.0.0.0/8").contains("/16 and /28"));
    assert!(why("10.0.0.0/29").contains("/16 and /28"));
    assert!(why("8.8.0.0/16").contains("is not in 10.0.0.0/8"));
    assert!(why("172.20.0.0/16").contains("services"));
    assert!(why(&"9".repeat(5000)).len() < 150);
}

#[test]
fn eks_subnets_come_from_the_start_of_the_block() {
    let subnets = carve_eks_subnets(n("10.3.0.0/16")).unwrap();
    assert_eq!(subnets.public, [n("10.3.0.0/24"), n("10.3.1.0/24")]);
    assert_eq!(subnets.private, [n("10.3.2.0/24"), n("10.3.3.0/24")]);
    assert_eq!(carve_eks_subnets(n("10.3.0.0/22")).unwrap().private[1], n("10.3.0.192/26"));
    assert_eq!(carve_eks_subnets(n("10.3.0.0/24")).unwrap().private[1], n("10.3.0.96/27"));
    assert_eq!(carve_eks_subnets(n("10.3.0.0/25")), None);
}

#[test]
fn a_compute_subnet_goes_behind_the_eks_subnets() {
    let taken = nets(&["10.3.0.0/24", "10.3.1.0/24", "10.3.2.0/24", "10.3.3.0/24"]);
    assert_eq!(next_free_subnet(&[n("10.3.0.0/16")], &taken, 20), Some(n("10.3.16.0/20")));
    assert_eq!(next_free_subnet(&[n("10.3.0.0/16")], &taken, 24), Some(n("10.3.4.0/24")));
    assert_eq!(next_free_subnet(&[n("10.3.0.0/16")], &taken, 16), None);
    assert_eq!(
        next_free_subnet(&nets(&["10.3.0.0/16", "100.64.0.0/16"]), &taken, 16),
        Some(n("100.64.0.0/16")),
        "a secondary block is used when the first is too full"
    );
    assert_eq!(next_free_subnet(&[n("10.3.0.0/16")], &[], 29), None, "EC2 makes no /29");
}

#[test]
fn aws_keeps_five_addresses() {
    assert_eq!(usable_addresses(20), 4091);
    assert_eq!(usable_addresses(28), 11);
    assert_eq!(usable_addresses(32), 0);
}

#[test]
fn a_secondary_block_follows_the_table_of_ec2() {
    let why = |wanted: &str, primary: &str| check_secondary(n(wanted), &[n(primary)], &[]);
    assert!(why("100.64.0.0/16", "10.0.0.0/16").is_ok());
    assert!(why("100.64.0.0/16", "192.168.0.0/16").is_ok());
    assert!(why("10.9.0.0/16", "10.0.0.0/16").is_ok());
    assert!(matches!(why("10.0.0.0/16", "10.1.0.0/16"), Err(CidrError::Restricted { .. })), "within 10.0.0.0/15");
    assert!(why("10.0.0.0/16", "10.7.0.0/16").is_ok());
    assert!(matches!(why("192.168.0.0/20", "10.7.0.0/16"), Err(CidrError::Restricted { .. })));
    assert!(matches!(why("10.0.0.0/16", "172.16.0.0/16"), Err(CidrError::Restricted { .. })));
    assert!(matches!(why("172.31.0.0/20", "172.16.0.0/16"), Err(CidrError::Restricted { .. })));
    assert!(matches!(why("10.5.0.0/16", "100.64.0.0/16"), Err(CidrError::Restricted { .. })));
    assert!(matches!(why("198.19.0.0/20", "10.7.0.0/16"), Err(CidrError::Restricted { .. })));
    assert!(matches!(why("10.7.4.0/24", "10.7.0.0/16"), Err(CidrError::Overlap { .. })));
    assert!(matches!(why("10.0.0.0/12", "10.77.0.0/16"), Err(CidrError::Size(_))));
    let routed = check_secondary(n("100.64.0.0/16"), &[n("10.7.0.0/16")], &[n("100.64.5.0/24")]);
    assert!(matches!(routed, Err(CidrError::Overlap { .. })));
}

#[test]
fn the_proposal_prefers_the_shared_range() {
    assert_eq!(propose_secondary(&nets(&["10.0.0.0/16"]), &[]), Some(n("100.64.0.0/16")));
    assert_eq!(propose_secondary(&nets(&["10.1.0.0/16"]), &nets(&["100.64.0.0/10"])), Some(n("10.2.0.0/16")));
    assert_eq!(propose_secondary(&nets(&["192.168.0.0/16"]), &nets(&["100.64.0.0/10"])), None);
    assert_eq!(propose_secondary(&[], &[]), None);
}

fn any_net() -> impl Strategy<Value = Ipv4Net> {
    let private = prop_oneof![
        any::<u32>().prop_map(|low| 0x0A00_0000 | (low & 0x00FF_FFFF)),
        any::<u32>().prop_map(|low| 0xAC10_0000 | (low & 0x000F_FFFF)),
        any::<u32>().prop_map(|low| 0xC0A8_0000 | (low & 0x0000_FFFF)),
        any::<u32>().prop_map(|low| 0x6440_0000 | (low & 0x003F_FFFF)),
        any::<u32>(),
    ];
    (private, 8_u8..=28).prop_map(|(address, prefix)| Ipv4Net::new(Ipv4Addr::from(address), prefix).unwrap().trunc())
}

proptest! {
    #[test]
    fn overlap_is_having_an_address_in_common(a in any_net(), b in any_net()) {
        let common = a.network() <= b.broadcast() && b.network() <= a.broadcast();
        prop_assert_eq!(overlap(a, b), common);
        prop_assert_eq!(overlap(a, b), overlap(b, a));
    }

    #[test]
    fn a_chosen_vpc_is_free_private_and_acceptable_as_given(existing in prop::collection::vec(any_net(), 0..60)) {
        if let Some(chosen) = choose_vpc_cidr(&existing) {
            prop_assert_eq!(first_overlap(chosen, &existing), None);
            prop_assert_eq!(read_vpc_cidr(&chosen.to_string()), Ok(chosen));
            prop_assert!(carve_eks_subnets(chosen).is_some());
        } else {
            let all = (0..=255).map(|second| n(&format!("10.{second}.0.0/16"))).filter(|c| *c != n("10.100.0.0/16"));
            for candidate in all {
                prop_assert!(first_overlap(candidate, &existing).is_some(), "{} was free", candidate);
            }
        }
    }

    #[test]
    fn carved_subnets_lie_apart_inside_and_leave_half(prefix in 16_u8..=28, second in any::<u8>()) {
        let vpc = Ipv4Net::new(Ipv4Addr::new(10, second, 0, 0), prefix).unwrap();
        if let Some(EksSubnets { public: [a, b], private: [c, d] }) = carve_eks_subnets(vpc) {
            let all = [a, b, c, d];
            for (i, one) in all.iter().enumerate() {
                prop_assert!(vpc.contains(one));
                prop_assert!(usable_addresses(one.prefix_len()) >= 16, "EKS asks for 16 free addresses");
                prop_assert_eq!(first_overlap(*one, &all[i + 1..]), None);
            }
        } else {
            prop_assert!(prefix > 24);
        }
    }

    #[test]
    fn the_next_subnet_is_free_inside_and_the_lowest(
        taken in prop::collection::vec((0_u32..=0xFFFF, 18_u8..=28), 0..40),
        prefix in 16_u8..=28,
    ) {
        let vpc = n("10.9.0.0/16");
        let base = u32::from(vpc.network());
        let taken: Vec<Ipv4Net> = taken.into_iter()
            .map(|(offset, prefix)| Ipv4Net::new(Ipv4Addr::from(base + offset), prefix).unwrap().trunc())
            .collect();
        let slow = vpc.subnets(prefix).unwrap().find(|candidate| first_overlap(*candidate, &taken).is_none());
        prop_assert_eq!(next_free_subnet(&[vpc], &taken, prefix), slow);
    }

    #[test]
    fn a_proposed_secondary_block_is_one_that_ec2_takes(
        primary in any_net().prop_filter("a VPC block", |net| BLOCK_PREFIXES.contains(&net.prefix_len())),
        elsewhere in prop::collection::vec(any_net(), 0..40),
    ) {
        if let Some(proposed) = propose_secondary(&[primary], &elsewhere) {
            prop_assert_eq!(check_secondary(proposed, &[primary], &elsewhere), Ok(()));
        }
    }
}
