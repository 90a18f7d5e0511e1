//! Keys and sessions: who may sign, and with which secret.
//!
//! No secret is kept. A secret derives from the world's seed and the key's id, so that a world that is written to disk
//! holds ids only, and the same world gives the same credentials again.

use super::{
    identity::{id_from, unique_id},
    policy::Document,
};
use crate::{
    call::{ACCOUNT_ID, AwsError, Caller},
    world::World,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::{collections::BTreeMap, fmt};

/// Sessions that are past their end are forgotten after this time; until then they are answered with "expired".
const REMEMBERED: SignedDuration = SignedDuration::from_hours(1);

/// A key that was found to be good, and whose it is.
#[derive(Clone, PartialEq)]
pub struct Credential {
    /// The secret access key to verify the signature with.
    pub secret: String,
    /// Whose key it is.
    pub caller: Caller,
}

impl fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Credential").field("caller", &self.caller).finish_non_exhaustive()
    }
}

/// What a program signs with.
#[derive(Clone, PartialEq)]
pub struct Credentials {
    /// `AKIA…` for a user, `ASIA…` for a session.
    pub access_key_id: String,
    /// The secret to sign with.
    pub secret_access_key: String,
    /// Sent along by sessions; none for root and users.
    pub session_token: Option<String>,
    /// When a session ends; none for root and users.
    pub expiration: Option<Timestamp>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Credentials");
        shown.field("access_key_id", &self.access_key_id).field("expiration", &self.expiration);
        shown.finish_non_exhaustive()
    }
}

/// Temporary credentials that were handed out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Session {
    pub(super) caller: Caller,
    pub(super) expires: Timestamp,
    pub(super) tags: BTreeMap<String, String>,
    pub(super) policy: Option<Document>,
}

/// What a session of a role is opened with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grant {
    /// Seconds.
    pub(crate) duration: i64,
    /// Session tags, seen as `aws:PrincipalTag`.
    pub(crate) tags: BTreeMap<String, String>,
    /// A session policy, which only narrows.
    pub(crate) policy: Option<Document>,
}

/// Whose key this is and what its secret is, as of `now`.
///
/// # Errors
/// `InvalidClientTokenId` for a key or token that is not known, `ExpiredToken` for a session that has ended; each with
/// HTTP 403 and in STS's words. Services of the JSON protocols name them `UnrecognizedClientException` and
/// `ExpiredTokenException`, which is the protocol layer's to translate.
pub fn authenticate(
    world: &World,
    access_key_id: &str,
    session_token: Option<&str>,
    now: Timestamp,
) -> Result<Credential, AwsError> {
    let secret = secret(world, access_key_id);
    if let Some(session) = world.iam.sessions.get(access_key_id) {
        let expected = token(world, access_key_id);
        if !session_token.is_some_and(|token| same(token, &expected)) {
            return Err(invalid_token());
        }
        if session.expires <= now {
            let message = "The security token included in the request is expired";
            return Err(AwsError::new("ExpiredToken", message).with_status(403));
        }
        return Ok(Credential { secret, caller: session.caller.clone() });
    }
    if session_token.is_some() {
        return Err(invalid_token());
    }
    if access_key_id == root_key(world) {
        return Ok(Credential { secret, caller: Caller::root() });
    }
    let key = world.iam.access_keys.get(access_key_id).filter(|key| key.active);
    let user = key.and_then(|key| world.iam.users.get(&key.user)).ok_or_else(invalid_token)?;
    let caller = Caller { arn: user.arn.clone(), user_id: user.id.clone(), role: None };
    Ok(Credential { secret, caller })
}

/// Credentials of the account's root user: always the same for one seed.
pub fn root_credentials(world: &World) -> Credentials {
    let access_key_id = root_key(world);
    let secret_access_key = secret(world, &access_key_id);
    Credentials { access_key_id, secret_access_key, session_token: None, expiration: None }
}

