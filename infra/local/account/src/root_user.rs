//! The account's root user: the one identity that is there without IAM.

use crate::{
    call::{AwsError, Call, Caller},
    world::World,
};
use jiff::Timestamp;
use subtle::ConstantTimeEq;

/// A key that was found to be good, and whose it is.
#[derive(Clone, PartialEq)]
pub struct Credential {
    /// The secret access key to verify a signature with.
    pub secret: String,
    /// Whose key it is.
    pub caller: Caller,
}

/// The root user's access key id and secret; the same for one seed.
pub fn root_key(world: &World) -> (String, String) {
    let id = format!("AKIAIOSFODNN7ROOT{:03X}", world.hash("root key") & 0xfff);
    let parts = ["one", "two", "three"].map(|part| format!("{:013x}", world.hash(&format!("root secret {part}"))));
    (id, parts.concat().chars().take(40).collect())
}

/// Whose key this is and what its secret is.
///
/// # Errors
/// `InvalidClientTokenId` for any key but root's.
pub fn authenticate(
    world: &World,
    access_key_id: &str,
    session_token: Option<&str>,
    _now: Timestamp,
) -> Result<Credential, AwsError> {
    let (id, secret) = root_key(world);
    if session_token.is_some() || !bool::from(id.as_bytes().ct_eq(access_key_id.as_bytes())) {
        let message = "The security token included in the request is invalid.";
        return Err(AwsError::new("InvalidClientTokenId", message).with_status(403));
    }
    Ok(Credential { secret, caller: Caller::root() })
}

/// Whether the caller may do this; root may do everything.
///
/// # Errors
/// `AccessDenied` for anybody else.
pub fn authorize(_world: &World, call: &Call) -> Result<(), AwsError> {
    if call.caller == Caller::root() {
        return Ok(());
    }
    let message = format!("User: {} is not authorized to perform: {}:{}", call.caller.arn, call.service, call.action);
    Err(AwsError::new("AccessDenied", message).with_status(403))
}
