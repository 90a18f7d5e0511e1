//! The steps under new groups, in order: role, bucket, scripts, subnets, and the role's policy, which names them.

use super::{Steps, check};
use crate::{
    change::Change,
    desired::Wanted,
    observe::{Foundation, Observed, foundation::Site},
    role::{self, Places},
};
use cloud::{eks::EksCluster, iam::foreign_role, s3::Bucket, sagemaker::Attached};
use domain::{codes::ErrorCode, failure::Failure, naming::LIFECYCLE_ENTRY};
use engine::{plan::Step, reconciler::Scene};
use std::collections::{BTreeMap, BTreeSet};
use subnets::{Ensured, Need};

/// What new groups are put on.
pub(super) struct Placed {
    /// Subnets by zone; without an id while they are still to be made.
    pub(super) by_zone: BTreeMap<String, Option<String>>,
    /// Security groups.
    pub(super) security_group_ids: Vec<String>,
}

impl Placed {
    /// The subnet of a group, once it is there.
    pub(super) fn of(&self, group: &Wanted) -> Option<String> {
        self.by_zone.get(group.zone_id.as_str()).cloned().flatten()
    }
}

/// Plans everything under `groups`, which are to be made beside those of `attached`.
pub(super) fn steps(
    scene: Scene<'_>,
    seen: &Observed,
    eks: &EksCluster,
    groups: &[&Wanted],
    attached: Option<&Attached>,
    steps: &mut Steps,
) -> Result<Placed, Failure> {
    let (foundation, site) = grounds(seen)?;
    check::new_groups(groups, seen, site, scene.now)?;
    let ensured = subnets(site, eks, groups)?;
    if foundation.role.as_ref().is_some_and(|role| !role.ours) {
        return Err(foreign_role(&role::name(scene.cluster)));
    }
    execution_role(scene, foundation, steps);
    bucket(foundation, steps)?;
    scripts(foundation, steps);
    for step in ensured.iter().flat_map(|subnet| subnet.steps.clone()) {
        steps.push(match step {
            Step::Change(step) => Step::Change(Change::Subnet { step }),
            Step::Wait(wait) => Step::Wait(wait),
        });
    }
    let placed = Placed {
        by_zone: ensured.into_iter().map(|subnet| (subnet.zone_id.to_string(), subnet.subnet_id)).collect(),
        security_group_ids: eks.node_security_groups(),
    };
    policy(scene, foundation, eks, &placed, attached, steps);
    Ok(placed)
}

fn grounds(seen: &Observed) -> Result<(&Foundation, &Site), Failure> {
    let foundation = seen.foundation.as_ref();
    foundation.and_then(|foundation| Some((foundation, foundation.site.as_ref()?))).ok_or_else(|| {
        Failure::new(ErrorCode::Internal, "groups are to be made, and what they are made on was not looked at")
    })
}

/// One need a zone: groups of a zone share its subnet.
fn subnets(site: &Site, eks: &EksCluster, groups: &[&Wanted]) -> Result<Vec<Ensured>, Failure> {
    let ground = site.ground.as_ref().ok_or_else(|| {
        let text = format!("VPC {} of EKS cluster {} does not show", eks.vpc_id, eks.name);
        Failure::new(ErrorCode::DependencyMissing, text).with_action("Look at the VPC in the AWS console.")
    })?;
    let mut needs: Vec<Need> = Vec::new();
    for group in groups {
        match needs.iter_mut().find(|need| need.zone_id == group.zone_id) {
            Some(need) => need.addresses += group.addresses(),
            None => {
                let zone_id = group.zone_id.clone();
                needs.push(Need { zone_id, addresses: group.addresses(), chosen: None });
            }
        }
    }
    subnets::ensure(ground, &needs)
}

/// Puts back what somebody took from the role of groups that are there: nodes that run do not miss it, but none is replaced
/// without it. A role that is not ours any more is left alone unless it lacks something.
///
/// # Errors
/// It lacks something and does not carry our tag.
pub(super) fn role_of_groups(
    scene: Scene<'_>,
    foundation: &Foundation,
    eks: &EksCluster,
    attached: &Attached,
    steps: &mut Steps,
) -> Result<(), Failure> {
    let arn = role::arn(scene.cluster);
    if !attached.groups.iter().any(|group| group.execution_role == arn) {
        return Ok(());
    }
    let before = steps.len();
    execution_role(scene, foundation, steps);
    if foundation.role.as_ref().is_none_or(|role| role.policy.is_none()) {
        let nowhere = Placed { by_zone: BTreeMap::new(), security_group_ids: Vec::new() };
        policy(scene, foundation, eks, &nowhere, Some(attached), steps);
    }
    match &foundation.role {
        Some(role) if !role.ours && steps.len() > before => Err(foreign_role(&role::name(scene.cluster))),
        _ => Ok(()),
    }
}

