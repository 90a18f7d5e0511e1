//! The cluster and its groups: made, made again, added to, raised; never touched because of waiting.

use super::{Steps, check, foundation, foundation::Placed};
use crate::{
    change::{CREATE_CLUSTER, Change},
    desired::Wanted,
    observe::{Cluster, Observed},
    role,
};
use cloud::{
    eks::EksCluster,
    sagemaker::{Capacity, Group, Lifecycle, Network, NewCluster, NewGroup},
};
use domain::{
    codes::ErrorCode,
    failure::Failure,
    naming::{LIFECYCLE_ENTRY, Names},
    states::WaitingOn,
    status::{HyperPodClusterStatus, NodeStatus},
};
use engine::{
    plan::{Step, Wait},
    reconciler::Scene,
};
use std::collections::BTreeMap;

/// Plans what is to be changed about the cluster, and what must be waited for before that.
pub(super) fn steps(
    scene: Scene<'_>,
    seen: &Observed,
    eks: &EksCluster,
    wanted: &[Wanted],
    steps: &mut Steps,
) -> Result<(), Failure> {
    let Some(cluster) = &seen.cluster else {
        name_is_free(scene, seen)?;
        return create(scene, seen, eks, wanted, steps);
    };
    let name = &cluster.attached.name;
    match cluster.attached.status {
        HyperPodClusterStatus::InService => change_groups(scene, seen, eks, wanted, cluster, steps),
        HyperPodClusterStatus::Failed => {
            failed(scene, cluster)?;
            let id = cluster.attached.id().to_owned();
            steps.push(Step::Change(Change::DeleteFailedCluster { name: name.clone(), id }));
            steps.push(Step::Wait(going(name)));
            create(scene, seen, eks, wanted, steps)
        }
        HyperPodClusterStatus::Deleting => {
            steps.push(Step::Wait(going(name)));
            create(scene, seen, eks, wanted, steps)
        }
        ref busy => {
            let reason = format!("HyperPod cluster {name} is {busy}; AWS goes on with it by itself");
            steps.push(Step::Wait(Wait::new(WaitingOn::Aws, reason).of("hyperpod-cluster")));
            Ok(())
        }
    }
}

fn going(name: &str) -> Wait {
    let reason = format!("HyperPod cluster {name} is being deleted; its name is free after that");
    Wait::new(WaitingOn::Aws, reason).of("hyperpod-cluster-deletion")
}

fn name_is_free(scene: Scene<'_>, seen: &Observed) -> Result<(), Failure> {
    let Some(arn) = &seen.name_taken_by else { return Ok(()) };
    let text = format!(
        "a HyperPod cluster named as ours would be ({}) exists on another EKS cluster: {arn}",
        scene.cluster.tag
    );
    Err(Failure::new(ErrorCode::Conflict, text).with_action("Delete that cluster, or choose another tag for this one."))
}

/// A failed cluster is removed and made again, but only if it is ours, and not in the very run that saw it fail: then
/// the run says why it failed.
fn failed(scene: Scene<'_>, cluster: &Cluster) -> Result<(), Failure> {
    let (name, why) = (&cluster.attached.name, &cluster.attached.failure);
    let why = if why.is_empty() { "AWS gives no reason" } else { why };
    if !cluster.ours {
        let text = format!("HyperPod cluster {name} is Failed and not ours ({why})");
        let action = "Delete it with the AWS console or CLI, then run the stage again.";
        return Err(Failure::new(ErrorCode::Conflict, text).with_action(action));
    }
    let made = scene.ledger.get(CREATE_CLUSTER).filter(|made| made.journal.0 == scene.operation.id);
    if made.is_some_and(|made| made.at >= scene.began_at) {
        let text = format!("HyperPod cluster {name} failed while it was made: {why}");
        let action = "Mend the cause, then run the stage again: it deletes the failed cluster and makes it anew.";
        return Err(Failure::new(code_of(why), text).with_action(action));
    }
    Ok(())
}

fn code_of(why: &str) -> ErrorCode {
    use super::causes::Cause;
    match Cause::of(why) {
        Cause::Capacity => ErrorCode::CapacityUnavailable,
        Cause::Addresses => ErrorCode::SubnetCapacity,
        Cause::Permission => ErrorCode::PermissionDenied,
        Cause::Placement | Cause::Script | Cause::Efa => ErrorCode::DependencyMissing,
        Cause::Other => ErrorCode::Internal,
    }
}

/// Everything from nothing.
fn create(
    scene: Scene<'_>,
    seen: &Observed,
    eks: &EksCluster,
    wanted: &[Wanted],
    steps: &mut Steps,
) -> Result<(), Failure> {
    let Ok(name) = Names::of(&scene.cluster.tag, scene.cluster.id).hyperpod_cluster() else {
        return Err(Failure::new(ErrorCode::Internal, "the tag makes no HyperPod cluster name"));
    };
    if wanted.is_empty() {
        let text =
            format!("HyperPod cluster {name} is gone, and no instance groups were decided to make it again with");
        return Err(Failure::new(ErrorCode::Conflict, text).with_action("Decide the instance groups."));
    }
    let groups: Vec<&Wanted> = wanted.iter().collect();
    let all: Vec<(&Wanted, u32)> = wanted.iter().map(|group| (group, group.instance_count)).collect();
    let placed = foundation::steps(scene, seen, eks, &groups, None, steps)?;
    check::shares(&all, seen, scene.now)?;
    let network = whole(&placed);
    let cluster = network.and_then(|network| {
        let groups = new_groups(scene, seen, &groups, &placed, &network)?;
        Some(Box::new(NewCluster { name: name.clone(), eks_arn: eks.arn.clone(), network, groups }))
    });
    let lines = wanted.iter().map(line).collect();
    steps.push(Step::Change(Change::CreateCluster { name: name.to_string(), groups: lines, cluster }));
    let nodes: u32 = wanted.iter().map(|group| group.instance_count).sum();
    let reason = format!("{nodes} nodes launch (8 to 25 minutes each); billed from their lifecycle script on");
    steps.push(Step::Wait(Wait::new(WaitingOn::Nodes, reason)));
    Ok(())
}

