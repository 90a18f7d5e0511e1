//! What is found about a request, all of it together. Pure, over what was seen.

mod addresses;
mod capacity;
mod name;
mod network;
mod people;
mod plans;
#[cfg(test)]
mod tests;

pub(crate) use network::{eks_zones, free_block};

use crate::{
    imports::{Candidate, lacks},
    regions,
    request::{Purpose, Request},
    scene::Seen,
};
use contract::plan::{Finding, Severity};
use domain::{ErrorCode, failure::Trouble};

/// Every finding, those that block first, then by where they are.
pub fn of(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    // In a Region that is not there every other read fails too, and says nothing more.
    if let Some(refused) =
        seen.regions.as_ref().ok().and_then(|all| regions::refusal(&request.cluster.target.region, all))
    {
        return vec![blocking(ErrorCode::InvalidInput, &refused.pointer, refused.detail, "")];
    }
    let mut found = match request.purpose {
        Purpose::Create => [
            name::of(request, seen),
            network::of(request, seen),
            people::administrators(request, seen),
            people::permissions(seen),
        ]
        .concat(),
        Purpose::Import => import(request, seen),
        Purpose::Capacity => capacity_ground(request, seen),
        Purpose::Again => Vec::new(),
    };
    if request.purpose != Purpose::Again {
        let capacity = capacity::of(request, seen);
        // What an import merely lacks and capacity cannot do without is told once, as what blocks.
        found.retain(|one| !capacity.iter().any(|other| other.message == one.message));
        found.extend(capacity);
        found.extend(plans::of(request, seen));
        found.extend(addresses::of(request, seen));
    }
    found.sort_by(|a, b| a.severity.cmp(&b.severity));
    found
}

pub(crate) fn blocking(code: ErrorCode, at: &str, message: impl Into<String>, action: impl Into<String>) -> Finding {
    finding(Severity::Blocking, code, at, message, action)
}

pub(crate) fn warning(code: ErrorCode, at: &str, message: impl Into<String>, action: impl Into<String>) -> Finding {
    finding(Severity::Warning, code, at, message, action)
}

/// Something that could not be looked at. The stage looks again before it changes anything.
pub(crate) fn unchecked(at: &str, what: &str, trouble: &Trouble) -> Finding {
    let failure = trouble.failure();
    let action = "The stage that needs it looks again before it changes anything.";
    finding(Severity::Unchecked, failure.code, at, format!("{what} could not be checked: {}", failure.message), action)
}

fn finding(
    severity: Severity,
    code: ErrorCode,
    at: &str,
    message: impl Into<String>,
    action: impl Into<String>,
) -> Finding {
    let pointer = Some(at.to_owned()).filter(|at| !at.is_empty());
    Finding { severity, code, pointer, message: message.into(), action: action.into() }
}

/// What stands in the way of an import.
fn import(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let at = "/eksClusterName";
    let name = request.cluster.eks_name();
    let eks = match &seen.site.eks {
        Ok(Some(eks)) => eks,
        Ok(None) => {
            let message = format!("there is no EKS cluster {name} in {}", request.cluster.target.region);
            return vec![blocking(
                ErrorCode::NotFound,
                at,
                message,
                "See list_importable_clusters for those there are.",
            )];
        }
        Err(trouble) => return vec![unchecked(at, &format!("EKS cluster {name}"), trouble)],
    };
    let (fixes, grant) = match &request.cluster.import {
        Some(import) => (import.fixes.as_slice(), import.grant_access),
        None => (&[][..], false),
    };
    let footing = match &seen.site.footing {
        Ok(footing) => Ok(footing.clone().unwrap_or_default()),
        Err(trouble) => Err(trouble.clone()),
    };
    let role_arn = request.cluster.target.role_arn.as_deref();
    let candidate = Candidate { eks, footing: &footing, principals: &seen.site.principals, role_arn };
    let mut found = lacks(&candidate, fixes, grant);
    for one in &mut found {
        let fix = one.action.contains("with the fix");
        one.pointer = Some(if fix { "/fixes" } else { at }.to_owned());
    }
    if let (Some(attached), Some(_)) = (seen.attached(), &request.cluster.decisions.hyperpod) {
        let message = format!("HyperPod cluster {} is attached to it already", attached.name);
        let action = "Leave hyperpod out: its groups are taken over as they are.";
        found.push(blocking(ErrorCode::Conflict, "/hyperpod", message, action));
    }
    found
}

/// What stands in the way of capacity for a cluster that is there.
fn capacity_ground(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let name = request.cluster.eks_name();
    match &seen.site.eks {
        Ok(Some(_)) => Vec::new(),
        Ok(None) => {
            let message = format!("EKS cluster {name} does not show in {}", request.cluster.target.region);
            vec![warning(ErrorCode::DependencyMissing, "/tag", message, "Run the stage control-plane first.")]
        }
        Err(trouble) => vec![unchecked("/tag", &format!("EKS cluster {name}"), trouble)],
    }
}
