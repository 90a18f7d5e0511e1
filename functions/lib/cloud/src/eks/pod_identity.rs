//! Pod Identity associations: which IAM role the pods of a service account have.

use super::{Eks, changing, creating, incomplete, maybe, reading, sdk_tags, tags, text};
use crate::Tags;
use domain::failure::Trouble;
use serde::Serialize;

/// An association.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodIdentity {
    /// `a-…`.
    pub id: String,
    /// The role.
    pub role_arn: String,
    /// Its tags.
    pub tags: Tags,
}

impl Eks {
    /// The association of a service account: there is one at most, and its id is random (field report BR-025). All pages:
    /// a filter may leave the first one empty.
    pub async fn pod_identity(
        &self,
        cluster: &str,
        namespace: &str,
        service_account: &str,
    ) -> Result<Option<PodIdentity>, Trouble> {
        let mut token = None;
        let id = loop {
            let list = self.read.list_pod_identity_associations().cluster_name(cluster).namespace(namespace);
            let page = list.service_account(service_account).set_next_token(token.take()).send().await;
            let page = page.map_err(|error| reading("ListPodIdentityAssociations", &error))?;
            if let Some(id) = page.associations().first().and_then(|summary| summary.association_id()) {
                break id.to_owned();
            }
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(None);
            }
        };
        let answer =
            self.read.describe_pod_identity_association().cluster_name(cluster).association_id(&id).send().await;
        let seen = maybe("DescribePodIdentityAssociation", answer)?.and_then(|answer| answer.association);
        Ok(seen.map(|seen| PodIdentity {
            id: text(seen.association_id()),
            role_arn: text(seen.role_arn()),
            tags: tags(seen.tags()),
        }))
    }

    /// Gives a service account a role and answers the association's id. A service account has one: that it
    /// has it already is uncertain, and the next look compares its role (field report BR-025).
    pub async fn create_pod_identity(
        &self,
        cluster: &str,
        (namespace, service_account): (&str, &str),
        role_arn: &str,
        token: &str,
        tags: &Tags,
    ) -> Result<String, Trouble> {
        let call = self.change.create_pod_identity_association().cluster_name(cluster).namespace(namespace);
        let call = call.service_account(service_account).role_arn(role_arn).client_request_token(token);
        let made = call.set_tags(sdk_tags(tags)).send().await;
        let made = made.map_err(|error| creating("CreatePodIdentityAssociation", &error))?;
        let id = made.association.and_then(|association| association.association_id);
        id.ok_or_else(|| incomplete("CreatePodIdentityAssociation", "association"))
    }

    /// Gives an association another role; the same again is the same.
    pub async fn set_pod_identity_role(
        &self,
        cluster: &str,
        id: &str,
        role_arn: &str,
        token: &str,
    ) -> Result<(), Trouble> {
        let call = self.change.update_pod_identity_association().cluster_name(cluster).association_id(id);
        let sent = call.role_arn(role_arn).client_request_token(token).send().await;
        sent.map(drop).map_err(|error| changing("UpdatePodIdentityAssociation", &error))
    }
}
