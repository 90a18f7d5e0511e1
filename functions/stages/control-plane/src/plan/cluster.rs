//! The EKS cluster: its role before the network, itself as soon as the network can hold it, and what needs it running.

use super::change;
use crate::{
    admission::AUDIENCE,
    change::{CREATE_CLUSTER, Change, ClusterChange, Known},
    observe::Around,
};
use cloud::{eks::EksCluster, iam::foreign_role, is_owned};
use domain::{
    codes::ErrorCode,
    failure::Failure,
    naming::{self, Names, TAG_ATTEMPT, TAG_OPERATION},
    states::WaitingOn,
    status::{EksClusterStatus, StatusClass},
    versions::KubernetesMinor,
};
use engine::{
    plan::{Step, Wait},
    reconciler::Scene,
};
use jiff::SignedDuration;
use serde_json::{Value, json};

/// The service that acts as the cluster's role.
pub(crate) const EKS: &str = "eks.amazonaws.com";

/// Creation takes 8 to 12 minutes; what takes an hour does not come by itself.
const CREATION_DEADLINE: SignedDuration = SignedDuration::from_mins(60);

/// Until then a look now and then is enough.
const NEVER_BEFORE: SignedDuration = SignedDuration::from_mins(6);

/// What must be so before anything is made; answers the version that a new cluster gets.
pub(super) fn check(scene: Scene<'_>, around: &Around) -> Result<KubernetesMinor, Failure> {
    administrators(around)?;
    if let Some(cluster) = &around.cluster {
        ours(scene, cluster)?;
    }
    own_role(scene, around)?;
    version(scene, around)
}

fn administrators(around: &Around) -> Result<(), Failure> {
    let Some(one) = around.admissions.misnamed.first() else { return Ok(()) };
    let text = format!("administrators[{}]: IAM has no {}", one.index, one.given);
    let failure = Failure::new(ErrorCode::InvalidInput, text);
    Err(match &one.meant {
        Some(meant) => failure.with_action(format!("Did you mean {meant}? Access entries need the ARN with its path.")),
        None => failure.with_action("Give the whole ARN of a role or user that exists, path included."),
    })
}

/// A cluster of this name that somebody else made is a conflict; one of ours that this very run saw fail is told, and an
/// earlier one is made again.
fn ours(scene: Scene<'_>, cluster: &EksCluster) -> Result<(), Failure> {
    if !is_owned(&cluster.tags, scene.cluster.id) {
        let text = format!("there is an EKS cluster {} that this product did not make", cluster.name);
        return Err(Failure::new(ErrorCode::Conflict, text)
            .with_action("Choose another tag, or import that cluster instead of making one."));
    }
    if cluster.status.class() == StatusClass::Failed && of_this_run(scene, cluster) {
        return Err(creation_failed(cluster));
    }
    Ok(())
}

fn of_this_run(scene: Scene<'_>, cluster: &EksCluster) -> bool {
    cluster.tags.get(TAG_OPERATION) == Some(&scene.operation.id.to_string())
        && cluster.tags.get(TAG_ATTEMPT) == Some(&scene.operation.attempt.to_string())
}

fn creation_failed(cluster: &EksCluster) -> Failure {
    let said: Vec<String> = cluster.issues.iter().map(|it| format!("{}: {}", it.code, it.message)).collect();
    let said = if said.is_empty() { "EKS does not say why".to_owned() } else { said.join("; ") };
    let code = match cluster.issues.first().map(|issue| issue.code.as_str()) {
        Some("InsufficientFreeAddresses") => ErrorCode::SubnetCapacity,
        Some("AccessDenied") => ErrorCode::PermissionDenied,
        Some("ResourceLimitExceeded") => ErrorCode::QuotaExceeded,
        Some(missing) if missing.ends_with("NotFound") => ErrorCode::DependencyMissing,
        _ => ErrorCode::UpstreamUnavailable,
    };
    Failure::new(code, format!("EKS could not make cluster {}: {said}", cluster.name)).with_action(
        "Mend the cause, then run the stage again: it deletes the failed cluster, which keeps the name, and makes a new one.",
    )
}

