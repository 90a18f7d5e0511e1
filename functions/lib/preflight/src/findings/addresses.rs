//! Addresses (requirement C6): whether the nodes of each zone find a subnet that holds them (field report BR-013).

use super::{blocking, unchecked};
use crate::{
    places::{self, Place},
    request::Request,
    scene::Seen,
};
use contract::plan::Finding;

pub(super) fn of(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let groups = request.groups();
    if groups.is_empty() {
        return Vec::new();
    }
    if let Err(trouble) = &seen.site.ground {
        return vec![unchecked(request.groups_pointer(), "free addresses", trouble)];
    }
    let mut found = Vec::new();
    for place in places::of(request, seen) {
        let Place::Refused { zone_id, failure } = place else { continue };
        for group in groups.iter().filter(|group| group.zone_id.as_str() == zone_id) {
            let needs = format!("{}; {} needs {}", failure.message, group.name, group.addresses());
            found.push(blocking(failure.code, &group.pointer("instanceCount"), needs, failure.action.clone()));
        }
    }
    found
}
