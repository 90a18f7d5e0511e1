//! In which subnet the nodes of each zone would be: one that is there, or the block of one to be made. Pure.
//!
//! In a VPC that is there the rules are those of `subnets`, which the stage follows too; in one to be made its blocks are
//! carved in the same order.

use crate::{findings::free_block, request::Request, scene::Seen};
use cloud::ec2::NatGateway;
use domain::{
    capacity::prefix_for,
    cidr::{carve_eks_subnets, next_free_subnet, usable_addresses},
    codes::ErrorCode,
    failure::Failure,
    ids::ZoneId,
};
use ipnet::Ipv4Net;
use subnets::{Ensured, Ground, Need, Origin};

/// Where the nodes of a zone would be.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// A subnet that is there.
    There {
        /// The zone.
        zone_id: String,
        /// Its id.
        subnet_id: String,
        /// Its block.
        cidr: Ipv4Net,
        /// Its free addresses.
        free: u32,
        /// Whether we made it.
        ours: bool,
    },
    /// One to be made.
    New {
        /// The zone.
        zone_id: String,
        /// Its block.
        cidr: Ipv4Net,
        /// Addresses that it will have.
        free: u32,
    },
    /// None can be had.
    Refused {
        /// The zone.
        zone_id: String,
        /// Why.
        failure: Failure,
    },
    /// It cannot be told: the VPC could not be looked at, or is not there yet.
    Unknown {
        /// The zone.
        zone_id: String,
    },
}

impl Place {
    /// The zone.
    pub fn zone_id(&self) -> &str {
        match self {
            Self::There { zone_id, .. }
            | Self::New { zone_id, .. }
            | Self::Refused { zone_id, .. }
            | Self::Unknown { zone_id } => zone_id,
        }
    }
}

/// A place for each zone that groups are wanted in, in the order of the groups.
pub fn of(request: &Request<'_>, seen: &Seen) -> Vec<Place> {
    let needs = needs(request);
    match &seen.site.ground {
        Ok(Some(ground)) if request.mends("nat") => in_ground(&with_nat(ground), &needs),
        Ok(Some(ground)) => in_ground(ground, &needs),
        Ok(None) if request.makes_network() => in_new_vpc(request, seen, &needs),
        Ok(None) | Err(_) => {
            needs.into_iter().map(|need| Place::Unknown { zone_id: need.zone_id.to_string() }).collect()
        }
    }
}

/// The VPC as it is once it was given the NAT gateway that the import asks for.
fn with_nat(ground: &Ground) -> Ground {
    let nat = NatGateway {
        id: "to be made".to_owned(),
        subnet_id: String::new(),
        state: "pending".to_owned(),
        failure: String::new(),
        tags: cloud::Tags::default(),
    };
    let mut mended = ground.clone();
    mended.nats.push(nat);
    mended
}

/// One need a zone: groups of a zone share its subnet.
fn needs(request: &Request<'_>) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::new();
    for group in request.groups() {
        match needs.iter_mut().find(|need| need.zone_id == *group.zone_id) {
            Some(need) => need.addresses += group.addresses(),
            None => {
                let zone_id: ZoneId = group.zone_id.clone();
                needs.push(Need { zone_id, addresses: group.addresses(), chosen: None });
            }
        }
    }
    needs
}

fn in_ground(ground: &Ground, needs: &[Need]) -> Vec<Place> {
    if let Ok(ensured) = subnets::ensure(ground, needs) {
        return ensured.iter().map(|one| place(ground, one)).collect();
    }
    // Each beside those that found a place, so that every zone that is refused is named: two may fit only one at a time.
    let (mut placed, mut places): (Vec<Need>, _) = (Vec::new(), Vec::new());
    for need in needs {
        placed.push(need.clone());
        places.push(match subnets::ensure(ground, &placed) {
            Ok(ensured) => ensured
                .last()
                .map_or_else(|| Place::Unknown { zone_id: need.zone_id.to_string() }, |one| place(ground, one)),
            Err(failure) => {
                placed.pop();
                Place::Refused { zone_id: need.zone_id.to_string(), failure }
            }
        });
    }
    places
}

