//! The identity of what runs for longer than a session of its role lasts: a new session before the old one ends.

use account::{
    Account,
    iam::{self, Credentials},
};
use aws_credential_types::{
    Credentials as Signer,
    provider::{ProvideCredentials, error::CredentialsError, future},
};
use jiff::SignedDuration;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

/// How long before its end a session is no longer given out.
const MARGIN: SignedDuration = SignedDuration::from_mins(10);

/// Sessions of one role.
#[derive(Debug, Clone)]
pub(crate) struct Sessions {
    account: Account,
    role: String,
    open: Arc<Mutex<Option<Credentials>>>,
}

impl Sessions {
    /// Sessions of `role`, by its name.
    pub(crate) fn of(account: &Account, role: &str) -> Self {
        Self { account: account.clone(), role: role.to_owned(), open: Arc::default() }
    }

    fn current(&self) -> Option<Credentials> {
        let now = self.account.now();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let good = |one: &&Credentials| one.expiration.is_none_or(|end| now < end - MARGIN);
        if let Some(session) = open.as_ref().filter(good) {
            return Some(session.clone());
        }
        let session = self.account.with_world(|world| iam::session_for_role(world, &self.role, &self.role, now))?;
        Some(open.insert(session).clone())
    }
}

impl ProvideCredentials for Sessions {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::ready(match self.current() {
            Some(session) => Ok(Signer::new(
                session.access_key_id,
                session.secret_access_key,
                session.session_token,
                session.expiration.map(SystemTime::from),
                "local",
            )),
            None => Err(CredentialsError::provider_error(format!("there is no role {}", self.role))),
        })
    }
}
