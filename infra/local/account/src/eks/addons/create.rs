//! `CreateAddon`.

use super::{Addon, Status, catalogue, configuration, health, install};
use crate::{
    call::{Answer, AwsError, Call},
    eks::{
        cluster::{named, named_mut, served},
        identity,
        refusals::{in_use, invalid},
        updates::new_id,
        wire::tags,
    },
    world::World,
};
use serde_json::{Value, json};

/// `CreateAddon`: the objects are written at once, the add-on's state follows from them.
pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let name = call.required("addonName");
    if let Some(earlier) = world.eks.tokens.earlier(call)? {
        let cluster = named(world, call)?;
        if let Some(addon) = cluster.addons.values().find(|addon| addon.arn == earlier.thing) {
            return Ok(json!({ "addon": addon.described(cluster) }));
        }
        if earlier.last_seen.is_some() {
            return Ok(json!({ "addon": earlier.last_seen }));
        }
    }
    if call.text("resolveConflicts") == Some("PRESERVE") {
        let message = "Resolve conflicts option PRESERVE is not supported for operation CreateAddon";
        return Err(named_in(invalid(message), call));
    }
    let arn = served(world, call)?;
    let addon = checked(world, call, &arn).map_err(|refusal| named_in(refusal, call))?;
    world.eks.tokens.remember(call, &addon.arn);
    let key = addon.arn.clone();
    named_mut(world, call)?.addons.insert(name.to_owned(), addon);
    if let Some(associations) = call.input.get("podIdentityAssociations") {
        associate(world, call, &arn, associations)?;
    }
    let obstacles = install::install(world, &arn, name, call.text("resolveConflicts") == Some("OVERWRITE"), call.now);
    health::start(world, &arn, &key, &obstacles, call.now);
    let cluster = named(world, call)?;
    Ok(json!({ "addon": cluster.addons.get(name).map(|addon| addon.described(cluster)) }))
}

fn named_in(refusal: AwsError, call: &Call) -> AwsError {
    refusal.with("clusterName", call.required("clusterName")).with("addonName", call.required("addonName"))
}

fn checked(world: &mut World, call: &Call, cluster_arn: &str) -> Result<Addon, AwsError> {
    let (cluster, name) = (named(world, call)?, call.required("addonName"));
    if cluster.addons.contains_key(name) {
        return Err(in_use("Addon already exists."));
    }
    let (product, version) = catalogue::chosen(name, call.text("addonVersion"), &cluster.version)?;
    let values = call.text("configurationValues");
    configuration::checked(values.unwrap_or("{}"), &product.schema)?;
    if call.text("serviceAccountRoleArn").is_some() && !call.list("podIdentityAssociations").is_empty() {
        return Err(invalid("serviceAccountRoleArn and podIdentityAssociations can't be specified together"));
    }
    let wanted = call.list("podIdentityAssociations");
    known_accounts(product, wanted)?;
    let namespace = call.input.pointer("/namespaceConfig/namespace").and_then(Value::as_str);
    let base = cluster_arn.replacen(":cluster/", ":addon/", 1);
    let id = new_id(world);
    Ok(Addon {
        name: name.to_owned(),
        arn: format!("{base}/{name}/{id}"),
        tags: tags(call),
        status: Status::Creating,
        version,
        namespace: namespace.unwrap_or(&product.namespace).to_owned(),
        created_at: call.now,
        modified_at: call.now,
        role_arn: call.text("serviceAccountRoleArn").map(str::to_owned),
        configuration: values.map(str::to_owned),
        associations: Vec::new(),
        issues: Vec::new(),
        watch: health::Watch::starting(call.now),
    })
}

/// Associations are for the service accounts that the add-on says want permissions.
pub(super) fn known_accounts(product: &catalogue::Product, wanted: &[Value]) -> Result<(), AwsError> {
    let accounts = wanted.iter().filter_map(|one| one.get("serviceAccount").and_then(Value::as_str));
    let known = |account: &&str| product.identities.iter().any(|identity| identity.service_account == *account);
    match accounts.into_iter().find(|account| !known(account)) {
        Some(account) => {
            Err(invalid(format!("The service account {account} is not supported by addon {}", product.name)))
        }
        None => Ok(()),
    }
}

/// Makes the associations of an add-on, which owns them from then on.
pub(super) fn associate(world: &mut World, call: &Call, cluster_arn: &str, wanted: &Value) -> Result<(), AwsError> {
    let name = call.required("addonName");
    let Some(addon) = named(world, call)?.addons.get(name) else { return Ok(()) };
    let (owner, namespace) = (addon.arn.clone(), addon.namespace.clone());
    let mut ids = Vec::new();
    for one in wanted.as_array().into_iter().flatten() {
        let text = |member: &str| one.get(member).and_then(Value::as_str).unwrap_or_default();
        let account = text("serviceAccount");
        ids.push(identity::own(world, cluster_arn, &namespace, account, text("roleArn"), &owner, call.now));
    }
    if let Some(addon) = named_mut(world, call)?.addons.get_mut(name) {
        addon.associations = ids;
    }
    Ok(())
}
