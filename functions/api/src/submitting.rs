//! How every request that changes something is taken: known already, else planned, or checked and recorded.

use crate::{Api, answer, plan, principal, problems, views::operations::accepted};
use contract::{
    Scope,
    plan::{Finding, Severity},
    problem::{Problem, ProblemField},
};
use domain::{ErrorCode, FieldError, states::Stage};
use engine::{
    record::Cluster,
    submit::{ClusterWrite, Refused, Submission},
};
use serde_json::Value;
use surface::{Request, problem::problem};

/// Scope of the lane of everything that changes a cluster as a whole.
pub(crate) const LANE: &str = "cluster";

/// The state machine that chains the stages.
pub(crate) const STAGES_MACHINE: &str = "cluster";

/// A request that is right in itself.
pub(crate) struct Wanted {
    /// The descriptor's name.
    pub(crate) kind: &'static str,
    /// What it does to the cluster's record.
    pub(crate) cluster: ClusterWrite,
    /// The input as it was validated.
    pub(crate) input: Value,
    /// Which state machine runs it.
    pub(crate) machine: &'static str,
    /// The stages that it runs.
    pub(crate) stages: Option<(Stage, Stage)>,
}

/// Answers the plan, or the operation.
pub(crate) async fn take(api: &Api, wanted: Wanted, request: &Request) -> Result<Value, Problem> {
    let Wanted { kind, cluster, input, machine, stages } = wanted;
    let submission = Submission {
        kind,
        cluster,
        principal: principal(request),
        input,
        idempotency_key: request.idempotency_key.clone(),
        machine,
        stages,
        lane: LANE,
        needs_approval: needs_approval(kind, request),
    };
    if request.validate_only {
        return answer(plan::plan(api, &submission).await);
    }
    if let Some(known) =
        api.desk().recall(&submission).await.map_err(|refused| refusal(refused, &submission.cluster))?
    {
        return answer(Ok(accepted(&known.operation, known.already_running, Vec::new())));
    }
    let findings = plan::preflight(api, &submission.cluster).await?;
    let warnings = passable(findings)?;
    let taken = api.desk().submit(submission).await.map_err(problems::of_refused)?;
    answer(Ok(accepted(&taken.operation, taken.already_running, warnings)))
}

/// Whether what `kind` does waits for a person: it takes something away, and the caller may not approve that.
pub(crate) fn needs_approval(kind: &str, request: &Request) -> bool {
    let destructive = contract::list::find(kind).is_some_and(|descriptor| descriptor.hints.destructive);
    destructive && !request.scopes.contains(&Scope::Approve)
}

/// A new cluster is refused for its tag alone before anything is looked at.
fn refusal(refused: Refused, cluster: &ClusterWrite) -> Problem {
    let made = problems::of_refused(refused);
    match cluster {
        ClusterWrite::New(_) if made.code == ErrorCode::Conflict && made.errors.is_empty() => {
            let errors = vec![ProblemField { pointer: "/tag".to_owned(), detail: made.action.clone() }];
            Problem { errors, ..made }
        }
        _ => made,
    }
}

/// The findings that do not block, a line each.
///
/// # Errors
/// All that block, as one problem.
fn passable(findings: Vec<Finding>) -> Result<Vec<String>, Problem> {
    let (blocking, rest): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| finding.severity == Severity::Blocking);
    let Some(first) = blocking.first() else {
        return Ok(rest.into_iter().map(|finding| line(&finding)).collect());
    };
    let detail = match blocking.len() {
        1 => first.message.clone(),
        count => format!("{count} findings block this request; the first: {}", first.message),
    };
    let action = match first.action.as_str() {
        "" => "Correct what is named in errors and send the request again.".to_owned(),
        action => action.to_owned(),
    };
    let made = problem(first.code, detail);
    let errors = blocking
        .iter()
        .map(|finding| ProblemField { pointer: finding.pointer.clone().unwrap_or_default(), detail: line(finding) });
    Err(Problem { action, errors: errors.collect(), ..made })
}

fn line(finding: &Finding) -> String {
    let message = finding.message.trim_end_matches('.');
    if finding.action.is_empty() { format!("{message}.") } else { format!("{message}. {}", finding.action) }
}

/// Refuses what is wrong in itself.
pub(crate) fn right(found: Vec<FieldError>) -> Result<(), Problem> {
    if found.is_empty() { Ok(()) } else { Err(surface::problem::of_fields(found)) }
}

/// Refuses a request whose caller has seen another generation of the cluster.
pub(crate) fn unchanged(cluster: &Cluster, request: &Request) -> Result<(), Problem> {
    match request.expected_generation {
        Some(expected) if expected != cluster.generation => {
            let text = format!("{} is at generation {}, not {expected}", cluster.tag, cluster.generation);
            let made = problem(ErrorCode::PreconditionFailed, text);
            Err(Problem { action: "Read the cluster again and decide anew.".to_owned(), ..made })
        }
        _ => Ok(()),
    }
}
