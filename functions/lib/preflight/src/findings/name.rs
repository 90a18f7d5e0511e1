//! The tag, and every name that follows from it: free, and within its limits.

use super::{blocking, unchecked};
use crate::{request::Request, scene::Seen};
use contract::plan::Finding;
use domain::{
    ErrorCode,
    limits::IAM_ROLE_NAME,
    naming::{Names, Role},
    versions::{NEWEST, OLDEST},
};

pub(super) fn of(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let mut found = eks_name(request, seen);
    found.extend(hyperpod_name(request, seen));
    found.extend(version(request, seen));
    found
}

fn eks_name(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let tag = &request.cluster.tag;
    let names = match &seen.eks_names {
        Ok(names) => names,
        Err(trouble) => return vec![unchecked("/tag", "whether the tag is in use in EKS", trouble)],
    };
    if !names.iter().any(|name| name == tag.as_str()) {
        return Vec::new();
    }
    let message = format!("an EKS cluster {tag} exists in {} and was not made for this", request.cluster.target.region);
    let action = "Choose another tag, or take that cluster over with import_cluster.";
    vec![blocking(ErrorCode::Conflict, "/tag", message, action)]
}

/// Derived names (field report BR-005): computed to fit, and held to it here; a HyperPod cluster of the name is in the way.
fn hyperpod_name(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let names = Names::of(&request.cluster.tag, request.cluster.id);
    let too_long = Role::ALL.iter().map(|role| names.role(*role)).find(|name| name.len() > IAM_ROLE_NAME);
    if let Some(name) = too_long {
        let message = format!("the role name {name} is longer than IAM's {IAM_ROLE_NAME} characters");
        return vec![blocking(ErrorCode::InvalidInput, "/tag", message, "Choose a shorter tag.")];
    }
    let hyperpod = match names.hyperpod_cluster() {
        Ok(name) => name,
        Err(error) => return vec![blocking(ErrorCode::InvalidInput, "/tag", error.to_string(), "Choose another tag.")],
    };
    match &seen.hyperpod {
        Ok(clusters) if clusters.iter().any(|cluster| cluster.name == hyperpod.as_str()) => {
            let message = format!("a HyperPod cluster {hyperpod} exists and was not made for this");
            vec![blocking(ErrorCode::Conflict, "/tag", message, "Choose another tag.")]
        }
        Ok(_) => Vec::new(),
        Err(trouble) => vec![unchecked("/tag", "whether the tag is in use in HyperPod", trouble)],
    }
}

fn version(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let at = "/kubernetesVersion";
    let offered = match &seen.versions {
        Ok(offered) => offered,
        Err(trouble) => return vec![unchecked(at, "which Kubernetes versions EKS offers", trouble)],
    };
    let fit: Vec<_> = offered.iter().filter(|one| one.version.is_supported_by_hyperpod()).collect();
    let all = || fit.iter().map(|one| one.version.to_string()).collect::<Vec<_>>().join(", ");
    match request.cluster.decisions.kubernetes_version {
        Some(wanted) if !offered.iter().any(|one| one.version == wanted) => {
            let message = format!("EKS does not offer Kubernetes {wanted} in {}", request.cluster.target.region);
            vec![blocking(ErrorCode::InvalidInput, at, message, format!("Choose one of {}.", all()))]
        }
        None if fit.is_empty() => {
            let message = format!("EKS offers no version that HyperPod takes ({OLDEST} to {NEWEST})");
            vec![blocking(ErrorCode::InvalidInput, at, message, "Choose another Region.")]
        }
        Some(_) | None => Vec::new(),
    }
}
