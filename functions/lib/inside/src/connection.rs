//! The way into a cluster: found by name in EKS, entered with our own identity.

use cloud::{
    Cloud, Who,
    eks::{Eks, EksCluster},
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
};
use engine::reconciler::Scene;
use kubernetes::{Endpoint, Identity, Kubernetes, Reach};

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

/// Enters the scene's cluster.
///
/// # Errors
/// `dependency_missing` without a cluster, `dependency_not_ready` without an endpoint; reads that were refused or lost.
pub async fn enter(cloud: &Cloud, reach: &Reach, scene: Scene<'_>) -> Result<Inside, Trouble> {
    let (target, who) = (&scene.cluster.target, Who::operation(scene.operation));
    let eks = Eks::new(cloud, target, &who).await;
    let name = scene.cluster.eks_name();
    let cluster = eks.cluster(name).await?.ok_or_else(|| {
        Failure::new(ErrorCode::DependencyMissing, format!("there is no EKS cluster {name}"))
            .with_action("Run the control-plane stage again.")
    })?;
    let endpoint = Endpoint::of_eks(&cluster.endpoint, &cluster.certificate_authority)?;
    let identity = Identity {
        cluster: name.to_owned(),
        region: target.region.to_string(),
        credentials: cloud.identity(target, &who).await,
        time: cloud.time.clone(),
        access_since: None,
    };
    let kubernetes = Kubernetes::new(reach, &endpoint, identity);
    Ok(Inside { eks, cluster, kubernetes })
}
