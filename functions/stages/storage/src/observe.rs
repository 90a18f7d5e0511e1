//! What there is: bucket, role, association, add-on, volume and claim, nodes, the probe.

use crate::{Clients, Context, role};
use addons::{Ground, Seen};
use cloud::{eks::PodIdentity, s3::Bucket};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    naming::{Names, STORAGE_CLAIM, STORAGE_VOLUME, project_bucket},
    states::Stage,
};
use engine::reconciler::Scene;
use inside::{DRIVER, FILE, Inside, NAMESPACE, Probed};
use kubernetes::{Claim, Kubernetes, Object, Ownership, Volume};
use manifests::{Mount, Owner};
use serde::Serialize;
use serde_json::Value;

/// The driver's service account.
pub(crate) const ACCOUNT: (&str, &str) = ("kube-system", "s3-csi-driver-sa");

/// Where the cluster's files are in the bucket, and what proves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The project bucket.
    pub bucket: String,
    /// The part of it that the claim shows, with a slash at the end.
    pub prefix: String,
    /// Who has the bucket's name.
    #[serde(skip)]
    pub state: Bucket,
    /// Whether the file is there that probes read.
    pub has_probe_file: bool,
}

/// The driver's role as it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoleSeen {
    /// Whether this cluster's stages made it.
    pub ours: bool,
    /// Its inline policy.
    pub policy: Option<Value>,
}

/// Volume or claim as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectSeen {
    /// `PersistentVolume s3-pv`.
    pub title: String,
    /// Whose it is.
    pub owner: Ownership,
    /// Whether every field that we write is so.
    pub as_wanted: bool,
}

/// The world as far as this stage is concerned.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// ARN of the EKS cluster.
    pub eks_arn: String,
    /// Where the files are.
    pub place: Place,
    /// The driver's role; none if it is not there.
    pub role: Option<RoleSeen>,
    /// The role of the driver's service account; none if it has none.
    pub association: Option<PodIdentity>,
    /// The driver.
    pub driver: Seen,
    /// Where pods could run.
    pub ground: Ground,
    /// HyperPod nodes that take pods.
    pub hyperpod_nodes: usize,
    /// Instances that HyperPod is to have in all; none without a HyperPod cluster.
    pub wanted_nodes: Option<u32>,
    /// Volume and claim.
    pub objects: Vec<ObjectSeen>,
    /// The volume.
    pub volume: Option<Volume>,
    /// The claim.
    pub claim: Option<Claim>,
    /// Another volume that has our volume's handle.
    pub twin: Option<String>,
    /// The probe of this attempt.
    pub probe: Probed,
}

pub(crate) async fn observe(context: &Context, clients: &Clients, scene: Scene<'_>) -> Result<Observed, Trouble> {
    let (kubernetes, eks) = (&clients.inside.kubernetes, &clients.inside.cluster);
    let place = place(context, clients, scene).await?;
    let nodes = kubernetes.nodes("").await?;
    let hyperpod_nodes = nodes.iter().filter(|node| node.is_hyperpod() && takes_pods(node)).count();
    let volumes = kubernetes.volumes().await?;
    let handle = Names::of(&scene.cluster.tag, scene.cluster.id).volume_handle();
    let twin = volumes.iter().find(|volume| volume.name != STORAGE_VOLUME && volume.handle == handle);
    let mut objects = Vec::new();
    for object in wanted(scene, &place) {
        objects.push(look(kubernetes, &object).await?);
    }
    Ok(Observed {
        eks_arn: eks.arn.clone(),
        role: role_seen(clients, scene).await?,
        association: clients.inside.eks.pod_identity(&eks.name, ACCOUNT.0, ACCOUNT.1).await?,
        driver: driver(&clients.inside).await?,
        ground: inside::ground(&nodes),
        hyperpod_nodes,
        wanted_nodes: wanted_nodes(context, clients, scene).await?,
        objects,
        twin: twin.map(|volume| volume.name.clone()),
        volume: volumes.into_iter().find(|volume| volume.name == STORAGE_VOLUME),
        claim: kubernetes.claim(NAMESPACE, STORAGE_CLAIM).await?,
        probe: inside::look(kubernetes, scene, Stage::Storage).await?,
        place,
    })
}

