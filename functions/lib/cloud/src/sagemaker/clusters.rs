//! HyperPod clusters: found by name or by the EKS cluster that they are on, made, deleted.

use super::{
    HyperPod, changing,
    groups::{self, Group, Network, NewGroup},
    incomplete, maybe, reading, time,
};
use crate::Tags;
use aws_sdk_sagemaker::{
    operation::describe_cluster::DescribeClusterOutput,
    types::{ClusterNodeProvisioningMode, ClusterNodeRecovery, ClusterOrchestrator, ClusterOrchestratorEksConfig, Tag},
};
use domain::{failure::Trouble, ids::HyperPodClusterName, status::HyperPodClusterStatus};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A HyperPod cluster as AWS shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attached {
    /// Its ARN; the last part is an id, not the name.
    pub arn: String,
    /// Its name.
    pub name: String,
    /// Its status.
    pub status: HyperPodClusterStatus,
    /// Why it failed; empty if it did not.
    pub failure: String,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// ARN of its EKS cluster; none for Slurm.
    pub eks_arn: Option<String>,
    /// Its network.
    pub network: Network,
    /// Whether nodes are made one by one and retried for ever (Continuous), with events to read.
    pub continuous: bool,
    /// Whether HyperPod replaces faulty nodes by itself.
    pub recovers: bool,
    /// Whether managed Karpenter may change counts.
    pub autoscaled: bool,
    /// Its groups.
    pub groups: Vec<Group>,
    /// Names of restricted groups: nothing here changes those.
    pub restricted: Vec<String>,
}

impl Attached {
    /// The id at the end of the ARN, which its log group carries.
    pub fn id(&self) -> &str {
        self.arn.rsplit('/').next().unwrap_or_default()
    }

    /// The group of this name. Order means nothing (field report BR-050).
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }

    /// Subnets of a group: its own, else the cluster's.
    pub fn subnets_of<'a>(&'a self, group: &'a Group) -> &'a [String] {
        &group.network.as_ref().unwrap_or(&self.network).subnet_ids
    }
}

/// A cluster to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewCluster {
    /// Its name: a second one is refused.
    pub name: HyperPodClusterName,
    /// ARN of its EKS cluster.
    pub eks_arn: String,
    /// Its network; fixed for its life.
    pub network: Network,
    /// All of its groups; at least one.
    pub groups: Vec<NewGroup>,
}

impl HyperPod {
    /// The cluster of this name or ARN.
    pub async fn cluster(&self, name: &str) -> Result<Option<Attached>, Trouble> {
        let answer = self.read.describe_cluster().cluster_name(name).send().await;
        Ok(maybe("DescribeCluster", answer)?.map(|answer| attached(&answer)))
    }

    /// The cluster on this EKS cluster, whatever its name: an EKS cluster has one at the most. Every cluster of the
    /// Region is looked at until it is found.
    pub async fn cluster_on(&self, eks_arn: &str) -> Result<Option<Attached>, Trouble> {
        for name in self.names().await? {
            // One that was deleted since the list was made is no trouble.
            if let Some(cluster) = self.cluster(&name).await?.filter(|it| it.eks_arn.as_deref() == Some(eks_arn)) {
                return Ok(Some(cluster));
            }
        }
        Ok(None)
    }

    /// The cluster on this EKS cluster, looked for under our own name first; and the ARN of a cluster that has our name
    /// elsewhere.
    pub async fn find(&self, name: &str, eks_arn: &str) -> Result<(Option<Attached>, Option<String>), Trouble> {
        match self.cluster(name).await? {
            Some(cluster) if cluster.eks_arn.as_deref() == Some(eks_arn) => Ok((Some(cluster), None)),
            other => Ok((self.cluster_on(eks_arn).await?, other.map(|other| other.arn))),
        }
    }

