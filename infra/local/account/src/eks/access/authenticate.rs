//! From a bearer token to a Kubernetes user: the token is a presigned `GetCallerIdentity` request, the caller behind it
//! has an access entry or is nobody.

use super::Effective;
use crate::{
    call::{ACCOUNT_ID, Caller},
    eks::{Cluster, cluster::cluster_by_arn, world_access},
    kubernetes::User,
    world::World,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};
use std::collections::BTreeMap;
use url::Url;

const PREFIX: &str = "k8s-aws-v1.";

/// How long a token is good from its signing on.
const LIFE: SignedDuration = SignedDuration::from_mins(15);

/// By how much a signer's clock may be ahead.
const AHEAD: SignedDuration = SignedDuration::from_mins(5);

/// The longest token that is looked at.
const LONGEST: usize = 8192;

/// Who sent a Kubernetes request with this bearer token to the cluster; none is 401 Unauthorized.
///
/// What the API server knows of access policies is brought up to date on the way.
pub fn authenticate(world: &mut World, cluster_arn: &str, token: &str, now: Timestamp) -> Option<User> {
    let caller = bearer(world, cluster_arn, token, now)?;
    let cluster = cluster_by_arn(world, cluster_arn).filter(|cluster| cluster.uses_access_entries())?;
    let effective = effective(cluster, &caller)?;
    let user = User { name: username(&effective.username, &caller), groups: effective.groups.clone() };
    tell(world, cluster_arn);
    Some(user)
}

/// Tells the API server what the policies of all entries allow by now, to users by the form of their names: it is also
/// asked about users who never came, by access reviews.
fn tell(world: &mut World, cluster_arn: &str) {
    let Some(cluster) = cluster_by_arn(world, cluster_arn) else { return };
    let mut rights: BTreeMap<String, Vec<(String, Vec<String>)>> = BTreeMap::new();
    for effective in cluster.effective.values().filter(|effective| !effective.policies.is_empty()) {
        let form = effective.username.replace("{{AccountID}}", ACCOUNT_ID);
        rights.entry(form).or_default().extend(effective.policies.iter().cloned());
    }
    if cluster.granted == rights {
        return;
    }
    for user in cluster.granted.keys().cloned().collect::<Vec<_>>() {
        world_access::revoke(world, cluster_arn, &user);
    }
    for (user, policies) in &rights {
        for (policy, namespaces) in policies {
            world_access::grant(world, cluster_arn, user, policy, namespaces);
        }
    }
    if let Some(cluster) = world.eks.clusters.get_mut(cluster_arn) {
        cluster.granted = rights;
    }
}

/// The caller behind a token that was made for this cluster, is whole and is not too old. Whether the cluster lets them
/// in is not asked.
pub fn bearer(world: &World, cluster_arn: &str, token: &str, now: Timestamp) -> Option<Caller> {
    let encoded = token.strip_prefix(PREFIX).filter(|encoded| encoded.len() <= LONGEST)?;
    let url = URL_SAFE_NO_PAD.decode(encoded.trim_end_matches('=')).ok()?;
    let url = Url::parse(std::str::from_utf8(&url).ok()?).ok()?;
    let query = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let is_identity = query("Action")? == "GetCallerIdentity" && url.path() == "/" && is_sts(&url);
    let signed = query("X-Amz-SignedHeaders")?;
    let names_cluster = signed.split(';').any(|header| header == "x-k8s-aws-id");
    if !is_identity || !names_cluster || !is_fresh(&query("X-Amz-Date")?, now) {
        return None;
    }
    let cluster = cluster_by_arn(world, cluster_arn)?;
    world_access::presigner(world, &url, &[("x-k8s-aws-id", &cluster.name)], now)
}

/// STS by its regional or global name, or this account on the loopback interface.
fn is_sts(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let aws = host.starts_with("sts.") && host.ends_with(".amazonaws.com");
        aws || matches!(host, "127.0.0.1" | "localhost")
    })
}

fn is_fresh(date: &str, now: Timestamp) -> bool {
    let signed = DateTime::strptime("%Y%m%dT%H%M%SZ", date).and_then(|date| date.to_zoned(TimeZone::UTC));
    signed.is_ok_and(|signed| {
        let age = now.duration_since(signed.timestamp());
        age <= LIFE && -age <= AHEAD
    })
}

/// The rights of the caller's principal: sessions are matched by the name of their role, which is unique in an account.
fn effective<'cluster>(cluster: &'cluster Cluster, caller: &Caller) -> Option<&'cluster Effective> {
    let is_caller = |principal: &str| match &caller.role {
        Some(role) => principal.contains(":role/") && principal.rsplit('/').next() == Some(role),
        None => principal == caller.arn,
    };
    cluster.effective.iter().find(|(principal, _)| is_caller(principal)).map(|(_, effective)| effective)
}

fn username(template: &str, caller: &Caller) -> String {
    let session = caller.arn.rsplit('/').next().unwrap_or_default();
    // The session name's `@` cannot be part of a Kubernetes label or URL everywhere, so EKS writes `-`.
    template
        .replace("{{AccountID}}", ACCOUNT_ID)
        .replace("{{SessionNameRaw}}", session)
        .replace("{{SessionName}}", &session.replace('@', "-"))
}
