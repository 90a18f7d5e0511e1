//! Names, ARNs and unique ids of IAM's things, and how a caller is found among them.

use super::state::{Grants, Role};
use crate::{
    call::{ACCOUNT_ID, Caller},
    iam::lagged::Lagged,
    world::World,
};
use std::collections::BTreeMap;

/// `arn:aws:iam::ACCOUNT:KIND/path/name`.
pub(super) fn arn(kind: &str, path: &str, name: &str) -> String {
    format!("arn:aws:iam::{ACCOUNT_ID}:{kind}{path}{name}")
}

/// A new unique id: `AROA…`, `AIDA…`, `ANPA…`, `AKIA…`, `ASIA…` with 16 or 17 further characters as AWS makes them.
pub(super) fn unique_id(world: &mut World, prefix: &str) -> String {
    let number = world.next_number(prefix);
    let key = matches!(prefix, "AKIA" | "ASIA");
    id_from(prefix, u128::from(number) << 64 | u128::from(world.hash(&format!("{prefix} {number}"))), key)
}

pub(super) fn id_from(prefix: &str, mut number: u128, key: bool) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut id = prefix.to_owned();
    for _ in 0..if key { 16 } else { 17 } {
        id.push(char::from(ALPHABET[usize::try_from(number % 32).unwrap_or_default()]));
        number /= 32;
    }
    id
}

/// The role that `role` names, by ARN or by bare name.
pub(super) fn resolve_role<'a>(world: &'a World, role: &str) -> Option<&'a str> {
    find_role(world, role).map(|role| role.arn.as_str())
}

/// The ARN, with path, of the role `name`.
pub fn role_arn(world: &World, name: &str) -> Option<String> {
    world.iam.roles.get(name).map(|role| role.arn.clone())
}

/// Whether a role or user with exactly this ARN exists.
pub fn principal_exists(world: &World, arn: &str) -> bool {
    role_by_arn(world, arn).is_some() || world.iam.users.values().any(|user| user.arn == arn)
}

/// Name and unique id of the role with exactly this ARN.
pub(crate) fn role_by_arn<'a>(world: &'a World, arn: &str) -> Option<(&'a str, &'a str)> {
    find_role(world, arn).filter(|_| arn.starts_with("arn:")).map(|role| (role.name.as_str(), role.id.as_str()))
}

/// The longest session that the role allows, in seconds.
pub(crate) fn session_limit(world: &World, name: &str) -> Option<i64> {
    world.iam.roles.get(name).map(|role| role.max_session)
}

/// The role with this ARN or name.
pub(super) fn find_role<'a>(world: &'a World, role: &str) -> Option<&'a Role> {
    if role.starts_with("arn:") {
        let name = role.rsplit('/').next()?;
        return world.iam.roles.get(name).filter(|found| found.arn == role);
    }
    world.iam.roles.get(role)
}

/// A caller or a role that is asked about, as policies see it.
pub(super) struct Identity<'a> {
    /// The ARN of the role or user: `aws:PrincipalArn`.
    pub(super) arn: &'a str,
    /// `User` or `AssumedRole`.
    pub(super) kind: &'static str,
    pub(super) user_name: Option<&'a str>,
    pub(super) grants: &'a Lagged<Grants>,
    pub(super) tags: &'a BTreeMap<String, String>,
}

/// Who `caller` is; none if the role or user does not exist any more.
pub(super) fn of_caller<'a>(world: &'a World, caller: &Caller) -> Option<Identity<'a>> {
    if let Some(name) = &caller.role {
        return world.iam.roles.get(name).map(of_role);
    }
    let name = caller.arn.rsplit('/').next()?;
    let user = world.iam.users.get(name).filter(|user| user.arn == caller.arn)?;
    Some(Identity { arn: &user.arn, kind: "User", user_name: Some(&user.name), grants: &user.grants, tags: &user.tags })
}

pub(super) fn of_role(role: &Role) -> Identity<'_> {
    Identity { arn: &role.arn, kind: "AssumedRole", user_name: None, grants: &role.grants, tags: &role.tags }
}
