//! The HyperPod cluster, its nodes on both sides, and what its events say about those that do not come.

use super::kubernetes::{self, KubernetesNode};
use crate::{Clients, Context, plan::causes::Cause};
use cloud::{
    eks::EksCluster,
    sagemaker::{Attached, Event, Group, Lifecycle, Node},
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble as CallTrouble},
    ids::HyperPodClusterName,
    naming::{Names, hyperpod_log_group},
    status::{HyperPodClusterStatus, NodeStatus},
};
use engine::reconciler::Scene;
use serde::Serialize;
use std::collections::BTreeMap;

/// Groups whose events are read in one look.
const GROUPS_WITH_EVENTS: usize = 10;

/// The HyperPod cluster with what is known of its nodes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cluster {
    /// As DescribeCluster shows it.
    pub(crate) attached: Attached,
    /// Whether it carries our tag.
    pub(crate) ours: bool,
    /// SageMaker's nodes.
    #[serde(skip)]
    pub(crate) nodes: Vec<Node>,
    /// Kubernetes' nodes by name.
    #[serde(skip)]
    pub(crate) joined: BTreeMap<String, KubernetesNode>,
    /// What keeps groups short of nodes, by group.
    pub(crate) troubles: BTreeMap<String, Trouble>,
}

/// What keeps a group short of nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Trouble {
    /// Its failures, newest first.
    #[serde(skip)]
    pub(crate) failures: Vec<Event>,
    /// The newest failure's text.
    pub(crate) newest: String,
    /// Last line of the lifecycle script's log on the instance that failed last.
    pub(crate) log_line: Option<String>,
    /// Where that log is: its group and stream, in one line.
    pub(crate) log_place: Option<String>,
    /// Where the script should be and is not.
    pub(crate) missing_script: Option<String>,
}

/// Finds the cluster on `eks`; also answers who else has our name.
pub(crate) async fn observe(
    context: &Context,
    clients: &Clients,
    scene: Scene<'_>,
    eks: &EksCluster,
) -> Result<(Option<Cluster>, Option<String>), CallTrouble> {
    let names = Names::of(&scene.cluster.tag, scene.cluster.id);
    let name = names.hyperpod_cluster();
    let name = name.map_err(|error| CallTrouble::Fatal(Failure::new(ErrorCode::Internal, error.to_string())))?;
    let (found, taken) = clients.hyperpod.find(name.as_str(), &eks.arn).await?;
    match found {
        Some(attached) => Ok((Some(look_into(context, clients, scene, eks, attached).await?), taken)),
        None => Ok((None, taken)),
    }
}

async fn look_into(
    context: &Context,
    clients: &Clients,
    scene: Scene<'_>,
    eks: &EksCluster,
    attached: Attached,
) -> Result<Cluster, CallTrouble> {
    let tags = clients.hyperpod.tags(&attached.arn).await?;
    let ours = cloud::is_owned(&tags, scene.cluster.id);
    let mut cluster = Cluster { attached, ours, nodes: Vec::new(), joined: BTreeMap::new(), troubles: BTreeMap::new() };
    if matches!(cluster.attached.status, HyperPodClusterStatus::Failed | HyperPodClusterStatus::Deleting) {
        return Ok(cluster);
    }
    cluster.nodes = clients.hyperpod.nodes(&cluster.attached.name).await?;
    if cluster.nodes.iter().any(|node| node.status == NodeStatus::Running) {
        let nodes = kubernetes::nodes_in_kubernetes(context, scene, eks).await?;
        cluster.joined = nodes.into_iter().map(|node| (node.name.clone(), node)).collect();
    }
    let short: Vec<Group> = cluster.short_groups().cloned().collect();
    if cluster.attached.continuous {
        for group in short.iter().take(GROUPS_WITH_EVENTS) {
            if let Some(trouble) = trouble(clients, &cluster.attached, group).await? {
                cluster.troubles.insert(group.name.clone(), trouble);
            }
        }
    }
    Ok(cluster)
}

impl Cluster {
    /// Groups that have fewer running nodes than they should.
    fn short_groups(&self) -> impl Iterator<Item = &Group> {
        self.attached.groups.iter().filter(|group| {
            let up = self.nodes.iter().filter(|node| node.group == group.name && node.status == NodeStatus::Running);
            u32::try_from(up.count()).unwrap_or(u32::MAX) < group.target
        })
    }
}

async fn trouble(clients: &Clients, cluster: &Attached, group: &Group) -> Result<Option<Trouble>, CallTrouble> {
    let failures = clients.hyperpod.failures(&cluster.name, &group.name).await?;
    let Some(newest) = failures.first() else { return Ok(None) };
    let mut trouble = Trouble {
        newest: newest.text.clone(),
        failures: failures.clone(),
        log_line: None,
        log_place: None,
        missing_script: None,
    };
    if Cause::of(&newest.text) == Cause::Script {
        if let Some((log_group, stream)) = log_stream(cluster, newest) {
            trouble.log_line = log_line(clients, &log_group, &stream).await?;
            trouble.log_place = Some(format!("log group {log_group}, stream {stream}"));
        }
        trouble.missing_script = match &group.lifecycle {
            Some(lifecycle) => missing_script(clients, lifecycle).await?,
            None => None,
        };
    }
    Ok(Some(trouble))
}

/// Log group and stream in which the script of a failed instance writes.
fn log_stream(cluster: &Attached, failure: &Event) -> Option<(String, String)> {
    let name: HyperPodClusterName = cluster.name.parse().ok()?;
    let stream = format!("LifecycleConfig/{}/{}", failure.group.as_ref()?, failure.instance_id.as_ref()?);
    Some((hyperpod_log_group(&name, cluster.id()), stream))
}

/// The last line of a script's log. The log makes the text better and decides nothing, so a refused read is told in its
/// place.
async fn log_line(clients: &Clients, log_group: &str, stream: &str) -> Result<Option<String>, CallTrouble> {
    match clients.logs.last_line(log_group, stream).await {
        Err(CallTrouble::Fatal(failure)) => Ok(Some(format!("(its log could not be read: {failure})"))),
        answer => answer,
    }
}

/// The script's place, if it is not there (field report BR-040). A read that is refused decides nothing.
async fn missing_script(clients: &Clients, lifecycle: &Lifecycle) -> Result<Option<String>, CallTrouble> {
    let Some((bucket, prefix)) = lifecycle.source.strip_prefix("s3://").and_then(|rest| rest.split_once('/')) else {
        return Ok(None);
    };
    match clients.s3.has_object(bucket, &format!("{prefix}/{}", lifecycle.entry)).await {
        Ok(true) | Err(CallTrouble::Fatal(_)) => Ok(None),
        Ok(false) => Ok(Some(format!("{}/{}", lifecycle.source, lifecycle.entry))),
        Err(trouble) => Err(trouble),
    }
}
