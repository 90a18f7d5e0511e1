//! Where nodes come from, and whether they fit.

use super::hyperpod::source;
use crate::{
    places::{self, Place},
    request::{Request, Wanted},
    scene::Seen,
};
use contract::plan::GroupPlan;
use domain::capacity::nodes_that_fit;

pub(super) fn of(request: &Request<'_>, seen: &Seen) -> Vec<GroupPlan> {
    let places = places::of(request, seen);
    let groups = request.groups();
    let place = |group: &Wanted<'_>| places.iter().find(|place| place.zone_id() == group.zone_id.as_str());
    groups.iter().map(|group| view(request, seen, group, place(group))).collect()
}

fn view(request: &Request<'_>, seen: &Seen, group: &Wanted<'_>, place: Option<&Place>) -> GroupPlan {
    let (subnet, free) = match place {
        Some(Place::There { subnet_id, free, .. }) => (subnet_id.clone(), *free),
        Some(Place::New { cidr, free, .. }) => (format!("{cidr} (to be made)"), *free),
        Some(Place::Refused { failure, .. }) => (format!("none: {}", failure.message), 0),
        Some(Place::Unknown { .. }) | None => ("chosen once the VPC is seen".to_owned(), 0),
    };
    GroupPlan {
        instance_group: group.name.to_owned(),
        instance_type: group.instance_type.to_string(),
        count: group.count,
        zone_id: group.zone_id.to_string(),
        zone_name: seen.zone_name(group.zone_id.as_str()).map(str::to_owned),
        capacity_source: source(group, seen, request),
        subnet,
        addresses_needed: u32::try_from(group.addresses()).unwrap_or(u32::MAX),
        addresses_free: free,
        nodes_at_most: nodes_that_fit(group.instance_type, free).unwrap_or(0),
    }
}
