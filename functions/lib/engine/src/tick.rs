//! One pass of a stage or operation: lease, observe, plan, apply, record, and round again while time lasts.
//!
//! Whatever line the process dies at, the next tick does the right thing: a change is written down before it is sent,
//! the world is looked at before anything else, and every write is fenced by the operation's version.

mod acting;
pub(crate) mod ending;
mod planning;
mod saving;
mod waiting;

use crate::{
    context::Context,
    ledger::Ledger,
    plan::{Change, End, Plan, Step},
    reconciler::{Reconciler, Scene},
    record::{Cluster, Lease, Mode, Operation, Outcome, SCHEMA, StageRecord, TickAnswer, TickRequest},
    store::{Known, Store},
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    states::{OperationState, StageState, WaitingOn},
};
use jiff::{SignedDuration, Timestamp};

/// How long one invocation goes round before it hands back to the state machine.
pub const BUDGET: SignedDuration = SignedDuration::from_secs(20);

/// How long an invocation may act alone: more than the function's 60 s and the skew of clocks.
pub const LEASE: SignedDuration = SignedDuration::from_secs(90);

/// What every function needs to tick.
#[derive(Debug, Clone)]
pub struct Engine {
    /// Clock and chance.
    pub context: Context,
    /// The table.
    pub store: Store,
}

/// A tick under way: records as read, and what they will be written as.
struct Tick<'a, R> {
    engine: &'a Engine,
    reconciler: &'a R,
    cluster: Cluster,
    operation: Operation,
    stage: Option<StageRecord>,
    /// What the stage knows, as it is in the table.
    known: Option<Known>,
    holder: String,
    began: Timestamp,
}

/// Why a tick stops early without having anything to say about the operation.
enum Stop {
    /// Our records are no longer the newest: come back soon.
    Yield,
    /// Another tick may act for so long: come back later.
    Held(SignedDuration),
    /// The table does not answer: come back later.
    Store(Trouble),
    /// The operation has ended, and this is what the state machine is told.
    Ended(Result<TickAnswer, Failure>),
}

type Flow<T> = Result<T, Stop>;

/// Ticks `reconciler` for the operation of `request`, or plans it without acting if that is the mode.
///
/// # Errors
/// The operation's failure, already written down; the function reports its class as `errorType`.
pub async fn tick<R: Reconciler>(
    engine: &Engine,
    reconciler: &R,
    request: &TickRequest,
) -> Result<TickAnswer, Failure> {
    let ticked = match request.mode {
        Mode::Act => run(engine, reconciler, request).await,
        Mode::Plan => planning::plan(engine, reconciler, request).await,
    };
    match ticked {
        Ok(answer) => Ok(answer),
        Err(Stop::Ended(result)) => result,
        Err(Stop::Yield) => Ok(wait_answer(5, WaitingOn::Lane)),
        Err(Stop::Held(left)) => Ok(wait_answer(waiting::for_lease(left), WaitingOn::Lane)),
        // A record that cannot be read or written as it is: no wait mends that, and a wait would be told as throttling.
        Err(Stop::Store(Trouble::Fatal(failure))) => {
            tracing::error!(operation.id = %request.operation_id, error = %failure, "the records cannot be used");
            Err(failure)
        }
        Err(Stop::Store(trouble)) => {
            tracing::warn!(operation.id = %request.operation_id, error = %trouble, "the table did not answer");
            Ok(wait_answer(2, WaitingOn::Throttled))
        }
    }
}

async fn run<R: Reconciler>(engine: &Engine, reconciler: &R, request: &TickRequest) -> Flow<TickAnswer> {
    let operation = engine.store.operation(request.operation_id).await.map_err(Stop::Store)?;
    let operation = operation.ok_or_else(|| {
        Stop::Ended(Err(Failure::new(ErrorCode::NotFound, format!("there is no operation {}", request.operation_id))))
    })?;
    refuse_unfit(&operation, request)?;
    let cluster = engine.store.cluster(operation.cluster_id).await.map_err(Stop::Store)?;
    let cluster = cluster.ok_or_else(|| {
        Stop::Ended(Err(Failure::new(ErrorCode::NotFound, format!("there is no cluster {}", operation.cluster_tag))))
    })?;
    let (stage, known) = match reconciler.stage() {
        Some(stage) => {
            let (record, known) = engine.store.stage_as_kept(cluster.id, stage).await.map_err(Stop::Store)?;
            (Some(record), known)
        }
        None => (None, None),
    };
    let holder = engine.context.nonce();
    let began = engine.context.now();
    let mut tick = Tick { engine, reconciler, cluster, operation, stage, known, holder, began };
    tick.take_lease().await?;
    tick.go_round().await
}

