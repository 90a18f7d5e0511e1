//! Faults: what can be made to go wrong, for which calls, how often. Seeded, so that a run can be repeated.
//!
//! Faults of a service's own kind (no capacity, a quota) belong to that service.

use crate::{call::Call, world::World};
use serde::{Deserialize, Serialize};

/// A fault as it is switched on: which calls it meets, and what it does to them.
///
/// As JSON: `{"name": "lost", "effect": {"kind": "lost_answer"}, "action": "Create*", "skip": 2, "count": 1}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Name under which it is switched off again, and from which its chances are drawn.
    pub name: String,
    /// What it does.
    pub effect: Effect,
    /// Services that it meets; `*` stands for anything, here and below.
    #[serde(default = "anything")]
    pub service: String,
    /// Actions that it meets.
    #[serde(default = "anything")]
    pub action: String,
    /// Roles of callers that it meets; a caller without a role counts as the empty name.
    #[serde(default = "anything")]
    pub role: String,
    /// Only calls that change something.
    #[serde(default)]
    pub only_mutating: bool,
    /// How many calls that it would meet pass first.
    #[serde(default)]
    pub skip: u32,
    /// How many calls it meets after those; all, if not given.
    #[serde(default)]
    pub count: Option<u32>,
    /// Chance from 0 to 1 that it meets a call; always, if not given.
    #[serde(default)]
    pub probability: Option<f64>,
    /// How many calls fitted so far.
    #[serde(default)]
    pub seen: u32,
    /// How many calls it has met so far.
    #[serde(default)]
    pub met: u32,
}

fn anything() -> String {
    "*".to_owned()
}

/// What a fault does to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Effect {
    /// The service refuses, throttling, and does nothing.
    Throttle,
    /// The service fails with this HTTP status (500 or 503) and does nothing.
    ServerError {
        /// HTTP status.
        status: u16,
    },
    /// The call happens; its answer never arrives.
    LostAnswer,
    /// The call is answered as if it had happened, and nothing of it stays. Meets no calls of services that keep their
    /// state elsewhere than in the world's own records: DynamoDB, S3, Lambda, Kubernetes.
    NotKept,
    /// The call happens after so many seconds.
    Slow {
        /// Seconds on the account's clock.
        seconds: u32,
    },
    /// The service refuses with this error and does nothing.
    Error {
        /// Error code.
        code: String,
        /// HTTP status where the model gives none.
        status: u16,
        /// Message.
        message: String,
    },
    /// The call happens; then the Lambda invocation that made it dies. Meets only calls of a matching function.
    Kill {
        /// Functions that it meets.
        function: String,
    },
    /// An invocation is delivered twice. Meets no calls, only invocations of a matching function: each counts as one.
    Twice {
        /// Functions that it meets.
        function: String,
        /// Whether both run at the same time; otherwise the second begins when the first has ended.
        at_once: bool,
    },
}

/// How an invocation is delivered twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Twice {
    /// One after the other; the second's answer counts.
    InTurn,
    /// At the same time.
    AtOnce {
        /// Whose answer counts, 0 or 1.
        heard: u8,
    },
}

impl Fault {
    /// A fault that meets every call.
    pub fn new(name: &str, effect: Effect) -> Self {
        Self {
            name: name.to_owned(),
            effect,
            service: anything(),
            action: anything(),
            role: anything(),
            only_mutating: false,
            skip: 0,
            count: None,
            probability: None,
            seen: 0,
            met: 0,
        }
    }

    /// The same for calls of `service` and `action` (patterns) only.
    #[must_use]
    pub fn on(mut self, service: &str, action: &str) -> Self {
        (self.service, self.action) = (service.to_owned(), action.to_owned());
        self
    }

    /// The same for callers in a matching role only.
    #[must_use]
    pub fn for_role(mut self, role: &str) -> Self {
        self.role = role.to_owned();
        self
    }

