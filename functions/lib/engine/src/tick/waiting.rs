//! Waiting: typed, with a reason for people, an interval that grows with the wait, and a deadline.

use super::{BUDGET, Flow, LEASE, Tick, wait_answer};
use crate::{
    context::jitter,
    plan::Wait,
    reconciler::Reconciler,
    record::{OpenWait, TickAnswer, Waiting},
};
use domain::{codes::ErrorCode, failure::Failure, states::WaitingOn};
use jiff::{SignedDuration, Timestamp};

/// A wait is a failure after this, unless it is known to be longer.
const DEADLINE: SignedDuration = SignedDuration::from_hours(24);

/// The longest interval between two looks where no date is known.
const LONGEST: u32 = 60;

/// What share of the time waited so far the next interval is: a ten-minute wait is noticed within seven seconds, a wait of
/// half an hour within twenty, ten on average.
const SHARE: i64 = 90;

/// What the subject of every trouble begins with.
const TROUBLE: &str = "trouble/";

/// Most waits that are remembered; those that were given up first are forgotten first.
const MOST_WAITS: usize = 16;

/// The longest sleep towards a known date; a look in between notices what has changed.
const LONGEST_TO_DATE: i64 = 3600;

/// Seconds until the next look at a lease that somebody else holds for another `left`. One who works gives it back within
/// seconds; one who has held it for longer than a tick lasts is most likely dead, and is waited out.
pub(super) fn for_lease(left: SignedDuration) -> u32 {
    let seconds = if LEASE - left <= BUDGET { 10 } else { left.as_secs().clamp(1, 30) + 1 };
    u32::try_from(seconds).unwrap_or(LONGEST)
}

/// What keeps a call from being answered as hoped, and passes by itself: throttling, 5xx, a spreading role.
pub(super) fn for_trouble(on: WaitingOn, failure: Failure) -> Wait {
    Wait { failure: Some(failure.clone()), ..Wait::new(on, failure.message) }
}

/// The next tick looks whether the change happened.
pub(super) fn for_lost_answer(failure: Failure) -> Wait {
    let reason = format!("the answer was lost: {}", failure.message);
    Wait { failure: Some(failure), ..Wait::new(WaitingOn::UncertainChange, reason) }
}

impl<R: Reconciler> Tick<'_, R> {
    /// Waits for what the plan has come to: as long as it says at first, then a share of the time waited so far, or up to
    /// the known date. What is waited for after something else begins with its own pace and deadline.
    pub(super) async fn wait(&mut self, wait: Wait) -> Flow<TickAnswer> {
        let now = self.engine.context.now();
        let (since, looks) = self.resumed(&wait.subject);
        self.operation.interrupted = None;
        self.operation.waits.retain(|before| !before.subject.starts_with(TROUBLE));
        let seconds = match wait.until.filter(|until| *until > now) {
            Some(until) => towards(until, now),
            None => grown(now.duration_since(since), wait.seconds),
        };
        self.look_again_in(seconds, wait, since, looks).await
    }

    /// Waits until a call may be answered: twice as long each time, with chance, since others wait for the same. A wait
    /// that this breaks into goes on afterwards, and so does its deadline.
    pub(super) async fn back_off(&mut self, wait: Wait) -> Flow<TickAnswer> {
        let wait = Wait { subject: format!("{TROUBLE}{}", wait.on), ..wait };
        let (since, looks) = self.resumed(&wait.subject);
        if let Some(other) = self.operation.waiting.take().filter(|before| before.on != wait.on) {
            self.operation.interrupted.get_or_insert(other);
        }
        let chance = jitter(&format!("{}/{}/{looks}", self.operation.id, self.operation.version));
        self.look_again_in(backed_off(looks, chance), wait, since, looks).await
    }

    /// Since when the operation waits for `subject`, and how often it has looked. Two waits in turn both come to their
    /// deadlines: each counts the time in which it was waited for, and trouble that breaks into one stops no clock.
    fn resumed(&self, subject: &str) -> (Timestamp, u32) {
        let now = self.engine.context.now();
        let waits = &self.operation.waits;
        let Some(before) = waits.iter().find(|before| before.subject == subject) else { return (now, 0) };
        let newest = waits.iter().rev().find(|before| !before.subject.starts_with(TROUBLE));
        let went_on = subject.starts_with(TROUBLE) || newest.is_some_and(|newest| newest.subject == subject);
        let between = if went_on { SignedDuration::ZERO } else { now.duration_since(before.until.min(now)) };
        (before.since.saturating_add(between).unwrap_or(now), before.looks + 1)
    }

    /// Writes the wait down and hands it to the state machine; a wait past its deadline is a failure.
    async fn look_again_in(&mut self, seconds: u32, wait: Wait, since: Timestamp, looks: u32) -> Flow<TickAnswer> {
        let now = self.engine.context.now();
        let deadline = deadline(&wait, since);
        if now >= deadline {
            return self.fail(overdue(wait, since)).await;
        }
        self.operation.looks = self.operation.looks.saturating_add(1);
        let seconds = seconds.max(sparing(self.operation.looks));
        let until = now.saturating_add(SignedDuration::from_secs(seconds.into())).unwrap_or(Timestamp::MAX);
        self.remember(OpenWait { subject: wait.subject, since, until, looks });
        let on = wait.on;
        let waiting = Waiting { on, reason: wait.reason, since, deadline, next_look_at: until, looks };
        if let Some(stage) = self.stage.as_mut() {
            stage.waiting = Some(waiting.clone());
        }
        self.operation.waiting = Some(waiting);
        self.operation.lease = None;
        self.save().await?;
        Ok(wait_answer(seconds, on))
    }

    fn remember(&mut self, wait: OpenWait) {
        let waits = &mut self.operation.waits;
        waits.retain(|before| before.subject != wait.subject);
        waits.push(wait);
        let more = waits.len().saturating_sub(MOST_WAITS);
        waits.drain(..more);
    }
}

