//! Sessions of roles that are still good: one is used until it nears its end, not opened anew for every look.

use aws_credential_types::Credentials;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

/// What must be left of a session: a token for Kubernetes is used for fourteen minutes, and must not outlive it.
const LEFT: Duration = Duration::from_mins(16);

/// Sessions by role and session name; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Sessions(Arc<Mutex<BTreeMap<(String, String), Credentials>>>);

impl Sessions {
    /// The session of `role` called `name`, if there is one with enough of it left.
    pub(crate) fn good(&self, role: &str, name: &str, now: SystemTime) -> Option<Credentials> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, session| session.expiry().is_some_and(|end| end > now + LEFT));
        open.get(&(role.to_owned(), name.to_owned())).cloned()
    }

    /// Keeps a session that was opened.
    pub(crate) fn keep(&self, role: &str, name: &str, session: &Credentials) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert((role.to_owned(), name.to_owned()), session.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(end: SystemTime) -> Credentials {
        Credentials::new("ASIAEXAMPLE", "secret", Some("token".to_owned()), Some(end), "test")
    }

    #[test]
    fn a_session_is_used_until_a_token_could_outlive_it() {
        let (sessions, now) = (Sessions::default(), SystemTime::UNIX_EPOCH);
        sessions.keep("role", "operation-1", &ending(now + Duration::from_mins(60)));
        assert!(sessions.good("role", "operation-1", now + Duration::from_mins(43)).is_some());
        assert!(sessions.good("role", "operation-1", now + Duration::from_mins(44)).is_none());
        assert!(sessions.0.lock().unwrap().is_empty(), "what has ended is not kept");
    }

    #[test]
    fn a_session_is_good_for_its_own_role_and_name_alone() {
        let (sessions, now) = (Sessions::default(), SystemTime::UNIX_EPOCH);
        sessions.keep("reader", "operation-1", &ending(now + Duration::from_mins(60)));
        assert!(sessions.good("writer", "operation-1", now).is_none());
        assert!(sessions.good("reader", "operation-2", now).is_none());
    }
}