    /// Names of all clusters of the Region; all pages.
    pub async fn names(&self) -> Result<Vec<String>, Trouble> {
        let mut names = Vec::new();
        let mut token = None;
        loop {
            let page = self.read.list_clusters().max_results(100).set_next_token(token.take()).send().await;
            let page = page.map_err(|error| reading("ListClusters", &error))?;
            names.extend(page.cluster_summaries().iter().filter_map(|summary| summary.cluster_name.clone()));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(names);
            }
        }
    }

    /// Tags of a resource; all pages.
    pub async fn tags(&self, arn: &str) -> Result<Tags, Trouble> {
        let mut tags = Tags::new();
        let mut token = None;
        loop {
            let page = self.read.list_tags().resource_arn(arn).set_next_token(token.take()).send().await;
            let Some(page) = maybe("ListTags", page)? else { return Ok(tags) };
            let pairs = page.tags().iter().filter_map(|tag| Some((tag.key.clone()?, tag.value.clone()?)));
            tags.extend(pairs);
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(tags);
            }
        }
    }

    /// Makes a cluster and answers its ARN: on EKS, with automatic recovery of nodes and Continuous provisioning. The
    /// name guards against a second one: `ResourceInUse`.
    pub async fn create_cluster(&self, wanted: &NewCluster, tags: &Tags) -> Result<String, Trouble> {
        let eks = ClusterOrchestratorEksConfig::builder().cluster_arn(&wanted.eks_arn).build();
        let sent = self
            .change
            .create_cluster()
            .cluster_name(wanted.name.as_str())
            .orchestrator(ClusterOrchestrator::builder().eks(eks).build())
            .vpc_config(wanted.network.sdk())
            .set_instance_groups(Some(wanted.groups.iter().map(NewGroup::sdk).collect()))
            .node_recovery(ClusterNodeRecovery::Automatic)
            .node_provisioning_mode(ClusterNodeProvisioningMode::Continuous)
            .set_tags(Some(sdk_tags(tags)))
            .send()
            .await;
        let made = sent.map_err(|error| changing("CreateCluster", &error))?;
        made.cluster_arn.ok_or_else(|| incomplete("CreateCluster", "ClusterArn"))
    }

    /// Adds groups to a cluster. Groups that are not named stay as they are.
    pub async fn add_groups(&self, name: &str, groups: &[NewGroup]) -> Result<(), Trouble> {
        let specifications = groups.iter().map(NewGroup::sdk).collect();
        let call = self.change.update_cluster().cluster_name(name).set_instance_groups(Some(specifications));
        call.send().await.map(drop).map_err(|error| changing("UpdateCluster", &error))
    }

    /// Deletes a cluster and its nodes; one that is gone counts.
    pub async fn delete_cluster(&self, name: &str) -> Result<(), Trouble> {
        match self.change.delete_cluster().cluster_name(name).send().await {
            Ok(_) => Ok(()),
            Err(error) => match changing("DeleteCluster", &error) {
                trouble if trouble.is_upstream("ResourceNotFound") => Ok(()),
                trouble => Err(trouble),
            },
        }
    }
}

fn sdk_tags(tags: &Tags) -> Vec<Tag> {
    tags.iter().map(|(key, value)| Tag::builder().key(key).value(value).build()).collect()
}

fn attached(seen: &DescribeClusterOutput) -> Attached {
    let restricted = seen.restricted_instance_groups().iter();
    Attached {
        arn: seen.cluster_arn().unwrap_or_default().to_owned(),
        name: seen.cluster_name().unwrap_or_default().to_owned(),
        status: HyperPodClusterStatus::read(seen.cluster_status().map_or("", |status| status.as_str())),
        failure: seen.failure_message().unwrap_or_default().to_owned(),
        created_at: time(seen.creation_time()),
        eks_arn: seen.orchestrator().and_then(|it| it.eks()).and_then(|eks| eks.cluster_arn().map(str::to_owned)),
        network: seen.vpc_config().map(groups::network).unwrap_or_default(),
        continuous: seen.node_provisioning_mode() == Some(&ClusterNodeProvisioningMode::Continuous),
        recovers: seen.node_recovery() != Some(&ClusterNodeRecovery::None),
        autoscaled: seen.auto_scaling().is_some_and(|scaling| scaling.mode().as_str() == "Enable"),
        groups: seen.instance_groups().iter().map(groups::seen).collect(),
        restricted: restricted.filter_map(|group| group.instance_group_name().map(str::to_owned)).collect(),
    }
}
