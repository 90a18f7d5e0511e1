//! Making one change.

use crate::{
    Clients, Context,
    change::Change,
    observe::{self, ACCOUNT, Place},
    role,
};
use cloud::{iam::NewRole, s3::Bucket};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming::ROLE_PATH,
    states::Stage,
};
use engine::reconciler::{Made, Mark, Scene};

/// Makes `change`.
pub(crate) async fn apply(
    context: &Context,
    clients: &Clients,
    scene: Scene<'_>,
    change: &Change,
    mark: &Mark,
) -> Result<Made, Trouble> {
    let (eks, name) = (&clients.inside.eks, scene.cluster.eks_name());
    match change {
        Change::CreateBucket(bucket) => clients.s3.create_bucket(bucket).await.map(|()| Made::new()),
        Change::PutProbeFile { bucket, key, content } => {
            clients.s3.put_object(bucket, key, content.as_bytes()).await.map(|()| Made::new())
        }
        Change::CreateRole(role) => create_role(context, clients, role, mark).await,
        Change::SetPolicy { role, bucket, prefix } => {
            let document = role::policy(scene.cluster.target.region.partition(), bucket, prefix);
            let policy = role::policy_name(scene.cluster);
            clients.iam.put_inline_policy(role, policy, &document).await.map(|()| Made::new())
        }
        Change::CreateAssociation { role_arn } => {
            match eks.create_pod_identity(name, ACCOUNT, role_arn, &mark.token, &mark.tags).await {
                Ok(id) => Ok(Made::from([("associationId".to_owned(), id)])),
                Err(trouble) => Err(judged(clients, scene, trouble).await),
            }
        }
        Change::SetAssociationRole { id, role_arn } => {
            match eks.set_pod_identity_role(name, id, role_arn, &mark.token).await {
                Ok(()) => Ok(Made::new()),
                Err(trouble) => Err(judged(clients, scene, trouble).await),
            }
        }
        Change::Addon(change) => addons::apply(eks, name, change, mark).await,
        Change::Apply(title) => apply_object(context, clients, scene, title).await,
        Change::Read(change) => inside::apply(&clients.inside.kubernetes, scene, Stage::Storage, change).await,
    }
}

async fn create_role(context: &Context, clients: &Clients, name: &str, mark: &Mark) -> Result<Made, Trouble> {
    let trust = role::trust(&clients.inside.cluster.arn);
    let boundary = context.permissions_boundary.as_deref();
    let wanted = NewRole { name, path: ROLE_PATH, trust: &trust, boundary };
    clients.iam.create_role(&wanted, &mark.tags).await.map(|arn| Made::from([("roleArn".to_owned(), arn)]))
}

/// What a refusal of the driver's role means: while it is young, EKS may not know it yet.
async fn judged(clients: &Clients, scene: Scene<'_>, trouble: Trouble) -> Trouble {
    clients.iam.judge_refusal(trouble, &role::name(scene.cluster), role::SERVICE, scene.now).await
}

async fn apply_object(context: &Context, clients: &Clients, scene: Scene<'_>, title: &str) -> Result<Made, Trouble> {
    let place: Place = observe::place_of(context, scene, Bucket::Ours)?;
    let wanted = observe::wanted(scene, &place);
    let object = wanted.iter().find(|object| object.title() == title);
    let object = object.ok_or_else(|| Failure::new(ErrorCode::Internal, format!("{title} is not ours to apply")))?;
    let uid = clients.inside.kubernetes.apply(object).await?;
    Ok(Made::from([("uid".to_owned(), uid)]))
}