/// Opens a session of an hour of `role_name`, as a service does for code that it runs (Lambda, Step Functions): trust is
/// the caller's question, see [`super::role_assumable_by`]. None if there is no such role.
pub fn session_for_role(world: &mut World, role_name: &str, session_name: &str, now: Timestamp) -> Option<Credentials> {
    open_session(world, role_name, session_name, Grant { duration: 3600, ..Grant::default() }, now)
}

/// The same with more to say about the session.
pub(crate) fn open_session(
    world: &mut World,
    role_name: &str,
    session_name: &str,
    grant: Grant,
    now: Timestamp,
) -> Option<Credentials> {
    let role = world.iam.roles.get(role_name)?;
    let caller = Caller {
        arn: format!("arn:aws:sts::{ACCOUNT_ID}:assumed-role/{}/{session_name}", role.name),
        user_id: format!("{}:{session_name}", role.id),
        role: Some(role.name.clone()),
    };
    Some(begin(world, caller, grant, now))
}

/// Opens a session of a user or of root for themselves (GetSessionToken).
pub(crate) fn user_session(world: &mut World, caller: &Caller, duration: i64, now: Timestamp) -> Credentials {
    begin(world, caller.clone(), Grant { duration, ..Grant::default() }, now)
}

fn begin(world: &mut World, caller: Caller, grant: Grant, now: Timestamp) -> Credentials {
    let expires = now.saturating_add(SignedDuration::from_secs(grant.duration)).unwrap_or(Timestamp::MAX);
    let forgotten = now.saturating_sub(REMEMBERED).unwrap_or(Timestamp::MIN);
    world.iam.sessions.retain(|_, session| session.expires > forgotten);
    let access_key_id = unique_id(world, "ASIA");
    let session = Session { caller, expires, tags: grant.tags, policy: grant.policy };
    world.iam.sessions.insert(access_key_id.clone(), session);
    Credentials {
        secret_access_key: secret(world, &access_key_id),
        session_token: Some(token(world, &access_key_id)),
        access_key_id,
        expiration: Some(expires),
    }
}

/// The session that `caller` acts in; the one that lasts longest if several have the name.
pub(super) fn session_of<'a>(world: &'a World, caller: &Caller) -> Option<&'a Session> {
    let sessions = world.iam.sessions.values().filter(|session| session.caller == *caller);
    sessions.max_by_key(|session| session.expires)
}

/// The account that a key belongs to, if it is one of ours.
pub(crate) fn access_key_owner(world: &World, access_key_id: &str) -> Option<&'static str> {
    let known = world.iam.sessions.contains_key(access_key_id)
        || world.iam.access_keys.contains_key(access_key_id)
        || access_key_id == root_key(world);
    known.then_some(ACCOUNT_ID)
}

/// The secret of any key id.
pub(super) fn secret(world: &World, access_key_id: &str) -> String {
    STANDARD.encode(derive(world, "secret", access_key_id, 1)).chars().take(40).collect()
}

fn token(world: &World, access_key_id: &str) -> String {
    format!("IQoJb3JpZ2luX2Vj{}", STANDARD.encode(derive(world, "token", access_key_id, 6)))
}

fn root_key(world: &World) -> String {
    let half = |label: &str| u128::from(world.hash(label));
    id_from("AKIA", half("root key, first half") << 64 | half("root key, second half"), true)
}

fn derive(world: &World, purpose: &str, access_key_id: &str, blocks: u8) -> Vec<u8> {
    let seed = world.seed.to_be_bytes();
    let block = |number: u8| {
        let mut key = [0; 64];
        key[..seed.len()].copy_from_slice(&seed);
        let mut mac = Hmac::<Sha256>::new(&key.into());
        mac.update(format!("{purpose} {number} {access_key_id}").as_bytes());
        mac.finalize().into_bytes()
    };
    (0..blocks).flat_map(block).collect()
}

fn same(left: &str, right: &str) -> bool {
    subtle::ConstantTimeEq::ct_eq(left.as_bytes(), right.as_bytes()).into()
}

fn invalid_token() -> AwsError {
    AwsError::new("InvalidClientTokenId", "The security token included in the request is invalid.").with_status(403)
}
