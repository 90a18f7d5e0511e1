//! The cluster, its network, what HyperPod has on it already, and whether its Kubernetes API answers us.

use crate::Clients;
use cloud::{eks::EksCluster, sagemaker, sts::kubernetes_principal};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming::KubernetesRole,
    status::{EksClusterStatus, HyperPodClusterStatus},
};
use engine::reconciler::Scene;
use footing::Footing;
use kubernetes::{Endpoint, FORBIDDEN, Kubernetes, Question, UNAUTHORIZED};
use serde::Serialize;

/// The world as far as this stage is concerned.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// The EKS cluster.
    pub cluster: Option<EksCluster>,
    /// Whether our identity has an access entry; not asked of a cluster that takes none.
    pub entered: Option<bool>,
    /// What the Kubernetes API answers us.
    pub voice: Voice,
    /// The HyperPod cluster that is attached to it.
    pub hyperpod: Option<Attached>,
    /// What it stands on.
    pub footing: Option<Footing>,
}

/// What came of asking the Kubernetes API.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "voice")]
pub enum Voice {
    /// Not asked: the cluster does not serve.
    #[default]
    NotAsked,
    /// It answers and lets us read.
    Answers {
        /// Its version: `v1.34.1-eks-…`.
        version: String,
    },
    /// It answers and does not know us, or does not let us read.
    Refuses {
        /// What it said.
        failure: Failure,
    },
    /// It does not answer within a read's five seconds, or cannot be connected to.
    Silent {
        /// What was met.
        failure: Failure,
    },
}

/// A HyperPod cluster, found by the ARN of its orchestrator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attached {
    /// Its name.
    pub name: String,
    /// Its ARN.
    pub arn: String,
    /// Its status.
    pub status: HyperPodClusterStatus,
    /// Its instance groups.
    pub instance_groups: Vec<String>,
    /// What those are that HyperPod makes of plain instances; a restricted group tells no count.
    pub groups: Vec<Group>,
}

/// An instance group as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its type; the first of its list if it takes several.
    pub instance_type: String,
    /// Instances wanted.
    pub target: u32,
}

impl From<sagemaker::Attached> for Attached {
    fn from(seen: sagemaker::Attached) -> Self {
        let names = seen.groups.iter().map(|group| group.name.clone());
        let instance_groups = names.chain(seen.restricted.iter().cloned()).collect();
        let found = |group: sagemaker::Group| Group {
            name: group.name,
            instance_type: group.instance_type,
            target: group.target,
        };
        let groups = seen.groups.into_iter().map(found).collect();
        Self { name: seen.name, arn: seen.arn, status: seen.status, instance_groups, groups }
    }
}

pub(crate) async fn observe(clients: &Clients, scene: Scene<'_>) -> Result<Observed, Trouble> {
    let Some(cluster) = clients.eks.cluster(scene.cluster.eks_name()).await? else { return Ok(Observed::default()) };
    if !matches!(cluster.status, EksClusterStatus::Active | EksClusterStatus::Updating) {
        return Ok(Observed { cluster: Some(cluster), ..Observed::default() });
    }
    let (footing, hyperpod, entered, voice) = tokio::try_join!(
        footing::observe(&clients.ec2, &cluster),
        clients.hyperpod.cluster_on(&cluster.arn),
        entered(clients, scene, &cluster),
        voice(clients, &cluster),
    )?;
    Ok(Observed {
        cluster: Some(cluster),
        entered,
        voice,
        hyperpod: hyperpod.map(Attached::from),
        footing: Some(footing),
    })
}

/// Whether the role behind which we come has an entry.
async fn entered(clients: &Clients, scene: Scene<'_>, cluster: &EksCluster) -> Result<Option<bool>, Trouble> {
    if cluster.authentication_mode == "CONFIG_MAP" {
        return Ok(None);
    }
    let ours = kubernetes_principal(&scene.cluster.target, KubernetesRole::Reader);
    Ok(Some(clients.eks.access_principals(&cluster.name).await?.contains(&ours)))
}

/// Asks the Kubernetes API for its version, and whether we may list nodes.
async fn voice(clients: &Clients, cluster: &EksCluster) -> Result<Voice, Trouble> {
    let endpoint = match Endpoint::of_eks(&cluster.endpoint, &cluster.certificate_authority) {
        Ok(endpoint) => endpoint,
        Err(failure) => return Ok(Voice::Silent { failure }),
    };
    let kubernetes = Kubernetes::new(&clients.reach, &endpoint, clients.identity.clone());
    let version = match kubernetes.version().await {
        Ok(version) => version,
        Err(trouble) => return judged(trouble),
    };
    let nodes =
        Question { verb: "list".to_owned(), group: String::new(), resource: "nodes".to_owned(), namespace: None };
    match kubernetes.may_i(&nodes).await {
        Ok(verdict) if verdict.allowed => Ok(Voice::Answers { version }),
        Ok(_) => {
            let text = "the Kubernetes API knows our identity and does not let it list nodes";
            Ok(Voice::Refuses { failure: Failure::new(ErrorCode::PermissionDenied, text) })
        }
        Err(trouble) => judged(trouble),
    }
}

fn judged(trouble: Trouble) -> Result<Voice, Trouble> {
    let failure = trouble.failure().clone();
    if trouble.is_upstream(UNAUTHORIZED) || trouble.is_upstream(FORBIDDEN) {
        return Ok(Voice::Refuses { failure });
    }
    if failure.code == ErrorCode::NetworkUnreachable {
        return Ok(Voice::Silent { failure });
    }
    Err(trouble)
}
