//! STS: the sessions as which we come to Kubernetes clusters.

use crate::{Cloud, Who, errors};
use aws_credential_types::{Credentials, provider::SharedCredentialsProvider};
use aws_sdk_sts::Client;
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming::KubernetesRole,
};
use engine::record::Target;
use std::time::SystemTime;

/// ARN of the IAM role as which we come to the Kubernetes clusters of `target`: the one that is assumed in another account,
/// else one of the deployment's two. It is what has the access entry.
pub fn kubernetes_principal(target: &Target, role: KubernetesRole) -> String {
    target.role_arn.clone().unwrap_or_else(|| role.arn(&target.region, &target.account))
}

impl Cloud {
    /// The identity that signs tokens for the Kubernetes clusters of `target`: a session of [`kubernetes_principal`], named
    /// after those on whose behalf it is, so that the cluster's audit log tells. It lasts an hour.
    ///
    /// # Errors
    /// `permission_denied` if the role does not trust us; reads that were lost.
    pub async fn kubernetes_identity(
        &self,
        target: &Target,
        who: &Who,
        role: KubernetesRole,
    ) -> Result<SharedCredentialsProvider, Trouble> {
        let (principal, name) = (kubernetes_principal(target, role), who.session_name());
        if let Some(session) = self.sessions.good(&principal, name, self.time.now()) {
            return Ok(SharedCredentialsProvider::new(session));
        }
        let home = Target { role_arn: None, ..target.clone() };
        let client = Client::new(&self.configs(&home, who).await.read);
        let answer = client.assume_role().role_arn(&principal).role_session_name(name).send().await;
        let answer = answer.map_err(|error| errors::read("sts", "AssumeRole", &error))?;
        let opened = answer.credentials.ok_or_else(|| {
            Failure::new(ErrorCode::UpstreamUnavailable, "sts AssumeRole answered without Credentials")
        })?;
        let end = SystemTime::try_from(opened.expiration).ok();
        let (key, secret, token) = (opened.access_key_id, opened.secret_access_key, opened.session_token);
        let session = Credentials::new(key, secret, Some(token), end, "kubernetes");
        self.sessions.keep(&principal, name, &session);
        Ok(SharedCredentialsProvider::new(session))
    }
}
