//! SageMaker's HyperPod, training plan and MLflow actions, with the roles that they pass on.

use super::{Asked, Need};

/// Permissions for a SageMaker call.
pub(super) fn needs(asked: &Asked) -> Vec<Need> {
    let call = asked.call;
    let mut needs = vec![asked.on(resource(asked))];
    if matches!(call.action.as_str(), "CreateCluster" | "UpdateCluster") {
        needs.extend(plans(asked));
        for groups in ["InstanceGroups", "RestrictedInstanceGroups"] {
            let roles = call.list(groups).iter().filter_map(|group| group.get("ExecutionRole"));
            needs.extend(roles.filter_map(|role| asked.pass_role(Some(role), "sagemaker.amazonaws.com")));
        }
        needs.extend(asked.pass_role(call.input.get("ClusterRole"), "hyperpod.sagemaker.amazonaws.com"));
    }
    if call.action == "CreateCluster" {
        needs.extend(attaching(asked));
        needs.extend(asked.service_linked_role("hyperpod.sagemaker.amazonaws.com"));
    }
    if call.action.contains("Mlflow") {
        needs.extend(asked.pass_role(call.input.get("RoleArn"), "sagemaker.amazonaws.com"));
    }
    if call.action.starts_with("Create") && !call.list("Tags").is_empty() {
        needs.push(asked.other("sagemaker:AddTags", resource(asked)));
    }
    needs
}

fn resource(asked: &Asked) -> String {
    let call = asked.call;
    let named = |kind: &str, member: &str| {
        let value = call.text(member).unwrap_or("*");
        if value.starts_with("arn:") { value.to_owned() } else { asked.arn(&format!("{kind}/{value}")) }
    };
    match call.action.as_str() {
        "AddTags" | "DeleteTags" | "ListTags" => named("*", "ResourceArn"),
        // The id in a cluster's ARN is known only when it has been made.
        "CreateCluster" => asked.arn("cluster/*"),
        "CreateTrainingPlan" | "DescribeTrainingPlan" => named("training-plan", "TrainingPlanName"),
        "CreateMlflowTrackingServer"
        | "DescribeMlflowTrackingServer"
        | "UpdateMlflowTrackingServer"
        | "DeleteMlflowTrackingServer"
        | "StartMlflowTrackingServer"
        | "StopMlflowTrackingServer" => named("mlflow-tracking-server", "TrackingServerName"),
        "CreateMlflowApp" => named("mlflow-app", "Name"),
        action if action.contains("MlflowApp") => named("mlflow-app", "Arn"),
        action if action.starts_with("List") || action.starts_with("Search") => match call.text("ClusterName") {
            Some(_) => cluster(asked),
            None => "*".to_owned(),
        },
        action if action.contains("ComputeQuota") => named("compute-quota", "ComputeQuotaId"),
        action if action.contains("ClusterSchedulerConfig") => {
            named("cluster-scheduler-config", "ClusterSchedulerConfigId")
        }
        _ if call.text("ClusterName").is_some() => cluster(asked),
        _ => "*".to_owned(),
    }
}

/// A cluster is called by name or ARN; its ARN has an id instead of the name.
fn cluster(asked: &Asked) -> String {
    let name = asked.call.text("ClusterName").unwrap_or_default();
    if name.starts_with("arn:") {
        return name.to_owned();
    }
    super::neighbours::cluster_arn(asked.world, &asked.call.region, name).unwrap_or_else(|| asked.arn("cluster/*"))
}

/// A group on a training plan needs the action on the plan too.
fn plans<'a>(asked: &'a Asked) -> impl Iterator<Item = Need> + 'a {
    let groups = asked.call.list("InstanceGroups").iter();
    groups.filter_map(|group| group["TrainingPlanArn"].as_str()).map(|plan| asked.on(plan))
}

/// What HyperPod does to the EKS cluster in the name of the caller (HyperPod guide, "IAM users for cluster admin").
fn attaching(asked: &Asked) -> Vec<Need> {
    let eks = asked.call.input.get("Orchestrator").and_then(|orchestrator| orchestrator["Eks"]["ClusterArn"].as_str());
    let Some(cluster) = eks else { return Vec::new() };
    let entries = format!("{}/*", cluster.replacen(":cluster/", ":access-entry/", 1));
    vec![
        asked.other("eks:DescribeCluster", cluster),
        asked.other("eks:CreateAccessEntry", cluster),
        asked.other("eks:DescribeAccessEntry", entries.clone()),
        asked.other("eks:DeleteAccessEntry", entries.clone()),
        asked.other("eks:AssociateAccessPolicy", entries),
    ]
}
