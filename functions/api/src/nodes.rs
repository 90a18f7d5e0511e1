//! Nodes of a cluster: SageMaker's list, every page of it, joined with Kubernetes' by instance id.
//!
//! A node that never joined Kubernetes is in the list; so is one that SageMaker wants and has no instance for yet. If
//! Kubernetes cannot be read the list says why, and nothing is called schedulable.

use crate::{Api, cursor, problems};
use base64::{Engine, engine::general_purpose::STANDARD};
use cloud::{
    Who,
    eks::EksCluster,
    sagemaker::{Attached, Node},
};
use contract::{
    nodes::{ListNodes, NodeList, NodeView},
    problem::Problem,
};
use domain::{ids::ClusterTag, naming::KubernetesRole};
use engine::record::Cluster;
use kubernetes::{Endpoint, Identity, Kubernetes};
use preflight::{Eyes, Read, bounded};
use std::collections::BTreeMap;

/// How HyperPod's labels and taints begin.
const HYPERPOD: &str = "sagemaker.amazonaws.com/";

/// Nodes in Kubernetes by name, or why they are not known.
type Joined = Result<BTreeMap<String, kubernetes::Node>, String>;

pub(crate) async fn list_nodes(api: &Api, input: ListNodes) -> Result<NodeList, Problem> {
    let cluster = api.cluster(&input.tag).await?;
    let list = format!("nodes of {}, group {:?}", cluster.id, input.instance_group);
    let after = cursor::open(&list, input.cursor.as_deref())?;
    let eyes = api.eyes(&cluster.target.region).await?;
    let eks = bounded("the EKS cluster", eyes.eks.cluster(cluster.eks_name())).await.map_err(problems::of_trouble)?;
    let Some(eks) = eks else { return Ok(empty(&cluster.tag)) };
    let ((attached, nodes), joined) = {
        let (sagemaker, joined) = tokio::join!(in_sagemaker(&eyes, &eks), in_kubernetes(api, &cluster, &eks));
        (sagemaker.map_err(problems::of_trouble)?, joined)
    };
    let zones = zones(&eyes, attached.as_ref()).await;
    let rows: Vec<(String, NodeView)> = keyed(&nodes)
        .filter(|(_, node)| input.instance_group.as_ref().is_none_or(|group| *group == node.group))
        .map(|(key, node)| (key, view(node, attached.as_ref(), &zones, joined.as_ref().ok())))
        .collect();
    let count = |fits: &dyn Fn(&NodeView) -> bool| {
        u32::try_from(rows.iter().filter(|(_, row)| fits(row)).count()).unwrap_or(u32::MAX)
    };
    let (running, schedulable) = (count(&|row| row.status == "Running"), count(&|row| row.schedulable));
    let groups = attached.iter().flat_map(|cluster| &cluster.groups);
    let of_filter = groups.filter(|group| input.instance_group.as_ref().is_none_or(|name| *name == group.name));
    let wanted = of_filter.fold(0_u32, |sum, group| sum.saturating_add(group.target));
    let (page, next) = cursor::cut(rows, after.as_deref(), input.limit, |(key, _)| key.clone());
    Ok(NodeList {
        items: page.into_iter().map(|(_, row)| row).collect(),
        wanted,
        running,
        schedulable,
        kubernetes_unknown: joined.err(),
        next_cursor: next.map(|next| cursor::seal(&list, &next)),
    })
}

fn empty(tag: &ClusterTag) -> NodeList {
    NodeList {
        items: Vec::new(),
        wanted: 0,
        running: 0,
        schedulable: 0,
        kubernetes_unknown: Some(format!("the EKS cluster of {tag} is not there")),
        next_cursor: None,
    }
}

async fn in_sagemaker(eyes: &Eyes, eks: &EksCluster) -> Read<(Option<Attached>, Vec<Node>)> {
    bounded("HyperPod nodes", async {
        match eyes.hyperpod.cluster_on(&eks.arn).await? {
            Some(cluster) => {
                let nodes = eyes.hyperpod.nodes(&cluster.name).await?;
                Ok((Some(cluster), nodes))
            }
            None => Ok((None, Vec::new())),
        }
    })
    .await
}

async fn in_kubernetes(api: &Api, cluster: &Cluster, eks: &EksCluster) -> Joined {
    let Some(reach) = &api.setup().kubernetes else {
        return Err("this control plane cannot reach Kubernetes endpoints".to_owned());
    };
    if eks.endpoint.is_empty() {
        return Err(format!("EKS cluster {} is {}: it has no endpoint yet", eks.name, eks.status));
    }
    let authority = STANDARD.decode(&eks.certificate_authority).ok().and_then(|pem| String::from_utf8(pem).ok());
    let Some(certificate_authority) = authority else {
        return Err(format!("EKS cluster {} shows a certificate authority that is not PEM in base64", eks.name));
    };
    let cloud = &api.setup().cloud;
    let (who, role) = (Who::reader("api"), KubernetesRole::Reader);
    let session =
        bounded("the role that reads Kubernetes", cloud.kubernetes_identity(&cluster.target, &who, role)).await;
    let identity = Identity {
        cluster: eks.name.clone(),
        region: cluster.target.region.to_string(),
        credentials: session.map_err(|trouble| trouble.failure().message.clone())?,
        time: cloud.time.clone(),
        access_since: None,
    };
    let endpoint = Endpoint { url: eks.endpoint.clone(), certificate_authority };
    let client = Kubernetes::new(reach, &endpoint, identity);
    let nodes = bounded("Kubernetes nodes", client.nodes("")).await;
    let nodes = nodes.map_err(|trouble| trouble.failure().message.clone())?;
    Ok(nodes.into_iter().map(|node| (node.name.clone(), node)).collect())
}