fn place(ground: &Ground, ensured: &Ensured) -> Place {
    let zone_id = ensured.zone_id.to_string();
    let there = ensured.subnet_id.as_ref().and_then(|id| ground.subnets.iter().find(|subnet| subnet.id == *id));
    match there {
        Some(subnet) => Place::There {
            zone_id,
            subnet_id: subnet.id.clone(),
            cidr: subnet.cidr,
            free: subnet.free_addresses,
            ours: ensured.origin == Origin::Ours,
        },
        None => Place::New { zone_id, cidr: ensured.cidr, free: usable_addresses(ensured.cidr.prefix_len()) },
    }
}

fn in_new_vpc(request: &Request<'_>, seen: &Seen, needs: &[Need]) -> Vec<Place> {
    let unknown = || needs.iter().map(|need| Place::Unknown { zone_id: need.zone_id.to_string() }).collect();
    let Some(vpc) = free_block(request, seen) else { return unknown() };
    let Some(eks) = carve_eks_subnets(vpc) else { return unknown() };
    let mut taken: Vec<Ipv4Net> = eks.public.into_iter().chain(eks.private).collect();
    needs
        .iter()
        .map(|need| match carve(vpc, &taken, need.addresses) {
            Ok(cidr) => {
                taken.push(cidr);
                let free = usable_addresses(cidr.prefix_len());
                Place::New { zone_id: need.zone_id.to_string(), cidr, free }
            }
            Err(message) => {
                let action = "Ask for fewer nodes in one zone, or give a larger vpcCidr.";
                let failure = Failure::new(ErrorCode::SubnetCapacity, message).with_action(action);
                Place::Refused { zone_id: need.zone_id.to_string(), failure }
            }
        })
        .collect()
}

/// The next block of `vpc` that holds so many addresses, as large as ours usually are where there is room.
fn carve(vpc: Ipv4Net, taken: &[Ipv4Net], addresses: u64) -> Result<Ipv4Net, String> {
    let prefix = prefix_for(addresses).map_err(|error| error.to_string())?;
    next_free_subnet(&[vpc], taken, prefix)
        .ok_or_else(|| format!("the VPC {vpc} has no room for a /{prefix} beside the EKS subnets"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloud::{Tags, ec2::Vpc};
    use domain::ids::ClusterId;

    fn need(zone: &str) -> Need {
        Need { zone_id: zone.parse().unwrap(), addresses: 100, chosen: None }
    }

    /// A VPC of somebody else with room for one subnet of nodes.
    fn narrow() -> Ground {
        let vpc = Vpc {
            id: "vpc-1".to_owned(),
            cidrs: vec!["10.1.0.0/20".parse().unwrap()],
            state: "available".to_owned(),
            tags: Tags::new(),
        };
        let nat = NatGateway {
            id: "nat-1".to_owned(),
            subnet_id: "subnet-1".to_owned(),
            state: "available".to_owned(),
            failure: String::new(),
            tags: Tags::new(),
        };
        Ground {
            cluster_id: ClusterId::from_parts(1, 1),
            vpc,
            subnets: Vec::new(),
            route_tables: Vec::new(),
            nats: vec![nat],
            endpoints: Vec::new(),
            other_cidrs: Vec::new(),
        }
    }

    #[test]
    fn two_zones_that_fit_only_one_at_a_time_are_not_both_placed() {
        let places = in_ground(&narrow(), &[need("usw2-az1"), need("usw2-az2")]);
        assert!(matches!(&places[0], Place::New { zone_id, .. } if zone_id == "usw2-az1"), "{places:#?}");
        let Place::Refused { zone_id, failure } = &places[1] else { panic!("{places:#?}") };
        assert_eq!((zone_id.as_str(), failure.code), ("usw2-az2", ErrorCode::SubnetCapacity));
    }
}
