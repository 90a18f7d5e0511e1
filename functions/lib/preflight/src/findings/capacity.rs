//! Instance groups: zone, type, quotas, volumes, room for pods, and somewhere for what the cluster itself runs.

use super::{blocking, unchecked, warning};
use crate::{
    Usage,
    limits::{self, IN_ALL, PER_CLUSTER, SPOT_IN_ALL, VOLUME},
    request::{Purpose, Request, Wanted},
    scene::Seen,
};
use contract::{choices::QuotaView, plan::Finding};
use domain::{
    ErrorCode,
    capacity::PodRoom,
    catalogue::{self, did_you_mean},
    decisions::CapacityType,
    ids::InstanceType,
};
use std::collections::BTreeMap;

/// Pods of what we install that run on every node, and that run once (field report BR-046).
const DAEMONS: u32 = 11;
const SINGLES: u32 = 9;

/// A small type that holds them.
const SYSTEM_TYPE: &str = "ml.m5.4xlarge";

pub(super) fn of(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let groups = request.groups();
    if groups.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Finding> = groups.iter().flat_map(|group| place(group, seen)).collect();
    found.extend(by_type(&groups, seen));
    found.extend(in_all(request, &groups, seen));
    found.extend(groups.iter().filter_map(|group| volume(group, seen)));
    found.extend(pods(request, &groups));
    found.extend(system(request, &groups));
    found.extend(self_rules(request, &groups, seen));
    found
}

/// Zone and type exist, and the zone offers the type.
fn place(group: &Wanted<'_>, seen: &Seen) -> Vec<Finding> {
    let mut found = Vec::new();
    let zone = group.pointer("zoneId");
    let zone_is_there = match &seen.zones {
        Ok(zones) if zones.iter().any(|one| one.id == group.zone_id.as_str()) => true,
        Ok(zones) => {
            let ids: Vec<&str> = zones.iter().map(|one| one.id.as_str()).collect();
            let message = format!("the Region has no zone {} in this account", group.zone_id);
            found.push(blocking(ErrorCode::InvalidInput, &zone, message, format!("Choose one of {}.", ids.join(", "))));
            false
        }
        Err(trouble) => {
            found.push(unchecked(&zone, &format!("whether zone {} exists", group.zone_id), trouble));
            true
        }
    };
    let kind = group.pointer("instanceType");
    match &seen.offerings {
        // Training plans bring capacity where they have it; their own check compares the zones.
        Ok(offered) => match offered.get(group.instance_type.as_str()) {
            None if may_be_new(group.instance_type) => found.push(unknown_type(group, &kind)),
            None => {
                let message = format!("no zone of the Region offers {}", group.instance_type);
                let action = match did_you_mean(group.instance_type.as_str()) {
                    Some(meant) => format!("Did you mean {meant}? See list_instance_types."),
                    None => "See list_instance_types for those that are offered.".to_owned(),
                };
                found.push(blocking(ErrorCode::InvalidInput, &kind, message, action));
            }
            Some(zones) if zone_is_there && !zones.iter().any(|one| one == group.zone_id.as_str()) => {
                let message = format!("{} does not offer {}", group.zone_id, group.instance_type);
                let action = format!("Choose one of {}.", zones.join(", "));
                found.push(blocking(ErrorCode::InvalidInput, &zone, message, action));
            }
            Some(_) if group.hardware().is_none() => {
                let message =
                    format!("{} is not in our catalogue: addresses and accelerators are unknown", group.instance_type);
                found.push(warning(ErrorCode::InvalidInput, &kind, message, "Check by yourself that it fits."));
            }
            Some(_) => {}
        },
        Err(trouble) => found.push(unchecked(&kind, &format!("where {} is offered", group.instance_type), trouble)),
    }
    found
}

