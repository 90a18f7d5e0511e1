//! What IAM knows.

use super::{lagged::Lagged, policy::Document};
use crate::world::World;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// IAM's part of the world. Holds no secrets: they derive from the world's seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// How long a change takes to work, in seconds at AWS's pace; 0–20 unless a test wants another.
    pub lag: Range<u32>,
    pub(super) roles: BTreeMap<String, Role>,
    pub(super) users: BTreeMap<String, User>,
    pub(super) policies: BTreeMap<String, ManagedPolicy>,
    /// By URL without scheme.
    pub(super) providers: BTreeMap<String, super::oidc::Provider>,
    pub(super) access_keys: BTreeMap<String, AccessKey>,
    pub(super) sessions: BTreeMap<String, super::credentials::Session>,
    /// Deletions of service-linked roles by task id, with the role's name.
    pub(super) deletions: BTreeMap<String, String>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            lag: 0..21,
            roles: BTreeMap::new(),
            users: BTreeMap::new(),
            policies: BTreeMap::new(),
            providers: BTreeMap::new(),
            access_keys: BTreeMap::new(),
            sessions: BTreeMap::new(),
            deletions: BTreeMap::new(),
        }
    }
}

/// A role. Name and path never change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Role {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) id: String,
    pub(super) arn: String,
    pub(super) description: Option<String>,
    pub(super) created: Timestamp,
    /// Seconds.
    pub(super) max_session: i64,
    pub(super) tags: BTreeMap<String, String>,
    pub(super) trust: Lagged<Document>,
    pub(super) grants: Lagged<Grants>,
}

/// A user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct User {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) id: String,
    pub(super) arn: String,
    pub(super) created: Timestamp,
    pub(super) tags: BTreeMap<String, String>,
    pub(super) grants: Lagged<Grants>,
}

/// What a user or role was given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Grants {
    pub(super) inline: BTreeMap<String, Document>,
    /// ARNs of managed policies.
    pub(super) attached: BTreeSet<String>,
    /// ARN of the permissions boundary.
    pub(super) boundary: Option<String>,
}

/// A customer managed policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ManagedPolicy {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) id: String,
    pub(super) description: Option<String>,
    pub(super) created: Timestamp,
    pub(super) updated: Timestamp,
    pub(super) tags: BTreeMap<String, String>,
    /// By number: version `v3` is 3.
    pub(super) versions: BTreeMap<u32, Version>,
    pub(super) default: u32,
    pub(super) last_version: u32,
    /// The default version's document.
    pub(super) in_force: Lagged<Document>,
}

/// A version of a customer managed policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Version {
    pub(super) document: Document,
    pub(super) created: Timestamp,
}

/// A user's long-lived key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct AccessKey {
    pub(super) user: String,
    pub(super) active: bool,
    pub(super) created: Timestamp,
}

/// When a change of `what` made at `now` begins to work.
pub(super) fn effective_from(world: &mut World, what: &str, now: Timestamp) -> Timestamp {
    let number = world.next_number("iam-change");
    let lag = world.paced(world.draw(&format!("iam-lag {what} {number}"), world.iam.lag.clone()));
    now.saturating_add(lag).unwrap_or(Timestamp::MAX)
}
