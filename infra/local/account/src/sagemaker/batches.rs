//! The batch calls on nodes: add, delete, reboot, replace. Each node has its own result.

use super::{
    cluster::{Cluster, ClusterStatus, GroupStatus, Node, Stage, texts},
    cluster_events::uuid,
    converge, departure, find, health, invalid, nodes, quota, world_access,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use jiff::SignedDuration;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Nodes that one call adds at most.
const ADDED_AT_ONCE: usize = 50;
/// Nodes that one call deletes at most.
const DELETED_AT_ONCE: usize = 99;
/// For how long a client token stands for its first answer.
const TOKEN_HOURS: i64 = 8;

/// `BatchAddClusterNodes`.
pub(super) fn add(world: &mut World, call: &Call) -> Answer {
    let cluster = find(world, call)?.clone();
    if !cluster.continuous {
        return Err(invalid(
            "BatchAddClusterNodes is only available for clusters with NodeProvisioningMode set to Continuous",
        ));
    }
    if let Some(answer) = replay(world, call)? {
        return Ok(answer);
    }
    must_be_in_service(&cluster)?;
    let wanted: usize = call.list("NodesToAdd").iter().map(increment).sum();
    if wanted > ADDED_AT_ONCE {
        return Err(invalid(format!("The total of IncrementTargetCountBy must not exceed {ADDED_AT_ONCE}")));
    }
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for entry in call.list("NodesToAdd") {
        match addition_error(world, &cluster, entry) {
            Some((code, message)) => bad.push(addition_failure(entry, code, &message)),
            None => good.push(entry),
        }
    }
    let mut specs: Vec<Value> = cluster.groups.values().map(|group| group.spec.clone()).collect();
    for entry in &good {
        specs
            .iter_mut()
            .filter(|spec| spec["InstanceGroupName"] == entry["InstanceGroupName"])
            .for_each(|spec| grow(spec, increment(entry)));
    }
    quota::check(world, call, Some(&cluster.arn), &specs)?;
    let added: Vec<Value> = good.into_iter().flat_map(|entry| add_entry(world, call, &cluster.arn, entry)).collect();
    let answer = json!({ "Successful": added, "Failed": bad });
    remember(world, call, &answer);
    Ok(answer)
}

fn increment(entry: &Value) -> usize {
    super::cluster::count(entry, "IncrementTargetCountBy").unwrap_or_default()
}

fn grow(spec: &mut Value, by: usize) {
    let now = super::cluster::count(spec, "InstanceCount").unwrap_or_default();
    spec["InstanceCount"] = json!(now.saturating_add(by));
}

fn shrink(spec: &mut Value) {
    let now = super::cluster::count(spec, "InstanceCount").unwrap_or_default();
    spec["InstanceCount"] = json!(now.saturating_sub(1));
}

fn addition_error(world: &World, cluster: &Cluster, entry: &Value) -> Option<(&'static str, String)> {
    let name = entry["InstanceGroupName"].as_str().unwrap_or_default();
    let Some(group) = cluster.groups.get(name) else {
        return Some(("InstanceGroupNotFound", format!("Instance group {name} not found")));
    };
    if group.status != GroupStatus::InService {
        return Some(("InvalidInstanceGroupStatus", format!("Instance group {name} must be InService")));
    }
    let types = group.instance_types();
    if texts(&entry["InstanceTypes"]).iter().any(|wanted| !types.contains(wanted)) {
        return Some((
            "IncompatibleInstanceTypes",
            format!("Instance group {name} does not have the instance types asked for"),
        ));
    }
    let subnets = cluster.subnets(group);
    let zones: Vec<String> =
        subnets.iter().filter_map(|id| world_access::subnet(world, &cluster.region, id)).map(|it| it.zone).collect();
    let wanted = texts(&entry["AvailabilityZones"]);
    let outside = wanted.iter().any(|zone| !zones.iter().any(|known| known == zone));
    outside.then(|| {
        (
            "IncompatibleAvailabilityZones",
            format!("Instance group {name} has no subnet in the Availability Zones asked for"),
        )
    })
}

fn addition_failure(entry: &Value, code: &str, message: &str) -> Value {
    let mut failure = json!({
        "InstanceGroupName": entry["InstanceGroupName"],
        "ErrorCode": code,
        "FailedCount": increment(entry),
        "Message": message,
    });
    echo_restrictions(entry, &mut failure);
    failure
}

fn echo_restrictions(entry: &Value, shown: &mut Value) {
    for member in ["AvailabilityZones", "InstanceTypes"] {
        if let Some(value) = entry.get(member) {
            shown[member] = value.clone();
        }
    }
}

fn add_entry(world: &mut World, call: &Call, arn: &str, entry: &Value) -> Vec<Value> {
    let name = entry["InstanceGroupName"].as_str().unwrap_or_default();
    let zones: Vec<String> = texts(&entry["AvailabilityZones"]).into_iter().map(str::to_owned).collect();
    let operation = uuid(world);
    if let Some(cluster) = world.sagemaker.clusters.get_mut(arn) {
        cluster.operation = operation;
        if let Some(group) = cluster.groups.get_mut(name) {
            grow(&mut group.spec, increment(entry));
        }
    }
    let mut results = Vec::new();
    for _ in 0..increment(entry) {
        let id = converge::add_node(world, arn, name, &zones, call.now);
        let mut result = json!({ "NodeLogicalId": id, "InstanceGroupName": name, "Status": "Pending" });
        echo_restrictions(entry, &mut result);
        results.push(result);
    }
    results
}

/// The first answer to a client token that was used with the same input within its time.
fn replay(world: &World, call: &Call) -> Result<Option<Value>, AwsError> {
    let Some(token) = call.text("ClientToken") else { return Ok(None) };
    let Some((at, input, answer)) = world.sagemaker.tokens.get(token) else { return Ok(None) };
    if call.now.duration_since(*at) > SignedDuration::from_hours(TOKEN_HOURS) {
        return Ok(None);
    }
    if *input != call.input.to_string() {
        return Err(invalid("ClientToken was used before with other parameters"));
    }
    Ok(Some(answer.clone()))
}

fn remember(world: &mut World, call: &Call, answer: &Value) {
    if let Some(token) = call.text("ClientToken") {
        let fresh = SignedDuration::from_hours(TOKEN_HOURS);
        world.sagemaker.tokens.retain(|_, (at, ..)| call.now.duration_since(*at) <= fresh);
        let entry = (call.now, call.input.to_string(), answer.clone());
        world.sagemaker.tokens.insert(token.to_owned(), entry);
    }
}

/// `BatchDeleteClusterNodes`: the nodes leave and the groups' targets shrink with them.
pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let cluster = find(world, call)?.clone();
    must_be_in_service(&cluster)?;
    if call.list("NodeIds").len() > DELETED_AT_ONCE {
        return Err(invalid(format!("NodeIds must not have more than {DELETED_AT_ONCE} items")));
    }
    let asked = Asked::of(&cluster, call, "NodeIdNotFound")?;
    let check = |node: &Node| {
        let settling = cluster.groups.get(&node.group).is_some_and(|group| group.status != GroupStatus::InService);
        match node.stage {
            Stage::Leaving { .. } => Some(("InvalidNodeStatus", "The node is already being removed or replaced")),
            _ if settling => Some(("NodeIdInUse", "The instance group has an operation in progress")),
            _ => None,
        }
    };
    let results = asked.judge(check);
    if results.iter().all(|result| result.error.is_some()) {
        let texts: Vec<String> = results.iter().map(Judged::text).collect();
        return Err(invalid(format!("No node can be deleted: {}", texts.join("; "))));
    }
    for result in results.iter().filter(|result| result.error.is_none()) {
        if let Some(group) =
            world.sagemaker.clusters.get_mut(&cluster.arn).and_then(|it| it.groups.get_mut(&result.group))
        {
            shrink(&mut group.spec);
        }
        departure::begin(world, &cluster.arn, &result.logical_id, false, call.now);
    }
    converge::run(world, &cluster.arn, call.now);
    Ok(answer(&results, "Code"))
}

