//! Making a cluster, changing how it authenticates, removing it.

use super::{Eks, changing, incomplete, sdk_tags};
use crate::{Tags, errors::CallError};
use aws_sdk_eks::{
    operation::create_cluster::CreateClusterError,
    types::{
        AuthenticationMode, CreateAccessConfigRequest, LogSetup, LogType, Logging, UpdateAccessConfigRequest,
        VpcConfigRequest,
    },
};
use domain::failure::Trouble;
use domain::versions::KubernetesMinor;

/// A cluster to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEksCluster<'a> {
    /// Its name, unique in the Region.
    pub name: &'a str,
    /// Its Kubernetes version.
    pub version: KubernetesMinor,
    /// The role that its control plane acts as.
    pub role_arn: &'a str,
    /// Subnets in two zones or more, for the control plane's interfaces. Fixed in VPC and number of zones.
    pub subnet_ids: &'a [String],
    /// Security group of the control plane's interfaces, which nodes share.
    pub security_group_id: &'a str,
}

impl Eks {
    /// Makes a cluster and answers its ARN; `token` makes a second sending the same cluster.
    ///
    /// Public and private endpoint, all control-plane logs, access entries beside the config map, no administrator by
    /// making, and none of the self-managed add-ons: they are made as EKS add-ons.
    ///
    /// # Errors
    /// Besides the usual: a zone that EKS does not take names the zones that it does (field report BR-001).
    pub async fn create_cluster(
        &self,
        wanted: &NewEksCluster<'_>,
        token: &str,
        tags: &Tags,
    ) -> Result<String, Trouble> {
        let network = VpcConfigRequest::builder()
            .set_subnet_ids(Some(wanted.subnet_ids.to_vec()))
            .security_group_ids(wanted.security_group_id)
            .endpoint_public_access(true)
            .endpoint_private_access(true)
            .build();
        let access = CreateAccessConfigRequest::builder()
            .authentication_mode(AuthenticationMode::ApiAndConfigMap)
            .bootstrap_cluster_creator_admin_permissions(false)
            .build();
        let call = self.change.create_cluster().name(wanted.name).version(wanted.version.to_string());
        let call = call.role_arn(wanted.role_arn).resources_vpc_config(network).access_config(access);
        let call = call.logging(logging()).bootstrap_self_managed_addons(false);
        let made = call.client_request_token(token).set_tags(sdk_tags(tags)).send().await;
        let made = made.map_err(|error| creating(&error))?;
        made.cluster.and_then(|cluster| cluster.arn).ok_or_else(|| incomplete("CreateCluster", "cluster"))
    }

    /// Lets access entries count beside the config map, and answers the update's id. The way back is closed by EKS.
    pub async fn use_access_entries(&self, name: &str, token: &str) -> Result<String, Trouble> {
        let mode = AuthenticationMode::ApiAndConfigMap;
        let access = UpdateAccessConfigRequest::builder().authentication_mode(mode).build();
        let call = self.change.update_cluster_config().name(name).access_config(access).client_request_token(token);
        let sent = call.send().await.map_err(|error| changing("UpdateClusterConfig", &error))?;
        sent.update.and_then(|update| update.id).ok_or_else(|| incomplete("UpdateClusterConfig", "update"))
    }

    /// Deletes a cluster; one that is gone or going counts.
    pub async fn delete_cluster(&self, name: &str) -> Result<(), Trouble> {
        match self.change.delete_cluster().name(name).send().await {
            Ok(_) => Ok(()),
            Err(error) => match changing("DeleteCluster", &error) {
                trouble if trouble.is_upstream("ResourceNotFoundException") => Ok(()),
                trouble => Err(trouble),
            },
        }
    }
}

fn logging() -> Logging {
    let kinds =
        vec![LogType::Api, LogType::Audit, LogType::Authenticator, LogType::ControllerManager, LogType::Scheduler];
    Logging::builder().cluster_logging(LogSetup::builder().enabled(true).set_types(Some(kinds)).build()).build()
}

fn creating(error: &CallError<CreateClusterError>) -> Trouble {
    let trouble = super::creating("CreateCluster", error);
    let zones = match error.as_service_error() {
        Some(CreateClusterError::UnsupportedAvailabilityZoneException(refused)) => refused.valid_zones(),
        _ => return trouble,
    };
    let Trouble::Fatal(failure) = trouble else { return trouble };
    let which = if zones.is_empty() { "that the message names".to_owned() } else { zones.join(", ") };
    let action = format!(
        "EKS takes the zones {which}: make the cluster under another tag with network.subnetIds in two of them; what \
         was made so far stays."
    );
    Trouble::Fatal(failure.with_action(action))
}
