//! How many waits a principal may have at a time: each holds a connection and an invocation.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Waits that one principal may have at a time.
pub(crate) const WAITS_AT_A_TIME: usize = 2;

/// The waits going on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waits(Arc<Mutex<HashMap<String, usize>>>);

/// The right to wait; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Wait {
    waits: Waits,
    principal: String,
}

impl Waits {
    /// The right to wait, or none if `principal` has all that it may have.
    pub(crate) fn begin(&self, principal: &str) -> Option<Wait> {
        let mut going_on = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = going_on.entry(principal.to_owned()).or_default();
        if *count >= WAITS_AT_A_TIME {
            return None;
        }
        *count += 1;
        Some(Wait { waits: self.clone(), principal: principal.to_owned() })
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let mut going_on = self.waits.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = going_on.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                going_on.remove(&self.principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_wait_is_refused_until_one_of_the_two_has_ended() {
        let waits = Waits::default();
        let (first, _second) = (waits.begin("a").unwrap(), waits.begin("a").unwrap());
        assert!(waits.begin("a").is_none());
        assert!(waits.begin("b").is_some(), "another principal has waits of its own");
        drop(first);
        assert!(waits.begin("a").is_some());
    }
}
