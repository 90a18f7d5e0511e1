//! Who may use a cluster's Kubernetes API: access entries, the access policies associated with them, and the check of a
//! caller's token against both.

mod associations;
mod authenticate;
mod entries;
mod policies;

pub use authenticate::{authenticate, bearer};
pub use entries::grant_service_access;
pub(super) use entries::{Entry, admit_creator, spread};

use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use serde::{Deserialize, Serialize};

/// What a principal may do in the cluster by now: changes of entries take 5 to 60 seconds to arrive here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Effective {
    username: String,
    groups: Vec<String>,
    policies: Vec<(String, Vec<String>)>,
}

/// Whether the access entry of exactly this principal works by now.
pub fn admits(world: &World, cluster_arn: &str, principal: &str) -> bool {
    crate::eks::cluster_by_arn(world, cluster_arn)
        .is_some_and(|cluster| cluster.uses_access_entries() && cluster.effective.contains_key(principal))
}

/// Answers the actions about access.
pub(super) fn handle(world: &mut World, call: &Call) -> Answer {
    match call.action.as_str() {
        "CreateAccessEntry" => entries::create(world, call),
        "DescribeAccessEntry" => entries::describe(world, call),
        "ListAccessEntries" => entries::list(world, call),
        "UpdateAccessEntry" => entries::update(world, call),
        "DeleteAccessEntry" => entries::delete(world, call),
        "AssociateAccessPolicy" => associations::associate(world, call),
        "DisassociateAccessPolicy" => associations::disassociate(world, call),
        "ListAssociatedAccessPolicies" => associations::list(world, call),
        "ListAccessPolicies" => policies::list(call),
        action => Err(AwsError::new("UnknownOperationException", format!("{action} is not offered by this account"))),
    }
}
