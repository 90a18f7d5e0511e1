//! Stages of a cluster: listing, describing, running one again.

use crate::{
    Api,
    clusters::written,
    problems,
    submitting::{STAGES_MACHINE, Wanted, take, unchanged},
    views::{
        silence,
        stages::{short, view},
    },
};
use contract::{
    problem::Problem,
    stages::{GetStage, ListStages, RunStage, StageList, StageView},
};
use domain::{failure::Trouble, ids::ClusterId, states::StageState};
use engine::{record::StageRecord, submit::ClusterWrite};
use serde_json::Value;
use surface::Request;

pub(crate) async fn list(api: &Api, input: ListStages) -> Result<StageList, Problem> {
    let page = api.page(&input.tag).await?;
    let stages = told(api, page.cluster.id, page.stages).await?;
    Ok(StageList { items: stages.iter().map(|record| short(&page.cluster, record)).collect() })
}

pub(crate) async fn get(api: &Api, input: GetStage) -> Result<StageView, Problem> {
    let cluster = api.cluster(&input.tag).await?;
    let record = api.desk().store.stage(cluster.id, input.stage).await.map_err(problems::of_trouble)?;
    Ok(view(&cluster, &one_told(api, record).await?))
}

/// `record` with what the operation that runs it knows of its invocation.
async fn one_told(api: &Api, record: StageRecord) -> Result<StageRecord, Problem> {
    let Some(id) = record.operation_id.filter(|_| record.state == StageState::Running) else { return Ok(record) };
    let operation = match api.desk().store.operation(id).await {
        Ok(operation) => operation,
        // The stage is told as it is recorded: the operation would only have told of its invocation.
        Err(Trouble::Fatal(_)) => return Ok(record),
        Err(trouble) => return Err(problems::of_trouble(trouble)),
    };
    Ok(silence::of_stage(record, operation.as_ref(), api.desk().context.now()))
}

/// The same for all stages of `cluster`, of which one runs at the most. One that failed is told with what it left.
pub(crate) async fn told(
    api: &Api,
    cluster: ClusterId,
    records: Vec<StageRecord>,
) -> Result<Vec<StageRecord>, Problem> {
    let mut told = Vec::with_capacity(records.len());
    for record in records {
        told.push(match record.state {
            StageState::Failed => api.desk().store.stage(cluster, record.stage).await.map_err(problems::of_trouble)?,
            _ => one_told(api, record).await?,
        });
    }
    Ok(told)
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