/// The role of our name is ours, and lets EKS in: a role that does not is never assumed by waiting (field report BR-002).
fn own_role(scene: Scene<'_>, around: &Around) -> Result<(), Failure> {
    let Some(role) = &around.role else { return Ok(()) };
    if !role.is_owned(scene.cluster.id) {
        return Err(foreign_role(&role.name));
    }
    role.trusts(EKS)
}

fn version(scene: Scene<'_>, around: &Around) -> Result<KubernetesMinor, Failure> {
    let wanted = scene.cluster.decisions.kubernetes_version;
    if around.cluster.is_some() {
        return Ok(wanted.unwrap_or(domain::versions::DEFAULT));
    }
    let offered: Vec<String> = around.offered.iter().map(ToString::to_string).collect();
    let offered = offered.join(", ");
    let refused = |text: String| {
        Failure::new(ErrorCode::InvalidInput, text).with_action(format!("EKS offers {offered} in this Region."))
    };
    match wanted {
        Some(wanted) if !around.offered.contains(&wanted) => {
            Err(refused(format!("kubernetesVersion: EKS does not offer {wanted} here")))
        }
        Some(wanted) if !wanted.is_supported_by_hyperpod() => {
            Err(refused(format!("kubernetesVersion: HyperPod does not take {wanted}")))
        }
        Some(wanted) => Ok(wanted),
        None => KubernetesMinor::choose(&around.offered)
            .ok_or_else(|| refused("EKS offers no version here that HyperPod takes".to_owned())),
    }
}

/// The control plane's role, first of all: IAM spreads it while the network is made.
pub(super) fn role(scene: Scene<'_>, around: &Around, steps: &mut Vec<Step<Change>>) {
    let name = Names::of(&scene.cluster.tag, scene.cluster.id).role(naming::Role::Cluster);
    if around.role.is_none() {
        change(steps, ClusterChange::CreateRole { name: name.clone() });
    }
    if !around.role_policies.contains(&cluster_policy(scene)) {
        change(steps, ClusterChange::AttachClusterPolicy { role: name });
    }
}

/// AWS's policy for what an EKS control plane does.
pub(crate) fn cluster_policy(scene: Scene<'_>) -> String {
    format!("arn:{}:iam::aws:policy/AmazonEKSClusterPolicy", scene.cluster.target.region.partition())
}

/// The cluster itself; one that failed before is removed first, since it keeps the name.
pub(super) fn create(
    scene: Scene<'_>,
    around: &Around,
    version: KubernetesMinor,
    subnets: Vec<Known>,
    group: Known,
    steps: &mut Vec<Step<Change>>,
) {
    let name = scene.cluster.eks_name().to_owned();
    match around.cluster.as_ref().map(|cluster| &cluster.status) {
        None => {}
        Some(EksClusterStatus::Failed) => change(steps, ClusterChange::DeleteFailedCluster { name: name.clone() }),
        Some(EksClusterStatus::Deleting) => {
            let reason = format!("the failed EKS cluster {name} is being deleted");
            steps.push(Step::Wait(Wait::new(WaitingOn::Aws, reason).of("eks-cluster-deletion")));
        }
        Some(_) => return,
    }
    let role_arn = Known::of(around.role.as_ref().map(|role| role.arn.as_str()));
    change(steps, ClusterChange::CreateCluster { name, version, role_arn, subnets, group });
}

/// Everything that needs the cluster in service.
pub(super) fn finish(scene: Scene<'_>, around: &Around, steps: &mut Vec<Step<Change>>) -> Result<(), Failure> {
    await_service(scene, around, steps);
    let mut changes = Vec::new();
    provider(around, &mut changes);
    base_addons(around, &mut changes)?;
    admissions(around, &mut changes);
    await_update(around.cluster.as_ref(), !changes.is_empty(), steps);
    steps.append(&mut changes);
    Ok(())
}

