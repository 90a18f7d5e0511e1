//! Making one change.

use crate::{Clients, Context, change::Change, role};
use cloud::{iam::NewRole, sagemaker::NewCluster};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming::ROLE_PATH,
    states::WaitingOn,
};
use engine::{
    ledger::VISIBILITY_WINDOW,
    reconciler::{Made, Mark, Scene},
};

/// Makes `change`. Ids that it needs are known by the plan's order.
pub(crate) async fn apply(
    context: &Context,
    clients: &Clients,
    scene: Scene<'_>,
    change: &Change,
    mark: &Mark,
) -> Result<Made, Trouble> {
    match change {
        Change::CreateRole { role } => create_role(context, clients, role, mark).await,
        Change::AttachPolicy { role, policy_arn } => nothing(clients.iam.attach_policy(role, policy_arn).await),
        Change::PutRolePolicy { role, policy, document } => {
            nothing(clients.iam.put_inline_policy(role, policy, known(document.as_ref())?).await)
        }
        Change::CreateBucket { bucket } => {
            clients.s3.create_bucket(bucket).await.map(|()| made("bucket", bucket.clone()))
        }
        Change::PutScript { bucket, file, key } => {
            let content = context.scripts.files().find(|(name, _)| name == file).map(|(_, content)| content);
            nothing(clients.s3.put_object(bucket, key, known(content)?).await)
        }
        Change::Subnet { step } => subnets::apply(&clients.ec2, scene, step, mark).await,
        Change::DeleteFailedCluster { name, .. } => nothing(clients.hyperpod.delete_cluster(name).await),
        Change::CreateCluster { cluster, .. } => create_cluster(clients, scene, known(cluster.as_deref())?, mark).await,
        Change::AddGroups { name, sent, .. } => {
            let sent = clients.hyperpod.add_groups(name, known(sent.as_ref())?).await;
            nothing(settled(clients, scene, sent).await)
        }
        Change::SetTargets { name, to, .. } => {
            let sent = clients.hyperpod.set_targets(name, to).await;
            nothing(settled(clients, scene, sent).await)
        }
    }
}

async fn create_role(context: &Context, clients: &Clients, role: &str, mark: &Mark) -> Result<Made, Trouble> {
    let trust = role::trust();
    let boundary = context.permissions_boundary.as_deref();
    let wanted = NewRole { name: role, path: ROLE_PATH, trust: &trust, boundary };
    clients.iam.create_role(&wanted, &mark.tags).await.map(|arn| made("roleArn", arn))
}

async fn create_cluster(
    clients: &Clients,
    scene: Scene<'_>,
    wanted: &NewCluster,
    mark: &Mark,
) -> Result<Made, Trouble> {
    let mut tags = mark.tags.clone();
    // The training operator's managed policy asks for this tag.
    tags.insert("SageMaker".to_owned(), "true".to_owned());
    match clients.hyperpod.create_cluster(wanted, &tags).await {
        Ok(arn) => Ok(made("clusterArn", arn)),
        // Ours, whose answer was lost, or somebody's who was faster: the next look tells.
        Err(trouble) if trouble.is_upstream("ResourceInUse") => Err(Trouble::Uncertain(trouble.failure().clone())),
        Err(trouble) => settled(clients, scene, Err(trouble)).await.map(|()| Made::new()),
    }
}

/// What a refusal of the service means when it may be about things that are too young, or changing.
async fn settled(clients: &Clients, scene: Scene<'_>, result: Result<(), Trouble>) -> Result<(), Trouble> {
    let failure = match result {
        Err(Trouble::Fatal(failure)) => failure,
        other => return other,
    };
    let says = |words: &str| failure.message.to_ascii_lowercase().contains(words);
    if failure.code == ErrorCode::Conflict && failure.upstream.is_some() {
        // The cluster is changing at this moment; a refusal of ours, for a group that is not understood, is final.
        return Err(Trouble::Later { on: WaitingOn::Aws, failure });
    }
    if failure.code == ErrorCode::InvalidInput && says("subnet") && says("does not exist") && made_just_now(scene) {
        return Err(Trouble::Later { on: WaitingOn::Aws, failure });
    }
    let role = role::name(scene.cluster);
    Err(clients.iam.judge_refusal(Trouble::Fatal(failure), &role, role::SERVICE, scene.now).await)
}

/// Whether a subnet was made so lately that other services may not know of it.
fn made_just_now(scene: Scene<'_>) -> bool {
    let subnets = scene.ledger.all_made().filter(|(key, ..)| key.starts_with("create-compute-subnet/"));
    let mut young = subnets.filter(|(key, ..)| scene.ledger.may_be_invisible(key, scene.now, VISIBILITY_WINDOW));
    young.next().is_some()
}

fn made(name: &str, id: String) -> Made {
    Made::from([(name.to_owned(), id)])
}

fn nothing(result: Result<(), Trouble>) -> Result<Made, Trouble> {
    result.map(|()| Made::new())
}

fn known<T: ?Sized>(value: Option<&T>) -> Result<&T, Trouble> {
    value.ok_or_else(|| {
        Trouble::Fatal(Failure::new(ErrorCode::Internal, "a step was reached before the step that it needs"))
    })
}
