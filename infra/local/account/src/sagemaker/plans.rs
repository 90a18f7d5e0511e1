//! Training plans: capacity of one zone that was bought for some time ahead.
//!
//! A plan's dates stand in the calendar, so its turns go on the agenda at their own times whatever the world's pace.

use super::{
    cluster::{CapacityKind, seconds},
    converge, invalid,
    paging::{is_between, is_descending, page},
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How long before a block's end its nodes are terminated (estimate: AWS's pages say 30 minutes and an hour).
const EARLY: SignedDuration = SignedDuration::from_mins(30);

/// A span of time in which a plan's instances are there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// From when.
    pub start: Timestamp,
    /// Until when.
    pub end: Timestamp,
    /// Zone name in this account.
    pub zone: String,
    /// Zone id.
    pub zone_id: String,
}

/// A training plan, or an offer of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// ARN; an offering has none yet.
    pub arn: String,
    /// Name.
    pub name: String,
    /// Region.
    pub region: String,
    /// Type of its instances.
    pub instance_type: String,
    /// How many.
    pub count: u32,
    /// What it may be used for: `hyperpod-cluster` …
    pub targets: Vec<String>,
    /// Price in USD, as a decimal.
    pub fee: String,
    /// One or two blocks, in order.
    pub blocks: Vec<Block>,
    /// `Pending` (payment), `Scheduled`, `Active`, `Expired` or `Failed`.
    pub status: String,
    /// Whether nodes may run on it now; ends a little before the block does.
    pub open: bool,
}

impl Plan {
    fn block_at(&self, at: Timestamp) -> Option<&Block> {
        self.blocks.iter().find(|block| block.start <= at && at < block.end)
    }

    fn hours(&self) -> i64 {
        self.blocks.iter().map(|block| block.end.duration_since(block.start).as_hours()).sum()
    }

    /// When something about the plan changes next after `at`.
    fn next_turn(&self, at: Timestamp) -> Option<Timestamp> {
        let turns = self
            .blocks
            .iter()
            .flat_map(|block| [block.start, block.end.saturating_sub(EARLY).unwrap_or(block.end), block.end]);
        turns.filter(|turn| *turn > at).min()
    }
}

/// Brings a plan to where it is at `at`, and the clusters that use it after it.
pub(super) fn turn(world: &mut World, arn: &str, at: Timestamp) {
    let Some(plan) = world.sagemaker.plans.get_mut(arn) else { return };
    let block = plan.block_at(at).cloned();
    plan.open = block.as_ref().is_some_and(|block| at < block.end.saturating_sub(EARLY).unwrap_or(block.end));
    let over = plan.blocks.iter().all(|block| block.end <= at);
    plan.status = match block {
        Some(_) => "Active",
        None if over => "Expired",
        None => "Scheduled",
    }
    .to_owned();
    if let Some(next) = plan.next_turn(at) {
        let event = super::Event::PlanTurns { plan: arn.to_owned() };
        world.agenda.add(next, crate::life::Event::SageMaker(event));
    }
    let uses = |cluster: &&super::Cluster| {
        cluster.groups.values().any(|group| group.kind() == CapacityKind::Plan(arn.to_owned()))
    };
    let users: Vec<String> =
        world.sagemaker.clusters.values().filter(uses).map(|cluster| cluster.arn.clone()).collect();
    for cluster in users {
        converge::run(world, &cluster, at);
    }
}

/// Whether a group of this kind can have nodes now.
pub(super) fn may_run(world: &World, kind: &CapacityKind) -> bool {
    match kind {
        CapacityKind::Plan(arn) => world.sagemaker.plans.get(arn).is_some_and(|plan| plan.open),
        CapacityKind::OnDemand | CapacityKind::Spot => true,
    }
}

/// `TrainingPlanStatus` of a group.
pub(super) fn status_word(world: &World, kind: &CapacityKind) -> String {
    match kind {
        CapacityKind::Plan(arn) => {
            world.sagemaker.plans.get(arn).map_or_else(|| "Expired".to_owned(), |plan| plan.status.clone())
        }
        CapacityKind::OnDemand | CapacityKind::Spot => "NotApplicable".to_owned(),
    }
}

/// The zone id in which the plan has an instance left for one more node.
///
/// # Errors
/// The text of the failure event.
pub(super) fn free_zone(world: &World, arn: &str, _cluster: &str, _node: &str) -> Result<String, String> {
    let lack =
        || "We currently do not have sufficient capacity in the training plan to launch new instances.".to_owned();
    let plan = world.sagemaker.plans.get(arn).filter(|plan| plan.open).ok_or_else(lack)?;
    if in_use(world, arn) >= usize::try_from(plan.count).unwrap_or(usize::MAX) {
        return Err(format!("{} All {} {} instances of the plan are in use.", lack(), plan.count, plan.instance_type));
    }
    plan.blocks.first().map(|block| block.zone_id.clone()).ok_or_else(lack)
}

fn in_use(world: &World, arn: &str) -> usize {
    let nodes = world.sagemaker.clusters.values().flat_map(|cluster| cluster.nodes.values());
    let kind = CapacityKind::Plan(arn.to_owned());
    nodes.filter(|node| node.place.as_ref().is_some_and(|place| place.kind == kind)).count()
}

