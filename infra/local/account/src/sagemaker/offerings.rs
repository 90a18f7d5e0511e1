//! Looking for training plans and buying them: `SearchTrainingPlanOfferings`, `CreateTrainingPlan`.

use super::{
    Event, Plan,
    cluster::seconds,
    invalid,
    plans::{self, Block},
    tags, world_access,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::{Value, json};

/// Plans can begin half an hour from now at the earliest.
const EARLIEST: SignedDuration = SignedDuration::from_mins(30);
/// Plans can begin eight weeks from now at the latest.
const LATEST: SignedDuration = SignedDuration::from_hours(56 * 24);
/// Instance counts that are offered.
const COUNTS: [i64; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Offerings of one search at most.
const OFFERED: u32 = 3;
/// Offerings that are remembered; older ones can no longer be bought.
const REMEMBERED: usize = 300;

/// `SearchTrainingPlanOfferings`.
pub(super) fn search(world: &mut World, call: &Call) -> Answer {
    if call.text("TrainingPlanArn").is_some() || call.text("UltraServerType").is_some() {
        return Ok(json!({ "TrainingPlanOfferings": [], "TrainingPlanExtensionOfferings": [] }));
    }
    let instance_type = call.text("InstanceType").ok_or_else(|| invalid("InstanceType must be specified"))?;
    let hours = call.number("DurationHours").ok_or_else(|| invalid("DurationHours must be specified"))?;
    let count = call.number("InstanceCount").unwrap_or(1);
    within_quota(world, call, instance_type, count)?;
    let latest = call.now.saturating_add(LATEST).unwrap_or(call.now);
    let start =
        time(call, "StartTimeAfter").unwrap_or(call.now).max(call.now.saturating_add(EARLIEST).unwrap_or(call.now));
    let fits = COUNTS.contains(&count) && hours <= 182 * 24 && start <= latest;
    let mut offerings = Vec::new();
    for number in 0..if fits { OFFERED } else { 0 } {
        offerings.extend(offer(world, call, instance_type, count, hours, start, number));
    }
    Ok(json!({ "TrainingPlanOfferings": offerings }))
}

fn within_quota(world: &World, call: &Call, instance_type: &str, count: i64) -> Result<(), AwsError> {
    let name = format!("Number of {instance_type} instances in reserved capacity across training plans per Region");
    let limit = world_access::quota(world, &call.region, &name);
    let held = world.sagemaker.plans.values().filter(|plan| {
        plan.region == call.region
            && plan.instance_type == instance_type
            && matches!(plan.status.as_str(), "Pending" | "Scheduled" | "Active")
    });
    let used: i64 = held.map(|plan| i64::from(plan.count)).sum();
    if used + count <= limit {
        return Ok(());
    }
    Err(AwsError::new(
        "ResourceLimitExceeded",
        format!(
            "The account-level service limit '{name}' is {limit} Instances, with current utilization of {used} Instances and a \
         request delta of {count} Instances. Please use AWS Service Quotas to request an increase for this quota."
        ),
    ))
}

/// One offering: it begins `number` days after `start` and ends at 11:30 UTC.
fn offer(
    world: &mut World,
    call: &Call,
    instance_type: &str,
    count: i64,
    hours: i64,
    start: Timestamp,
    number: u32,
) -> Option<Value> {
    let zones = world_access::zones(&call.region);
    let pick = usize::try_from(world.hash(&format!("plan-zone:{instance_type}:{number}"))).unwrap_or_default();
    let (zone, zone_id) = zones.get(pick.checked_rem(zones.len())?)?.clone();
    let start = start.saturating_add(SignedDuration::from_hours(24 * i64::from(number))).ok()?;
    let end = half_past_eleven(start.saturating_add(SignedDuration::from_hours(hours)).ok()?)?;
    if time(call, "EndTimeBefore").is_some_and(|before| end > before) {
        return None;
    }
    let targets: Vec<String> = call.texts("TargetResources").into_iter().map(str::to_owned).collect();
    let chips = world_access::hardware(instance_type).and_then(|it| it.accelerator.as_ref()).map_or(1, |it| it.count);
    // An estimate of 4 USD an accelerator and hour, so that the figure has the right order.
    let fee = count * end.duration_since(start).as_hours() * i64::from(chips) * 4;
    let id = format!("tpo-{:016x}", world.next_number("offering"));
    let plan = Plan {
        arn: String::new(),
        name: String::new(),
        region: call.region.clone(),
        instance_type: instance_type.to_owned(),
        count: u32::try_from(count).ok()?,
        targets: if targets.is_empty() { vec!["training-job".to_owned()] } else { targets },
        fee: format!("{fee}.00"),
        blocks: vec![Block { start, end, zone, zone_id }],
        status: "Pending".to_owned(),
        open: false,
    };
    let shown = shown(&id, &plan, call);
    if world.sagemaker.offerings.len() >= REMEMBERED {
        world.sagemaker.offerings.clear();
    }
    world.sagemaker.offerings.insert(id, plan);
    Some(shown)
}

/// The first 11:30 UTC at or after `at`.
fn half_past_eleven(at: Timestamp) -> Option<Timestamp> {
    let day = at.to_zoned(TimeZone::UTC);
    let end = day.date().at(11, 30, 0, 0).to_zoned(TimeZone::UTC).ok()?.timestamp();
    if end >= at { Some(end) } else { end.saturating_add(SignedDuration::from_hours(24)).ok() }
}

fn time(call: &Call, member: &str) -> Option<Timestamp> {
    let seconds = call.input.get(member).and_then(Value::as_f64)?;
    Timestamp::from_millisecond((seconds * 1000.0) as i64).ok()
}

fn shown(id: &str, plan: &Plan, call: &Call) -> Value {
    let block = &plan.blocks[0];
    let hours = block.end.duration_since(block.start).as_hours();
    let minutes = block.end.duration_since(block.start).as_mins() % 60;
    let mut shown = json!({
        "TrainingPlanOfferingId": id,
        "TargetResources": plan.targets,
        "DurationHours": hours,
        "DurationMinutes": minutes,
        "UpfrontFee": plan.fee,
        "CurrencyCode": "USD",
        "ReservedCapacityOfferings": [{
            "ReservedCapacityType": "Instance",
            "InstanceType": plan.instance_type,
            "InstanceCount": plan.count,
            "AvailabilityZone": block.zone,
            "DurationHours": hours,
            "DurationMinutes": minutes,
            "StartTime": seconds(block.start),
            "EndTime": seconds(block.end),
        }],
    });
    for (member, name) in [("StartTimeAfter", "RequestedStartTimeAfter"), ("EndTimeBefore", "RequestedEndTimeBefore")] {
        if let Some(value) = call.input.get(member) {
            shown[name] = value.clone();
        }
    }
    shown
}

/// `CreateTrainingPlan`: paid at once, and from then on Scheduled.
pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let (id, name) = (call.required("TrainingPlanOfferingId"), call.required("TrainingPlanName"));
    let arn = format!("arn:aws:sagemaker:{}:{ACCOUNT_ID}:training-plan/{name}", call.region);
    if world.sagemaker.plans.contains_key(&arn) {
        return Err(AwsError::new("ResourceInUse", format!("Resource Already Exists: {arn}")));
    }
    let offered = world.sagemaker.offerings.get(id).cloned();
    let not_found = || AwsError::new("ResourceNotFound", format!("Training plan offering {id} not found"));
    let mut plan = offered.filter(|plan| plan.region == call.region).ok_or_else(not_found)?;
    within_quota(world, call, &plan.instance_type.clone(), i64::from(plan.count))?;
    world.sagemaker.offerings.remove(id);
    (plan.arn, plan.name) = (arn.clone(), name.to_owned());
    world.sagemaker.plans.insert(arn.clone(), plan);
    world.sagemaker.tags.insert(arn.clone(), tags::read(call.list("Tags")));
    let paid = world.draw(&format!("paid:{arn}"), 5..30);
    world.schedule(call.now, paid, crate::life::Event::SageMaker(Event::PlanTurns { plan: arn.clone() }));
    Ok(json!({ "TrainingPlanArn": arn }))
}

/// Puts a plan that was bought elsewhere into the account.
pub fn add_plan(world: &mut World, plan: Plan, now: Timestamp) {
    let arn = plan.arn.clone();
    world.sagemaker.plans.insert(arn.clone(), plan);
    plans::turn(world, &arn, now);
}
