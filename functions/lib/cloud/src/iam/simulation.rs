//! What a principal may do, as IAM's simulator judges it.

use super::Iam;
use crate::errors;
use aws_sdk_iam::types::{ContextEntry, ContextKeyTypeEnum};
use domain::failure::Trouble;

impl Iam {
    /// Those of `actions` that the policies of `principal` do not allow on `resource` in a request with these context
    /// keys; all pages. The simulator knows identity policies and boundaries, not service control policies.
    pub async fn refused(
        &self,
        principal: &str,
        actions: &[&str],
        resource: &str,
        context: &[(String, String)],
    ) -> Result<Vec<String>, Trouble> {
        let entry = |(key, value): &(String, String)| {
            let text = ContextKeyTypeEnum::String;
            ContextEntry::builder().context_key_name(key).context_key_values(value).context_key_type(text).build()
        };
        let context: Vec<ContextEntry> = context.iter().map(entry).collect();
        let actions: Vec<String> = actions.iter().map(|action| (*action).to_owned()).collect();
        let mut refused = Vec::new();
        let mut marker = None;
        loop {
            let call = self.read.simulate_principal_policy().policy_source_arn(principal);
            let call = call.resource_arns(resource).set_context_entries(Some(context.clone()));
            let page = call.set_action_names(Some(actions.clone())).set_marker(marker.take()).send().await;
            let page = page.map_err(|error| errors::read("iam", "SimulatePrincipalPolicy", &error))?;
            let results = page.evaluation_results().iter();
            refused.extend(
                results
                    .filter(|result| result.eval_decision().as_str() != "allowed")
                    .map(|result| result.eval_action_name().to_owned()),
            );
            marker = page.marker.filter(|_| page.is_truncated);
            if marker.is_none() {
                return Ok(refused);
            }
        }
    }
}
