//! What is known of a subject's changes: sent, answered, lost, and what they made.
//!
//! The ledger lives in the stage's (or the operation's) record, so that it outlives the operation: the next one knows
//! which change may still be on its way. It is a hint for looking, never a reason to believe: whether a thing is there
//! is seen in the world.

use domain::ids::OperationId;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How long a thing just made may stay invisible to reads before its absence counts. Services whose reads lag longer
/// say so in their change.
pub const VISIBILITY_WINDOW: SignedDuration = SignedDuration::from_secs(60);

/// How often one change may be answered with success within one run. A thing that vanishes may be made again; one that
/// never shows would be made and billed without end.
pub const MOST_SUCCESSES: usize = 3;

/// Where one change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sent {
    /// Journaled, perhaps sent, not answered.
    Intended,
    /// Answered with success.
    Applied,
    /// Answered with a refusal: it did not happen.
    Refused,
}

/// The newest sending of one change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Where it is.
    pub sent: Sent,
    /// When it was journaled last.
    pub at: Timestamp,
    /// How often a thing of this name was made before: part of the client token, so that an old token cannot bring a
    /// removed thing back.
    pub incarnation: u32,
    /// The operation whose journal tells of it, and where.
    pub journal: (OperationId, u32),
    /// Ids of what it made, by what they are (`vpcId`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub made: BTreeMap<String, String>,
    /// When it was sent each time that it was answered with success, the newest [`MOST_SUCCESSES`] times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub successes: Vec<Timestamp>,
}

/// Every change of a subject by its key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger(BTreeMap<String, Entry>);

impl Ledger {
    /// The newest sending of `key`.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.0.get(key)
    }

    /// The id `name` that change `key` made, if it was answered.
    pub fn made(&self, key: &str, name: &str) -> Option<&str> {
        self.0.get(key).and_then(|entry| entry.made.get(name)).map(String::as_str)
    }

    /// Whether change `key` may have been made but not show yet.
    pub fn may_be_invisible(&self, key: &str, now: Timestamp, window: SignedDuration) -> bool {
        self.0.get(key).is_some_and(|entry| entry.sent != Sent::Refused && now.duration_since(entry.at) < window)
    }

    /// Whether change `key` was answered with success as often as it may be since `began`, when the run began.
    pub fn is_spent(&self, key: &str, began: Timestamp) -> bool {
        let entry = self.0.get(key);
        entry.is_some_and(|entry| entry.successes.iter().filter(|at| **at >= began).count() >= MOST_SUCCESSES)
    }

    /// Everything made, as `key.name = id`, for people.
    pub fn all_made(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.0.iter().flat_map(|(key, entry)| {
            entry.made.iter().map(move |(name, id)| (key.as_str(), name.as_str(), id.as_str()))
        })
    }

    /// Changes that were sent and never answered.
    pub fn unanswered(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, entry)| entry.sent == Sent::Intended).map(|(key, _)| key.as_str())
    }

    /// Changes that were sent, not answered, and are not among those that `remain` to be made: what they were for is so.
    pub fn found_done<'a>(&'a self, remain: &'a [String]) -> impl Iterator<Item = (&'a str, (OperationId, u32))> {
        self.0
            .iter()
            .filter(move |(key, entry)| entry.sent == Sent::Intended && !remain.contains(key))
            .map(|(key, entry)| (key.as_str(), entry.journal))
    }

    /// Notes that `key` is about to be sent, told of at `journal`, and answers the incarnation it is sent under: the
    /// same as before while the last sending was not answered with success, the next one after that.
    pub fn intend(&mut self, key: &str, now: Timestamp, journal: (OperationId, u32)) -> u32 {
        let incarnation = match self.0.get(key) {
            Some(entry) if entry.sent == Sent::Applied => entry.incarnation + 1,
            Some(entry) => entry.incarnation,
            None => 1,
        };
        let successes = self.0.remove(key).map(|entry| entry.successes).unwrap_or_default();
        let entry = Entry { sent: Sent::Intended, at: now, incarnation, journal, made: BTreeMap::new(), successes };
        self.0.insert(key.to_owned(), entry);
        incarnation
    }

    /// Notes that what `key` was sent for is there, though nobody answered.
    pub fn saw(&mut self, key: &str) {
        if let Some(entry) = self.0.get_mut(key) {
            entry.sent = Sent::Applied;
        }
    }

    /// Notes the answer to the newest sending of `key`.
    pub fn answer(&mut self, key: &str, sent: Sent, made: BTreeMap<String, String>) {
        if let Some(entry) = self.0.get_mut(key) {
            entry.sent = sent;
            entry.made = made;
            if sent == Sent::Applied {
                entry.successes.push(entry.at);
                let more = entry.successes.len().saturating_sub(MOST_SUCCESSES);
                entry.successes.drain(..more);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_790_000_000 + second).unwrap()
    }

    fn told() -> (OperationId, u32) {
        (OperationId::from_parts(1_790_000_000_000, 7), 1)
    }

    #[test]
    fn an_unanswered_change_keeps_its_incarnation_when_sent_again() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.intend("create-nat", at(0), told()), 1);
        assert_eq!(ledger.intend("create-nat", at(90), told()), 1);
    }

    #[test]
    fn a_thing_made_before_is_made_again_under_the_next_incarnation() {
        let mut ledger = Ledger::default();
        ledger.intend("create-nat", at(0), told());
        ledger.answer("create-nat", Sent::Applied, BTreeMap::from([("natGatewayId".into(), "nat-1".into())]));
        assert_eq!(ledger.made("create-nat", "natGatewayId"), Some("nat-1"));
        assert_eq!(ledger.intend("create-nat", at(300), told()), 2);
        assert_eq!(ledger.made("create-nat", "natGatewayId"), None);
    }

    #[test]
    fn a_change_is_spent_after_three_successes_of_one_run_and_a_new_run_begins_anew() {
        let mut ledger = Ledger::default();
        for (second, sent) in
            [(0, Sent::Applied), (100, Sent::Applied), (200, Sent::Refused), (300, Sent::Applied), (400, Sent::Applied)]
        {
            assert!(!ledger.is_spent("create-vpc", at(100)), "before second {second}");
            ledger.intend("create-vpc", at(second), told());
            ledger.answer("create-vpc", sent, BTreeMap::new());
        }
        assert!(ledger.is_spent("create-vpc", at(100)), "at 100, 300 and 400");
        assert!(!ledger.is_spent("create-vpc", at(101)), "a run that began later");
        assert!(!ledger.is_spent("create-nat", at(100)), "every change has its own count");
        assert_eq!(ledger.get("create-vpc").unwrap().successes.len(), MOST_SUCCESSES, "no more are kept than count");
    }

    #[test]
    fn a_refused_change_is_never_taken_for_an_invisible_one() {
        let mut ledger = Ledger::default();
        ledger.intend("create-vpc", at(0), told());
        assert!(ledger.may_be_invisible("create-vpc", at(59), VISIBILITY_WINDOW));
        assert!(!ledger.may_be_invisible("create-vpc", at(60), VISIBILITY_WINDOW));
        ledger.answer("create-vpc", Sent::Refused, BTreeMap::new());
        assert!(!ledger.may_be_invisible("create-vpc", at(1), VISIBILITY_WINDOW));
    }
}
