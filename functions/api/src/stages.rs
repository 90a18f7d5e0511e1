//! Stages of a cluster: listing, describing, running one again.

use crate::{
    Api,
    clusters::written,
    problems,
    submitting::{STAGES_MACHINE, Wanted, take, unchanged},
    views::stages::{short, view},
};
use contract::{
    problem::Problem,
    stages::{GetStage, ListStages, RunStage, StageList, StageView},
};
use engine::submit::ClusterWrite;
use serde_json::Value;
use surface::Request;

pub(crate) async fn list(api: &Api, input: ListStages) -> Result<StageList, Problem> {
    let cluster = api.cluster(&input.tag).await?;
    let stages = api.desk().store.stages(cluster.id).await.map_err(problems::of_trouble)?;
    Ok(StageList { items: stages.iter().map(|record| short(&cluster, record)).collect() })
}

pub(crate) async fn get(api: &Api, input: GetStage) -> Result<StageView, Problem> {
    let cluster = api.cluster(&input.tag).await?;
    let record = api.desk().store.stage(cluster.id, input.stage).await.map_err(problems::of_trouble)?;
    Ok(view(&cluster, &record))
}

pub(crate) async fn run(api: &Api, input: RunStage, request: Request) -> Result<Value, Problem> {
    let cluster = api.cluster(&input.tag).await?;
    unchanged(&cluster, &request)?;
    let wanted = Wanted {
        kind: "run_stage",
        input: written(&input)?,
        cluster: ClusterWrite::Keep(cluster),
        machine: STAGES_MACHINE,
        stages: Some((input.stage, input.stage)),
    };
    take(api, wanted, &request).await
}
