//! The checks, as values: each with its figure, and with its fix where it is red. Pure.

mod devices;

use crate::observe::Observed;
use addons::Verdict;
use domain::catalogue::{self, Hardware};
use engine::reconciler::Scene;
use inside::Reading;
use kubernetes::Node;
use manifests::Part;
use serde::{Deserialize, Serialize};

/// The label that says whether work may go to a node.
const HEALTH: &str = "sagemaker.amazonaws.com/node-health-status";

/// Labels of a fault; the singular is read too.
const FAULTS: [&str; 2] = ["sagemaker.amazonaws.com/fault-types", "sagemaker.amazonaws.com/fault-type"];

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// As it should be.
    Pass,
    /// Not as it should be.
    Fail,
    /// It needs a node, and none is wanted.
    NoNodeYet,
    /// It cannot be told.
    Unknown,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// What is checked: `nodes`, `addons` …
    pub name: String,
    /// How it came out.
    pub status: Status,
    /// The figure: `4 of 4 nodes Ready and Schedulable`.
    pub figure: String,
    /// What to do about a red one; empty for the others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fix: String,
}

impl Check {
    pub(crate) fn new(name: &str, status: Status, figure: impl Into<String>, fix: &str) -> Self {
        let fix = if status == Status::Fail { fix.to_owned() } else { String::new() };
        Self { name: name.to_owned(), status, figure: figure.into(), fix }
    }
}

/// All of them, in the order in which they are shown.
pub(crate) fn all(scene: Scene<'_>, observed: &Observed) -> Vec<Check> {
    let mut checks = vec![nodes(observed)];
    checks.extend(devices::all(observed));
    checks.extend([addons(scene, observed), agent(observed), health(observed), bucket(scene, observed)]);
    checks
}

/// Whether no node is wanted and none is there.
fn is_empty(observed: &Observed) -> bool {
    observed.nodes.is_empty() && observed.wanted.values().sum::<u32>() == 0
}

fn no_node_yet(name: &str) -> Check {
    Check::new(name, Status::NoNodeYet, "no node yet", "")
}

/// What a node is made of; none if its type is not in the catalogue.
pub(crate) fn hardware(node: &Node) -> Option<&'static Hardware> {
    catalogue::hardware(&node.instance_type()?.parse().ok()?)
}

fn is_accelerated(node: &Node) -> bool {
    hardware(node).is_some_and(Hardware::is_accelerated)
}

/// Ready, not cordoned, and free of HyperPod's taint.
fn is_schedulable(node: &Node) -> bool {
    node.ready
        && !node.unschedulable
        && !node.taints.iter().any(|taint| taint.key.starts_with("sagemaker.amazonaws.com/"))
}

fn nodes(observed: &Observed) -> Check {
    let name = "nodes";
    if is_empty(observed) {
        return no_node_yet(name);
    }
    let wanted: u32 = observed.wanted.values().sum();
    let good = observed.nodes.iter().filter(|node| is_schedulable(node)).count();
    let figure = format!("{good} of {wanted} nodes Ready and Schedulable");
    let enough = u32::try_from(good).unwrap_or(u32::MAX) >= wanted && good == observed.nodes.len();
    let status = if enough { Status::Pass } else { Status::Fail };
    Check::new(name, status, figure, "Run the hyperpod stage again: it says which nodes are missing and why.")
}

fn addons(scene: Scene<'_>, observed: &Observed) -> Check {
    let name = "addons";
    let mut waiting = Vec::new();
    let mut red = Vec::new();
    for seen in &observed.addons {
        match addons::judge(scene, seen, observed.ground) {
            Verdict::Well | Verdict::Foreign => {}
            Verdict::AwaitingNodes => waiting.push(seen.wanted.name.to_owned()),
            Verdict::Wait(_) | Verdict::Change(_) | Verdict::Failed(_) => {
                let status = seen.status().map_or_else(|| "absent".to_owned(), ToString::to_string);
                red.push(format!("{} {status} {}", seen.wanted.name, seen.issues()).trim_end().to_owned());
            }
        }
    }
    let active = observed.addons.len() - waiting.len() - red.len();
    let figure = format!("{active} of {} add-ons ACTIVE", observed.addons.len());
    if !red.is_empty() {
        let fix = "Run the dependencies and storage stages again; look at the issues of the add-ons.";
        return Check::new(name, Status::Fail, format!("{figure}: {}", red.join("; ")), fix);
    }
    if waiting.is_empty() {
        return Check::new(name, Status::Pass, figure, "");
    }
    let figure = format!("{figure}; {} wait for an untainted node", waiting.join(", "));
    if observed.nodes.is_empty() && is_empty(observed) {
        return Check::new(name, Status::NoNodeYet, figure, "");
    }
    Check::new(name, Status::Fail, figure, "Add a node without taints: a small system group of a CPU type is enough.")
}

