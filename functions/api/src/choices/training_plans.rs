//! Training plans that instance groups can use, or could.

use super::known;
use crate::{Api, problems};
use cloud::{
    ec2::Zone,
    sagemaker::{Attached, TrainingPlan},
};
use contract::{
    choices::{ListTrainingPlans, TrainingPlanList, TrainingPlanView},
    problem::Problem,
};
use futures::future::try_join_all;
use jiff::Timestamp;
use preflight::{bounded, training_plans};

pub(crate) async fn list_training_plans(api: &Api, input: ListTrainingPlans) -> Result<TrainingPlanList, Problem> {
    let eyes = known(api, &input.region).await?;
    let plans = async {
        let arns = eyes.hyperpod.training_plan_arns().await?;
        try_join_all(arns.iter().map(|arn| eyes.hyperpod.training_plan(arn))).await
    };
    let (plans, zones, clusters) = tokio::join!(
        bounded("training plans", plans),
        bounded("zones", eyes.ec2.zones()),
        bounded("HyperPod clusters", eyes.hyperpod_clusters()),
    );
    let plans = plans.map_err(problems::of_trouble)?;
    // Without them only plans that name no zone id lose theirs.
    let zones = zones.unwrap_or_default();
    // What waits for a plan that has not begun decides what is free of it: that must not be guessed.
    let clusters = clusters.map_err(problems::of_trouble)?;
    let now = api.desk().context.now();
    let for_hyperpod = plans.into_iter().flatten().filter(training_plans::is_for_hyperpod);
    let mut items: Vec<TrainingPlanView> = for_hyperpod.map(|plan| view(&plan, &zones, &clusters, now)).collect();
    items.sort_by(|a, b| (a.starts_at, &a.name).cmp(&(b.starts_at, &b.name)));
    Ok(TrainingPlanList { items })
}

fn view(plan: &TrainingPlan, zones: &[Zone], clusters: &[Attached], now: Timestamp) -> TrainingPlanView {
    let free = plan.free(clusters, now);
    let standing = training_plans::standing(plan, free, now);
    TrainingPlanView {
        arn: plan.arn.clone(),
        name: plan.name.clone(),
        status: plan.status.clone(),
        instance_type: training_plans::instance_type(plan).to_owned(),
        zone_id: training_plans::zone_id(plan, zones),
        total: plan.total,
        free,
        starts_at: plan.blocks.first().map(|block| block.start),
        ends_at: training_plans::last(plan),
        usable: standing.usable,
        note: standing.note,
    }
}
