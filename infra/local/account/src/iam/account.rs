//! What IAM tells about the account as a whole.

use crate::{
    call::{Answer, Call},
    world::World,
};
use serde_json::json;

/// Answers an action on the account; none if it is not one.
pub(super) fn handle(world: &World, call: &Call) -> Option<Answer> {
    match call.action.as_str() {
        "GetAccountSummary" => Some(Ok(summary(world))),
        "ListAccountAliases" => Some(Ok(json!({ "AccountAliases": [], "IsTruncated": false }))),
        _ => None,
    }
}

fn summary(world: &World) -> serde_json::Value {
    let iam = &world.iam;
    let versions: usize = iam.policies.values().map(|policy| policy.versions.len()).sum();
    json!({ "SummaryMap": {
        "Users": iam.users.len(),
        "UsersQuota": 5000,
        "Roles": iam.roles.len(),
        "RolesQuota": 1000,
        "Policies": iam.policies.len(),
        "PoliciesQuota": 1500,
        "PolicyVersionsInUse": versions,
        "PolicyVersionsInUseQuota": 10_000,
        "VersionsPerPolicyQuota": 5,
        "Providers": iam.providers.len(),
        "AccessKeysPerUserQuota": 2,
        "AttachedPoliciesPerRoleQuota": 10,
        "AttachedPoliciesPerUserQuota": 10,
        "AssumeRolePolicySizeQuota": 2048,
        "PolicySizeQuota": 6144,
        "RolePolicySizeQuota": 10_240,
        "UserPolicySizeQuota": 2048,
        "AccountMFAEnabled": 0,
        "AccountAccessKeysPresent": 1,
    } })
}
