//! What there is.

pub(crate) mod network;

pub(crate) use network::Network;

use crate::Clients;
use domain::failure::Trouble;
use engine::reconciler::Scene;
use serde::Serialize;

/// The world as far as this stage is concerned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// VPC, subnets, gateways, routes, endpoint, security group.
    pub network: Network,
}

pub(crate) async fn observe(clients: &Clients, scene: Scene<'_>) -> Result<Observed, Trouble> {
    Ok(Observed { network: network::observe(&clients.ec2, scene).await? })
}
