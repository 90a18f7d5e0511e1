//! What a request would meet and do, before it is recorded.

use crate::{Api, previews, problems};
use cloud::Who;
use contract::{
    plan::{Finding, PlanView, Severity},
    problem::Problem,
};
use domain::{
    ErrorCode,
    failure::Trouble,
    limits::{PLAN_WAIT_SECONDS, PREFLIGHT_SECONDS},
};
use engine::{
    record::Cluster,
    submit::{ClusterWrite, Submission},
};
use preflight::{
    Eyes, Purpose, Request, Seen, findings,
    plan::{HourlyPrices, page},
};
use std::time::Duration;
use surface::problem::problem;

/// What a write of the cluster's record is about.
pub(crate) fn purpose(write: &ClusterWrite) -> Purpose {
    match write {
        ClusterWrite::New(cluster) if cluster.import.is_some() => Purpose::Import,
        ClusterWrite::New(_) => Purpose::Create,
        ClusterWrite::Decide(_) => Purpose::Capacity,
        ClusterWrite::Keep(_) => Purpose::Again,
    }
}

/// All findings about a request. What is run again is looked at by its stage and not here: the first tick has the same
/// checks, and what a stage made counts against the quotas that it needed.
pub(crate) async fn preflight(api: &Api, write: &ClusterWrite) -> Result<Vec<Finding>, Problem> {
    let purpose = purpose(write);
    if purpose == Purpose::Again {
        return Ok(Vec::new());
    }
    let cluster = write.record();
    let request = Request { cluster, purpose, now: api.desk().context.now() };
    let mut found = match within(PREFLIGHT_SECONDS, Box::pin(look(api, &request))).await {
        Some(seen) => findings::of(&request, &seen?),
        None => vec![too_long()],
    };
    // Alone, a tag in use is the desk's to refuse: it knows the operation in the way.
    if found.iter().any(|one| one.severity == Severity::Blocking) {
        found.extend(tag_in_use(api, cluster, purpose).await);
    }
    Ok(found)
}

async fn look(api: &Api, request: &Request<'_>) -> Result<Seen, Problem> {
    let who = Who::reader("api");
    let eyes = Eyes::open(&api.setup().cloud, &request.cluster.target, &who).await.map_err(problems::of_trouble)?;
    Ok(Seen::look(&eyes, request).await)
}

async fn within<T>(seconds: usize, future: impl Future<Output = T>) -> Option<T> {
    let limit = Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX));
    tokio::time::timeout(limit, future).await.ok()
}

fn too_long() -> Finding {
    Finding {
        severity: Severity::Unchecked,
        code: ErrorCode::UpstreamUnavailable,
        pointer: None,
        message: format!(
            "AWS did not answer within {PREFLIGHT_SECONDS} seconds: nothing was checked before the request"
        ),
        action: "The first stage checks before it changes anything.".to_owned(),
    }
}

/// The table did not answer: whether the tag is free is not known.
fn unread(trouble: &Trouble) -> Finding {
    Finding {
        severity: Severity::Unchecked,
        code: ErrorCode::UpstreamUnavailable,
        pointer: Some("/tag".to_owned()),
        message: format!("whether the tag is in use could not be looked up: {}", trouble.failure()),
        action: "Ask again; a tag in use is refused before anything is written.".to_owned(),
    }
}

/// Another living cluster with the tag.
async fn tag_in_use(api: &Api, cluster: &Cluster, purpose: Purpose) -> Option<Finding> {
    if !matches!(purpose, Purpose::Create | Purpose::Import) {
        return None;
    }
    let there = match api.desk().store.cluster_by_tag(&cluster.tag).await {
        Ok(there) => there?,
        Err(trouble) => return Some(unread(&trouble)),
    };
    (there.deleted_at.is_none() && there.id != cluster.id).then(|| Finding {
        severity: Severity::Blocking,
        code: ErrorCode::Conflict,
        pointer: Some("/tag".to_owned()),
        message: format!("the tag {} is in use by another cluster", cluster.tag),
        action: "Choose another tag, or continue the cluster that has it.".to_owned(),
    })
}

/// What `submission` would do. What is not there yet is planned from reads, as preflight has them; the stages of a cluster
/// that is there, and operations beside them, say themselves what they would do.
pub(crate) async fn plan(api: &Api, submission: &Submission) -> Result<PlanView, Problem> {
    let (cluster, stages) = (submission.cluster.record(), submission.stages);
    let purpose = purpose(&submission.cluster);
    let request = Request { cluster, purpose, now: api.desk().context.now() };
    let eyes =
        Eyes::open(&api.setup().cloud, &cluster.target, &Who::reader("api")).await.map_err(problems::of_trouble)?;
    let looks = Box::pin(async { tokio::join!(Seen::look(&eyes, &request), HourlyPrices::look(&eyes)) });
    let there = matches!(purpose, Purpose::Capacity | Purpose::Again);
    let functions_say = async { if there { previews::planned(api, submission).await } else { None } };
    let (looked, told) = tokio::join!(within(PLAN_WAIT_SECONDS, looks), Box::pin(functions_say));
    let (seen, prices) = looked.ok_or_else(|| {
        let text = format!("AWS did not answer within {PLAN_WAIT_SECONDS} seconds");
        problem(ErrorCode::UpstreamUnavailable, text)
    })?;
    let mut found = findings::of(&request, &seen);
    if told.is_none() && stages.is_none() {
        found.push(previews::not_in_time());
    }
    if let Some(taken) = tag_in_use(api, cluster, purpose).await {
        found.insert(0, taken);
    }
    let page = page(&request, &seen, &prices, found, stages);
    Ok(match told {
        Some(record) => previews::told(page, &record),
        None => page,
    })
}