fn agent(observed: &Observed) -> Check {
    let name = "healthMonitoringAgent";
    if !observed.agent_available {
        return Check::new(name, Status::Unknown, "AWS publishes no agent for this Region", "");
    }
    let on: Vec<&Node> = observed.nodes.iter().filter(|node| is_accelerated(node)).collect();
    if on.is_empty() {
        if is_empty(observed) {
            return no_node_yet(name);
        }
        return Check::new(name, Status::Pass, "not required: no accelerated node", "");
    }
    let running = observed.running.get(&Part::HealthMonitoringAgent);
    let covered = on.iter().filter(|node| running.is_some_and(|nodes| nodes.contains(&node.name))).count();
    let status = if covered == on.len() { Status::Pass } else { Status::Fail };
    let figure = format!("runs on {covered} of {} accelerated nodes", on.len());
    Check::new(name, status, figure, "Run the dependencies stage again; look at the pods in namespace aws-hyperpod.")
}

fn health(observed: &Observed) -> Check {
    let name = "healthLabels";
    if is_empty(observed) {
        return no_node_yet(name);
    }
    let faulty = |node: &&Node| {
        let label = node.labels.get(HEALTH).map(String::as_str);
        label.is_some_and(|label| label != "Schedulable") || FAULTS.iter().any(|key| node.labels.contains_key(*key))
    };
    // The agent does not run on CPU nodes: there a missing label says nothing.
    let silent = |node: &&Node| !node.labels.contains_key(HEALTH) && is_accelerated(node);
    let all = observed.nodes.len();
    let red: Vec<String> = observed.nodes.iter().filter(faulty).map(told).collect();
    if !red.is_empty() {
        let figure = format!("{} of {all} nodes not clean: {}", red.len(), red.join(", "));
        return Check::new(
            name,
            Status::Fail,
            figure,
            "Wait for automatic recovery, or reboot or replace these nodes.",
        );
    }
    let unknown = observed.nodes.iter().filter(silent).count();
    if unknown > 0 {
        return Check::new(name, Status::Unknown, format!("{unknown} of {all} nodes carry no health label"), "");
    }
    Check::new(name, Status::Pass, format!("{all} of {all} nodes clean"), "")
}

fn told(node: &Node) -> String {
    let label = |key: &str| node.labels.get(key).map(String::as_str);
    let fault = FAULTS.iter().find_map(|key| label(key)).or(label(HEALTH)).unwrap_or_default();
    format!("{} {fault}", node.name)
}

fn bucket(scene: Scene<'_>, observed: &Observed) -> Check {
    let name = "bucketReadable";
    let run_storage = "Run the storage stage again.";
    match observed.claim_bound {
        None => return Check::new(name, Status::Fail, "there is no claim s3-claim", run_storage),
        Some(false) => return Check::new(name, Status::Fail, "claim s3-claim is not Bound", run_storage),
        Some(true) => {}
    }
    if is_empty(observed) {
        return no_node_yet(name);
    }
    match inside::judge(scene, &observed.probe, None) {
        Reading::Read(node) => Check::new(name, Status::Pass, format!("read through s3-claim on {node}"), ""),
        Reading::Failed(failure) => Check::new(name, Status::Fail, failure.message, &failure.action),
        Reading::Change(_) | Reading::Wait(_) => Check::new(name, Status::Fail, "not read yet", run_storage),
    }
}

#[cfg(test)]
#[path = "checks_tests.rs"]
mod tests;
