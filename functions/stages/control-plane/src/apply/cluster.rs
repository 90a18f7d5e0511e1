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
    iam::{Iam, NewRole, Role},
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming::{self, Names, ROLE_PATH, TAG_ATTEMPT},
    states::WaitingOn,
};
use engine::reconciler::{Made, Mark, Scene};
use jiff::SignedDuration;
use serde_json::json;

/// How long a role may be unknown to EKS before it is not IAM's spreading any more.
const ROLE_IS_YOUNG: SignedDuration = SignedDuration::from_mins(3);

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
            let made_now = iam.create_oidc_provider(known(issuer)?, AUDIENCE, &mark.tags).await;
            made_now.map(|arn| made("oidcProviderArn", arn)).map_err(look_again)
        }
        ClusterChange::AddAudience { provider } => iam.add_audience(provider, AUDIENCE).await.map(|()| Made::new()),
        ClusterChange::CreateAddon { name, version } => {
            let arn = eks.create_addon(cluster, name, known(version)?, &mark.token, &mark.tags).await;
            arn.map(|arn| made("addonArn", arn)).map_err(look_again)
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
    let arn = iam.create_role(&wanted, &mark.tags).await.map_err(look_again)?;
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
        Err(Trouble::Fatal(failure)) if is_about_the_role(&failure) => {
            Err(not_assumable(clients, scene, failure).await)
        }
        Err(trouble) => Err(look_again(trouble)),
    }
}

/// EKS has no code of its own for a role that it cannot assume: it says so in the words of `InvalidParameterException`.
fn is_about_the_role(failure: &Failure) -> bool {
    let code = failure.upstream.as_ref().map(|upstream| upstream.code.as_str());
    code == Some("InvalidParameterException") && failure.message.contains("could not be assumed")
}

/// What it means that EKS cannot assume the role: while the role is young, IAM has not told EKS yet; later it is told why
/// (field report BR-002).
async fn not_assumable(clients: &Clients, scene: Scene<'_>, failure: Failure) -> Trouble {
    let name = Names::of(&scene.cluster.tag, scene.cluster.id).role(naming::Role::Cluster);
    let role = match clients.iam.role(&name).await {
        Ok(role) => role,
        Err(trouble) => return trouble,
    };
    let age = |role: &Role| role.created_at.map(|made| scene.now.duration_since(made));
    match role {
        Some(role) if age(&role).is_none_or(|age| age < ROLE_IS_YOUNG) => {
            let text = format!("waiting for IAM: EKS does not know role {name} yet");
            let mut waiting = Failure::new(ErrorCode::DependencyNotReady, text);
            waiting.upstream = failure.upstream;
            Trouble::Later { on: WaitingOn::Aws, failure: waiting }
        }
        Some(role) if crate::trust::lets_in(&role.trust, plan::EKS) => Trouble::Fatal(failure.with_action(format!(
            "Role {name} trusts {}: look whether a service control policy or a permissions boundary keeps EKS from it.",
            plan::EKS
        ))),
        Some(role) => {
            let mut told = plan::untrusting(&name, &role.trust);
            told.upstream = failure.upstream;
            Trouble::Fatal(told)
        }
        None => Trouble::Fatal(failure.with_action("The role is gone: run the stage again to make it.")),
    }
}

/// A thing of this name that is there already is the one whose answer was lost, or was made by somebody at the same time:
/// the next look finds it, adopts it or names the conflict.
fn look_again(trouble: Trouble) -> Trouble {
    let exists = ["EntityAlreadyExists", "ResourceInUseException"];
    match trouble {
        Trouble::Fatal(failure)
            if failure.upstream.as_ref().is_some_and(|upstream| exists.contains(&upstream.code.as_str())) =>
        {
            Trouble::Uncertain(failure)
        }
        other => other,
    }
}