/// The wait for a cluster that does not serve yet.
pub(super) fn await_service(scene: Scene<'_>, around: &Around, steps: &mut Vec<Step<Change>>) {
    if around.is_usable() {
        return;
    }
    let name = scene.cluster.eks_name();
    let status = around.cluster.as_ref().map(|cluster| &cluster.status);
    let reason = match status {
        Some(EksClusterStatus::Unknown(word)) => format!("EKS says that cluster {name} is {word}"),
        Some(EksClusterStatus::Pending) => format!("EKS cluster {name} is pending"),
        _ => format!("EKS cluster {name} is being made (AWS usually takes 8 to 12 minutes)"),
    };
    let asked = scene.ledger.get(CREATE_CLUSTER).map(|entry| entry.at);
    let early = asked.is_some_and(|at| scene.now.duration_since(at) < NEVER_BEFORE);
    let seconds = if early { 30 } else { 5 };
    let wait = Wait::new(WaitingOn::Aws, reason).of("eks-cluster");
    steps.push(Step::Wait(Wait { seconds, deadline: Some(CREATION_DEADLINE), ..wait }));
}

/// EKS takes one change of a cluster at a time: while it updates, further ones wait.
pub(super) fn await_update(cluster: Option<&EksCluster>, changes_remain: bool, steps: &mut Vec<Step<Change>>) {
    if let Some(cluster) = cluster.filter(|it| changes_remain && it.status == EksClusterStatus::Updating) {
        let reason = format!("EKS cluster {} is being updated; it takes no other change meanwhile", cluster.name);
        let wait = Wait::new(WaitingOn::Aws, reason).of("eks-cluster-update");
        steps.push(Step::Wait(Wait { deadline: Some(CREATION_DEADLINE), ..wait }));
    }
}

/// The OIDC provider: one that is there is adopted, whoever made it, and accepts tokens for STS (field report BR-014).
fn provider(around: &Around, steps: &mut Vec<Step<Change>>) {
    match &around.provider {
        None => {
            let issuer = around.cluster.as_ref().and_then(|cluster| cluster.issuer.as_deref());
            change(steps, ClusterChange::CreateOidcProvider { issuer: Known::of(issuer) });
        }
        Some(provider) if !provider.audiences.iter().any(|audience| audience == AUDIENCE) => {
            change(steps, ClusterChange::AddAudience { provider: provider.arn.clone() });
        }
        Some(_) => {}
    }
}

fn base_addons(around: &Around, steps: &mut Vec<Step<Change>>) -> Result<(), Failure> {
    let names = addons::BASE.map(|addon| addon.name);
    for name in names.into_iter().filter(|name| !around.addons.contains_key(*name)) {
        let version = around.addon_versions.get(name);
        if let Some(cluster) = around.cluster.as_ref().filter(|_| around.is_usable() && version.is_none()) {
            let text = format!("EKS has no version of add-on {name} for Kubernetes {}", cluster.version);
            return Err(Failure::new(ErrorCode::DependencyMissing, text)
                .with_action("Update the cluster to a Kubernetes version that EKS supports."));
        }
        let version = Known::of(version.map(String::as_str));
        change(steps, ClusterChange::CreateAddon { name: name.to_owned(), version });
    }
    Ok(())
}

/// Entries and policies of everybody who is to be let in.
pub(super) fn admissions(around: &Around, steps: &mut Vec<Step<Change>>) {
    for one in &around.admissions.wanted {
        if !one.entered {
            change(steps, ClusterChange::CreateAccessEntry { principal: one.principal.clone() });
        }
        if !one.associated {
            let (principal, policy) = (one.principal.clone(), one.policy.clone());
            change(steps, ClusterChange::AssociateAccessPolicy { principal, policy });
        }
    }
}

pub(super) fn outcome(around: &Around) -> Value {
    let Some(cluster) = &around.cluster else { return Value::Null };
    let addons: Value = around.addons.iter().map(|(name, addon)| (name.clone(), json!(addon.version))).collect();
    let admitted: Vec<&str> = around.admissions.wanted.iter().map(|one| one.principal.as_str()).collect();
    json!({
        "name": cluster.name,
        "arn": cluster.arn,
        "kubernetesVersion": cluster.version,
        "endpoint": cluster.endpoint,
        "roleArn": cluster.role_arn,
        "oidcProviderArn": around.provider.as_ref().map(|provider| provider.arn.as_str()),
        "addons": addons,
        "admitted": admitted,
    })
}
