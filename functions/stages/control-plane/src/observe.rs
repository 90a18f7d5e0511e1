//! What there is.

pub(crate) mod cluster;
pub(crate) mod network;

pub(crate) use cluster::Around;
pub(crate) use network::Network;

use crate::{Clients, change};
use cloud::ec2::{Address, Find};
use domain::{failure::Trouble, naming::TAG_CLUSTER};
use engine::reconciler::Scene;
use footing::Footing;
use serde::Serialize;

/// The world as far as this stage is concerned.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// VPC, subnets, gateways, routes, endpoint, security group; of an import nothing: it borrows them.
    pub network: Network,
    /// The EKS cluster and what belongs to it.
    pub eks: Around,
    /// What an import borrows, once its cluster is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub borrowed: Option<Borrowed>,
}

/// The network of an imported cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Borrowed {
    /// What the cluster stands on.
    pub footing: Footing,
    /// The address of a NAT gateway that the fix `nat` made.
    pub address: Option<Address>,
}

pub(crate) async fn observe(clients: &Clients, scene: Scene<'_>) -> Result<Observed, Trouble> {
    if scene.cluster.import.is_some() {
        return imported(clients, scene).await;
    }
    let (network, eks) = tokio::try_join!(network::observe(&clients.ec2, scene), cluster::observe(clients, scene))?;
    Ok(Observed { network, eks, borrowed: None })
}

async fn imported(clients: &Clients, scene: Scene<'_>) -> Result<Observed, Trouble> {
    let eks = cluster::observe_import(clients, scene).await?;
    let Some(cluster) = &eks.cluster else { return Ok(Observed { eks, ..Observed::default() }) };
    let ours = Find::tagged(TAG_CLUSTER, scene.cluster.id.to_string());
    let (footing, addresses) = tokio::try_join!(footing::observe(&clients.ec2, cluster), clients.ec2.addresses(&ours))?;
    let address = addresses.into_iter().find(|address| network::made_by(&address.tags, change::ADDRESS));
    Ok(Observed { eks, borrowed: Some(Borrowed { footing, address }), ..Observed::default() })
}
