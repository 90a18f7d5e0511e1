//! Add-ons that need more than a version: configuration, and the one way out of a failed creation.

use super::{Eks, changing, creating, incomplete, sdk_tags};
use crate::Tags;
use aws_sdk_eks::types::ResolveConflicts;
use domain::failure::Trouble;

impl Eks {
    /// Makes an add-on with configuration values (JSON) and answers its ARN. `token` makes a second sending the same
    /// add-on.
    pub async fn create_configured_addon(
        &self,
        cluster: &str,
        (name, version): (&str, &str),
        configuration: &str,
        token: &str,
        tags: &Tags,
    ) -> Result<String, Trouble> {
        let call = self.change.create_addon().cluster_name(cluster).addon_name(name).addon_version(version);
        let call = call.resolve_conflicts(ResolveConflicts::Overwrite).configuration_values(configuration);
        let made = call.client_request_token(token).set_tags(sdk_tags(tags)).send().await;
        let made = made.map_err(|error| creating("CreateAddon", &error))?;
        made.addon.and_then(|addon| addon.addon_arn).ok_or_else(|| incomplete("CreateAddon", "addon"))
    }

    /// Takes an add-on out of EKS' hands and keeps its software in the cluster (field report BR-022). One that is gone
    /// counts.
    pub async fn release_addon(&self, cluster: &str, name: &str) -> Result<(), Trouble> {
        match self.change.delete_addon().cluster_name(cluster).addon_name(name).preserve(true).send().await {
            Ok(_) => Ok(()),
            Err(error) => match changing("DeleteAddon", &error) {
                trouble if trouble.is_upstream("ResourceNotFoundException") => Ok(()),
                trouble => Err(trouble),
            },
        }
    }
}
