//! What stages are given, and the way into a cluster: found by name in EKS, entered as the role that writes.

use cloud::{
    Cloud, Who,
    eks::{Eks, EksCluster},
    sts::kubernetes_principal,
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming::KubernetesRole,
};
use engine::reconciler::Scene;
use kubernetes::{Endpoint, Identity, Kubernetes, Reach};

/// What a stage that works inside of a cluster is given besides the table.
#[derive(Debug, Clone)]
pub struct Context {
    /// How AWS is reached.
    pub cloud: Cloud,
    /// How Kubernetes endpoints are reached.
    pub reach: Reach,
}

/// A cluster, entered.
#[derive(Debug, Clone)]
pub struct Inside {
    /// EKS of its target.
    pub eks: Eks,
    /// The cluster as EKS has it.
    pub cluster: EksCluster,
    /// Its Kubernetes API.
    pub kubernetes: Kubernetes,
}

impl Context {
    /// Enters the scene's cluster to install things in it. An access entry that was made a moment ago is not known to the
    /// API server yet: refusals are waits for three minutes.
    ///
    /// # Errors
    /// `dependency_missing` without a cluster, `dependency_not_ready` without an endpoint; reads that were refused or lost.
    pub async fn enter(&self, scene: Scene<'_>) -> Result<Inside, Trouble> {
        let (target, who) = (&scene.cluster.target, Who::operation(scene.operation));
        let eks = Eks::new(&self.cloud, target, &who).await;
        let name = scene.cluster.eks_name();
        let cluster = eks.cluster(name).await?.ok_or_else(|| {
            Failure::new(ErrorCode::DependencyMissing, format!("there is no EKS cluster {name}"))
                .with_action("Run the control-plane stage again.")
        })?;
        let endpoint = Endpoint::of_eks(&cluster.endpoint, &cluster.certificate_authority)?;
        let (principal, role) = (kubernetes_principal(target, KubernetesRole::Writer), KubernetesRole::Writer);
        let identity = Identity {
            cluster: name.to_owned(),
            region: target.region.to_string(),
            credentials: self.cloud.kubernetes_identity(target, &who, role).await?,
            time: self.cloud.time.clone(),
            access_since: eks.access_entry(name, &principal).await?.and_then(|entry| entry.created_at),
        };
        let kubernetes = Kubernetes::new(&self.reach, &endpoint, identity);
        Ok(Inside { eks, cluster, kubernetes })
    }
}