/// Whether an ordinary pod of ours can run there: taints that reserve accelerators are tolerated.
fn takes_pods(node: &kubernetes::Node) -> bool {
    let keeps_away = |taint: &kubernetes::Taint| {
        taint.effect != "PreferNoSchedule" && !["nvidia.com/gpu", "aws.amazon.com/neuron"].contains(&taint.key.as_str())
    };
    node.ready && !node.unschedulable && !node.taints.iter().any(keeps_away)
}

/// Where the cluster's files are, and who has the bucket.
async fn place(context: &Context, clients: &Clients, scene: Scene<'_>) -> Result<Place, Trouble> {
    let place = place_of(context, scene, Bucket::Free)?;
    let state = clients.s3.bucket(&place.bucket).await?;
    let key = format!("{}{FILE}", place.prefix);
    let has_probe_file = state == Bucket::Ours && clients.s3.has_object(&place.bucket, &key).await?;
    Ok(Place { state, has_probe_file, ..place })
}

/// Where the cluster's files are, by name alone.
pub(crate) fn place_of(context: &Context, scene: Scene<'_>, state: Bucket) -> Result<Place, Failure> {
    let target = &scene.cluster.target;
    let invalid = |error: String| Failure::new(ErrorCode::Internal, error);
    let account = target.account.parse().map_err(|error| invalid(format!("{error}")))?;
    let bucket = project_bucket(&context.bucket_prefix, &account, &target.region);
    let bucket = bucket.map_err(|error| invalid(error.to_string()))?;
    let given = scene.cluster.decisions.storage.as_ref().and_then(|storage| storage.prefix.clone());
    let prefix = given.unwrap_or_else(|| format!("clusters/{}", scene.cluster.tag));
    let prefix = format!("{}/", prefix.trim_end_matches('/'));
    Ok(Place { bucket, prefix, state, has_probe_file: false })
}

/// Volume and claim as they should be.
pub(crate) fn wanted(scene: Scene<'_>, place: &Place) -> [Object; 2] {
    let mount = Mount {
        namespace: NAMESPACE.to_owned(),
        bucket: place.bucket.clone(),
        region: scene.cluster.target.region.to_string(),
        prefix: place.prefix.clone(),
        handle: Names::of(&scene.cluster.tag, scene.cluster.id).volume_handle(),
    };
    manifests::storage(&Owner { cluster_id: scene.cluster.id.to_string() }, &mount)
}

async fn look(kubernetes: &Kubernetes, object: &Object) -> Result<ObjectSeen, Trouble> {
    let seen = kubernetes.seen(object).await?;
    Ok(ObjectSeen {
        title: object.title(),
        owner: Ownership::of(seen.as_ref()),
        as_wanted: seen.is_some_and(|seen| object.is_within(&seen)),
    })
}

async fn role_seen(clients: &Clients, scene: Scene<'_>) -> Result<Option<RoleSeen>, Trouble> {
    let name = role::name(scene.cluster);
    let Some(role) = clients.iam.role(&name).await? else { return Ok(None) };
    let policy = clients.iam.inline_policy(&name, role::policy_name(scene.cluster)).await?;
    Ok(Some(RoleSeen { ours: role.is_owned(scene.cluster.id), policy }))
}

async fn driver(inside: &Inside) -> Result<Seen, Trouble> {
    let there = inside.kubernetes.daemon_sets(Some(DRIVER.workload.0), "").await?;
    inside::addon(inside, DRIVER, &there).await
}

/// How many instances HyperPod is to have: a count that was set to zero since the decisions were made is zero.
async fn wanted_nodes(context: &Context, clients: &Clients, scene: Scene<'_>) -> Result<Option<u32>, Trouble> {
    let found = inside::hyperpod(&context.inside, &clients.inside, scene).await?;
    Ok(found.map(|cluster| cluster.groups.iter().map(|group| group.target).sum()))
}
