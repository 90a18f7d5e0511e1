//! The account's clock: one type that serves a paused test and a server on the wall clock alike.

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// Time as the account sees it: a start, plus what tokio's clock says has passed since.
///
/// Under `tokio::time::pause` it moves only when every task sleeps, so that a journey of hours takes milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Timestamp,
    since: Instant,
}

impl Clock {
    /// A clock that shows `start` now.
    pub fn starting_at(start: Timestamp) -> Self {
        Self { start, since: Instant::now() }
    }

    /// The time on this clock.
    pub fn now(&self) -> Timestamp {
        let passed = SignedDuration::try_from(self.since.elapsed()).unwrap_or(SignedDuration::MAX);
        self.start.saturating_add(passed).unwrap_or(Timestamp::MAX)
    }

    /// Sleeps until the clock shows `at`; returns at once if it is past.
    pub async fn sleep_until(&self, at: Timestamp) {
        let wait = at.duration_since(self.now());
        if let Ok(wait) = std::time::Duration::try_from(wait) {
            tokio::time::sleep(wait).await;
        }
    }
}