/// `BatchRebootClusterNodes`.
pub(super) fn reboot(world: &mut World, call: &Call) -> Answer {
    act(world, call, |world, arn, id, at| health::reboot(world, arn, id, at))
}

/// `BatchReplaceClusterNodes`.
pub(super) fn replace(world: &mut World, call: &Call) -> Answer {
    act(world, call, |world, arn, id, at| departure::begin(world, arn, id, true, at))
}

fn act(world: &mut World, call: &Call, action: impl Fn(&mut World, &str, &str, jiff::Timestamp)) -> Answer {
    let cluster = find(world, call)?.clone();
    must_be_in_service(&cluster)?;
    let results = Asked::of(&cluster, call, "InstanceIdNotFound")?.judge(|node| match node.stage {
        Stage::Rebooting | Stage::Leaving { .. } => {
            Some(("InstanceIdInUse", "Another operation on the instance is in progress"))
        }
        _ if !nodes::is_idle(node) => Some(("InvalidInstanceStatus", "The instance must be Running")),
        _ => None,
    });
    for result in results.iter().filter(|result| result.error.is_none()) {
        action(world, &cluster.arn, &result.logical_id, call.now);
    }
    Ok(answer(&results, "ErrorCode"))
}

fn must_be_in_service(cluster: &Cluster) -> Result<(), AwsError> {
    if cluster.status == ClusterStatus::InService {
        return Ok(());
    }
    let status = json!(cluster.status);
    Err(invalid(format!(
        "Cluster {} must be InService. Current status: {}",
        cluster.name,
        status.as_str().unwrap_or_default()
    )))
}

