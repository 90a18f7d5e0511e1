//! The identity of what runs for longer than a session of its role lasts: a new session before the old one ends, given
//! as Lambda gives its functions theirs.

use account::{
    Account,
    iam::{self, Credentials, RoleState},
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

/// Who takes on a function's role.
const LAMBDA: &str = "lambda.amazonaws.com";

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

    fn current(&self) -> Result<Credentials, CredentialsError> {
        let now = self.account.now();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let good = |one: &&Credentials| one.expiration.is_none_or(|end| now < end - MARGIN);
        if let Some(session) = open.as_ref().filter(good) {
            return Ok(session.clone());
        }
        let session = self.account.with_world(|world| match iam::role_assumable_by(world, &self.role, LAMBDA, now) {
            RoleState::Trusted => Ok(iam::session_for_role(world, &self.role, &self.role, now)),
            state => Err(state),
        });
        let refused = |why: &str| CredentialsError::provider_error(format!("the role {} {why}", self.role));
        match session {
            Ok(Some(session)) => Ok(open.insert(session).clone()),
            Ok(None) | Err(RoleState::Missing) => Err(refused("does not exist")),
            Err(RoleState::NotYet) => Err(refused("cannot be assumed yet: it was made or changed a moment ago")),
            Err(_) => Err(refused("does not trust Lambda")),
        }
    }
}

impl ProvideCredentials for Sessions {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::ready(self.current().map(|session| {
            let expiration = session.expiration.map(SystemTime::from);
            Signer::new(session.access_key_id, session.secret_access_key, session.session_token, expiration, "local")
        }))
    }
}
