//! Whether the cluster is fit, what it waits for, and what it lacks. Pure.

mod findings;

use crate::{
    Nothing,
    observe::{Observed, Voice},
};
use cloud::eks::EksCluster;
use domain::{
    codes::ErrorCode,
    failure::Failure,
    naming::KubernetesRole,
    spreading::SPREADING,
    states::WaitingOn,
    status::EksClusterStatus,
    versions::{self, KubernetesMinor},
};
use engine::{
    plan::{End, Plan, Step, Wait},
    reconciler::Scene,
};
use jiff::SignedDuration;
use serde_json::json;

/// How long a public endpoint may be silent.
const SILENCE: SignedDuration = SignedDuration::from_mins(10);

/// How long a cluster may be in a state that does not serve.
const CREATION: SignedDuration = SignedDuration::from_mins(60);

pub(crate) fn plan(scene: Scene<'_>, observed: &Observed) -> Plan<Nothing> {
    let Some(cluster) = &observed.cluster else {
        let text = format!("there is no EKS cluster {} in {}", scene.cluster.eks_name(), scene.cluster.target.region);
        let action = "Run the stage control-plane to make it, or import a cluster that is there.";
        return Plan::failed(Failure::new(ErrorCode::NotFound, text).with_action(action));
    };
    let steps = match wait_for_service(cluster) {
        Ok(None) => match fit(cluster).and_then(|()| heard(scene, cluster, observed)) {
            Ok(wait) => wait.into_iter().map(Step::Wait).collect(),
            Err(failure) => return Plan::failed(failure),
        },
        Ok(Some(wait)) => vec![Step::Wait(wait)],
        Err(failure) => return Plan::failed(failure),
    };
    Plan { steps, end: End::Done(outcome(cluster, observed)) }
}

/// A cluster that does not serve is waited for, or will never: ACTIVE and UPDATING serve (field report BR-008), and a word
/// that we do not know is neither good nor bad (BR-152).
fn wait_for_service(cluster: &EksCluster) -> Result<Option<Wait>, Failure> {
    let name = &cluster.name;
    let reason = match &cluster.status {
        EksClusterStatus::Active | EksClusterStatus::Updating => return Ok(None),
        EksClusterStatus::Creating | EksClusterStatus::Pending => {
            format!("EKS cluster {name} is not in service yet ({})", cluster.status)
        }
        EksClusterStatus::Unknown(word) => format!("EKS says that cluster {name} is {word}"),
        EksClusterStatus::Deleting | EksClusterStatus::Failed => {
            let text = format!("EKS cluster {name} is {}", cluster.status);
            return Err(Failure::new(ErrorCode::Conflict, text).with_action("Use a cluster that is in service."));
        }
    };
    Ok(Some(Wait { deadline: Some(CREATION), ..Wait::new(WaitingOn::Aws, reason).of("eks-cluster") }))
}

/// What HyperPod requires of the cluster itself.
fn fit(cluster: &EksCluster) -> Result<(), Failure> {
    let name = &cluster.name;
    let supported = cluster.version.parse::<KubernetesMinor>().is_ok_and(KubernetesMinor::is_supported_by_hyperpod);
    if !supported {
        let text = format!("EKS cluster {name} has Kubernetes {}", cluster.version);
        let (oldest, newest) = (versions::OLDEST, versions::NEWEST);
        return Err(Failure::new(ErrorCode::InvalidInput, text).with_action(format!(
            "HyperPod takes {oldest} to {newest}: update the cluster, one minor version at a time, then run it again."
        )));
    }
    if cluster.authentication_mode == "CONFIG_MAP" {
        let text = format!("EKS cluster {name} has authentication mode CONFIG_MAP; HyperPod needs access entries");
        return Err(Failure::new(ErrorCode::Conflict, text)
            .with_action("Import it with the fix authentication-mode, which cannot be undone."));
    }
    Ok(())
}

/// Whether the Kubernetes API answers us; a wait if it may do so soon.
fn heard(scene: Scene<'_>, cluster: &EksCluster, observed: &Observed) -> Result<Option<Wait>, Failure> {
    match &observed.voice {
        Voice::Answers { .. } => Ok(None),
        Voice::NotAsked => Ok(Some(Wait::new(WaitingOn::Aws, "the Kubernetes API was not asked yet"))),
        Voice::Refuses { failure } => refused(scene, cluster, observed.entered, failure),
        Voice::Silent { failure } => silent(cluster, failure),
    }
}

