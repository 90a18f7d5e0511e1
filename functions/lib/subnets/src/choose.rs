//! Whether a subnet that exists can hold nodes.

use crate::{Need, change::subnet_key, ground::Ground};
use cloud::ec2::Subnet;
use domain::{capacity::with_reserve, codes::ErrorCode, failure::Failure, naming::TAG_CHANGE};
use serde::Serialize;

/// Whose a subnet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Named in the request.
    Chosen,
    /// Made by us for this cluster, perhaps not finished.
    Ours,
    /// There before us.
    Borrowed,
    /// To be made.
    New,
}

/// Where traffic of a subnet for the internet goes.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    /// Through something that hides the node's address: NAT gateway, transit gateway, appliance.
    Private,
    /// Straight out.
    Public,
    /// Nowhere.
    None,
}

impl Ground {
    fn way_out(&self, subnet: &Subnet) -> Way {
        let route = self.table_of(&subnet.id).and_then(|table| table.default_route());
        match route.filter(|route| route.state != "blackhole") {
            Some(route) if route.target.starts_with("igw-") => Way::Public,
            Some(_) => Way::Private,
            None => Way::None,
        }
    }

    /// Checks a subnet that somebody chose.
    pub(crate) fn chosen(&self, id: &str, need: &Need) -> Result<&Subnet, Failure> {
        let Some(subnet) = self.subnets.iter().find(|subnet| subnet.id == id) else {
            let text = format!("subnet {id} is not in VPC {}, where the EKS cluster is", self.vpc.id);
            return Err(Failure::new(ErrorCode::InvalidInput, text).with_action("Choose a subnet of that VPC."));
        };
        if subnet.zone_id != need.zone_id.as_str() {
            let text = format!("subnet {id} is in zone {}, not in {}", subnet.zone_id, need.zone_id);
            return Err(Failure::new(ErrorCode::InvalidInput, text).with_action("Choose a subnet of the group's zone."));
        }
        match self.way_out(subnet) {
            Way::Private => {}
            Way::Public => {
                let text = format!("subnet {id} leads straight to the internet; HyperPod nodes need a private subnet");
                return Err(Failure::new(ErrorCode::InvalidInput, text).with_action("Choose a private subnet."));
            }
            Way::None => {
                let text = format!("subnet {id} has no route out: nodes could not reach AWS");
                let action = "Give its route table a default route to a NAT gateway.";
                return Err(Failure::new(ErrorCode::NetworkUnreachable, text).with_action(action));
            }
        }
        if u64::from(subnet.free_addresses) < need.addresses {
            let text =
                format!("subnet {id} has {} free addresses, {} are needed", subnet.free_addresses, need.addresses);
            return Err(Failure::new(ErrorCode::SubnetCapacity, text)
                .with_action("Choose a larger subnet, or none: one that is large enough is made then."));
        }
        Ok(subnet)
    }

    /// The best subnet of the zone that is there: ours for this purpose (perhaps not finished), else one that is
    /// private and has room. Our own EKS subnets are not for nodes.
    pub(crate) fn best(&self, need: &Need) -> Option<(Origin, &Subnet)> {
        let room = with_reserve(need.addresses);
        let in_zone = self.subnets.iter().filter(|subnet| subnet.zone_id == need.zone_id.as_str());
        let fits = in_zone.filter(|subnet| u64::from(subnet.free_addresses) >= room && !subnet.maps_public_addresses);
        let ranked = fits.filter_map(|subnet| {
            let origin = self.origin(subnet, need)?;
            Some((origin == Origin::Borrowed, subnet.free_addresses, subnet.id.as_str(), origin, subnet))
        });
        // The tightest fit: a large subnet stays whole for those who need it.
        ranked
            .min_by_key(|(borrowed, free, id, ..)| (*borrowed, *free, *id))
            .map(|(.., origin, subnet)| (origin, subnet))
    }

    fn origin(&self, subnet: &Subnet, need: &Need) -> Option<Origin> {
        if self.is_ours(&subnet.tags) {
            let key = subnet_key(&need.zone_id);
            let compute = subnet.tags.get(TAG_CHANGE).is_some_and(|change| change.starts_with(&key));
            return compute.then_some(Origin::Ours);
        }
        (self.way_out(subnet) == Way::Private).then_some(Origin::Borrowed)
    }
}
