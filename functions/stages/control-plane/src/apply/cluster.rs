//! Changes around the EKS cluster.

use super::{known, made};
use crate::{
    Clients, Context,
    admission::AUDIENCE,
    change::{ClusterChange, Known},
    plan,
};
use cloud::{
    eks::NewEksCluster,
    iam::{Iam, NewRole},
};
use domain::{
    failure::Trouble,
    naming::{self, Names, ROLE_PATH, TAG_ATTEMPT},
};
use engine::reconciler::{Made, Mark, Scene};
use serde_json::json;

/// Makes one change around the cluster.
pub(crate) async fn apply(
    context: &Context,
    clients: &Clients,
    scene: Scene<'_>,
    change: &ClusterChange,
    mark: &Mark,
) -> Result<Made, Trouble> {
    let (eks, iam, cluster) = (&clients.eks, &clients.iam, scene.cluster.eks_name());
    match change {
        ClusterChange::CreateRole { name } => create_role(context, iam, name, mark).await,
        ClusterChange::AttachClusterPolicy { role } => {
            iam.attach_policy(role, &plan::cluster_policy(scene)).await.map(|()| Made::new())
        }
        ClusterChange::CreateCluster { .. } => create_cluster(clients, scene, change, mark).await,
        ClusterChange::DeleteFailedCluster { name } => eks.delete_cluster(name).await.map(|()| Made::new()),
        ClusterChange::CreateOidcProvider { issuer } => {
            iam.create_oidc_provider(known(issuer)?, AUDIENCE, &mark.tags).await.map(|arn| made("oidcProviderArn", arn))
        }
        ClusterChange::AddAudience { provider } => iam.add_audience(provider, AUDIENCE).await.map(|()| Made::new()),
        ClusterChange::CreateAddon { name, version } => {
            let arn = eks.create_addon(cluster, name, known(version)?, &mark.token, &mark.tags).await;
            arn.map(|arn| made("addonArn", arn))
        }
        ClusterChange::CreateAccessEntry { principal } => {
            eks.create_access_entry(cluster, principal, &mark.token, &mark.tags).await.map(|()| Made::new())
        }
        ClusterChange::AssociateAccessPolicy { principal, policy } => {
            eks.associate_access_policy(cluster, principal, policy).await.map(|()| Made::new())
        }
    }
}

async fn create_role(context: &Context, iam: &Iam, name: &str, mark: &Mark) -> Result<Made, Trouble> {
    let trust = json!({
        "Version": "2012-10-17",
        "Statement": [{ "Effect": "Allow", "Principal": { "Service": plan::EKS }, "Action": "sts:AssumeRole" }],
    });
    let boundary = context.permissions_boundary.as_deref();
    let wanted = NewRole { name, path: ROLE_PATH, trust: &trust, boundary };
    let arn = iam.create_role(&wanted, &mark.tags).await?;
    Ok(made("roleArn", arn))
}

async fn create_cluster(
    clients: &Clients,
    scene: Scene<'_>,
    change: &ClusterChange,
    mark: &Mark,
) -> Result<Made, Trouble> {
    let ClusterChange::CreateCluster { name, version, role_arn, subnets, group } = change else {
        return Ok(Made::new());
    };
    let subnet_ids = subnets.iter().map(|id: &Known| known(id).map(str::to_owned)).collect::<Result<Vec<_>, _>>()?;
    let wanted = NewEksCluster {
        name,
        version: *version,
        role_arn: known(role_arn)?,
        subnet_ids: &subnet_ids,
        security_group_id: known(group)?,
    };
    let mut tags = mark.tags.clone();
    tags.insert(TAG_ATTEMPT.to_owned(), scene.operation.attempt.to_string());
    match clients.eks.create_cluster(&wanted, &mark.token, &tags).await {
        Ok(arn) => Ok(made("eksClusterArn", arn)),
        Err(trouble) => {
            let role = Names::of(&scene.cluster.tag, scene.cluster.id).role(naming::Role::Cluster);
            Err(clients.iam.judge_refusal(trouble, &role, plan::EKS, scene.now).await)
        }
    }
}
