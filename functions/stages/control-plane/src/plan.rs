//! What to do, from the decisions and the world as seen. Pure.

mod cluster;
mod given;
mod imported;
mod network;

pub(crate) use cluster::{EKS, cluster_policy};

use crate::{change::Change, observe::Observed};
use domain::failure::Failure;
use engine::{
    plan::{End, Plan, Step},
    reconciler::Scene,
};
use serde_json::{Value, json};

/// The whole plan of the stage.
pub(crate) fn plan(scene: Scene<'_>, observed: &Observed) -> Plan<Change> {
    let planned = match &scene.cluster.import {
        Some(import) => imported::plan(scene, import, observed),
        None => made(scene, observed),
    };
    planned.unwrap_or_else(Plan::failed)
}

/// The plan for a cluster that we make: role, network, EKS cluster, and while it comes up the way out, then all that needs
/// the cluster.
fn made(scene: Scene<'_>, observed: &Observed) -> Result<Plan<Change>, Failure> {
    let (network, around) = (&observed.network, &observed.eks);
    let version = cluster::check(scene, around)?;
    let mut steps = Vec::new();
    cluster::role(scene, around, &mut steps);
    match &network.given {
        Some(given) => {
            let subnets = given::accepted(network, given)?;
            network::security_group(scene, network, &mut steps)?;
            cluster::create(scene, around, version, subnets, network.group_id(), &mut steps);
        }
        None => {
            network::begin(scene, network, &mut steps)?;
            cluster::create(scene, around, version, network.eks_subnets(), network.group_id(), &mut steps);
            network::finish(network, &mut steps);
        }
    }
    cluster::finish(scene, around, &mut steps)?;
    Ok(Plan { steps, end: End::Done(outcome(observed)) })
}

fn outcome(observed: &Observed) -> Value {
    let mut outcome = match &observed.network.given {
        Some(given) => given::outcome(&observed.network, given),
        None => network::outcome(&observed.network),
    };
    outcome["eks"] = cluster::outcome(&observed.eks);
    outcome
}

fn change(steps: &mut Vec<Step<Change>>, change: impl Into<Change>) {
    steps.push(Step::Change(change.into()));
}

/// The outcome of an import that enters here.
fn mended(observed: &Observed) -> Value {
    json!({ "eks": cluster::outcome(&observed.eks) })
}

#[cfg(test)]
mod tests;
