//! Waiting: typed, with a reason for people, an interval that grows with the wait, and a deadline.

use super::{Flow, Tick, wait_answer};
use crate::{context::jitter, plan::Wait, reconciler::Reconciler, record::TickAnswer, record::Waiting};
use domain::{codes::ErrorCode, failure::Failure, states::WaitingOn};
use jiff::{SignedDuration, Timestamp};

/// A wait is a failure after this, unless it is known to be longer.
const DEADLINE: SignedDuration = SignedDuration::from_hours(24);

/// The longest interval between two looks where no date is known: with it, a day of waiting stays far below the 25,000
/// events of an execution.
const LONGEST: u32 = 60;

/// The longest sleep towards a known date; a look in between notices what has changed.
const LONGEST_TO_DATE: i64 = 3600;

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
    /// Waits for what the plan has come to: as long as it says at first, then a sixtieth of the time waited so far (a
    /// ten-minute wait is noticed within ten seconds), or up to the known date.
    pub(super) async fn wait(&mut self, wait: Wait) -> Flow<TickAnswer> {
        let now = self.engine.context.now();
        let (since, looks) = self.resumed(wait.on).unwrap_or((now, 0));
        self.operation.interrupted = None;
        let seconds = match wait.until.filter(|until| *until > now) {
            Some(until) => towards(until, now),
            None => {
                let waited = u32::try_from(now.duration_since(since).as_secs()).unwrap_or(0);
                (waited / 60).clamp(wait.seconds.clamp(1, LONGEST), LONGEST)
            }
        };
        self.look_again_in(seconds, wait, since, looks).await
    }

    /// Waits until a call may be answered: twice as long each time, with chance, since others wait for the same. A wait
    /// that this breaks into goes on afterwards, and so does its deadline: two troubles in turn are not waited for without
    /// end.
    pub(super) async fn back_off(&mut self, wait: Wait) -> Flow<TickAnswer> {
        let now = self.engine.context.now();
        let (since, looks) = self.resumed(wait.on).unwrap_or((now, 0));
        if let Some(other) = self.operation.waiting.take().filter(|before| before.on != wait.on) {
            self.operation.interrupted.get_or_insert(other);
        }
        let chance = jitter(&format!("{}/{}/{looks}", self.operation.id, self.operation.version));
        self.look_again_in(backed_off(looks, chance), wait, since, looks).await
    }

    /// Since when the operation waits for this, and how often it has looked.
    fn resumed(&self, on: WaitingOn) -> Option<(Timestamp, u32)> {
        let known = [&self.operation.waiting, &self.operation.interrupted];
        let before = known.into_iter().flatten().find(|before| before.on == on)?;
        Some((before.since, before.looks + 1))
    }

    /// Writes the wait down and hands it to the state machine; a wait past its deadline is a failure.
    async fn look_again_in(&mut self, seconds: u32, wait: Wait, since: Timestamp, looks: u32) -> Flow<TickAnswer> {
        let now = self.engine.context.now();
        let deadline = deadline(&wait, since);
        if now >= deadline {
            return self.fail(overdue(wait, since)).await;
        }
        let next_look_at = now.saturating_add(SignedDuration::from_secs(seconds.into())).unwrap_or(Timestamp::MAX);
        let on = wait.on;
        let waiting = Waiting { on, reason: wait.reason, since, deadline, next_look_at, looks };
        if let Some(stage) = self.stage.as_mut() {
            stage.waiting = Some(waiting.clone());
        }
        self.operation.waiting = Some(waiting);
        self.operation.lease = None;
        self.save().await?;
        Ok(wait_answer(seconds, on))
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
    fn a_wait_for_an_answer_grows_to_a_minute_and_differs_by_chance() {
        let soonest: Vec<u32> = (0..8).map(|looks| backed_off(looks, 0.0)).collect();
        let latest: Vec<u32> = (0..8).map(|looks| backed_off(looks, 1.0)).collect();
        assert_eq!(soonest, [1, 2, 4, 8, 16, 30, 30, 30]);
        assert_eq!(latest, [2, 4, 8, 16, 32, 60, 60, 60]);
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