/// An identity with an entry may have to wait for its spreading; one without is let in by nobody (field report BR-017).
fn refused(
    scene: Scene<'_>,
    cluster: &EksCluster,
    entered: Option<bool>,
    failure: &Failure,
) -> Result<Option<Wait>, Failure> {
    let denied = Failure {
        code: ErrorCode::PermissionDenied,
        message: format!("EKS cluster {} is visible, but its Kubernetes API does not let us in", cluster.name),
        action: way_in(scene),
        upstream: failure.upstream.clone(),
    };
    if entered == Some(false) {
        return Err(denied);
    }
    let reason = "our access entry has not reached the Kubernetes API yet (up to a minute)";
    let wait = Wait::new(WaitingOn::Aws, reason).of("access-entry");
    Ok(Some(Wait { deadline: Some(SPREADING), failure: Some(denied), ..wait }))
}

/// How we get in again: entries that are ours to make are made by the stage control-plane, all of them.
fn way_in(scene: Scene<'_>) -> String {
    let [reader, writer] = KubernetesRole::ALL.map(KubernetesRole::name);
    let borrowed = scene.cluster.import.as_ref().is_some_and(|import| !import.grant_access);
    match (&scene.cluster.target.role_arn, borrowed) {
        (Some(role), true) => {
            format!("Import it with grantAccess, or give {role} an access entry with AmazonEKSClusterAdminPolicy.")
        }
        (Some(role), false) => format!("Run the stage control-plane again: it makes the access entry of {role}."),
        (None, true) => format!(
            "Import it with grantAccess, or give role {reader} an access entry with AmazonEKSAdminViewPolicy and role \
             {writer} one with AmazonEKSClusterAdminPolicy."
        ),
        (None, false) => format!(
            "Run the stage control-plane again: it makes the access entries of the roles {reader} and {writer} that are \
             missing."
        ),
    }
}

/// A silent endpoint that is not open to everybody is out of our reach, and is told at once (field report BR-011).
fn silent(cluster: &EksCluster, failure: &Failure) -> Result<Option<Wait>, Failure> {
    let access = &cluster.access;
    let unreachable = |message: String, action: &str| Failure {
        code: ErrorCode::NetworkUnreachable,
        message,
        action: action.to_owned(),
        upstream: failure.upstream.clone(),
    };
    if !access.public {
        return Err(unreachable(
            format!(
                "the Kubernetes endpoint of EKS cluster {} is private, and nothing answers from where we run",
                cluster.name
            ),
            "Switch its public endpoint access on, or attach the functions to its VPC and let its security group take them on port 443.",
        ));
    }
    if !findings::is_open(access) {
        return Err(unreachable(
            format!(
                "the Kubernetes endpoint of EKS cluster {} takes {} alone, and does not answer us",
                cluster.name,
                access.public_cidrs.join(", ")
            ),
            "Add the address from which the functions come to its public access CIDRs.",
        ));
    }
    let reason = format!("the Kubernetes endpoint of EKS cluster {} does not answer: {failure}", cluster.name);
    let late = unreachable(reason.clone(), "Look at the cluster's health in EKS, then run it again.");
    let wait = Wait::new(WaitingOn::Aws, reason).of("kubernetes-endpoint");
    Ok(Some(Wait { deadline: Some(SILENCE), failure: Some(late), ..wait }))
}

fn outcome(cluster: &EksCluster, observed: &Observed) -> serde_json::Value {
    let version = match &observed.voice {
        Voice::Answers { version } => Some(version),
        _ => None,
    };
    json!({
        "eksClusterName": cluster.name,
        "eksClusterArn": cluster.arn,
        "status": cluster.status,
        "kubernetesVersion": cluster.version,
        "serverVersion": version,
        "endpoint": cluster.endpoint,
        "vpcId": cluster.vpc_id,
        "hyperpodCluster": observed.hyperpod,
        "findings": findings::of(cluster, observed),
    })
}

#[cfg(test)]
mod tests;
