//! Clusters: listing, describing, creating, deciding capacity, and stopping all spending.

use crate::{
    Api, cursor, ground, problems,
    stages::told,
    submitting::{STAGES_MACHINE, Wanted, right, take, unchanged},
    views::clusters::{summary, view},
};
use contract::{
    clusters::{
        ClusterList, ClusterSummary, ClusterView, CreateHyperPod, CreateInput, GetCluster, ListClusters, StopSpending,
    },
    problem::Problem,
};
use domain::{
    ErrorCode,
    decisions::{CreateCluster, HyperPodDecision},
    failure::Trouble,
    states::Stage,
};
use engine::{
    record::{Cluster, SCHEMA, StageRecord},
    store::keys::IndexKey,
    submit::ClusterWrite,
};
use futures::future::try_join_all;
use serde_json::Value;
use surface::{Request, problem::problem};

const LIST: &str = "clusters";

pub(crate) async fn list(api: &Api, input: ListClusters) -> Result<ClusterList, Problem> {
    let store = &api.desk().store;
    let after = cursor::open(LIST, input.cursor.as_deref())?;
    let page = store.clusters(after.as_deref(), cursor::page(input.limit)).await.map_err(problems::of_trouble)?;
    let mut unreadable = page.unreadable;
    let living: Vec<&Cluster> = page.items.iter().filter(|cluster| cluster.deleted_at.is_none()).collect();
    let mut rows = Vec::with_capacity(living.len());
    let ids: Vec<_> = living.iter().map(|cluster| cluster.id).collect();
    let stages = store.stages_of(&ids).await.map_err(problems::of_trouble)?;
    let selections = try_join_all(living.iter().map(|cluster| selection_of(api, cluster))).await?;
    for ((cluster, stages), selection) in living.into_iter().zip(stages).zip(selections) {
        match stages {
            Ok(stages) => rows.push(summary(cluster, &stages, selection.as_ref())),
            // One stage that cannot be read hides no other cluster.
            Err(why) => unreadable.push(format!("{} ({}): {why}", cluster.id, cluster.tag)),
        }
    }
    let key = |one: &ClusterSummary| IndexKey::clusters(&one.tag, one.cluster_id).sk;
    let (items, next) = cursor::fitting(rows, page.next, key);
    Ok(ClusterList { items, unreadable, next_cursor: next.map(|next| cursor::seal(LIST, &next)) })
}

/// The whole record of an imported cluster's selection, which alone tells what capacity was found with it.
async fn selection_of(api: &Api, cluster: &Cluster) -> Result<Option<StageRecord>, Problem> {
    if cluster.import.is_none() {
        return Ok(None);
    }
    match api.desk().store.stage(cluster.id, Stage::Selection).await {
        Ok(record) => Ok(Some(record)),
        // The list tells of the record itself.
        Err(Trouble::Fatal(_)) => Ok(None),
        Err(trouble) => Err(problems::of_trouble(trouble)),
    }
}

pub(crate) async fn get(api: &Api, input: GetCluster) -> Result<ClusterView, Problem> {
    let page = api.page(&input.tag).await?;
    let stages = told(api, page.cluster.id, page.stages).await?;
    Ok(view(&page.cluster, &stages, page.lane.map(|lane| lane.operation_id)))
}

/// Creates, or shows what creating would do.
pub(crate) async fn create(api: &Api, input: CreateInput, request: Request) -> Result<Value, Problem> {
    right(input.validate())?;
    let wanted = Wanted {
        kind: "create_cluster",
        input: written(&input)?,
        cluster: ClusterWrite::New(new_cluster(api, input, &request)),
        machine: STAGES_MACHINE,
        stages: Some((Stage::ControlPlane, Stage::Verification)),
    };
    take(api, wanted, &request).await
}

/// The record of a cluster that is asked for.
pub(crate) fn new_cluster(api: &Api, decisions: CreateCluster, request: &Request) -> Cluster {
    let context = &api.desk().context;
    Cluster {
        schema: SCHEMA,
        id: context.cluster_id(),
        tag: decisions.tag.clone(),
        target: api.target(decisions.region.clone()),
        decisions,
        import: None,
        generation: 1,
        version: 1,
        created_at: context.now(),
        created_by: request.principal.id.clone(),
        first_operation: context.operation_id(),
        deleted_at: None,
    }
}

pub(crate) async fn create_hyperpod(api: &Api, input: CreateHyperPod, request: Request) -> Result<Value, Problem> {
    let cluster = api.cluster(&input.tag).await?;
    unchanged(&cluster, &request)?;
    let written = written(&input)?;
    let decision = HyperPodDecision { instance_groups: input.instance_groups, system_group: input.system_group };
    right(decision.validate(&cluster.target.region, ""))?;
    let storage = input.storage.or_else(|| cluster.decisions.storage.clone());
    let decisions = CreateCluster { hyperpod: Some(decision), storage, ..cluster.decisions.clone() };
    right(decisions.validate())?;
    let cluster = match &cluster.decisions.hyperpod {
        // Decided already and the same: the same operation while it runs, else one that looks and finds nothing to do.
        Some(_) if cluster.decisions == decisions => ClusterWrite::Keep(cluster),
        Some(_) => return Err(decided_otherwise(&cluster)),
        None => {
            ground::there(api, &cluster).await?;
            ClusterWrite::Decide(Cluster { decisions, generation: cluster.generation + 1, ..cluster })
        }
    };
    let stages = Some((Stage::HyperPod, Stage::Verification));
    let wanted = Wanted { kind: "create_hyperpod", cluster, input: written, machine: STAGES_MACHINE, stages };
    take(api, wanted, &request).await
}

fn decided_otherwise(cluster: &Cluster) -> Problem {
    let text = format!("the capacity of {} is decided already, and otherwise", cluster.tag);
    let action = "See decisions.hyperpod of get_cluster; run_stage runs the stage hyperpod again as it was decided.";
    Problem { action: action.to_owned(), ..problem(ErrorCode::Conflict, text) }
}

pub(crate) async fn stop_spending(api: &Api, input: StopSpending, request: Request) -> Result<Value, Problem> {
    let cluster = api.cluster(&input.tag).await?;
    unchanged(&cluster, &request)?;
    let wanted = Wanted {
        kind: "stop_spending",
        input: written(&input)?,
        cluster: ClusterWrite::Keep(cluster),
        machine: "stop-spending",
        stages: None,
    };
    take(api, wanted, &request).await
}

/// An input as records keep it: as its type writes it, so that the same request is the same text.
pub(crate) fn written(input: &impl serde::Serialize) -> Result<Value, Problem> {
    let failed = |error: serde_json::Error| problem(ErrorCode::Internal, format!("the input cannot be kept: {error}"));
    serde_json::to_value(input).map_err(failed)
}
