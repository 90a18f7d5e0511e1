//! Planning without acting: a tick that looks and plans, and writes nothing but the plan record.
//!
//! It has no way to a change: no lease, no journal, no ledger that is written, and it never calls `apply`.

use super::{Engine, Flow, Stop, answer};
use crate::{
    planned::{Ending, Part, PlanRecord},
    reconciler::{Reconciler, Scene},
    record::{Outcome, SCHEMA, TickAnswer, TickRequest},
    store::{Condition, Transaction, Written, keys::Key},
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
};

/// How often the record is read again when another tick has written it meanwhile.
const ROUNDS: usize = 5;

/// Plans `reconciler`'s part of the plan that `request` names. A part that is there already stays as it is.
pub(super) async fn plan<R: Reconciler>(engine: &Engine, reconciler: &R, request: &TickRequest) -> Flow<TickAnswer> {
    let stage = reconciler.stage();
    let record = read(engine, request).await?;
    let part = match record.part(stage) {
        Some(part) => part.clone(),
        None => look(engine, reconciler, &record).await?,
    };
    let outcome = if matches!(part.end, Ending::Undecided(_)) { Outcome::Undecided } else { Outcome::Done };
    keep(engine, request, record, part).await?;
    Ok(answer(outcome))
}

async fn read(engine: &Engine, request: &TickRequest) -> Flow<PlanRecord> {
    let id = request.operation_id;
    let found = engine.store.plan(id).await.map_err(Stop::Store)?;
    let ended = |code, text: String| Stop::Ended(Err(Failure::new(code, text)));
    let record = found.ok_or_else(|| ended(ErrorCode::NotFound, format!("there is no plan of operation {id}")))?;
    if record.schema > SCHEMA {
        return Err(ended(ErrorCode::Internal, format!("the plan of operation {id} was written by a newer release")));
    }
    Ok(record)
}

async fn look<R: Reconciler>(engine: &Engine, reconciler: &R, record: &PlanRecord) -> Flow<Part> {
    let (cluster, operation, now) = (&record.cluster, &record.operation, engine.context.now());
    let kept = match reconciler.stage() {
        Some(stage) => Some(engine.store.stage(cluster.id, stage).await.map_err(Stop::Store)?),
        None => None,
    };
    let ledger = kept.as_ref().map_or(&operation.ledger, |stage| &stage.ledger);
    let scene = Scene { cluster, operation, ledger, began_at: now, now };
    Ok(match reconciler.observe(scene).await {
        Ok(observed) => Part::of(reconciler.stage(), &reconciler.plan(scene, &observed), now),
        Err(trouble) => Part::unknown(reconciler.stage(), trouble.failure().clone(), now),
    })
}

/// Adds `part` to the record, unless it is there.
async fn keep(engine: &Engine, request: &TickRequest, mut record: PlanRecord, part: Part) -> Flow<()> {
    for _ in 0..ROUNDS {
        if record.part(part.stage).is_some() {
            return Ok(());
        }
        let before = record.version;
        record.version += 1;
        record.parts.push(part.clone());
        let condition = Condition::Version(before);
        let transaction = Transaction::new().put(&Key::plan(request.operation_id), &record, &condition);
        match engine.store.write(transaction).await {
            Ok(Written::Done) => return Ok(()),
            Ok(Written::Refused(_)) | Err(Trouble::Uncertain(_)) => record = read(engine, request).await?,
            Err(trouble) => return Err(Stop::Store(trouble)),
        }
    }
    Err(Stop::Yield)
}
