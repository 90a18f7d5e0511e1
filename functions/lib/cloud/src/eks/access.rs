//! Access entries: which IAM principals are who in Kubernetes, and what they may do there.

use super::{Eks, changing, maybe, reading, sdk_tags, text};
use crate::Tags;
use aws_sdk_eks::types::{AccessScope, AccessScopeType};
use domain::failure::Trouble;
use jiff::Timestamp;
use serde::Serialize;

/// An access entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessEntry {
    /// The IAM role or user, with its path.
    pub principal_arn: String,
    /// Its user name in Kubernetes.
    pub username: String,
    /// Its groups in Kubernetes.
    pub groups: Vec<String>,
    /// `STANDARD`, `EC2_LINUX`, `HYPERPOD_LINUX` …
    pub kind: String,
    /// When it was made: a young one is not known to the API server yet.
    pub created_at: Option<Timestamp>,
}

/// A policy that an entry has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessPolicy {
    /// Its ARN.
    pub arn: String,
    /// Namespaces that it is for; empty for the whole cluster.
    pub namespaces: Vec<String>,
}

impl Eks {
    /// Principals that have an entry; all pages.
    pub async fn access_principals(&self, cluster: &str) -> Result<Vec<String>, Trouble> {
        let mut principals = Vec::new();
        let mut token = None;
        loop {
            let page = self.read.list_access_entries().cluster_name(cluster).set_next_token(token.take()).send().await;
            let page = page.map_err(|error| reading("ListAccessEntries", &error))?;
            principals.extend(page.access_entries().iter().cloned());
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(principals);
            }
        }
    }

    /// The entry of one principal.
    pub async fn access_entry(&self, cluster: &str, principal: &str) -> Result<Option<AccessEntry>, Trouble> {
        let answer = self.read.describe_access_entry().cluster_name(cluster).principal_arn(principal).send().await;
        Ok(maybe("DescribeAccessEntry", answer)?.and_then(|answer| answer.access_entry).map(|seen| AccessEntry {
            principal_arn: text(seen.principal_arn()),
            username: text(seen.username()),
            groups: seen.kubernetes_groups().to_vec(),
            kind: text(seen.r#type()),
            created_at: seen.created_at().and_then(|time| Timestamp::from_second(time.secs()).ok()),
        }))
    }

    /// Policies of one principal's entry; all pages. A principal without an entry has none.
    pub async fn access_policies(&self, cluster: &str, principal: &str) -> Result<Vec<AccessPolicy>, Trouble> {
        let mut policies = Vec::new();
        let mut token = None;
        loop {
            let call = self.read.list_associated_access_policies().cluster_name(cluster).principal_arn(principal);
            let page = call.set_next_token(token.take()).send().await;
            let Some(page) = maybe("ListAssociatedAccessPolicies", page)? else { return Ok(policies) };
            policies.extend(page.associated_access_policies().iter().map(|seen| AccessPolicy {
                arn: text(seen.policy_arn()),
                namespaces: seen.access_scope().map(|scope| scope.namespaces().to_vec()).unwrap_or_default(),
            }));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(policies);
            }
        }
    }

    /// Makes an entry; one that is there already counts (there is one for each principal). It works after seconds, up
    /// to a minute.
    pub async fn create_access_entry(
        &self,
        cluster: &str,
        principal: &str,
        token: &str,
        tags: &Tags,
    ) -> Result<(), Trouble> {
        let call = self.change.create_access_entry().cluster_name(cluster).principal_arn(principal);
        match call.client_request_token(token).set_tags(sdk_tags(tags)).send().await {
            Ok(_) => Ok(()),
            Err(error) => match changing("CreateAccessEntry", &error) {
                trouble if trouble.is_upstream("ResourceInUseException") => Ok(()),
                trouble => Err(trouble),
            },
        }
    }

    /// Gives an entry a policy for the whole cluster; the same again is the same.
    pub async fn associate_access_policy(&self, cluster: &str, principal: &str, policy: &str) -> Result<(), Trouble> {
        let scope = AccessScope::builder().r#type(AccessScopeType::Cluster).build();
        let call = self.change.associate_access_policy().cluster_name(cluster).principal_arn(principal);
        let sent = call.policy_arn(policy).access_scope(scope).send().await;
        sent.map(drop).map_err(|error| changing("AssociateAccessPolicy", &error))
    }
}
