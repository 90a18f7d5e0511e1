//! Values that IAM shows at once but acts on later: what "eventually consistent" means, made explicit.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A value with the moments from which each of its versions is in force.
///
/// IAM's own API reads the [`current`](Self::current) version; authorization and services that assume a role act on the
/// [`effective`](Self::effective) one, which trails behind by seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Lagged<T> {
    versions: Vec<(Timestamp, T)>,
    current: T,
}

impl<T: Clone> Lagged<T> {
    /// A new value that comes into force at `effective`.
    pub(crate) fn new(value: T, effective: Timestamp) -> Self {
        Self { versions: vec![(effective, value.clone())], current: value }
    }

    /// Replaces the value at `now`; the new one comes into force at `effective`, and never before an older one does.
    pub(crate) fn set(&mut self, value: T, now: Timestamp, effective: Timestamp) {
        let in_force = self.versions.iter().rposition(|(at, _)| *at <= now).unwrap_or(0);
        self.versions.drain(..in_force);
        let effective = self.versions.last().map_or(effective, |(at, _)| effective.max(*at));
        self.versions.push((effective, value.clone()));
        self.current = value;
    }

    /// What was written last.
    pub(crate) fn current(&self) -> &T {
        &self.current
    }

    /// What is in force at `now`; none while not even the first version is.
    pub(crate) fn effective(&self, now: Timestamp) -> Option<&T> {
        self.versions.iter().rev().find(|(at, _)| *at <= now).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_new_value_is_seen_at_once_and_in_force_later() {
        let value = Lagged::new("a", at(10));
        assert_eq!((value.current(), value.effective(at(9)), value.effective(at(10))), (&"a", None, Some(&"a")));
    }

    #[test]
    fn the_older_version_holds_until_the_newer_one_is_in_force() {
        let mut value = Lagged::new("a", at(10));
        value.set("b", at(20), at(30));
        assert_eq!((value.current(), value.effective(at(29)), value.effective(at(30))), (&"b", Some(&"a"), Some(&"b")));
    }

    #[test]
    fn a_later_change_is_never_in_force_before_an_earlier_one() {
        let mut value = Lagged::new("a", at(0));
        value.set("b", at(1), at(20));
        value.set("c", at(2), at(5));
        assert_eq!(value.effective(at(19)), Some(&"a"));
        assert_eq!(value.effective(at(20)), Some(&"c"));
    }
}
