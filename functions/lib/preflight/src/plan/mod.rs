//! The plan page (SPEC C14): everything to be known before anything starts, from reads alone. Pure, over what was seen.
//!
//! The stages plan for themselves when they run, over the world as it is then. What stands here is derived from the same
//! decisions by the same arithmetic; what only a stage can know is said to be unknown until then.

mod control_plane;
mod cost;
mod groups;
mod hyperpod;
mod stages;

pub use cost::HourlyPrices;
pub use hyperpod::lifecycle_prefix;

use crate::{
    request::{Purpose, Request},
    scene::Seen,
};
use contract::plan::{Finding, GroupPlan, PlanView, Severity, StagePlan};
use domain::{
    ErrorCode,
    naming::{Names, ROLE_PATH, Role},
    states::Stage,
    versions::{DEFAULT, KubernetesMinor},
};
use serde_json::json;
use sha2::{Digest, Sha256};

/// The page for a request that runs these stages, first and last.
pub fn page(
    request: &Request<'_>,
    seen: &Seen,
    prices: &HourlyPrices,
    findings: Vec<Finding>,
    stages: Option<(Stage, Stage)>,
) -> PlanView {
    let version = version(request, seen);
    let stages = stages::of(request, seen, &version, stages);
    let groups = groups::of(request, seen);
    PlanView {
        cluster_tag: request.cluster.tag.clone(),
        hash: hash(request, &stages, &groups, &version),
        ready: !findings.iter().any(|one| one.severity == Severity::Blocking),
        cost: cost::of(request, seen, prices, &version),
        unchangeable: unchangeable(request),
        reused: reused(request, seen, &groups),
        foreign: foreign(&findings),
        roles: roles(request),
        lifecycle_scripts: lifecycle_prefix(),
        image: "latest".to_owned(),
        end_of_support: end_of_support(seen, &version),
        kubernetes_version: version,
        findings,
        stages,
        changes: Vec::new(),
        waits: Vec::new(),
        groups,
    }
}

/// The version: that of the cluster that is there, else the one decided, else the one that would be chosen.
fn version(request: &Request<'_>, seen: &Seen) -> String {
    let there = seen.site.eks.as_ref().ok().and_then(Option::as_ref).filter(|_| request.purpose != Purpose::Create);
    let offered: Vec<KubernetesMinor> = match &seen.versions {
        Ok(offered) => offered.iter().map(|one| one.version).collect(),
        Err(_) => vec![DEFAULT],
    };
    let decided = request.cluster.decisions.kubernetes_version.or_else(|| KubernetesMinor::choose(&offered));
    there.map_or_else(|| decided.unwrap_or(DEFAULT).to_string(), |eks| eks.version.clone())
}

fn end_of_support(seen: &Seen, version: &str) -> Option<String> {
    let offered = seen.versions.as_ref().ok()?;
    let until = offered.iter().find(|one| one.version.to_string() == version)?.standard_until?;
    Some(until.strftime("%Y-%m-%d").to_string())
}

/// A digest of what would be done. Ids that are drawn anew for each request are not in it, so that the same plan over the
/// same world has the same digest.
fn hash(request: &Request<'_>, stages: &[StagePlan], groups: &[GroupPlan], version: &str) -> String {
    let changes = |stage: &StagePlan| stage.changes.iter().map(|one| one.change.clone()).collect::<Vec<_>>();
    let content = json!({
        "tag": request.cluster.tag,
        "decisions": request.cluster.decisions,
        "import": request.cluster.import,
        "stages": stages.iter().map(|stage| json!([stage.stage, changes(stage)])).collect::<Vec<_>>(),
        "groups": groups.iter().map(|one| json!([one.instance_group, one.zone_id, one.subnet])).collect::<Vec<_>>(),
        "version": version,
        "lifecycle": lifecycle_prefix(),
    });
    hex::encode(Sha256::digest(content.to_string()))
}

fn unchangeable(request: &Request<'_>) -> Vec<String> {
    let decisions = &request.cluster.decisions;
    let mut lines = vec![
        format!("Tag {} and Region {}", decisions.tag, decisions.region),
        "VPC and subnets of the EKS control plane, and the HyperPod cluster's own network".to_owned(),
    ];
    lines.extend(request.groups().iter().map(|group| {
        format!(
            "Group {}: zone {}, type {}, capacity type {}, subnet, execution role",
            group.name, group.zone_id, group.instance_type, group.capacity
        )
    }));
    lines
}

fn reused(request: &Request<'_>, seen: &Seen, groups: &[GroupPlan]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let eks = seen.site.eks.as_ref().ok().and_then(Option::as_ref).filter(|_| request.purpose != Purpose::Create);
    lines.extend(eks.map(|eks| format!("EKS cluster {} in VPC {}", eks.name, eks.vpc_id)));
    lines.extend(seen.attached().map(|cluster| format!("HyperPod cluster {}", cluster.name)));
    let given = request.cluster.decisions.network.iter().flat_map(|network| &network.subnet_ids);
    lines.extend(given.map(|id| format!("subnet {id} (given, borrowed)")));
    for group in groups.iter().filter(|group| group.subnet.starts_with("subnet-")) {
        let line = format!("subnet {} for nodes in {}", group.subnet, group.zone_id);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// What is in the way: findings that contradict something that is there.
fn foreign(findings: &[Finding]) -> Vec<String> {
    let conflicts = findings.iter().filter(|one| one.code == ErrorCode::Conflict);
    conflicts.map(|one| one.message.clone()).collect()
}

fn roles(request: &Request<'_>) -> Vec<String> {
    let made = Role::ALL.into_iter().filter(|role| *role != Role::Cluster || request.purpose == Purpose::Create);
    made.map(|role| format!("{ROLE_PATH}{}", role_name(request, role))).collect()
}

/// A role's computed name. It ends in a hash of the cluster's id; of a cluster that is not recorded yet the id is drawn with
/// the record, so that its hash cannot be told before.
fn role_name(request: &Request<'_>, role: Role) -> String {
    let name = Names::of(&request.cluster.tag, request.cluster.id).role(role);
    match (request.purpose, name.rsplit_once('-')) {
        (Purpose::Create | Purpose::Import, Some((stem, _))) => format!("{stem}-(hash of the cluster's id)"),
        _ => name,
    }
}
