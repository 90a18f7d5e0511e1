//! Access reviews: what somebody may do, asked of the cluster itself.

use crate::client::Kubernetes;
use domain::failure::Trouble;
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec, SubjectAccessReview,
    SubjectAccessReviewSpec, SubjectAccessReviewStatus,
};
use kube::{Api, api::PostParams};

/// A question: may they do this? Empty strings and `*` mean everything, as in RBAC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// `create`, or `*`.
    pub verb: String,
    /// API group; empty for the core group.
    pub group: String,
    /// Plural resource, or `*`.
    pub resource: String,
    /// Namespace; none for all.
    pub namespace: Option<String>,
}

impl Question {
    /// Whether they may do everything everywhere, as a cluster administrator may.
    pub fn everything() -> Self {
        Self { verb: "*".to_owned(), group: "*".to_owned(), resource: "*".to_owned(), namespace: None }
    }

    fn attributes(&self) -> ResourceAttributes {
        ResourceAttributes {
            verb: Some(self.verb.clone()),
            group: Some(self.group.clone()),
            resource: Some(self.resource.clone()),
            namespace: self.namespace.clone(),
            ..ResourceAttributes::default()
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether they may.
    pub allowed: bool,
    /// Why, in the authorizer's words; empty if it says nothing.
    pub reason: String,
}

impl Kubernetes {
    /// Whether this identity may do something. Creates a review, which stores nothing.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn may_i(&self, question: &Question) -> Result<Verdict, Trouble> {
        let api: Api<SelfSubjectAccessReview> = Api::all(self.client.clone());
        let spec = SelfSubjectAccessReviewSpec {
            resource_attributes: Some(question.attributes()),
            ..SelfSubjectAccessReviewSpec::default()
        };
        let review = SelfSubjectAccessReview { spec, ..SelfSubjectAccessReview::default() };
        let answer = self.read("review own access", api.create(&PostParams::default(), &review)).await?;
        Ok(verdict(answer.status))
    }

    /// Whether a Kubernetes user of these groups may do something. Creates a review, which stores nothing.
    ///
    /// # Errors
    /// The read was refused or lost.
    pub async fn may(&self, user: &str, groups: &[String], question: &Question) -> Result<Verdict, Trouble> {
        let api: Api<SubjectAccessReview> = Api::all(self.client.clone());
        let spec = SubjectAccessReviewSpec {
            user: Some(user.to_owned()),
            groups: Some(groups.to_vec()),
            resource_attributes: Some(question.attributes()),
            ..SubjectAccessReviewSpec::default()
        };
        let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
        let answer = self.read("review access", api.create(&PostParams::default(), &review)).await?;
        Ok(verdict(answer.status))
    }
}

fn verdict(status: Option<SubjectAccessReviewStatus>) -> Verdict {
    let status = status.unwrap_or_default();
    Verdict { allowed: status.allowed, reason: status.reason.unwrap_or_default() }
}
