//! IAM: users, roles, policies, identity providers, and the question whether a call is allowed.
//!
//! The API's actions are one file per kind of thing; `policy` is the policy language; `authorize` weighs the policies
//! that apply to a call; `actions` says which permissions a call needs; `credentials` is who may sign. STS lives in
//! [`crate::sts`]. Global as in AWS: one state for every region, and each change works only after a lag.

mod account;
mod actions;
mod authorize;
mod credentials;
mod holders;
mod identity;
mod lagged;
mod managed;
mod managed_policies;
mod oidc;
mod paging;
mod permissions;
pub(crate) mod policy;
mod refusals;
mod role_policies;
mod roles;
mod service_linked;
mod simulate;
mod state;
mod tags;
mod trust;
mod users;

pub use authorize::{allows, authorize, caller_may};
pub use credentials::{Credential, Credentials, authenticate, root_credentials, session_for_role};
pub use identity::{principal_exists, role_arn};
pub use service_linked::ensure_service_linked_role;
pub use state::State;
pub use trust::{RoleState, role_assumable_by, role_assumable_with, role_trusts_web_identity};

pub(crate) use authorize::{Need, authorize_needs, who_asks};
pub(crate) use credentials::{Grant, access_key_owner, open_session, user_session};
pub(crate) use identity::{role_by_arn, session_limit};
pub(crate) use oidc::provider_for;
pub(crate) use trust::trust_in_force;

use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};

/// Answers one IAM action.
///
/// # Errors
/// IAM's own refusals; `InvalidAction` for an action that this account does not have.
pub fn handle(world: &mut World, call: &Call) -> Answer {
    let answered = roles::handle(world, call)
        .or_else(|| role_policies::handle(world, call))
        .or_else(|| managed_policies::handle(world, call))
        .or_else(|| holders::handle(world, call))
        .or_else(|| oidc::handle(world, call))
        .or_else(|| users::handle(world, call))
        .or_else(|| service_linked::handle(world, call))
        .or_else(|| simulate::handle(world, call))
        .or_else(|| account::handle(world, call));
    answered.unwrap_or_else(|| {
        Err(AwsError::new("InvalidAction", format!("Could not find operation {} for version 2010-05-08", call.action)))
    })
}

#[cfg(test)]
pub(crate) mod test_world;
#[cfg(test)]
mod tests;