/// Zone ids of the subnets of the HyperPod cluster; those that cannot be read are unknown.
async fn zones(eyes: &Eyes, attached: Option<&Attached>) -> BTreeMap<String, String> {
    let Some(attached) = attached else { return BTreeMap::new() };
    let ids: std::collections::BTreeSet<String> =
        attached.groups.iter().flat_map(|group| attached.subnets_of(group).to_vec()).collect();
    if ids.is_empty() {
        return BTreeMap::new();
    }
    let find = cloud::ec2::Find { ids: ids.into_iter().collect(), filters: Vec::new() };
    let subnets = bounded("subnets", eyes.ec2.subnets(&find)).await.unwrap_or_default();
    subnets.into_iter().map(|subnet| (subnet.id, subnet.zone_id)).collect()
}

/// Nodes with a key by which pages are cut: the group, then the node's id of its own.
fn keyed(nodes: &[Node]) -> impl Iterator<Item = (String, &Node)> {
    nodes.iter().map(|node| (format!("{}/{}", node.group, node.id()), node))
}

fn view(
    node: &Node,
    attached: Option<&Attached>,
    zones: &BTreeMap<String, String>,
    joined: Option<&BTreeMap<String, kubernetes::Node>>,
) -> NodeView {
    let name = node.kubernetes_name();
    let there = name.as_ref().and_then(|name| joined?.get(name));
    let label = |key: &str| there.and_then(|node| node.labels.get(key)).cloned();
    let group = attached.and_then(|cluster| Some((cluster, cluster.group(&node.group)?)));
    // A group whose subnets are in one zone has its nodes there.
    let by_subnet = group.and_then(|(cluster, group)| {
        let ids: std::collections::BTreeSet<&String> =
            cluster.subnets_of(group).iter().filter_map(|subnet| zones.get(subnet)).collect();
        (ids.len() == 1).then(|| ids.into_iter().next().cloned())?
    });
    let count =
        |resource: &str| there.and_then(|node| node.count(resource)).and_then(|count| u32::try_from(count).ok());
    let health_status = label("sagemaker.amazonaws.com/node-health-status");
    NodeView {
        instance_id: node.instance_id.clone(),
        node_name: there.map(|node| node.name.clone()),
        instance_group: node.group.clone(),
        instance_type: node.instance_type.clone(),
        zone_id: label("topology.k8s.aws/zone-id").or(by_subnet),
        status: node.status.to_string(),
        message: Some(node.message.clone()).filter(|text| !text.is_empty()),
        joined: there.is_some(),
        ready: there.map(|node| if node.ready { "True" } else { "False" }.to_owned()),
        deep_health_check_status: label("sagemaker.amazonaws.com/deep-health-check-status"),
        fault_types: label("sagemaker.amazonaws.com/fault-types"),
        schedulable: there.is_some_and(|node| takes_pods(node, health_status.as_deref())),
        health_status,
        taints: there
            .map(|node| node.taints.iter().map(|taint| format!("{}={}:{}", taint.key, taint.value, taint.effect)))
            .into_iter()
            .flatten()
            .collect(),
        accelerators: count("nvidia.com/gpu").or_else(|| count("aws.amazon.com/neuroncore")).unwrap_or(0),
        efa_interfaces: count("vpc.amazonaws.com/efa").unwrap_or(0),
        kubelet_version: there.map(|node| node.kubelet_version.clone()),
        launched_at: node.launched_at,
    }
}

/// Joined, ready, not cordoned, without a taint of HyperPod, and not called anything but Schedulable. Where the health
/// agent does not run (CPU types) there is no label to ask.
fn takes_pods(node: &kubernetes::Node, health: Option<&str>) -> bool {
    let tainted = node.taints.iter().any(|taint| taint.key.starts_with(HYPERPOD));
    let accelerated = node.count("nvidia.com/gpu").or_else(|| node.count("aws.amazon.com/neuroncore")).unwrap_or(0) > 0;
    let judged_well = match health {
        Some(word) => word == "Schedulable",
        None => !accelerated,
    };
    node.ready && !node.unschedulable && !tainted && judged_well
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::status::NodeStatus;

    fn node(logical: Option<&str>, instance: Option<&str>) -> Node {
        Node {
            group: "workers".to_owned(),
            logical_id: logical.map(str::to_owned),
            instance_id: instance.map(str::to_owned),
            instance_type: "ml.g6.4xlarge".to_owned(),
            status: NodeStatus::Running,
            message: String::new(),
            launched_at: None,
        }
    }

    fn keys(nodes: &[Node]) -> Vec<String> {
        keyed(nodes).map(|(key, _)| key).collect()
    }

    #[test]
    fn a_node_keeps_its_key_when_another_goes_and_when_it_gets_its_instance() {
        let waiting = ["a", "b", "c"].map(|id| node(Some(id), None));
        let before = keys(&waiting);
        assert_eq!(before, ["workers/a", "workers/b", "workers/c"]);
        assert_eq!(keys(&waiting[1..]), before[1..]);
        assert_eq!(keys(&[node(Some("b"), Some("i-1"))]), before[1..2]);
        assert_eq!(keys(&[node(None, Some("i-1"))]), ["workers/i-1"], "without continuous provisioning");
    }
}
