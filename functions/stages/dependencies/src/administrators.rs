//! The proof that the administrators of the request get in: the cluster itself is asked about each (SPEC C10). An entry
//! that is made is not access: it may not have spread, may have lost its policy, or may name somebody who is gone.

use cloud::eks::AccessEntry;
use domain::{failure::Trouble, ids::PrincipalArn, spreading::may_spread, states::WaitingOn};
use engine::{plan::Wait, reconciler::Scene};
use futures::future::try_join_all;
use inside::Inside;
use jiff::Timestamp;
use kubernetes::Question;
use serde::Serialize;
use serde_json::{Value, json};

/// The session name in which a role is asked about; its entry names users by their session.
const SESSION: &str = "access-review";

/// An administrator, and what the cluster says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Administrator {
    /// The IAM role or user.
    pub principal: String,
    /// The Kubernetes user that they are; none without an access entry.
    pub user: Option<String>,
    /// When the entry was made.
    pub entered_at: Option<Timestamp>,
    /// Whether they may do everything.
    pub allowed: bool,
    /// Why, in the authorizer's words.
    pub reason: String,
}

/// Asks about every administrator of the scene's cluster.
pub(crate) async fn look(clients: &Inside, scene: Scene<'_>) -> Result<Vec<Administrator>, Trouble> {
    let asked = scene.cluster.decisions.administrators.iter();
    try_join_all(asked.map(|principal| review(clients, principal))).await
}

async fn review(clients: &Inside, given: &PrincipalArn) -> Result<Administrator, Trouble> {
    let entry = entry(clients, given).await?;
    let mut seen = Administrator {
        principal: entry.as_ref().map_or_else(|| given.to_string(), |entry| entry.principal_arn.clone()),
        user: None,
        entered_at: None,
        allowed: false,
        reason: "it has no access entry".to_owned(),
    };
    if let Some(entry) = entry {
        let user = entry.username.replace("{{SessionName}}", SESSION).replace("{{SessionNameRaw}}", SESSION);
        let verdict = clients.kubernetes.may(&user, &entry.groups, &Question::everything()).await?;
        seen.reason = if verdict.allowed || !verdict.reason.is_empty() {
            verdict.reason
        } else {
            format!("the cluster does not let {user} do everything")
        };
        (seen.user, seen.entered_at, seen.allowed) = (Some(user), entry.created_at, verdict.allowed);
    }
    Ok(seen)
}

/// The entry that `given` has; a session has its role's.
async fn entry(clients: &Inside, given: &PrincipalArn) -> Result<Option<AccessEntry>, Trouble> {
    let cluster = clients.cluster.name.as_str();
    if !given.is_session() {
        return clients.eks.access_entry(cluster, given.as_str()).await;
    }
    let principals = clients.eks.access_principals(cluster).await?;
    match principals.iter().find(|principal| given.stands_for(principal)) {
        Some(role) => clients.eks.access_entry(cluster, role).await,
        None => Ok(None),
    }
}

/// The wait for entries that may not have spread yet.
pub(crate) fn wait(scene: Scene<'_>, seen: &[Administrator]) -> Option<Wait> {
    let one = seen.iter().find(|one| !one.allowed && may_spread(one.entered_at, scene.now))?;
    let reason =
        format!("the access entry of {} has not reached the Kubernetes API yet (up to a minute)", one.principal);
    Some(Wait::new(WaitingOn::Aws, reason).of("administrators"))
}

/// What came of it, one for each; a person who is not let in keeps nothing else from working.
pub(crate) fn outcome(seen: &[Administrator]) -> Value {
    let told = seen.iter().map(|one| match one.allowed {
        true => json!({ "principal": one.principal, "access": "proven", "detail": one.reason }),
        false => json!({
            "principal": one.principal,
            "access": "missing",
            "detail": one.reason,
            "action": "Run the stage control-plane again: it makes missing entries and gives them AmazonEKSClusterAdminPolicy.",
        }),
    });
    told.collect()
}
