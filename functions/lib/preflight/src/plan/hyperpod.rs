//! The changes of the stage hyperpod: keys, titles and order are the stage's own.

use super::{role_name, stages::change};
use crate::{
    places::{self, Place},
    request::{Request, Wanted},
    scene::Seen,
    training_plans, utc,
};
use contract::plan::PlannedChange;
use domain::{
    decisions::CapacityType,
    naming::{LIFECYCLE_ENTRY, Names, Role, script_prefix},
};

/// The lifecycle scripts of this release, as the stage puts them.
const SCRIPTS: [(&str, &[u8]); 2] = [
    (LIFECYCLE_ENTRY, include_bytes!("../../../../stages/hyperpod/lifecycle/on_create.sh")),
    ("container_storage.sh", include_bytes!("../../../../stages/hyperpod/lifecycle/container_storage.sh")),
];

/// Where they are put: by their content, so that a replaced node reads again what its group was made with.
pub fn lifecycle_prefix() -> String {
    script_prefix(&SCRIPTS)
}

/// The changes; the second value says what cannot be told yet.
pub(super) fn changes(request: &Request<'_>, seen: &Seen) -> (Vec<PlannedChange>, Option<String>) {
    let groups = request.groups();
    if groups.is_empty() {
        return (Vec::new(), None);
    }
    let names = Names::of(&request.cluster.tag, request.cluster.id);
    let role = role_name(request, Role::Execution);
    let region = &request.cluster.target.region;
    let mut changes = vec![
        change("create-execution-role", format!("create execution role {role}")),
        change("attach-execution-policy", format!("attach AmazonSageMakerClusterInstanceRolePolicy to {role}")),
        change("create-bucket", format!("create the project bucket of {region}, if it is not there")),
    ];
    let prefix = lifecycle_prefix();
    changes.extend(SCRIPTS.iter().rev().map(|(file, _)| {
        change(
            format!("put-script/{prefix}/{file}"),
            format!("put lifecycle script {prefix}/{file}, if it is not there"),
        )
    }));
    let mut unknown = None;
    for place in places::of(request, seen) {
        match place {
            Place::New { zone_id, cidr, .. } => changes.extend(subnet(&zone_id, &cidr.to_string())),
            Place::There { .. } => {}
            Place::Refused { failure, .. } => unknown = Some(failure.message),
            Place::Unknown { zone_id } => {
                unknown = Some(format!("the subnet in {zone_id} is chosen once the VPC is seen"))
            }
        }
    }
    changes.push(change("put-execution-policy", format!("let {role} use the subnets of the nodes")));
    let name = names.hyperpod_cluster().map(|name| name.to_string()).unwrap_or_default();
    let lines: Vec<String> = groups.iter().map(line).collect();
    changes.push(change("create-cluster", format!("create HyperPod cluster {name} with {}", lines.join(", "))));
    (changes, unknown)
}

fn subnet(zone: &str, cidr: &str) -> Vec<PlannedChange> {
    vec![
        change(
            format!("create-compute-subnet/{zone}/{cidr}"),
            format!("create compute subnet {cidr} in zone {zone} of the VPC"),
        ),
        change(format!("create-compute-route-table/{zone}"), format!("create the compute route table of zone {zone}")),
        change(
            format!("route-compute-to-nat/{zone}"),
            format!("route compute traffic of zone {zone} to the NAT gateway"),
        ),
        change(format!("route-compute-to-s3/{zone}"), format!("route S3 traffic of zone {zone} to the endpoint")),
        change(
            format!("associate-compute-routes/{zone}/{cidr}"),
            format!("give compute subnet {cidr} the route table of zone {zone}"),
        ),
    ]
}

fn line(group: &Wanted<'_>) -> String {
    let source = match group.capacity {
        CapacityType::OnDemand => "on-demand",
        CapacityType::Spot => "Spot",
        CapacityType::TrainingPlan => "training plan",
    };
    format!("{} ({} × {} in {}, {source})", group.name, group.count, group.instance_type, group.zone_id)
}

pub(super) fn waits(request: &Request<'_>, seen: &Seen) -> Vec<String> {
    let groups = request.groups();
    let nodes = groups.iter().fold(0_u32, |sum, group| sum.saturating_add(group.count));
    let mut waits = Vec::new();
    for group in groups.iter().filter(|group| group.capacity == CapacityType::TrainingPlan) {
        let plan =
            group.plan.and_then(|arn| seen.plans.get(arn.as_str())).and_then(|read| read.as_ref().ok()?.as_ref());
        if let Some((plan, start)) = plan.and_then(|plan| Some((plan, plan.next_start(request.now)?))) {
            if plan.block_at(request.now).is_none() {
                waits.push(format!("training plan {} starts at {}", plan.name, utc(start)));
            }
        }
    }
    if nodes > 0 {
        waits.push(format!("{nodes} nodes launch (8 to 25 minutes each); billed from their lifecycle script on"));
        waits.push("every node is Running, Ready, Schedulable and free of HyperPod taints".to_owned());
    } else {
        waits.push("no node is wanted: the groups are there, zero of zero".to_owned());
    }
    waits
}

/// Where a group's capacity comes from, with a plan's dates.
pub(super) fn source(group: &Wanted<'_>, seen: &Seen, request: &Request<'_>) -> String {
    match (group.capacity, group.plan) {
        (CapacityType::OnDemand, _) => "on demand: a quota is a permission, not capacity".to_owned(),
        (CapacityType::Spot, _) => "Spot: taken back at two minutes' notice".to_owned(),
        (CapacityType::TrainingPlan, arn) => {
            let plan = arn.and_then(|arn| seen.plans.get(arn.as_str())).and_then(|read| read.as_ref().ok()?.as_ref());
            let when = plan.and_then(|plan| training_plans::when(plan, request.now));
            match (plan, when) {
                (Some(plan), Some(when)) => format!("training plan {}. {when}", plan.name),
                (Some(plan), None) => format!("training plan {}, which has ended", plan.name),
                (None, _) => "training plan that could not be read".to_owned(),
            }
        }
    }
}
