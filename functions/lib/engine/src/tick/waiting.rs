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

/// How long a read that is refused by throttling, 5xx or a spreading role is asked again.
pub(super) fn for_trouble(on: WaitingOn, failure: Failure) -> Wait {
    Wait { seconds: 2, failure: Some(failure.clone()), ..Wait::new(on, failure.message) }
}

/// The next tick looks whether the change happened.
pub(super) fn for_lost_answer(failure: Failure) -> Wait {
    Wait {
        seconds: 2,
        failure: Some(failure.clone()),
        ..Wait::new(WaitingOn::UncertainChange, format!("the answer was lost: {}", failure.message))
    }
}

impl<R: Reconciler> Tick<'_, R> {
    /// Writes the wait down and hands it to the state machine; a wait past its deadline is a failure.
    pub(super) async fn wait(&mut self, wait: Wait) -> Flow<TickAnswer> {
        let now = self.engine.context.now();
        let before = self.operation.waiting.as_ref().filter(|before| before.on == wait.on);
        let (since, looks) = before.map_or((now, 0), |before| (before.since, before.looks + 1));
        let deadline = deadline(&wait, since);
        if now >= deadline {
            return self.fail(overdue(wait, since)).await;
        }
        let seconds = self.interval(&wait, since, looks, now);
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

    /// Seconds until the next look: doubling with chance while we are throttled, else a sixtieth of the time waited so
    /// far (a ten-minute wait is noticed within ten seconds), or up to the known date.
    fn interval(&self, wait: &Wait, since: Timestamp, looks: u32, now: Timestamp) -> u32 {
        if wait.on == WaitingOn::Throttled {
            let chance = jitter(&format!("{}/{}/{looks}", self.operation.id, self.operation.version));
            let longest = f64::from(2_u32.saturating_pow(looks.min(5) + 1).min(LONGEST));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 60")]
            return (longest * (0.5 + chance / 2.0)).ceil() as u32;
        }
        if let Some(until) = wait.until.filter(|until| *until > now) {
            let left = until.duration_since(now).as_secs() + 1;
            return u32::try_from(left.clamp(1, LONGEST_TO_DATE)).unwrap_or(LONGEST);
        }
        let waited = u32::try_from(now.duration_since(since).as_secs()).unwrap_or(0);
        (waited / 60).clamp(wait.seconds.clamp(1, LONGEST), LONGEST)
    }
}

fn deadline(wait: &Wait, since: Timestamp) -> Timestamp {
    let start = wait.until.map_or(since, |until| until.max(since));
    start.saturating_add(wait.deadline.unwrap_or(DEADLINE)).unwrap_or(Timestamp::MAX)
}

fn overdue(wait: Wait, since: Timestamp) -> Failure {
    wait.failure.unwrap_or_else(|| {
        Failure::new(ErrorCode::DeadlineExceeded, format!("waited since {since} and gave up: {}", wait.reason))
            .with_action("Look at what it waits for, then run it again; nothing that was made is lost.")
    })
}