/// Seconds until the next look of a wait that has lasted for `waited` and began with looks `first` apart.
fn grown(waited: SignedDuration, first: u32) -> u32 {
    let share = u32::try_from(waited.as_secs() / SHARE).unwrap_or(0);
    share.clamp(first.clamp(1, LONGEST), LONGEST)
}

/// Seconds that an attempt waits at least after so many looks. One takes nine events of the 25,000 that an execution may
/// have (Step Functions quotas): an attempt that has looked for more than a day looks seldom, and never dies of it.
const fn sparing(looks: u32) -> u32 {
    match looks {
        0..1_500 => 0,
        1_500..2_000 => 300,
        _ => 3_600,
    }
}

/// Seconds of the wait after `looks` others in a row: up to 2, 4, 8 … 60, at least half of it. `chance` is between 0 and 1.
fn backed_off(looks: u32, chance: f64) -> u32 {
    let longest = f64::from(2_u32.saturating_pow(looks.min(5) + 1).min(LONGEST));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 60")]
    let seconds = (longest * (0.5 + chance / 2.0)).ceil() as u32;
    seconds
}

/// Seconds of a sleep towards a known date.
fn towards(until: Timestamp, now: Timestamp) -> u32 {
    let left = until.duration_since(now).as_secs() + 1;
    u32::try_from(left.clamp(1, LONGEST_TO_DATE)).unwrap_or(LONGEST)
}

fn deadline(wait: &Wait, since: Timestamp) -> Timestamp {
    let start = wait.until.map_or(since, |until| until.max(since));
    start.saturating_add(wait.deadline.unwrap_or(DEADLINE)).unwrap_or(Timestamp::MAX)
}

/// The failure of a wait past its deadline: what was waited for, and that it was waited for.
fn overdue(wait: Wait, since: Timestamp) -> Failure {
    match wait.failure {
        Some(failure) => {
            let message = format!("{} (waited since {since} and gave up)", failure.message);
            Failure { message, ..failure }
        }
        None => Failure::new(ErrorCode::DeadlineExceeded, format!("waited since {since} and gave up: {}", wait.reason))
            .with_action("Look at what it waits for, then run it again; nothing that was made is lost."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn br_151_a_wait_for_an_answer_grows_to_a_minute_and_differs_by_chance() {
        let soonest: Vec<u32> = (0..8).map(|looks| backed_off(looks, 0.0)).collect();
        let latest: Vec<u32> = (0..8).map(|looks| backed_off(looks, 1.0)).collect();
        assert_eq!(soonest, [1, 2, 4, 8, 16, 30, 30, 30]);
        assert_eq!(latest, [2, 4, 8, 16, 32, 60, 60, 60]);
    }

    #[test]
    fn a_lease_is_looked_at_soon_while_its_holder_may_work_and_seldom_after_that() {
        assert_eq!([90, 75, 69, 20, 1].map(|left| for_lease(SignedDuration::from_secs(left))), [10, 10, 31, 21, 2]);
    }

    #[test]
    fn looks_are_ten_seconds_apart_or_less_for_a_quarter_of_an_hour_and_a_minute_at_most() {
        let after = |minutes, first| grown(SignedDuration::from_mins(minutes), first);
        assert_eq!([0, 1, 7, 10, 15, 30, 90, 600].map(|minutes| after(minutes, 5)), [5, 5, 5, 6, 10, 20, 60, 60]);
        assert_eq!((after(0, 30), after(0, 0), after(0, 900)), (30, 1, 60));
    }

    #[test]
    fn ten_days_of_waiting_fit_into_one_execution() {
        let (mut waited, mut looks) = (0, 0);
        while waited < 10 * 24 * 3600 {
            looks += 1;
            let anew = SignedDuration::from_secs(waited % (24 * 3600));
            waited += i64::from(grown(anew, 5).max(sparing(looks)));
        }
        assert!(looks * 9 < 20_000, "{looks} looks");
    }

    #[test]
    fn a_failure_that_was_waited_for_says_since_when() {
        let since: Timestamp = "2026-12-01T08:00:00Z".parse().unwrap();
        let refused = Failure::new(ErrorCode::Throttled, "slow down").with_action("Ask for a higher limit.");
        let told = overdue(for_trouble(WaitingOn::Throttled, refused), since);
        assert_eq!(told.message, "slow down (waited since 2026-12-01T08:00:00Z and gave up)");
        assert_eq!((told.code, told.action.as_str()), (ErrorCode::Throttled, "Ask for a higher limit."));
        let plain = overdue(Wait::new(WaitingOn::Aws, "it comes up"), since);
        assert_eq!(plain.code, ErrorCode::DeadlineExceeded);
        assert!(plain.message.contains("it comes up"));
    }

    #[test]
    fn a_known_date_is_slept_towards_an_hour_at_a_time() {
        let at = |second: i64| Timestamp::from_second(1_796_000_000 + second).unwrap();
        assert_eq!(towards(at(36 * 3600), at(0)), 3600);
        assert_eq!(towards(at(90), at(0)), 91);
    }
}
