//! Client request tokens: a request that is sent again is answered with what it made the first time.

use super::refusals::invalid;
use crate::call::{AwsError, Call};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// How long a token is remembered.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// Tokens that were used, by region, action, cluster and token.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tokens(BTreeMap<String, Used>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Used {
    at: Timestamp,
    input: Value,
    thing: String,
    last_seen: Option<Value>,
}

/// What an earlier request with the same token made.
pub(super) struct Earlier {
    /// The thing's key, as given to [`Tokens::remember`].
    pub(super) thing: String,
    /// The thing as it was last seen, if it is gone since.
    pub(super) last_seen: Option<Value>,
}

impl Tokens {
    /// What this call's token made before, if it was used.
    ///
    /// # Errors
    /// `InvalidParameterException` if the token was used with other parameters.
    pub(super) fn earlier(&self, call: &Call) -> Result<Option<Earlier>, AwsError> {
        let Some(used) = key(call).and_then(|key| self.0.get(&key)) else { return Ok(None) };
        if used.at.saturating_add(KEPT).is_ok_and(|until| until < call.now) {
            return Ok(None);
        }
        if used.input != call.input {
            return Err(invalid("The clientRequestToken was already used by a request with other parameters."));
        }
        Ok(Some(Earlier { thing: used.thing.clone(), last_seen: used.last_seen.clone() }))
    }

    /// Remembers that this call made `thing`.
    pub(super) fn remember(&mut self, call: &Call, thing: &str) {
        self.0.retain(|_, used| used.at.saturating_add(KEPT).is_ok_and(|until| until >= call.now));
        if let Some(key) = key(call) {
            let used = Used { at: call.now, input: call.input.clone(), thing: thing.to_owned(), last_seen: None };
            self.0.insert(key, used);
        }
    }

    /// Keeps the last look of a thing that goes, for whoever sends its token again.
    pub(super) fn gone(&mut self, thing: &str, last_seen: &Value) {
        for used in self.0.values_mut().filter(|used| used.thing == thing && used.last_seen.is_none()) {
            used.last_seen = Some(last_seen.clone());
        }
    }
}

fn key(call: &Call) -> Option<String> {
    let cluster = call.text("clusterName").or_else(|| call.text("name")).unwrap_or_default();
    call.text("clientRequestToken").map(|token| format!("{}/{}/{cluster}/{token}", call.region, call.action))
}
