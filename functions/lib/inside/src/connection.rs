//! The way into a cluster: found by name in EKS, entered with our own identity.

use cloud::{
    Cloud, Who,
    eks::{Eks, EksCluster},
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming,
};
use engine::{reconciler::Scene, record::Target};
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

/// Enters the scene's cluster as the role of `function`. An access entry that was made a moment ago is not known to the
/// API server yet: refusals are waits for three minutes.
///
/// # Errors
/// `dependency_missing` without a cluster, `dependency_not_ready` without an endpoint; reads that were refused or lost.
pub async fn enter(cloud: &Cloud, reach: &Reach, scene: Scene<'_>, function: &str) -> Result<Inside, Trouble> {
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
        access_since: eks.access_entry(name, &principal(target, function)).await?.and_then(|entry| entry.created_at),
    };
    let kubernetes = Kubernetes::new(reach, &endpoint, identity);
    Ok(Inside { eks, cluster, kubernetes })
}

/// The principal as which we come: the role that is assumed in the cluster's account, else the function's own.
fn principal(target: &Target, function: &str) -> String {
    let own = || {
        let role = naming::function_role(function);
        format!("arn:{}:iam::{}:role/{role}", target.region.partition(), target.account)
    };
    target.role_arn.clone().unwrap_or_else(own)
}
