//! The EKS cluster, and what belongs to it: role, OIDC provider, base add-ons, access entries.

use crate::{
    Clients,
    admission::{self, Admissions},
};
use cloud::{
    eks::{Addon, EksCluster},
    iam::{OidcProvider, Role},
};
use domain::{
    failure::Trouble,
    naming::{self, Names},
    status::EksClusterStatus,
    versions::KubernetesMinor,
};
use engine::reconciler::Scene;
use serde::Serialize;
use std::collections::BTreeMap;

/// The EKS cluster and its surroundings, as far as they are there.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Around {
    /// Kubernetes versions that EKS offers; asked only while there is no cluster.
    pub offered: Vec<KubernetesMinor>,
    /// The control plane's role.
    pub role: Option<Role>,
    /// Managed policies that the role has.
    pub role_policies: Vec<String>,
    /// The cluster.
    pub cluster: Option<EksCluster>,
    /// The provider of its issuer.
    pub provider: Option<OidcProvider>,
    /// Base add-ons that are there.
    pub addons: BTreeMap<String, Addon>,
    /// Versions that EKS gives to the others; an add-on that it does not offer for this cluster is missing.
    pub addon_versions: BTreeMap<String, String>,
    /// Who is to be let in.
    pub admissions: Admissions,
}

impl Around {
    /// Whether the cluster serves: an update does not interrupt it (field report BR-008).
    pub(crate) fn is_usable(&self) -> bool {
        self.cluster
            .as_ref()
            .is_some_and(|cluster| matches!(cluster.status, EksClusterStatus::Active | EksClusterStatus::Updating))
    }
}

/// Looks at a cluster that we make.
pub(crate) async fn observe(clients: &Clients, scene: Scene<'_>) -> Result<Around, Trouble> {
    let (eks, iam) = (&clients.eks, &clients.iam);
    let role_name = Names::of(&scene.cluster.tag, scene.cluster.id).role(naming::Role::Cluster);
    let (cluster, role) = tokio::try_join!(eks.cluster(scene.cluster.eks_name()), iam.role(&role_name))?;
    let role_policies = if role.is_some() { iam.attached_policies(&role_name).await? } else { Vec::new() };
    let offered = match &cluster {
        None => eks.versions().await?.into_iter().map(|offered| offered.version).collect(),
        Some(_) => Vec::new(),
    };
    let mut around = Around { offered, role, role_policies, cluster, ..Around::default() };
    around.admissions = admission::observe(eks, iam, scene, around.is_usable()).await?;
    if around.is_usable() {
        inside(clients, &mut around).await?;
    }
    Ok(around)
}

/// Looks at a cluster that was there before us.
pub(crate) async fn observe_import(clients: &Clients, scene: Scene<'_>) -> Result<Around, Trouble> {
    let cluster = clients.eks.cluster(scene.cluster.eks_name()).await?;
    let mut around = Around { cluster, ..Around::default() };
    let entries = around.cluster.as_ref().is_some_and(|cluster| cluster.authentication_mode != "CONFIG_MAP");
    let usable = around.is_usable() && entries;
    around.admissions = admission::observe(&clients.eks, &clients.iam, scene, usable).await?;
    Ok(around)
}

/// Adds what can be asked only of a cluster that serves.
async fn inside(clients: &Clients, around: &mut Around) -> Result<(), Trouble> {
    let Some(cluster) = &around.cluster else { return Ok(()) };
    if let Some(issuer) = &cluster.issuer {
        around.provider = clients.iam.oidc_provider(issuer).await?;
    }
    for name in addons::BASE.map(|addon| addon.name) {
        if let Some(addon) = clients.eks.addon(&cluster.name, name).await? {
            around.addons.insert(name.to_owned(), addon);
        } else if let Some(version) = clients.eks.default_addon_version(name, &cluster.version).await? {
            around.addon_versions.insert(name.to_owned(), version);
        }
    }
    Ok(())
}