/// The nodes that a call names, by instance id and by logical id.
struct Asked<'a> {
    nodes: Vec<(String, bool, Option<&'a Node>)>,
    unknown: &'static str,
}

/// The verdict on one of them.
struct Judged {
    id: String,
    by_logical_id: bool,
    logical_id: String,
    group: String,
    error: Option<(&'static str, String)>,
}

impl<'a> Asked<'a> {
    fn of(cluster: &'a Cluster, call: &Call, unknown: &'static str) -> Result<Self, AwsError> {
        let (ids, logical) = (call.texts("NodeIds"), call.texts("NodeLogicalIds"));
        if ids.is_empty() && logical.is_empty() {
            return Err(invalid("At least one of NodeIds and NodeLogicalIds must be specified"));
        }
        if !logical.is_empty() && !cluster.continuous {
            return Err(invalid(
                "NodeLogicalIds is only available for clusters with NodeProvisioningMode set to Continuous",
            ));
        }
        let all: BTreeSet<&str> = ids.iter().chain(&logical).copied().collect();
        if all.len() != ids.len() + logical.len() {
            return Err(invalid("NodeIds and NodeLogicalIds must not contain duplicates"));
        }
        let by_id = ids.into_iter().map(|id| (id.to_owned(), false, cluster.by_instance(id)));
        let by_logical_id = logical.into_iter().map(|id| (id.to_owned(), true, cluster.nodes.get(id)));
        Ok(Self { nodes: by_id.chain(by_logical_id).collect(), unknown })
    }

    fn judge(self, check: impl Fn(&Node) -> Option<(&'static str, &'static str)>) -> Vec<Judged> {
        let unknown = self.unknown;
        let judge = |(id, by_logical_id, node): (String, bool, Option<&Node>)| {
            let error = match node {
                None => Some((unknown, format!("Node {id} was not found in the cluster"))),
                Some(node) => check(node).map(|(code, text)| (code, format!("{text}: {id}"))),
            };
            let (logical_id, group) =
                node.map(|node| (node.logical_id.clone(), node.group.clone())).unwrap_or_default();
            Judged { id, by_logical_id, logical_id, group, error }
        };
        self.nodes.into_iter().map(judge).collect()
    }
}

impl Judged {
    fn text(&self) -> String {
        self.error.as_ref().map_or_else(String::new, |(code, message)| format!("{code}: {message}"))
    }
}

/// The answer's four lists; empty ones are left out, as their bounds demand.
fn answer(results: &[Judged], code_member: &str) -> Value {
    let mut answer = json!({});
    for logical in [false, true] {
        let (good, bad, id_member) = if logical {
            ("SuccessfulNodeLogicalIds", "FailedNodeLogicalIds", "NodeLogicalId")
        } else {
            ("Successful", "Failed", "NodeId")
        };
        let own = || results.iter().filter(|result| result.by_logical_id == logical);
        let fine: Vec<&str> = own().filter(|result| result.error.is_none()).map(|result| result.id.as_str()).collect();
        let failed: Vec<Value> = own()
            .filter_map(|result| result.error.as_ref().map(|(code, message)| (result, code, message)))
            .map(|(result, code, message)| json!({ id_member: result.id, code_member: code, "Message": message }))
            .collect();
        if !fine.is_empty() {
            answer[good] = json!(fine);
        }
        if !failed.is_empty() {
            answer[bad] = json!(failed);
        }
    }
    answer
}