/// The cluster's network: every subnet, once all have ids.
fn whole(placed: &Placed) -> Option<Network> {
    let mut subnet_ids: Vec<String> = placed.by_zone.values().cloned().collect::<Option<_>>()?;
    subnet_ids.dedup();
    Some(Network { subnet_ids, security_group_ids: placed.security_group_ids.clone() })
}

/// Groups as they are sent. A group says its own subnet unless the cluster has that one alone.
fn new_groups(
    scene: Scene<'_>,
    seen: &Observed,
    groups: &[&Wanted],
    placed: &Placed,
    cluster: &Network,
) -> Option<Vec<NewGroup>> {
    let foundation = seen.foundation.as_ref()?;
    let source = format!("s3://{}/{}", foundation.bucket, foundation.script_prefix);
    let new = |group: &&Wanted| {
        let own =
            Network { subnet_ids: vec![placed.of(group)?], security_group_ids: placed.security_group_ids.clone() };
        Some(NewGroup {
            name: group.name.clone(),
            instance_type: group.instance_type.clone(),
            instance_count: group.instance_count,
            capacity: group.capacity.clone(),
            execution_role: role::arn(scene.cluster),
            lifecycle: Lifecycle { source: source.clone(), entry: LIFECYCLE_ENTRY.to_owned() },
            network: (own != *cluster).then_some(own),
            volume_size_gib: group.volume_size_gib,
        })
    };
    groups.iter().map(new).collect()
}

fn line(group: &Wanted) -> String {
    let source = match group.capacity {
        Capacity::OnDemand => "on-demand",
        Capacity::Spot => "Spot",
        Capacity::Plan(_) => "training plan",
    };
    format!("{} ({} × {} in {}, {source})", group.name, group.instance_count, group.instance_type, group.zone_id)
}

/// Groups that are missing are added, counts that are too low are raised; a count that is higher than decided was
/// raised by somebody, and nothing here takes nodes away from them. Scripts that are missing are put back: replaced
/// nodes read them.
fn change_groups(
    scene: Scene<'_>,
    seen: &Observed,
    eks: &EksCluster,
    wanted: &[Wanted],
    cluster: &Cluster,
    steps: &mut Steps,
) -> Result<(), Failure> {
    let attached = &cluster.attached;
    let (mut missing, mut raised, mut more) = (Vec::new(), BTreeMap::new(), Vec::new());
    for group in wanted {
        match attached.group(group.name.as_str()) {
            None => {
                missing.push(group);
                more.push((group, group.instance_count));
            }
            Some(there) => {
                same_where_fixed(group, there)?;
                if there.target < group.instance_count && !attached.autoscaled {
                    raised.insert(group.name.to_string(), group.instance_count);
                    more.push((group, group.instance_count - there.target));
                }
            }
        }
    }
    if missing.is_empty()
        && let Some(foundation) = &seen.foundation
    {
        foundation::role_of_groups(scene, foundation, eks, attached, steps)?;
        if attached.groups.iter().any(|group| uses(group, &foundation.script_prefix)) {
            foundation::scripts(foundation, steps);
        }
    }
    if missing.is_empty() && raised.is_empty() {
        return Ok(());
    }
    if cluster.nodes.iter().any(|node| node.status == NodeStatus::DeepHealthCheckInProgress) {
        let reason = "deep health checks run (about two hours); AWS takes no change of groups meanwhile";
        steps.push(Step::Wait(Wait::new(WaitingOn::DeepChecks, reason)));
    }
    if !missing.is_empty() {
        let placed = foundation::steps(scene, seen, eks, &missing, Some(attached), steps)?;
        let sent = new_groups(scene, seen, &missing, &placed, &attached.network);
        let groups = missing.iter().map(|group| line(group)).collect();
        steps.push(Step::Change(Change::AddGroups { name: attached.name.clone(), groups, sent }));
    }
    check::shares(&more, seen, scene.now)?;
    if !raised.is_empty() {
        let from = attached.groups.iter().map(|group| (group.name.clone(), group.target));
        let from = from.filter(|(name, _)| raised.contains_key(name)).collect();
        steps.push(Step::Change(Change::SetTargets { name: attached.name.clone(), from, to: raised }));
    }
    Ok(())
}

fn uses(group: &Group, prefix: &str) -> bool {
    group.lifecycle.as_ref().is_some_and(|lifecycle| lifecycle.source.ends_with(prefix))
}

/// Type and capacity source are for a group's life (SPEC G2).
fn same_where_fixed(wanted: &Wanted, there: &Group) -> Result<(), Failure> {
    let plan = match &wanted.capacity {
        Capacity::Plan(arn) => Some(arn.as_str()),
        Capacity::OnDemand | Capacity::Spot => None,
    };
    let differs = match () {
        () if there.instance_type != wanted.instance_type.as_str() => {
            format!("has {}, not {}", there.instance_type, wanted.instance_type)
        }
        () if there.spot != (wanted.capacity == Capacity::Spot) => "has another capacity type".to_owned(),
        () if there.training_plan.as_deref() != plan => "has another training plan, or none".to_owned(),
        () => return Ok(()),
    };
    let text = format!("instance group {} exists and {differs}; that cannot be changed in its life", wanted.name);
    let action = "Decide a new group under another name, move the work, then delete the old group.";
    Err(Failure::new(ErrorCode::Conflict, text).with_action(action))
}
