//! EventBridge: rules of the default bus, their targets, and events that reach them.
//!
//! Rules match a pattern or fire at a rate. Targets are Lambda functions and state machines. Cron expressions, other
//! buses, input transformers, dead letters and archives are absent.

mod api;
mod pattern;
#[cfg(test)]
mod tests;

pub use api::handle;

use crate::{
    call::ACCOUNT_ID,
    lambda,
    states::{self, uuid},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What EventBridge knows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Rules by ARN.
    pub rules: BTreeMap<String, Rule>,
    next_schedule: u64,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Name, unique in its region.
    pub name: String,
    /// Rule ARN.
    pub arn: String,
    /// Event pattern, JSON text.
    pub pattern: Option<String>,
    /// Schedule expression, `rate(…)`.
    pub schedule: Option<String>,
    /// For people.
    pub description: Option<String>,
    /// Whether it is in force.
    pub enabled: bool,
    /// Targets by id.
    pub targets: BTreeMap<String, Target>,
    /// Which of its schedules is in force: an older one's next firing does nothing.
    armed: u64,
}

/// Where a rule sends its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// ARN of a function or state machine.
    pub arn: String,
    /// Role that starts a state machine.
    pub role: Option<String>,
    /// JSON text that is sent in place of the event.
    pub input: Option<String>,
    /// Path of the part of the event that is sent.
    pub input_path: Option<String>,
}

/// What rules do by themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A scheduled rule's time has come.
    Fire {
        /// ARN of the rule.
        rule: String,
        /// Which of its schedules this belongs to.
        armed: u64,
    },
}

impl Event {
    /// Sends the scheduled event and plans the next one.
    pub fn happen(self, world: &mut World, at: Timestamp) {
        let Self::Fire { rule, armed } = self;
        let Some(found) = world.events.rules.get(&rule).filter(|found| found.armed == armed && found.enabled) else {
            return;
        };
        let region = rule.split(':').nth(3).unwrap_or_default().to_owned();
        let entry = Entry {
            source: "aws.events".to_owned(),
            detail_type: "Scheduled Event".to_owned(),
            region,
            resources: vec![rule.clone()],
            detail: json!({}),
            time: at,
        };
        let targets: Vec<_> = found.targets.values().cloned().collect();
        let event = envelope(world, &entry);
        for target in targets {
            deliver(world, &target, &event, at);
        }
        arm(world, &rule, armed, at);
    }
}

/// An event as its source gives it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// `aws.states` …
    pub source: String,
    /// `Step Functions Execution Status Change` …
    pub detail_type: String,
    /// Region whose bus it goes to.
    pub region: String,
    /// ARNs that it is about.
    pub resources: Vec<String>,
    /// An object.
    pub detail: Value,
    /// When it happened.
    pub time: Timestamp,
}

/// Puts an event on the default bus of its region; gives its id. Each matching rule's targets get it at least once.
pub fn put(world: &mut World, entry: Entry, now: Timestamp) -> String {
    let event = envelope(world, &entry);
    let bus = format!("arn:aws:events:{}:", entry.region);
    let matching = world.events.rules.values().filter(|rule| rule.enabled && rule.arn.starts_with(&bus));
    let matching = matching.filter(|rule| {
        let pattern = rule.pattern.as_ref().and_then(|text| serde_json::from_str::<Value>(text).ok());
        pattern.is_some_and(|pattern| pattern::matches(&pattern, &event))
    });
    let targets: Vec<Target> = matching.flat_map(|rule| rule.targets.values().cloned()).collect();
    for target in targets {
        deliver(world, &target, &event, now);
    }
    event["id"].as_str().unwrap_or_default().to_owned()
}

fn envelope(world: &mut World, entry: &Entry) -> Value {
    let id = uuid(world.next_number("events/event"), world.next_number("events/event"));
    json!({
        "version": "0", "id": id, "detail-type": entry.detail_type, "source": entry.source, "account": ACCOUNT_ID,
        "time": format!("{:.0}", entry.time), "region": entry.region, "resources": entry.resources, "detail": entry.detail,
    })
}

fn deliver(world: &mut World, target: &Target, event: &Value, now: Timestamp) {
    let payload = match (&target.input, &target.input_path) {
        (Some(text), _) => serde_json::from_str(text).unwrap_or_default(),
        (None, Some(path)) => states::read_path(path, event).unwrap_or_default(),
        (None, None) => event.clone(),
    };
    if target.arn.contains(":stateMachine:") {
        // A refusal (machine gone, input too large) is EventBridge's FailedInvocations: nobody is told.
        let _refused = states::start(world, &target.arn, None, &payload.to_string(), now);
    } else if let Some(function) = lambda::name_of(&target.arn) {
        lambda::enqueue(world, &function, payload, now);
    }
}

/// Plans the next firing of a scheduled rule.
fn arm(world: &mut World, rule: &str, armed: u64, now: Timestamp) {
    let schedule = world.events.rules.get(rule).and_then(|rule| rule.schedule.as_deref()).and_then(rate);
    if let Some(interval) = schedule {
        let event = Event::Fire { rule: rule.to_owned(), armed };
        let at = now.saturating_add(world.waited(interval)).unwrap_or(Timestamp::MAX);
        world.agenda.add(at, crate::life::Event::Events(event));
    }
}

/// The interval of `rate(5 minutes)`; the unit is singular for one and plural for more, as AWS asks.
fn rate(expression: &str) -> Option<SignedDuration> {
    let (count, unit) = expression.strip_prefix("rate(")?.strip_suffix(')')?.split_once(' ')?;
    let count: i64 = count.parse().ok().filter(|count| (1..=1_000_000).contains(count))?;
    let minutes = match (unit, count) {
        ("minute", 1) | ("minutes", 2..) => 1,
        ("hour", 1) | ("hours", 2..) => 60,
        ("day", 1) | ("days", 2..) => 24 * 60,
        _ => return None,
    };
    Some(SignedDuration::from_mins(count * minutes))
}
