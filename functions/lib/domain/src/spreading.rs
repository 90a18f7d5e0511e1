//! How long what IAM or EKS was just told may be unknown elsewhere: the one rule of when a refusal may be too young to
//! mean anything.
//!
//! What the refusal is about (a role, an access entry, a driver's permission) is known where it is judged; here is only
//! the age.

use crate::limits::NEW_ROLE_SECONDS;
use jiff::{SignedDuration, Timestamp};

/// A refusal that is about something younger than this is waited for; about something older it is a failure.
pub const SPREADING: SignedDuration = SignedDuration::from_secs(NEW_ROLE_SECONDS as i64);

/// Whether what was made or changed `since` then may not have reached every service yet. Of what nobody knows when it was
/// made, a refusal is believed.
pub fn may_spread(since: Option<Timestamp>, now: Timestamp) -> bool {
    since.is_some_and(|since| now.duration_since(since) < SPREADING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_too_young_to_be_believed_for_three_minutes_and_no_longer() {
        let made: Timestamp = "2026-12-01T08:00:00Z".parse().unwrap();
        let after = |seconds: i64| may_spread(Some(made), made + SignedDuration::from_secs(seconds));
        assert!(after(0) && after(179));
        assert!(!after(180) && !after(3600));
        assert!(!may_spread(None, made), "without a date nothing is waited for");
    }
}