    /// The same for calls that change something only.
    #[must_use]
    pub fn on_mutations(mut self) -> Self {
        self.only_mutating = true;
        self
    }

    /// The same for the `number`th fitting call only, from 1.
    #[must_use]
    pub fn nth(mut self, number: u32) -> Self {
        (self.skip, self.count) = (number.saturating_sub(1), Some(1));
        self
    }

    /// The same for the first `count` fitting calls only.
    #[must_use]
    pub fn times(mut self, count: u32) -> Self {
        self.count = Some(count);
        self
    }

    /// The same with a chance from 0 to 1.
    #[must_use]
    pub fn with_probability(mut self, probability: f64) -> Self {
        self.probability = Some(probability);
        self
    }

    /// Whether it has met all the calls that it was to meet.
    pub fn is_spent(&self) -> bool {
        self.count.is_some_and(|count| self.met >= count)
    }

    fn fits(&self, call: &Call, mutating: bool, function: Option<&str>) -> bool {
        let kills = match (&self.effect, function) {
            (Effect::Kill { function: pattern }, Some(function)) => like(pattern, function),
            (Effect::Kill { .. }, None) | (Effect::Twice { .. }, _) => false,
            (Effect::NotKept, _) => !["dynamodb", "s3", "lambda", "kubernetes"].contains(&call.service),
            _ => true,
        };
        kills
            && like(&self.service, call.service)
            && like(&self.action, &call.action)
            && like(&self.role, call.caller.role.as_deref().unwrap_or_default())
            && (mutating || !self.only_mutating)
    }
}

/// Whether `text` is like `pattern`, in which `*` stands for any text.
pub(crate) fn like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => text.strip_prefix(head).is_some_and(|rest| {
            (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| like(tail, &rest[at..]))
        }),
    }
}

/// The faults that are switched on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    active: Vec<Fault>,
}

/// Most faults that can be on at once.
const MOST: usize = 256;

/// A fault was not switched on.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Its probability is no probability.
    #[error("probability is {0}; it must be from 0 to 1")]
    Probability(f64),
    /// Its HTTP status is none of an error.
    #[error("status is {0}; it must be from 400 to 599")]
    Status(u16),
    /// Its name is missing.
    #[error("name is empty; it must name the fault")]
    Name,
    /// There are too many.
    #[error("{MOST} faults are on already; switch one off first")]
    TooMany,
}

impl State {
    /// Switches `fault` on; one of the same name is replaced and counts anew.
    ///
    /// # Errors
    /// If its bounds make no sense.
    pub fn switch_on(&mut self, fault: Fault) -> Result<(), Refused> {
        if fault.name.is_empty() {
            return Err(Refused::Name);
        }
        if let Some(probability) = fault.probability.filter(|probability| !(0.0..=1.0).contains(probability)) {
            return Err(Refused::Probability(probability));
        }
        if let Effect::ServerError { status } | Effect::Error { status, .. } = fault.effect
            && !(400..600).contains(&status)
        {
            return Err(Refused::Status(status));
        }
        self.switch_off(&fault.name);
        if self.active.len() >= MOST {
            return Err(Refused::TooMany);
        }
        self.active.push(Fault { seen: 0, met: 0, ..fault });
        Ok(())
    }

    /// Switches the fault called `name` off; nothing happens if it is not on.
    pub fn switch_off(&mut self, name: &str) {
        self.active.retain(|fault| fault.name != name);
    }

    /// Switches all faults off.
    pub fn clear(&mut self) {
        self.active.clear();
    }

    /// The faults that are on, with how often they fitted and met.
    pub fn active(&self) -> &[Fault] {
        &self.active
    }
}

/// What the active faults do to `call`, in the order in which they were switched on; counts them.
pub(crate) fn meet(world: &mut World, call: &Call, mutating: bool, function: Option<&str>) -> Vec<Effect> {
    met(world, |fault| fault.fits(call, mutating, function))
}

