//! What a zone has to give: instances by zone id, type and way of buying, which are finite.
//!
//! Quota is a promise to the account, capacity is what is there. A test or a fault sets it; what nobody set is drawn
//! from the catalogue: plenty of ordinary types, some accelerators, nothing where a type is not offered.

use crate::{catalogue, geography, world::World};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How an instance is bought. Training plans bring their own capacity and do not appear here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// At the list price.
    OnDemand,
    /// Spare capacity that can be taken back.
    Spot,
}

/// Capacity's part of the world.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// What is left, by `zone-id/type/kind`; absent is the catalogue's figure.
    free: BTreeMap<String, u32>,
    /// Offerings that differ from the catalogue, by `zone-id/type`.
    offered: BTreeMap<String, bool>,
}

fn key(zone_id: &str, instance_type: &str, kind: Kind) -> String {
    let kind = match kind {
        Kind::OnDemand => "on-demand",
        Kind::Spot => "spot",
    };
    format!("{zone_id}/{}/{kind}", instance_type.trim_start_matches("ml."))
}

/// Whether `zone_id` sells `instance_type` (with or without `ml.`) at all.
pub fn offers(world: &World, zone_id: &str, instance_type: &str) -> bool {
    let bare = instance_type.trim_start_matches("ml.");
    let set = world.capacity.offered.get(&format!("{zone_id}/{bare}")).copied();
    set.unwrap_or_else(|| catalogue::instance_type(bare).is_some() && geography::offers(zone_id, bare))
}

/// Makes `zone_id` sell `instance_type`, or stop selling it.
pub fn set_offered(world: &mut World, zone_id: &str, instance_type: &str, offered: bool) {
    let bare = instance_type.trim_start_matches("ml.");
    world.capacity.offered.insert(format!("{zone_id}/{bare}"), offered);
}

/// How many instances a zone has left.
pub fn free(world: &World, zone_id: &str, instance_type: &str, kind: Kind) -> u32 {
    if !offers(world, zone_id, instance_type) {
        return 0;
    }
    let set = world.capacity.free.get(&key(zone_id, instance_type, kind)).copied();
    set.unwrap_or_else(|| usual(instance_type, kind))
}

/// What a zone has when nobody said otherwise.
fn usual(instance_type: &str, kind: Kind) -> u32 {
    let accelerated = catalogue::instance_type(instance_type).and_then(|known| known.accelerator.as_ref());
    match (accelerated.map(|accelerator| accelerator.count), kind) {
        (None, Kind::OnDemand) => 5000,
        (None, Kind::Spot) => 500,
        (Some(count), Kind::OnDemand) if count < 8 => 64,
        (Some(count), Kind::Spot) if count < 8 => 16,
        (Some(_), Kind::OnDemand) => 4,
        (Some(_), Kind::Spot) => 1,
    }
}

/// Sets how many instances a zone has left.
pub fn set_free(world: &mut World, zone_id: &str, instance_type: &str, kind: Kind, count: u32) {
    world.capacity.free.insert(key(zone_id, instance_type, kind), count);
}

/// Takes up to `count` instances and answers how many it got.
///
/// `region` must be the zone's own; a zone of another region gives nothing.
pub fn take(world: &mut World, region: &str, zone_id: &str, instance_type: &str, kind: Kind, count: u32) -> u32 {
    if geography::region_of_zone(zone_id) != Some(region) {
        return 0;
    }
    let left = free(world, zone_id, instance_type, kind);
    let taken = left.min(count);
    if taken > 0 {
        set_free(world, zone_id, instance_type, kind, left - taken);
    }
    taken
}

/// Gives instances back.
pub fn give_back(world: &mut World, zone_id: &str, instance_type: &str, kind: Kind, count: u32) {
    let name = key(zone_id, instance_type, kind);
    let left = world.capacity.free.get(&name).copied().unwrap_or_else(|| usual(instance_type, kind));
    world.capacity.free.insert(name, left.saturating_add(count));
}

#[cfg(test)]
mod tests {
    use super::{Kind, free, give_back, set_free, set_offered, take};
    use crate::world::World;

    #[test]
    fn a_zone_gives_what_it_has_and_takes_it_back() {
        let mut world = World::new(1, 1);
        set_free(&mut world, "usw2-az4", "ml.p5.48xlarge", Kind::OnDemand, 3);
        assert_eq!(take(&mut world, "us-west-2", "usw2-az4", "ml.p5.48xlarge", Kind::OnDemand, 2), 2);
        assert_eq!(take(&mut world, "us-west-2", "usw2-az4", "p5.48xlarge", Kind::OnDemand, 2), 1);
        assert_eq!(take(&mut world, "us-west-2", "usw2-az4", "p5.48xlarge", Kind::OnDemand, 2), 0);
        give_back(&mut world, "usw2-az4", "ml.p5.48xlarge", Kind::OnDemand, 2);
        assert_eq!(free(&world, "usw2-az4", "ml.p5.48xlarge", Kind::OnDemand), 2);
    }

    #[test]
    fn a_zone_that_does_not_offer_a_type_has_none_of_it() {
        let mut world = World::new(1, 1);
        assert_eq!(take(&mut world, "us-west-2", "usw2-az1", "ml.p5.48xlarge", Kind::OnDemand, 1), 0);
        set_offered(&mut world, "usw2-az1", "ml.p5.48xlarge", true);
        assert_eq!(take(&mut world, "us-west-2", "usw2-az1", "ml.p5.48xlarge", Kind::OnDemand, 1), 1);
        assert_eq!(take(&mut world, "us-east-1", "usw2-az1", "ml.p5.48xlarge", Kind::OnDemand, 1), 0);
    }
}
