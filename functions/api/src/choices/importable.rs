//! EKS clusters that are there and not managed here.

use super::known;
use crate::{Api, problems};
use cloud::{eks::EksCluster, sagemaker::Attached};
use contract::{
    choices::{ImportableClusterList, ImportableClusterView, ListImportableClusters},
    problem::Problem,
};
use domain::{failure::Trouble, ids::Region};
use futures::future::{join_all, try_join_all};
use preflight::{
    Eyes, Read, bounded,
    imports::{Candidate, lacks},
};
use std::collections::BTreeSet;

/// Cluster records read at a time.
const PAGE: usize = 100;

pub(crate) async fn list_importable_clusters(
    api: &Api,
    input: ListImportableClusters,
) -> Result<ImportableClusterList, Problem> {
    let eyes = known(api, &input.region).await?;
    let managed = managed(api, &input.region).await?;
    let clusters = async {
        let names = eyes.eks.names().await?;
        let others = names.iter().filter(|name| !managed.contains(*name));
        let found = try_join_all(others.map(|name| eyes.eks.cluster(name))).await?;
        Ok::<_, Trouble>(found.into_iter().flatten().collect::<Vec<EksCluster>>())
    };
    let (clusters, attached) =
        tokio::join!(bounded("EKS clusters", clusters), bounded("HyperPod clusters", eyes.hyperpod_clusters()));
    let clusters = clusters.map_err(problems::of_trouble)?;
    // Whether HyperPod is attached decides what an import is: that must not be guessed.
    let attached = attached.map_err(problems::of_trouble)?;
    let mut items = join_all(clusters.iter().map(|eks| view(&eyes, eks, &attached))).await;
    items.sort_by(|a, b| a.eks_cluster_name.cmp(&b.eks_cluster_name));
    Ok(ImportableClusterList { items })
}

/// Names of EKS clusters of the Region that living records stand for.
async fn managed(api: &Api, region: &Region) -> Result<BTreeSet<String>, Problem> {
    let target = api.target(region.clone());
    let mut names = BTreeSet::new();
    let mut after: Option<String> = None;
    loop {
        let page = api.desk().store.clusters(after.as_deref(), PAGE).await.map_err(problems::of_trouble)?;
        let living = page.items.iter().filter(|cluster| cluster.deleted_at.is_none() && cluster.target == target);
        names.extend(living.map(|cluster| cluster.eks_name().to_owned()));
        after = page.next;
        if after.is_none() {
            return Ok(names);
        }
    }
}

async fn view(eyes: &Eyes, eks: &EksCluster, attached: &[Attached]) -> ImportableClusterView {
    let (footing, principals): (Read<_>, Read<_>) = tokio::join!(
        bounded("network", footing::observe(&eyes.ec2, eks)),
        bounded("access entries", eyes.eks.access_principals(&eks.name)),
    );
    let role_arn = eyes.target.role_arn.as_deref();
    let seen = Candidate { eks, footing: &footing, principals: &principals, role_arn };
    let hyperpod = attached.iter().find(|cluster| cluster.eks_arn.as_deref() == Some(eks.arn.as_str()));
    ImportableClusterView {
        eks_cluster_name: eks.name.clone(),
        arn: eks.arn.clone(),
        status: eks.status.to_string(),
        version: eks.version.clone(),
        vpc_id: Some(eks.vpc_id.clone()).filter(|id| !id.is_empty()),
        hyperpod_cluster_name: hyperpod.map(|cluster| cluster.name.clone()),
        hyperpod_status: hyperpod.map(|cluster| cluster.status.to_string()),
        nodes: hyperpod.map_or(0, |cluster| cluster.groups.iter().map(|group| group.current).sum()),
        findings: lacks(&seen, &[], false),
    }
}