/// Ends a tick at once that has nothing to do: terminal, of an older attempt, or of a stage that is behind.
fn refuse_unfit(operation: &Operation, request: &TickRequest) -> Flow<()> {
    if operation.schema > SCHEMA {
        let text = format!("operation {} was written by a newer release", operation.id);
        return Err(Stop::Ended(Err(Failure::new(ErrorCode::Internal, text))));
    }
    if operation.attempt != request.attempt {
        return Err(Stop::Ended(Ok(answer(Outcome::Cancelled))));
    }
    let answered = match operation.state {
        OperationState::Accepted | OperationState::Running => {
            match (operation.stage, request.stage) {
                (Some(reached), Some(asked)) if asked < reached => return Err(Stop::Ended(Ok(answer(Outcome::Done)))),
                _ => return Ok(()),
            };
        }
        OperationState::AwaitingApproval => Ok(wait_answer(30, WaitingOn::Lane)),
        OperationState::Succeeded => Ok(answer(Outcome::Done)),
        OperationState::Cancelled => Ok(answer(Outcome::Cancelled)),
        OperationState::Failed => Err(operation
            .failure
            .clone()
            .unwrap_or_else(|| Failure::new(ErrorCode::Internal, "the operation failed and its cause was not kept"))),
    };
    Err(Stop::Ended(answered))
}

impl<R: Reconciler> Tick<'_, R> {
    /// Takes the right to act, and notes that operation and stage run.
    async fn take_lease(&mut self) -> Flow<()> {
        if let Some(lease) = self.operation.lease.as_ref().filter(|lease| lease.until > self.began) {
            return Err(Stop::Held(lease.until.duration_since(self.began)));
        }
        let until = self.began.saturating_add(LEASE).unwrap_or(Timestamp::MAX);
        self.operation.lease = Some(Lease { holder: self.holder.clone(), until });
        self.operation.state = OperationState::Running;
        self.operation.stage = self.reconciler.stage();
        self.operation.began_at.get_or_insert(self.began);
        let (began, id) = (self.began, self.operation.id);
        if let Some(stage) = self.stage.as_mut() {
            if stage.state != StageState::Running || stage.operation_id != Some(id) {
                stage.state = StageState::Running;
                stage.operation_id = Some(id);
                stage.attempts += 1;
                stage.started_at = Some(began);
                stage.finished_at = None;
                stage.waiting = None;
                stage.failure = None;
                self.operation.stop_waiting();
            }
        }
        self.save().await
    }

    async fn go_round(&mut self) -> Flow<TickAnswer> {
        loop {
            if self.operation.cancel_requested {
                return self.cancel().await;
            }
            let observed = match self.reconciler.observe(self.scene()).await {
                Ok(observed) => observed,
                Err(trouble) => return self.meet(trouble).await,
            };
            let plan = self.reconciler.plan(self.scene(), &observed);
            self.note_seen(&observed, &plan).await?;
            let Plan { steps, end } = plan;
            let change = match steps.into_iter().next() {
                None => return self.end(end).await,
                Some(Step::Wait(wait)) => return self.wait(wait).await,
                Some(Step::Change(change)) => change,
            };
            if let Some(wait) = self.not_yet(&change) {
                return self.wait(wait).await;
            }
            if self.ledger().is_spent(&change.key(), self.run_began_at()) {
                return self.give_up(&change).await;
            }
            if self.engine.context.now().duration_since(self.began) >= BUDGET {
                self.operation.lease = None;
                self.save().await?;
                return Ok(answer(Outcome::Continue));
            }
            if let Some(trouble) = self.carry_out(&change).await? {
                return self.meet(trouble).await;
            }
        }
    }

    async fn end(&mut self, end: End) -> Flow<TickAnswer> {
        match end {
            End::Done(outcome) => self.succeed(outcome).await,
            End::Undecided(what) => self.await_decision(&what).await,
            End::Failed(failure) => self.fail(failure).await,
        }
    }

    /// What a call that did not answer as hoped means for the operation.
    async fn meet(&mut self, trouble: Trouble) -> Flow<TickAnswer> {
        match trouble {
            Trouble::Later { on, failure } => self.back_off(waiting::for_trouble(on, failure)).await,
            Trouble::Uncertain(failure) => self.back_off(waiting::for_lost_answer(failure)).await,
            Trouble::Fatal(failure) => self.fail(failure).await,
        }
    }

    fn scene(&self) -> Scene<'_> {
        Scene {
            cluster: &self.cluster,
            operation: &self.operation,
            ledger: self.ledger(),
            began_at: self.run_began_at(),
            now: self.engine.context.now(),
        }
    }

    fn run_began_at(&self) -> Timestamp {
        let began = self.stage.as_ref().map_or(self.operation.began_at, |stage| stage.started_at);
        began.unwrap_or(self.began)
    }

    fn ledger(&self) -> &Ledger {
        self.stage.as_ref().map_or(&self.operation.ledger, |stage| &stage.ledger)
    }

    fn ledger_mut(&mut self) -> &mut Ledger {
        match self.stage.as_mut() {
            Some(stage) => &mut stage.ledger,
            None => &mut self.operation.ledger,
        }
    }
}

fn answer(outcome: Outcome) -> TickAnswer {
    TickAnswer { outcome, wait_seconds: 0, waiting_on: None }
}

fn wait_answer(seconds: u32, on: WaitingOn) -> TickAnswer {
    TickAnswer { outcome: Outcome::Wait, wait_seconds: seconds, waiting_on: Some(on) }
}
