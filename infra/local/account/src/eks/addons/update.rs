//! `UpdateAddon`: another version, other values, another role.

use super::{Status, addon, catalogue, configuration, create, health, install};
use crate::{
    call::{Answer, AwsError, Call},
    eks::{
        cluster::{named, named_mut, served},
        refusals::{in_use, invalid},
        updates::{Change, Update, new_id},
    },
    world::World,
};
use serde_json::{Value, json};

/// `UpdateAddon`.
pub(super) fn update(world: &mut World, call: &Call) -> Answer {
    let name = call.required("addonName");
    if let Some(earlier) = world.eks.tokens.earlier(call)? {
        let updates = &named(world, call)?.updates;
        if let Some(update) = updates.iter().find(|update| update.id == earlier.thing) {
            return Ok(json!({ "update": update.described() }));
        }
    }
    let arn = served(world, call)?;
    let version = checked(world, call)?;
    let update = Update {
        id: new_id(world),
        kind: "AddonUpdate".to_owned(),
        status: "InProgress".to_owned(),
        created_at: call.now,
        addon: Some(name.to_owned()),
        parameters: parameters(call),
        errors: Vec::new(),
        change: Change::Addon,
    };
    world.eks.tokens.remember(call, &update.id);
    let (answer, id) = (json!({ "update": update.described() }), update.id.clone());
    let cluster = named_mut(world, call)?;
    cluster.updates.push(update);
    let Some(addon) = cluster.addons.get_mut(name) else { return Ok(answer) };
    addon.version = version;
    addon.status = Status::Updating;
    addon.modified_at = call.now;
    addon.role_arn = call.text("serviceAccountRoleArn").map(str::to_owned).or_else(|| addon.role_arn.clone());
    addon.configuration = call.text("configurationValues").map(str::to_owned).or_else(|| addon.configuration.clone());
    addon.watch = health::Watch::updating(call.now, &id);
    let key = addon.arn.clone();
    if let Some(associations) = call.input.get("podIdentityAssociations") {
        create::associate(world, call, &arn, associations)?;
    }
    let mode = call.text("resolveConflicts");
    let mut obstacles = install::install(world, &arn, name, mode == Some("OVERWRITE"), call.now);
    if mode == Some("PRESERVE") {
        // What was changed in the cluster stays as it is, and that is no obstacle.
        obstacles.conflicts.clear();
    }
    health::start(world, &arn, &key, &obstacles, call.now);
    Ok(answer)
}

/// The version that the add-on has after the update.
fn checked(world: &World, call: &Call) -> Result<String, AwsError> {
    let (cluster, name) = (named(world, call)?, call.required("addonName"));
    let before = addon(cluster, name)?;
    match before.status {
        Status::Creating | Status::Updating | Status::Deleting => {
            let message =
                format!("Addon {name} cannot be updated as it is currently in {} state", json!(before.status));
            return Err(in_use(message.replace('"', "")).with("addonName", name));
        }
        Status::CreateFailed => {
            let message = format!("Addon {name} cannot be updated as it is currently in CREATE_FAILED state");
            return Err(invalid(message).with("addonName", name));
        }
        Status::Active | Status::Degraded | Status::UpdateFailed => {}
    }
    let wanted = call.text("addonVersion").unwrap_or(&before.version);
    let (product, version) = catalogue::chosen(name, Some(wanted), &cluster.version)?;
    configuration::checked(call.text("configurationValues").unwrap_or("{}"), &product.schema)?;
    create::known_accounts(product, call.list("podIdentityAssociations"))?;
    Ok(version)
}

fn parameters(call: &Call) -> Vec<(String, String)> {
    let members = [
        ("AddonVersion", "addonVersion"),
        ("ServiceAccountRoleArn", "serviceAccountRoleArn"),
        ("ResolveConflicts", "resolveConflicts"),
        ("ConfigurationValues", "configurationValues"),
        ("PodIdentityAssociations", "podIdentityAssociations"),
    ];
    let given = members.into_iter().filter_map(|(kind, member)| Some((kind, call.input.get(member)?)));
    given.map(|(kind, value)| (kind.to_owned(), plain(value))).collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