fn execution_role(scene: Scene<'_>, foundation: &Foundation, steps: &mut Steps) {
    let role = role::name(scene.cluster);
    let managed = role::managed_policy(&scene.cluster.target.region);
    let seen = foundation.role.as_ref();
    if seen.is_none() {
        steps.push(Step::Change(Change::CreateRole { role: role.clone() }));
    }
    if !seen.is_some_and(|seen| seen.attached.contains(&managed)) {
        steps.push(Step::Change(Change::AttachPolicy { role, policy_arn: managed }));
    }
}

fn bucket(foundation: &Foundation, steps: &mut Steps) -> Result<(), Failure> {
    let bucket = &foundation.bucket;
    let conflict = |text: String| {
        let action = "Deploy with another PROJECT_BUCKET_PREFIX, or allow the name's use.";
        Failure::new(ErrorCode::Conflict, text).with_action(action)
    };
    match &foundation.bucket_state {
        Bucket::Ours => Ok(()),
        Bucket::Free => {
            steps.push(Step::Change(Change::CreateBucket { bucket: bucket.clone() }));
            Ok(())
        }
        Bucket::Elsewhere(region) => {
            let place = region.as_ref().map(|region| format!(": {region}")).unwrap_or_default();
            Err(conflict(format!("bucket {bucket} is in another Region{place}")))
        }
        Bucket::Closed => {
            Err(conflict(format!("bucket name {bucket} is taken: another account has it, or we may not look (403)")))
        }
    }
}

/// Scripts that are missing; the entry last, so that a prefix that has it is complete.
pub(super) fn scripts(foundation: &Foundation, steps: &mut Steps) {
    let (entry, others): (Vec<_>, Vec<_>) =
        foundation.missing_scripts.iter().partition(|file| file.as_str() == LIFECYCLE_ENTRY);
    for file in others.into_iter().chain(entry) {
        let key = format!("{}/{file}", foundation.script_prefix);
        let (bucket, file) = (foundation.bucket.clone(), file.clone());
        steps.push(Step::Change(Change::PutScript { bucket, file, key }));
    }
}

/// The policy names the subnets of the groups that are there and of those to come.
fn policy(
    scene: Scene<'_>,
    foundation: &Foundation,
    eks: &EksCluster,
    placed: &Placed,
    attached: Option<&Attached>,
    steps: &mut Steps,
) {
    let document = document(scene, foundation, eks, placed, attached);
    let seen = foundation.role.as_ref().and_then(|role| role.policy.as_ref());
    if document.is_none() || document.as_ref() != seen {
        let (role, policy) = (role::name(scene.cluster), role::policy_name(scene.cluster).to_owned());
        steps.push(Step::Change(Change::PutRolePolicy { role, policy, document }));
    }
}

fn document(
    scene: Scene<'_>,
    foundation: &Foundation,
    eks: &EksCluster,
    placed: &Placed,
    attached: Option<&Attached>,
) -> Option<serde_json::Value> {
    let new: Option<BTreeSet<String>> = placed.by_zone.values().cloned().collect();
    let mut places = Places {
        vpc_id: &eks.vpc_id,
        subnet_ids: new?,
        security_group_ids: placed.security_group_ids.iter().cloned().collect(),
        eks_arn: &eks.arn,
        bucket: &foundation.bucket,
    };
    // Groups that were given another role by somebody else do not need ours.
    let arn = role::arn(scene.cluster);
    for (attached, group) in attached.iter().flat_map(|it| it.groups.iter().map(move |group| (it, group))) {
        if group.execution_role == arn {
            let network = group.network.as_ref().unwrap_or(&attached.network);
            places.subnet_ids.extend(network.subnet_ids.iter().cloned());
            places.security_group_ids.extend(network.security_group_ids.iter().cloned());
        }
    }
    Some(role::policy(&scene.cluster.target, &places))
}