/// Whether and how an invocation of `function` is delivered twice; counts it.
pub(crate) fn invoked_twice(world: &mut World, function: &str) -> Option<Twice> {
    let effects =
        met(world, |fault| matches!(&fault.effect, Effect::Twice { function: pattern, .. } if like(pattern, function)));
    let Some(Effect::Twice { at_once, .. }) = effects.first() else { return None };
    let heard = u8::from(world.next_number("heard of two") % 2 == 0);
    Some(if *at_once { Twice::AtOnce { heard } } else { Twice::InTurn })
}

fn met(world: &mut World, fits: impl Fn(&Fault) -> bool) -> Vec<Effect> {
    let mut active = std::mem::take(&mut world.faults.active);
    let mut effects = Vec::new();
    for fault in active.iter_mut().filter(|fault| fits(fault)) {
        fault.seen += 1;
        let over = fault.count.is_some_and(|count| fault.met >= count);
        if fault.seen <= fault.skip || over {
            continue;
        }
        if fault.probability.is_some_and(|chance| drawn(world, fault) >= chance) {
            continue;
        }
        fault.met += 1;
        effects.push(fault.effect.clone());
    }
    world.faults.active = active;
    effects
}

/// A number from 0 up to 1 for this fitting call.
#[expect(clippy::cast_precision_loss, reason = "a chance needs no 64 bits")]
fn drawn(world: &World, fault: &Fault) -> f64 {
    (world.hash(&format!("fault {} {}", fault.name, fault.seen)) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Caller;
    use jiff::Timestamp;
    use serde_json::json;

    fn call(action: &str, role: Option<&str>) -> Call {
        Call {
            service: "ec2",
            action: action.into(),
            region: "us-west-2".into(),
            caller: Caller { role: role.map(Into::into), ..Caller::root() },
            input: json!({}),
            now: Timestamp::UNIX_EPOCH,
            request_id: String::new(),
        }
    }

    #[test]
    fn a_pattern_may_hold_stars_anywhere() {
        assert!(like("*", ""));
        assert!(like("Create*", "CreateVpc"));
        assert!(like("*-role-*", "my-role-1"));
        assert!(!like("Create*", "DeleteVpc"));
        assert!(!like("Vpc", "CreateVpc"));
    }

    #[test]
    fn the_nth_fitting_call_is_met_and_no_other() {
        let mut world = World::new(1, 1);
        let fault = Fault::new("second", Effect::Throttle).on("ec2", "Create*").for_role("stage-*").nth(2);
        world.faults.switch_on(fault).unwrap();
        let mut met = |action, role| !meet(&mut world, &call(action, role), true, None).is_empty();
        assert!(!met("CreateVpc", Some("stage-a")));
        assert!(!met("DeleteVpc", Some("stage-a")));
        assert!(!met("CreateVpc", None));
        assert!(met("CreateVpc", Some("stage-a")));
        assert!(!met("CreateVpc", Some("stage-a")));
        assert!(world.faults.active()[0].is_spent());
    }

    #[test]
    fn chances_come_from_the_seed() {
        let run = |seed| {
            let mut world = World::new(seed, 1);
            world.faults.switch_on(Fault::new("maybe", Effect::Throttle).with_probability(0.3)).unwrap();
            (0..200).map(|_| !meet(&mut world, &call("CreateVpc", None), true, None).is_empty()).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        let met = run(1).into_iter().filter(|met| *met).count();
        assert!((30..90).contains(&met), "{met}");
    }

    #[test]
    fn a_fault_out_of_bounds_is_refused() {
        let mut faults = State::default();
        assert!(faults.switch_on(Fault::new("a", Effect::Throttle).with_probability(1.5)).is_err());
        assert!(faults.switch_on(Fault::new("a", Effect::ServerError { status: 200 })).is_err());
        assert!(faults.switch_on(Fault::new("", Effect::Throttle)).is_err());
        assert!(faults.active().is_empty());
    }
}
