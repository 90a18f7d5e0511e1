//! `UpdateClusterConfig` and `UpdateClusterVersion`: one kind of change at a time.

use super::{
    cluster::{Cluster, Status, named},
    create_cluster::{flag, logs},
    create_network,
    refusals::{in_use, invalid, refused},
    updates::{self, Change, Update},
    versions,
    wire::texts,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde_json::{Value, json};
use std::ops::Range;

const OTHER_MEMBERS: [&str; 7] = [
    "computeConfig",
    "kubernetesNetworkConfig",
    "storageConfig",
    "remoteNetworkConfig",
    "controlPlaneScalingConfig",
    "kubeApiServerConfig",
    "kubeSchedulerConfig",
];

/// A change that was checked: its kind, what it changes, its parameters, and how many seconds it takes.
struct Wanted {
    kind: &'static str,
    change: Change,
    parameters: Vec<(&'static str, String)>,
    seconds: Range<u32>,
}

/// `UpdateClusterConfig`.
pub(super) fn configuration(world: &mut World, call: &Call) -> Answer {
    if let Some(answer) = repeated(world, call)? {
        return Ok(answer);
    }
    let cluster = named(world, call)?;
    let kinds = kinds(&call.input);
    let kind = match kinds.as_slice() {
        [] => return Err(invalid("The request does not contain a configuration to update")),
        [kind] => *kind,
        _ => return Err(invalid("Only one type of update can be allowed").with("clusterName", cluster.name.as_str())),
    };
    may_change(cluster, kind)?;
    let wanted = match kind {
        "LoggingUpdate" => logging(cluster, &call.input["logging"])?,
        "EndpointAccessUpdate" => endpoint(cluster, &call.input["resourcesVpcConfig"])?,
        "VpcConfigUpdate" => network(world, cluster, &call.input["resourcesVpcConfig"])?,
        "AccessConfigUpdate" => authentication(cluster, &call.input["accessConfig"])?,
        "UpgradePolicyUpdate" => support(cluster, &call.input["upgradePolicy"])?,
        "DeletionProtectionUpdate" => protection(&call.input["deletionProtection"]),
        "ZonalShiftConfigUpdate" => zonal_shift(&call.input["zonalShiftConfig"]),
        other => return Err(invalid(format!("{other} is not offered by this account"))),
    };
    start(world, call, wanted)
}

/// `UpdateClusterVersion`: the next minor, no further and never back.
pub(super) fn version(world: &mut World, call: &Call) -> Answer {
    if let Some(answer) = repeated(world, call)? {
        return Ok(answer);
    }
    let (cluster, wanted) = (named(world, call)?, call.required("version"));
    may_change(cluster, "VersionUpdate")?;
    if call.input.get("rollbackConfig").is_some() {
        return Err(invalid("rollbackConfig is not offered by this account"));
    }
    if !versions::is_offered(wanted, call.now) {
        return Err(invalid("unsupported Kubernetes version").with("clusterName", cluster.name.as_str()));
    }
    let next = versions::minor_number(&cluster.version).map(|minor| minor + 1);
    if versions::minor_number(wanted) != next {
        let message = format!("Unsupported Kubernetes minor version update from {} to {wanted}", cluster.version);
        return Err(invalid(message).with("clusterName", cluster.name.as_str()));
    }
    let parameters = vec![("Version", wanted.to_owned()), ("PlatformVersion", versions::platform(wanted).to_owned())];
    let change = Change::Version(wanted.to_owned());
    start(world, call, Wanted { kind: "VersionUpdate", change, parameters, seconds: 480..720 })
}

fn repeated(world: &World, call: &Call) -> Result<Option<Value>, AwsError> {
    let Some(earlier) = world.eks.tokens.earlier(call)? else { return Ok(None) };
    let update = named(world, call)?.updates.iter().find(|update| update.id == earlier.thing);
    Ok(update.map(|update| json!({ "update": update.described() })))
}

fn start(world: &mut World, call: &Call, wanted: Wanted) -> Answer {
    let arn = named(world, call)?.arn.clone();
    let update = Update {
        id: updates::new_id(world),
        kind: wanted.kind.to_owned(),
        status: "InProgress".to_owned(),
        created_at: call.now,
        addon: None,
        parameters: wanted.parameters.into_iter().map(|(kind, value)| (kind.to_owned(), value)).collect(),
        errors: Vec::new(),
        change: wanted.change,
    };
    world.eks.tokens.remember(call, &update.id);
    let answer = json!({ "update": update.described() });
    updates::start(world, &arn, update, wanted.seconds, call.now);
    Ok(answer)
}

/// The kinds of update that a request holds.
fn kinds(input: &Value) -> Vec<&'static str> {
    let has = |path: &str| input.pointer(path).is_some();
    let endpoint = ["endpointPublicAccess", "endpointPrivateAccess", "publicAccessCidrs"];
    let any = |members: &[&str]| members.iter().any(|member| has(&format!("/resourcesVpcConfig/{member}")));
    let asked = [
        ("LoggingUpdate", has("/logging")),
        ("EndpointAccessUpdate", any(&endpoint)),
        ("VpcConfigUpdate", any(&["subnetIds", "securityGroupIds"])),
        ("AccessConfigUpdate", has("/accessConfig")),
        ("UpgradePolicyUpdate", has("/upgradePolicy")),
        ("DeletionProtectionUpdate", has("/deletionProtection")),
        ("ZonalShiftConfigUpdate", has("/zonalShiftConfig")),
    ];
    let other = OTHER_MEMBERS.into_iter().map(|member| (member, input.get(member).is_some()));
    asked.into_iter().chain(other).filter(|(_, asked)| *asked).map(|(kind, _)| kind).collect()
}

fn may_change(cluster: &Cluster, kind: &str) -> Result<(), AwsError> {
    let name = cluster.name.as_str();
    match cluster.status {
        Status::Active => Ok(()),
        Status::Updating => {
            let id = cluster.updates.iter().find(|update| update.is_running()).map_or("", |update| update.id.as_str());
            let message = format!("Cannot {kind} because cluster {name} currently has update {id} in progress");
            Err(in_use(message).with("clusterName", name))
        }
        Status::Creating | Status::Deleting | Status::Failed => {
            Err(refused(format!("Cannot {kind} because cluster {name} is not in ACTIVE status"))
                .with("clusterName", name))
        }
    }
}

fn logging(cluster: &Cluster, asked: &Value) -> Result<Wanted, AwsError> {
    let after = logs(&cluster.logs, Some(asked));
    if after == cluster.logs {
        return Err(
            invalid("No changes needed for the logging config provided").with("clusterName", cluster.name.as_str())
        );
    }
    let parameters = vec![("ClusterLogging", asked.to_string())];
    Ok(Wanted { kind: "LoggingUpdate", change: Change::Logs(after), parameters, seconds: 45..120 })
}

fn endpoint(cluster: &Cluster, asked: &Value) -> Result<Wanted, AwsError> {
    let now = &cluster.network;
    let public = flag(asked, "endpointPublicAccess", now.endpoint_public);
    let private = flag(asked, "endpointPrivateAccess", now.endpoint_private);
    create_network::endpoint_access(public, private)?;
    let named = asked.get("publicAccessCidrs").is_some() || now.public_cidrs.is_empty();
    let cidrs = if named { create_network::public_cidrs(asked, public)? } else { now.public_cidrs.clone() };
    if (public, private, &cidrs) == (now.endpoint_public, now.endpoint_private, &now.public_cidrs) {
        let message = format!(
            "Cluster is already at the desired configuration with endpointPrivateAccess: {private} , \
                 endpointPublicAccess: {public}, and Public Endpoint Restrictions: [{}]",
            cidrs.join(", ")
        );
        return Err(invalid(message).with("clusterName", cluster.name.as_str()));
    }
    let parameters = vec![
        ("EndpointPublicAccess", public.to_string()),
        ("EndpointPrivateAccess", private.to_string()),
        ("PublicAccessCidrs", json!(cidrs).to_string()),
    ];
    let change = Change::Endpoint(public, private, cidrs);
    Ok(Wanted { kind: "EndpointAccessUpdate", change, parameters, seconds: 180..420 })
}

fn network(world: &World, cluster: &Cluster, asked: &Value) -> Result<Wanted, AwsError> {
    let given = |member: &str, before: &[String]| {
        if asked.get(member).is_some() { texts(asked.get(member)) } else { before.to_vec() }
    };
    let subnets = given("subnetIds", &cluster.network.subnet_ids);
    let groups = given("securityGroupIds", &cluster.network.security_group_ids);
    let vpc = create_network::subnets(world, &cluster.region, &cluster.name, &subnets)?;
    if vpc != cluster.network.vpc_id {
        return Err(invalid("Provided subnets belong to a VPC other than the cluster's")
            .with("clusterName", cluster.name.as_str()));
    }
    create_network::security_groups(world, &cluster.region, &groups, &vpc)?;
    let parameters = vec![("Subnets", json!(subnets).to_string()), ("SecurityGroups", json!(groups).to_string())];
    Ok(Wanted { kind: "VpcConfigUpdate", change: Change::Network(subnets, groups), parameters, seconds: 180..420 })
}

/// The mode moves from CONFIG_MAP towards API and never back.
fn authentication(cluster: &Cluster, asked: &Value) -> Result<Wanted, AwsError> {
    let rank = |mode: &str| ["CONFIG_MAP", "API_AND_CONFIG_MAP", "API"].iter().position(|known| *known == mode);
    let before = cluster.authentication_mode.as_str();
    let mode = asked.get("authenticationMode").and_then(Value::as_str).unwrap_or(before);
    // EKS goes one step at a time: CONFIG_MAP to API is two updates.
    if rank(mode) != rank(before).map(|rank| rank + 1) {
        let message = format!("Unsupported authentication mode update from {before} to {mode}");
        return Err(invalid(message).with("clusterName", cluster.name.as_str()));
    }
    let parameters = vec![("AuthenticationMode", format!("\"{mode}\""))];
    Ok(Wanted {
        kind: "AccessConfigUpdate",
        change: Change::Authentication(mode.to_owned()),
        parameters,
        seconds: 60..180,
    })
}

fn support(cluster: &Cluster, asked: &Value) -> Result<Wanted, AwsError> {
    let kind = asked.get("supportType").and_then(Value::as_str).unwrap_or(&cluster.support_type);
    if kind == cluster.support_type {
        return Err(invalid(format!("Cluster is already at the desired support type {kind}"))
            .with("clusterName", cluster.name.as_str()));
    }
    let parameters = vec![("UpgradePolicy", asked.to_string())];
    Ok(Wanted { kind: "UpgradePolicyUpdate", change: Change::Support(kind.to_owned()), parameters, seconds: 2..10 })
}

fn protection(asked: &Value) -> Wanted {
    let on = asked.as_bool().unwrap_or(false);
    let parameters = vec![("DeletionProtection", on.to_string())];
    Wanted { kind: "DeletionProtectionUpdate", change: Change::Protection(on), parameters, seconds: 2..10 }
}

fn zonal_shift(asked: &Value) -> Wanted {
    let change = Change::ZonalShift(flag(asked, "enabled", false));
    let parameters = vec![("ZonalShiftConfig", asked.to_string())];
    Wanted { kind: "ZonalShiftConfigUpdate", change, parameters, seconds: 2..10 }
}
