//! Operations: listing, describing, waiting, their journals, trying again, stopping.

use crate::{
    Api, cursor, problems,
    submitting::needs_approval,
    views::operations::{accepted, awaiting, view},
};
use contract::{
    journal::{JournalEntry, JournalPage},
    operations::{
        CancelOperation, GetJournal, GetOperation, ListOperations, OperationAccepted, OperationList, OperationView,
        RetryOperation, WaitForOperation,
    },
    problem::Problem,
};
use domain::{ErrorCode, ids::OperationId, states::OperationState};
use engine::record::Operation;
use std::time::Duration;
use surface::{Request, problem::problem};
use tokio::time::{Instant, sleep};

/// Longest wait, seconds: clients give up between 30 and 60, the gateway at 29 (field report BR-155).
const LONGEST_WAIT: u32 = 25;

/// How often a wait looks. It looks at our records, never at AWS.
const LOOK: Duration = Duration::from_secs(1);

pub(crate) async fn list(api: &Api, input: ListOperations) -> Result<OperationList, Problem> {
    let store = &api.desk().store;
    let limit = cursor::page(input.limit);
    let (name, page) = match &input.cluster_tag {
        None => {
            let name = "operations".to_owned();
            let after = cursor::open(&name, input.cursor.as_deref())?;
            (name, store.operations(after.as_deref(), limit).await)
        }
        Some(tag) => {
            let cluster = api.cluster(tag).await?;
            let name = format!("operations of {}", cluster.id);
            let after = cursor::open(&name, input.cursor.as_deref())?;
            (name, store.operations_of(cluster.id, after.as_deref(), limit).await)
        }
    };
    let page = page.map_err(problems::of_trouble)?;
    // The index sorts by id alone, the list of one cluster by a key that begins with `OP#`.
    let prefix = if input.cluster_tag.is_some() { "OP#" } else { "" };
    let now = api.desk().context.now();
    let rows = page.items.iter().map(|operation| view(operation, now)).collect();
    let key = |one: &OperationView| format!("{prefix}{}", one.operation_id);
    let (items, next) = cursor::fitting(rows, page.next, key);
    Ok(OperationList { items, unreadable: page.unreadable, next_cursor: next.map(|next| cursor::seal(&name, &next)) })
}

pub(crate) async fn get(api: &Api, input: GetOperation) -> Result<OperationView, Problem> {
    shown(api, &found(api, input.operation_id).await?).await
}

/// The view of `operation`; of one that waits for a person with the plan that would run.
async fn shown(api: &Api, operation: &Operation) -> Result<OperationView, Problem> {
    let view = view(operation, api.desk().context.now());
    if operation.state != OperationState::AwaitingApproval {
        return Ok(view);
    }
    let planned = api.desk().planned(operation.id).await.map_err(problems::of_trouble)?;
    Ok(OperationView { outcome: planned.map(|record| awaiting(&record)).unwrap_or_default(), ..view })
}

/// Looks until the operation has ended, waits for a person, or the time is up.
pub(crate) async fn wait(api: &Api, input: WaitForOperation) -> Result<OperationView, Problem> {
    let asked = input.timeout_seconds.unwrap_or(LONGEST_WAIT);
    let seconds = asked.min(LONGEST_WAIT);
    let until = Instant::now() + Duration::from_secs(seconds.into());
    let operation = loop {
        let operation = found(api, input.operation_id).await?;
        let settled = operation.is_terminal() || operation.state == OperationState::AwaitingApproval;
        let now = Instant::now();
        if settled || now >= until {
            break operation;
        }
        sleep(LOOK.min(until - now)).await;
    };
    let cut =
        format!("timeoutSeconds {asked} was cut to {LONGEST_WAIT}, the longest wait; call again until done is true");
    Ok(OperationView { note: (asked > LONGEST_WAIT).then_some(cut), ..shown(api, &operation).await? })
}

pub(crate) async fn journal(api: &Api, input: GetJournal) -> Result<JournalPage, Problem> {
    let id = input.operation_id;
    let name = format!("journal of {id}");
    let after = cursor::open(&name, input.cursor.as_deref())?;
    found(api, id).await?;
    let after = after.and_then(|key| key.strip_prefix("J#")?.parse().ok()).unwrap_or(0);
    let page = api.desk().store.journal(id, after, cursor::page(input.limit)).await.map_err(problems::of_trouble)?;
    let key = |entry: &JournalEntry| format!("J#{:06}", entry.sequence);
    let (items, next) = cursor::fitting(page.items, page.next, key);
    Ok(JournalPage { items, unreadable: page.unreadable, next_cursor: next.map(|next| cursor::seal(&name, &next)) })
}

/// Tries again. Whoever may not start what the operation does has it wait for a person, whoever asked for it first.
pub(crate) async fn retry(api: &Api, input: RetryOperation, request: &Request) -> Result<OperationAccepted, Problem> {
    let (id, desk) = (input.operation_id, api.desk());
    let before = found(api, id).await?;
    let again = match needs_approval(&before.kind, request) {
        true => desk.retry_unapproved(id).await,
        false => desk.retry(id).await,
    };
    let operation = again.map_err(problems::of_refused)?;
    Ok(accepted(&operation, !before.is_terminal(), Vec::new()))
}

pub(crate) async fn cancel(api: &Api, input: CancelOperation) -> Result<OperationAccepted, Problem> {
    let ended = found(api, input.operation_id).await?.is_terminal();
    let operation = api.desk().cancel(input.operation_id).await.map_err(problems::of_refused)?;
    let told = operation.failure.iter().filter(|_| !ended).map(|failure| failure.message.clone()).collect();
    Ok(accepted(&operation, false, told))
}

async fn found(api: &Api, id: OperationId) -> Result<Operation, Problem> {
    let operation = api.desk().store.operation(id).await.map_err(problems::of_trouble)?;
    operation.ok_or_else(|| {
        let made = problem(ErrorCode::NotFound, format!("there is no operation {id}"));
        Problem { action: "See list_operations for those that are there.".to_owned(), ..made }
    })
}