/// A group's plan must be there, be for HyperPod, of the group's type, not over, and large enough.
pub(super) fn check_group(world: &World, call: &Call, group: &Value, name: &str) -> Result<(), AwsError> {
    let Some(arn) = group["TrainingPlanArn"].as_str() else { return Ok(()) };
    let plan = world.sagemaker.plans.get(arn).filter(|plan| plan.region == call.region);
    let Some(plan) = plan else {
        return Err(invalid(format!("Training plan {arn} does not exist. Instance group: {name}")));
    };
    let wanted = group["InstanceCount"].as_u64().unwrap_or_default();
    let text = if !plan.targets.iter().any(|target| target == "hyperpod-cluster") {
        format!(
            "Training plan {arn} cannot be used for clusters. Its target resources are: {}",
            plan.targets.join(", ")
        )
    } else if group["InstanceType"].as_str() != Some(plan.instance_type.as_str()) {
        format!("Training plan {arn} is for instance type {}", plan.instance_type)
    } else if !matches!(plan.status.as_str(), "Scheduled" | "Active") {
        format!("Training plan {arn} must be Scheduled or Active. Current status: {}", plan.status)
    } else if wanted > u64::from(plan.count) {
        format!("Training plan {arn} has {} instances, {wanted} were requested", plan.count)
    } else {
        return Ok(());
    };
    Err(invalid(format!("{text}. Instance group: {name}")))
}

/// `DescribeTrainingPlan`, by name or ARN.
pub(super) fn describe(world: &World, call: &Call) -> Answer {
    let name = call.required("TrainingPlanName");
    let mut plans = world.sagemaker.plans.values().filter(|plan| plan.region == call.region);
    let plan = plans.find(|plan| plan.name == name || plan.arn == name);
    plan.map(|plan| shown(world, plan))
        .ok_or_else(|| AwsError::new("ResourceNotFound", format!("Training plan {name} not found")))
}

/// `ListTrainingPlans`.
pub(super) fn list(world: &World, call: &Call) -> Answer {
    let wanted = |plan: &&Plan| {
        call.list("Filters").iter().all(|filter| filter["Value"].as_str() == Some(plan.status.as_str()))
            && plan
                .blocks
                .first()
                .is_some_and(|block| is_between(call, "StartTimeAfter", "StartTimeBefore", block.start))
    };
    let mut plans: Vec<&Plan> =
        world.sagemaker.plans.values().filter(|plan| plan.region == call.region).filter(wanted).collect();
    let start = |plan: &Plan| plan.blocks.first().map(|block| block.start);
    match call.text("SortBy") {
        Some("TrainingPlanName") => plans.sort_by(|a, b| a.name.cmp(&b.name)),
        Some("Status") => plans.sort_by(|a, b| a.status.cmp(&b.status)),
        _ => plans.sort_by_key(|plan| start(plan)),
    }
    if is_descending(call, false) {
        plans.reverse();
    }
    page(call, "TrainingPlanSummaries", plans.into_iter().map(|plan| shown(world, plan)).collect())
}

fn shown(world: &World, plan: &Plan) -> Value {
    let used = in_use(world, &plan.arn);
    let total = usize::try_from(plan.count).unwrap_or(usize::MAX);
    let active = plan.status == "Active";
    let mut shown = json!({
        "TrainingPlanArn": plan.arn,
        "TrainingPlanName": plan.name,
        "Status": plan.status,
        "DurationHours": plan.hours(),
        "DurationMinutes": 0,
        "UpfrontFee": plan.fee,
        "CurrencyCode": "USD",
        "TotalInstanceCount": total,
        "AvailableInstanceCount": if active { total.saturating_sub(used) } else { 0 },
        "InUseInstanceCount": used,
        "TargetResources": plan.targets,
        "ReservedCapacitySummaries": plan.blocks.iter().enumerate().map(|(n, block)| reserved(plan, n, block)).collect::<Vec<_>>(),
    });
    if let (Some(first), Some(last)) = (plan.blocks.first(), plan.blocks.last()) {
        shown["StartTime"] = seconds(first.start);
        shown["EndTime"] = seconds(last.end);
    }
    shown
}

/// `DescribeReservedCapacity`: one block of a plan, and how much of it is used while it lasts.
pub(super) fn describe_reserved(world: &World, call: &Call) -> Answer {
    let arn = call.required("ReservedCapacityArn");
    let plans = world.sagemaker.plans.values().filter(|plan| plan.region == call.region);
    let mut blocks = plans.flat_map(|plan| plan.blocks.iter().enumerate().map(move |(n, block)| (plan, n, block)));
    let Some((plan, number, block)) = blocks.find(|(plan, n, _)| reserved_arn(plan, *n) == arn) else {
        return Err(AwsError::new("ResourceNotFound", format!("Reserved capacity {arn} not found")));
    };
    let running = plan.status == "Active" && block.start <= call.now && call.now < block.end;
    let used = if running { in_use(world, &plan.arn) } else { 0 };
    let total = usize::try_from(plan.count).unwrap_or(usize::MAX);
    let mut shown = reserved(plan, number, block);
    if let Some(members) = shown.as_object_mut() {
        // Only a plan's summary names the zone's id.
        members.remove("AvailabilityZoneId");
    }
    shown["InUseInstanceCount"] = json!(used);
    shown["AvailableInstanceCount"] = json!(if running { total.saturating_sub(used) } else { 0 });
    Ok(shown)
}

fn reserved_arn(plan: &Plan, number: usize) -> String {
    format!("{}-{number}", plan.arn.replace(":training-plan/", ":reserved-capacity/"))
}

fn reserved(plan: &Plan, number: usize, block: &Block) -> Value {
    json!({
        "ReservedCapacityArn": reserved_arn(plan, number),
        "ReservedCapacityType": "Instance",
        "InstanceType": plan.instance_type,
        "TotalInstanceCount": plan.count,
        "Status": if plan.status == "Pending" { "Pending" } else { &plan.status },
        "AvailabilityZone": block.zone,
        "AvailabilityZoneId": block.zone_id,
        "DurationHours": block.end.duration_since(block.start).as_hours(),
        "DurationMinutes": 0,
        "StartTime": seconds(block.start),
        "EndTime": seconds(block.end),
    })
}
