//! What groups are made on: role, bucket, scripts, subnets, security groups.

use super::cluster::Cluster;
use crate::{Clients, Context, desired::Wanted, role};
use cloud::{
    ec2::{Find, SecurityGroup, Zone},
    eks::EksCluster,
    s3::Bucket,
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming::project_bucket,
    status::HyperPodClusterStatus,
};
use engine::reconciler::Scene;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use subnets::Ground;

/// What groups are made on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Foundation {
    /// The execution role.
    pub(crate) role: Option<RoleSeen>,
    /// Name of the project bucket.
    pub(crate) bucket: String,
    /// Who has that name.
    #[serde(skip)]
    pub(crate) bucket_state: Bucket,
    /// Key prefix of the scripts of this release.
    pub(crate) script_prefix: String,
    /// Scripts that are not in the bucket, by file name.
    pub(crate) missing_scripts: Vec<String>,
    /// What new groups are placed on; absent when every group is there already.
    #[serde(skip)]
    pub(crate) site: Option<Site>,
}

/// What new groups are placed on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Site {
    /// The Region's zones.
    pub(crate) zones: Vec<Zone>,
    /// The VPC with its subnets; absent if it does not show.
    pub(crate) ground: Option<Ground>,
    /// Security groups of the nodes.
    pub(crate) security_groups: Vec<SecurityGroup>,
}

/// The execution role as it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RoleSeen {
    /// Whether this cluster's stages made it.
    pub(crate) ours: bool,
    /// When it was made.
    pub(crate) created_at: Option<Timestamp>,
    /// ARNs of the managed policies that it has.
    pub(crate) attached: Vec<String>,
    /// Its inline policy.
    #[serde(skip)]
    pub(crate) policy: Option<Value>,
}

pub(crate) async fn observe(
    context: &Context,
    clients: &Clients,
    scene: Scene<'_>,
    eks: &EksCluster,
    cluster: Option<&Cluster>,
    decided: &[Wanted],
) -> Result<Foundation, Trouble> {
    let bucket = bucket_name(context, scene)?;
    let bucket_state = clients.s3.bucket(&bucket).await?;
    let mut missing_scripts = Vec::new();
    for (file, _) in context.scripts.files() {
        if bucket_state != Bucket::Ours || !clients.s3.has_object(&bucket, &context.scripts.key(file)).await? {
            missing_scripts.push(file.to_owned());
        }
    }
    let site = if everything_there(cluster, decided) { None } else { Some(site(clients, scene, eks).await?) };
    Ok(Foundation {
        role: role_seen(clients, scene).await?,
        bucket,
        bucket_state,
        script_prefix: context.scripts.prefix(),
        missing_scripts,
        site,
    })
}

/// The project bucket's name in the cluster's Region.
pub(crate) fn bucket_name(context: &Context, scene: Scene<'_>) -> Result<String, Trouble> {
    let target = &scene.cluster.target;
    let refuse = |text: String| Trouble::Fatal(Failure::new(ErrorCode::Internal, text));
    let account = target.account.parse().map_err(|error| refuse(format!("{error}")))?;
    project_bucket(&context.bucket_prefix, &account, &target.region).map_err(|error| refuse(error.to_string()))
}

/// Whether a living cluster has every group that was decided: then nothing is placed any more.
fn everything_there(cluster: Option<&Cluster>, decided: &[Wanted]) -> bool {
    let Some(cluster) = cluster.map(|cluster| &cluster.attached) else { return false };
    let lives = !matches!(cluster.status, HyperPodClusterStatus::Failed | HyperPodClusterStatus::Deleting);
    lives && decided.iter().all(|group| cluster.group(group.name.as_str()).is_some())
}

async fn site(clients: &Clients, scene: Scene<'_>, eks: &EksCluster) -> Result<Site, Trouble> {
    let wanted = eks.node_security_groups();
    let find = Find { ids: wanted.clone(), ..Find::default() };
    let (zones, ground) =
        tokio::try_join!(clients.ec2.zones(), subnets::observe(&clients.ec2, &eks.vpc_id, scene.cluster.id))?;
    let security_groups = if wanted.is_empty() { Vec::new() } else { clients.ec2.security_groups(&find).await? };
    Ok(Site { zones, ground, security_groups })
}

async fn role_seen(clients: &Clients, scene: Scene<'_>) -> Result<Option<RoleSeen>, Trouble> {
    let name = role::name(scene.cluster);
    let Some(role) = clients.iam.role(&name).await? else { return Ok(None) };
    let policy = role::policy_name(scene.cluster);
    let (attached, policy) =
        tokio::try_join!(clients.iam.attached_policies(&name), clients.iam.inline_policy(&name, policy))?;
    Ok(Some(RoleSeen { ours: role.is_owned(scene.cluster.id), created_at: role.created_at, attached, policy }))
}
