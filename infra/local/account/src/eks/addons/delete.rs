//! `DeleteAddon`: with its objects, or leaving them in the cluster.

use super::{Status, addon, by_arn, install};
use crate::{
    call::{Answer, Call},
    eks::{
        cluster::{named, named_mut, served},
        identity,
        life::Event,
    },
    world::World,
};
use jiff::Timestamp;
use serde_json::json;

/// `DeleteAddon`. With `preserve` the software stays and nobody looks after it any more.
pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let arn = served(world, call)?;
    let (name, preserve) = (call.required("addonName"), call.flag("preserve").unwrap_or(false));
    let found = addon(named(world, call)?, name)?;
    let (key, deleting) = (found.arn.clone(), found.status == Status::Deleting);
    if !deleting {
        let after = world.draw(&format!("deletion of {key}"), 10..40);
        world.schedule(call.now, after, Event::AddonGone { arn: arn.clone(), addon: key }.into());
        if !preserve {
            install::uninstall(world, &arn, name, call.now);
        }
        if let Some(addon) = named_mut(world, call)?.addons.get_mut(name) {
            addon.status = Status::Deleting;
            addon.modified_at = call.now;
        }
    }
    let cluster = named(world, call)?;
    Ok(json!({ "addon": addon(cluster, name)?.described(cluster) }))
}

/// The end of a deletion; the associations that the add-on owned go with it.
pub(in crate::eks) fn finish(world: &mut World, cluster: &str, addon: &str, now: Timestamp) {
    let Some(gone) = by_arn(world, cluster, addon).filter(|addon| addon.status == Status::Deleting) else { return };
    let (name, associations) = (gone.name.clone(), gone.associations.clone());
    for association in associations {
        identity::disown(world, cluster, &association, now);
    }
    let Some(cluster) = world.eks.clusters.get_mut(cluster) else { return };
    if let Some(gone) = cluster.addons.remove(&name) {
        let last_seen = gone.described(cluster);
        world.eks.tokens.gone(&gone.arn, &last_seen);
    }
}
