//! What is not as it should be and does not keep the cluster from being used: each with its fix.

use crate::observe::Observed;
use cloud::eks::{EksCluster, EndpointAccess};
use contract::plan::{Finding, Severity};
use domain::{codes::ErrorCode, status::EksClusterStatus};
use footing::Lack;

/// Everything found about a cluster that can be used.
pub(super) fn of(cluster: &EksCluster, observed: &Observed) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        observed.footing.iter().flat_map(footing::Footing::lacks).map(|it| lacking(&it)).collect();
    if cluster.status == EksClusterStatus::Updating {
        found.push(finding(
            ErrorCode::DependencyNotReady,
            format!("EKS is updating cluster {}: its Kubernetes API serves, changes of the cluster wait", cluster.name),
            "Nothing; later stages wait where they must.",
        ));
    }
    if cluster.access.public && is_open(&cluster.access) {
        found.push(finding(
            ErrorCode::InvalidInput,
            "the Kubernetes endpoint is open to every address; only identities with an access entry get in".to_owned(),
            "Narrow its public access CIDRs to your addresses and to those from which the functions come.",
        ));
    }
    if !cluster.access.private {
        found.push(finding(
            ErrorCode::InvalidInput,
            "private endpoint access is off: nodes reach the API server through NAT".to_owned(),
            "Switch private endpoint access on.",
        ));
    }
    for issue in &cluster.issues {
        let text = format!("EKS reports {}: {}", issue.code, issue.message);
        found.push(finding(ErrorCode::DependencyNotReady, text, "Look at the cluster's health issues in EKS."));
    }
    found
}

/// Whether the public endpoint takes every address.
pub(super) fn is_open(access: &EndpointAccess) -> bool {
    access.public_cidrs.is_empty() || access.public_cidrs.iter().any(|cidr| cidr == "0.0.0.0/0")
}

fn lacking(lack: &Lack) -> Finding {
    let action = match lack.fix() {
        Some(fix) => format!("Import the cluster with the fix {fix}."),
        None => "Add private subnets to the VPC; HyperPod's own are made when capacity is asked for.".to_owned(),
    };
    finding(ErrorCode::DependencyMissing, lack.message(), action)
}

fn finding(code: ErrorCode, message: String, action: impl Into<String>) -> Finding {
    Finding { severity: Severity::Warning, code, pointer: None, message, action: action.into() }
}