/// Whether the type may be newer than our catalogue: of a family that it lacks, in a size that AWS has. What has no such
/// size is a slip of the pen.
fn may_be_new(kind: &InstanceType) -> bool {
    let Some((family, size)) = kind.as_str().rsplit_once('.') else { return false };
    let known: Vec<_> = catalogue::all().filter_map(|known| known.instance_type.as_str().rsplit_once('.')).collect();
    known.iter().any(|(_, one)| *one == size) && !known.iter().any(|(one, _)| *one == family)
}

/// SageMaker may have types before EC2 lists them: such a one passes, and AWS has the last word (field report BR-152).
fn unknown_type(group: &Wanted<'_>, at: &str) -> Finding {
    let kind = group.instance_type;
    let message =
        format!("{kind} is an unknown type: it is not in our catalogue, and EC2 lists it in no zone of the Region");
    let action = match did_you_mean(kind.as_str()) {
        Some(meant) => format!("Did you mean {meant}? Else check by yourself that it is offered and fits."),
        None => "Check by yourself that it is offered and fits.".to_owned(),
    };
    warning(ErrorCode::InvalidInput, at, message, action)
}

/// The quota of each type and way of buying, for all groups that share it (field reports BR-058, BR-059).
fn by_type(groups: &[Wanted<'_>], seen: &Seen) -> Vec<Finding> {
    let mut shares: BTreeMap<String, Vec<&Wanted<'_>>> = BTreeMap::new();
    for group in groups.iter().filter(|group| group.count > 0) {
        if let Some(name) = limits::quota_of(group.instance_type, group.capacity) {
            shares.entry(name).or_default().push(group);
        }
    }
    let mut found = Vec::new();
    for (name, sharing) in shares {
        let needs = sharing.iter().fold(0_u32, |sum, group| sum.saturating_add(group.count));
        let one = sharing.first().map(|group| (group.instance_type, group.capacity));
        let used = limits::why(&seen.hyperpod).map(|clusters| {
            let usage = Usage::of(clusters);
            one.map_or(0, |(kind, capacity)| limits::used(&usage, kind, capacity))
        });
        let quota = limits::view(&name, &seen.quotas, used);
        found.extend(sharing.iter().filter_map(|group| within(&quota, needs, &group.pointer("instanceCount"))));
    }
    found
}

/// A finding if a quota does not hold what is needed, or could not be checked.
fn within(quota: &QuotaView, needs: u32, at: &str) -> Option<Finding> {
    let name = &quota.name;
    match (quota.limit, quota.used, quota.free) {
        (Some(limit), Some(used), Some(free)) => (needs > free).then(|| {
            let default = if quota.source == "default" { " (AWS's default value)" } else { "" };
            let message = format!(
                "the quota '{name}' is too small: limit {limit}{default}, used {used}, free {free}, needs {needs}"
            );
            let action = format!("Ask for a higher '{name}' in Service Quotas (Amazon SageMaker), or ask for less.");
            blocking(ErrorCode::QuotaExceeded, at, message, action)
        }),
        // What is used is not known, and the limit alone is too small already.
        (Some(limit), None, _) if needs > limit => {
            let message = format!("the quota '{name}' is too small: limit {limit}, needs {needs}");
            let action = format!("Ask for a higher '{name}' in Service Quotas (Amazon SageMaker), or ask for less.");
            Some(blocking(ErrorCode::QuotaExceeded, at, message, action))
        }
        _ => {
            let why = quota.note.clone().unwrap_or_default();
            let made =
                warning(ErrorCode::UpstreamUnavailable, at, format!("the quota '{name}' was not checked. {why}"), "");
            Some(Finding { severity: contract::plan::Severity::Unchecked, ..made })
        }
    }
}

/// Nodes of one cluster, and of all.
fn in_all(request: &Request<'_>, groups: &[Wanted<'_>], seen: &Seen) -> Vec<Finding> {
    let sum =
        |groups: &mut dyn Iterator<Item = &Wanted<'_>>| groups.fold(0_u32, |sum, one| sum.saturating_add(one.count));
    let needs = sum(&mut groups.iter());
    if needs == 0 {
        return Vec::new();
    }
    let at = request.groups_pointer();
    let usage = limits::why(&seen.hyperpod).map(|clusters| Usage::of(clusters));
    let own = seen.attached().map_or(0, |cluster| cluster.groups.iter().map(|group| group.target).sum());
    let of_spot = |usage: &Usage| usage.spot.values().fold(0_u32, |sum, one| sum.saturating_add(*one));
    let mut found = Vec::new();
    found.extend(within(&limits::view(PER_CLUSTER, &seen.quotas, Ok(own)), needs, at));
    let total = usage.as_ref().map(|usage| usage.total).map_err(Clone::clone);
    found.extend(within(&limits::view(IN_ALL, &seen.quotas, total), needs, at));
    let spot = sum(&mut groups.iter().filter(|group| group.capacity == CapacityType::Spot));
    if spot > 0 {
        let used = usage.as_ref().map(of_spot).map_err(Clone::clone);
        found.extend(within(&limits::view(SPOT_IN_ALL, &seen.quotas, used), spot, at));
    }
    found
}

