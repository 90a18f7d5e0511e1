//! IAM: the roles that a cluster's parts run as, their inline policy and what is attached to them; and the
//! OIDC providers that vouch for pods.

mod assumed;
mod providers;
mod simulation;
mod trust;

pub use providers::OidcProvider;

use crate::{
    Cloud, Tags, Who,
    errors::{self, CallError},
    is_owned,
};
use aws_sdk_iam::{Client, error::ProvideErrorMetadata, types::Tag};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    ids::{ClusterId, PrincipalArn},
    naming::TAG_CLUSTER,
};
use engine::record::Target;
use jiff::Timestamp;
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde_json::Value;

/// A role.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Role {
    /// Its name, unique in the account whatever its path.
    pub name: String,
    /// Its ARN.
    pub arn: String,
    /// When it was made: a young one is not known everywhere yet.
    pub created_at: Option<Timestamp>,
    /// Who may assume it.
    pub trust: Value,
    /// Its tags.
    pub tags: Tags,
}

/// A role to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRole<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its path, with slashes at both ends.
    pub path: &'a str,
    /// Who may assume it.
    pub trust: &'a Value,
    /// A policy that its permissions never exceed.
    pub boundary: Option<&'a str>,
}

/// IAM of one target's account.
#[derive(Debug, Clone)]
pub struct Iam {
    read: Client,
    change: Client,
}

impl Role {
    /// Whether this cluster's stages made it.
    pub fn is_owned(&self, cluster: ClusterId) -> bool {
        is_owned(&self.tags, cluster)
    }
}

/// The conflict with a role that has a name of ours and is not ours: what rests on it is not known, so it is neither used
/// nor changed.
pub fn foreign_role(name: &str) -> Failure {
    let text = format!("there is a role {name} that was not made for this cluster: it does not carry our tag");
    let action = format!(
        "Delete the role if nothing needs it, or give it the tag {TAG_CLUSTER} with the cluster's id to have it used and \
         changed; then run the stage again."
    );
    Failure::new(ErrorCode::Conflict, text).with_action(action)
}

impl Iam {
    /// IAM of `target`'s account.
    pub async fn new(cloud: &Cloud, target: &Target, who: &Who) -> Self {
        let configs = cloud.configs(target, who).await;
        Self { read: Client::new(&configs.read), change: Client::new(&configs.change) }
    }

    /// The role of this name.
    pub async fn role(&self, name: &str) -> Result<Option<Role>, Trouble> {
        let answer = maybe("GetRole", self.read.get_role().role_name(name).send().await)?;
        Ok(answer.and_then(|answer| answer.role).map(|role| Role {
            created_at: Timestamp::from_second(role.create_date.secs()).ok(),
            trust: document(role.assume_role_policy_document.as_deref().unwrap_or_default()),
            tags: role.tags().iter().map(|tag| (tag.key.clone(), tag.value.clone())).collect(),
            name: role.role_name,
            arn: role.arn,
        }))
    }

    /// ARNs of the managed policies attached to a role; all pages.
    pub async fn attached_policies(&self, role: &str) -> Result<Vec<String>, Trouble> {
        let mut arns = Vec::new();
        let mut marker = None;
        loop {
            let page = self.read.list_attached_role_policies().role_name(role).set_marker(marker.take()).send().await;
            let Some(page) = maybe("ListAttachedRolePolicies", page)? else { return Ok(arns) };
            arns.extend(page.attached_policies().iter().filter_map(|policy| policy.policy_arn().map(str::to_owned)));
            marker = page.marker.filter(|_| page.is_truncated);
            if marker.is_none() {
                return Ok(arns);
            }
        }
    }

    /// A role's inline policy of this name.
    pub async fn inline_policy(&self, role: &str, policy: &str) -> Result<Option<Value>, Trouble> {
        let answer = self.read.get_role_policy().role_name(role).policy_name(policy).send().await;
        Ok(maybe("GetRolePolicy", answer)?.map(|answer| document(&answer.policy_document)))
    }

    /// Makes a role and answers its ARN. The name guards against a second one: that a role is there already is uncertain,
    /// since it may be the one whose answer was lost, or somebody's; the next look tells by its tags.
    pub async fn create_role(&self, wanted: &NewRole<'_>, tags: &Tags) -> Result<String, Trouble> {
        let call = self.change.create_role().role_name(wanted.name).path(wanted.path);
        let call = call.assume_role_policy_document(wanted.trust.to_string());
        let call = call.set_permissions_boundary(wanted.boundary.map(str::to_owned));
        let sent = call.set_tags(Some(sdk_tags(tags)?)).send().await;
        let made = sent.map_err(|error| creating("CreateRole", &error))?;
        made.role.map(|role| role.arn).ok_or_else(|| {
            let text = "iam CreateRole answered without Role";
            Trouble::Uncertain(Failure::new(ErrorCode::UpstreamUnavailable, text))
        })
    }

    /// Attaches a managed policy; the same again is the same.
    pub async fn attach_policy(&self, role: &str, policy_arn: &str) -> Result<(), Trouble> {
        let sent = self.change.attach_role_policy().role_name(role).policy_arn(policy_arn).send().await;
        sent.map(drop).map_err(|error| errors::change("iam", "AttachRolePolicy", &error))
    }

    /// Sets a role's inline policy; the same again is the same.
    pub async fn put_inline_policy(&self, role: &str, policy: &str, document: &Value) -> Result<(), Trouble> {
        let call = self.change.put_role_policy().role_name(role).policy_name(policy);
        let sent = call.policy_document(document.to_string()).send().await;
        sent.map(drop).map_err(|error| errors::change("iam", "PutRolePolicy", &error))
    }
}

impl Iam {
    /// The ARN, path included, that IAM has for the role or user that `given` names; a session names its role. Only of
    /// principals of the target's account.
    pub async fn principal(&self, given: &PrincipalArn) -> Result<Option<String>, Trouble> {
        if given.is_user() {
            return self.user_arn(given.name()).await;
        }
        Ok(self.role(given.name()).await?.map(|role| role.arn))
    }

    /// ARN of the user of this name, with its path.
    async fn user_arn(&self, name: &str) -> Result<Option<String>, Trouble> {
        let answer = maybe("GetUser", self.read.get_user().user_name(name).send().await)?;
        Ok(answer.and_then(|answer| answer.user).map(|user| user.arn))
    }
}

/// A policy as IAM shows it: JSON, percent-encoded (RFC 3986). What does not parse is null: it equals nothing wanted.
fn document(text: &str) -> Value {
    let decoded = percent_decode_str(text).decode_utf8_lossy();
    serde_json::from_str(&decoded).unwrap_or_default()
}

fn sdk_tags(tags: &Tags) -> Result<Vec<Tag>, Trouble> {
    let tag = |(key, value): (&String, &String)| Tag::builder().key(key).value(value).build();
    let tags: Result<Vec<Tag>, _> = tags.iter().map(tag).collect();
    tags.map_err(|error| Trouble::Fatal(Failure::new(ErrorCode::Internal, format!("a tag is not one: {error}"))))
}

/// The error of a call that makes something under a name of its own.
fn creating<E: ProvideErrorMetadata>(operation: &str, error: &CallError<E>) -> Trouble {
    errors::create("iam", operation, error, &["EntityAlreadyExists"])
}

fn changing<E: ProvideErrorMetadata>(operation: &str, error: &CallError<E>) -> Trouble {
    errors::change("iam", operation, error)
}

fn maybe<T, E: ProvideErrorMetadata>(operation: &str, result: Result<T, CallError<E>>) -> Result<Option<T>, Trouble> {
    errors::maybe("iam", operation, result)
}