fn volume(group: &Wanted<'_>, seen: &Seen) -> Option<Finding> {
    let size = group.volume_gib?;
    within(&limits::view(VOLUME, &seen.quotas, Ok(0)), size, &group.pointer("volumeSizeGib"))
}

/// Room for what the cluster itself runs (field report BR-046).
fn pods(request: &Request<'_>, groups: &[Wanted<'_>]) -> Option<Finding> {
    let mut room = PodRoom { needed: u64::from(SINGLES), available: 0 };
    for group in groups.iter().filter(|group| group.count > 0) {
        // A type that is not known may hold as many as it likes.
        let here = PodRoom::on(group.instance_type, group.count, DAEMONS, 0)?;
        room = PodRoom { needed: room.needed + here.needed, available: room.available + here.available };
    }
    if room.available == 0 || room.suffices() {
        return None;
    }
    let message = format!(
        "the pods that the cluster itself needs do not fit: {} needed, {} available on these nodes",
        room.needed, room.available
    );
    let action = format!("Choose a larger type, or add a systemGroup of a type such as {SYSTEM_TYPE}.");
    Some(blocking(ErrorCode::InvalidInput, request.groups_pointer(), message, action))
}

/// Whether what the cluster itself runs has somewhere to run that stays (SPEC C15).
fn system(request: &Request<'_>, groups: &[Wanted<'_>]) -> Option<Finding> {
    let stays = |group: &Wanted<'_>| group.capacity == CapacityType::OnDemand && group.count > 0;
    if groups.iter().any(stays) {
        return None;
    }
    let zone = groups.first().map_or("", |group| group.zone_id.as_str());
    let message = "every group is Spot, bound to a training plan or at zero: what the cluster itself runs (DNS, operators) \
         has no node that stays";
    let action = format!(
        "Add a systemGroup: {{\"zoneId\": \"{zone}\", \"instanceType\": \"{SYSTEM_TYPE}\", \"instanceCount\": 1}}."
    );
    let at = request.groups_pointer().replace("instanceGroups", "systemGroup");
    Some(warning(ErrorCode::DependencyMissing, &at, message, action))
}

/// EFA needs every security group of the nodes to allow itself (field report BR-047). Ours do; those of an import may not.
fn self_rules(request: &Request<'_>, groups: &[Wanted<'_>], seen: &Seen) -> Vec<Finding> {
    if request.purpose == Purpose::Create {
        return Vec::new();
    }
    let asked = request.mends("self-rules");
    let efa = groups.iter().find(|group| group.hardware().is_some_and(|known| known.efa_interfaces > 0));
    let (Some(group), false, Ok(Some(footing))) = (efa, asked, &seen.site.footing) else { return Vec::new() };
    let open = footing.lacks().into_iter().filter(|lack| matches!(lack, footing::Lack::SelfRules { .. }));
    let action = "Add rules for all traffic from and to the group itself (an import does with the fix self-rules).";
    open.map(|lack| blocking(ErrorCode::DependencyMissing, &group.pointer("instanceType"), lack.message(), action))
        .collect()
}
