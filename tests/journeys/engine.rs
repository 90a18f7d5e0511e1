//! The tick, the desk and the sweep around a stage that does as it is told: what is recorded whatever happens.

mod kept;
mod sweeps;
mod waits;

use account::faults::{Effect, Fault};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    states::{OperationState, Stage, StageState, WaitingOn},
};
use engine::{
    ledger::VISIBILITY_WINDOW,
    plan::{self, End, Guard, Plan, Step, Wait},
    reconciler::{Made, Mark, Reconciler, Scene},
    record::{Mode, Operation, Outcome, TickAnswer, TickRequest},
    settle::Death,
    store::{Condition, Transaction, Written, keys::Key},
    submit::Submission,
};
use harness::{Product, decisions};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use std::{
    collections::VecDeque,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

/// What one look brings.
enum Look {
    /// This trouble.
    Meets(Trouble),
    /// A world in which this is the plan.
    Sees(Plan<Make>),
}

/// Makes a thing of this name.
#[derive(Debug, Clone, Serialize)]
struct Make(&'static str);

impl plan::Change for Make {
    fn key(&self) -> String {
        format!("make/{}", self.0)
    }

    fn title(&self) -> String {
        format!("make {}", self.0)
    }

    fn guard(&self) -> Guard {
        Guard::Service
    }
}

/// A stage that looks as scripted, the last look for ever.
struct Told {
    stage: Option<Stage>,
    looks: Mutex<VecDeque<Look>>,
    /// What applying answers, if not success.
    refuses: Mutex<Option<Trouble>>,
    applied: AtomicU32,
    /// When the run began, as the last look was told.
    began: Mutex<Option<Timestamp>>,
}

impl Told {
    fn new(stage: impl Into<Option<Stage>>, looks: impl IntoIterator<Item = Look>) -> Self {
        Self {
            stage: stage.into(),
            looks: Mutex::new(looks.into_iter().collect()),
            refuses: Mutex::new(None),
            applied: AtomicU32::new(0),
            began: Mutex::new(None),
        }
    }
}

impl Reconciler for Told {
    type Observed = Plan<Make>;
    type Change = Make;

    fn stage(&self) -> Option<Stage> {
        self.stage
    }

    async fn observe(&self, scene: Scene<'_>) -> Result<Plan<Make>, Trouble> {
        *self.began.lock().unwrap() = Some(scene.began_at);
        let mut looks = self.looks.lock().unwrap();
        let look = if looks.len() > 1 { looks.pop_front() } else { None };
        match look.as_ref().or(looks.front()).unwrap() {
            Look::Meets(trouble) => Err(trouble.clone()),
            Look::Sees(plan) => Ok(plan.clone()),
        }
    }

    fn plan(&self, _: Scene<'_>, observed: &Plan<Make>) -> Plan<Make> {
        observed.clone()
    }

    async fn apply(&self, _: Scene<'_>, change: &Make, _: &Mark) -> Result<Made, Trouble> {
        if let Some(trouble) = self.refuses.lock().unwrap().clone() {
            return Err(trouble);
        }
        self.applied.fetch_add(1, Ordering::Relaxed);
        Ok(Made::from([("thingId".to_owned(), change.0.to_owned())]))
    }
}

fn done() -> Look {
    Look::Sees(Plan::done(json!({})))
}

fn making(names: &[&'static str]) -> Look {
    let steps = names.iter().map(|name| Step::Change(Make(name))).collect();
    Look::Sees(Plan { steps, end: End::Done(json!({})) })
}

fn waiting(on: WaitingOn) -> Look {
    let steps = vec![Step::Wait(Wait::new(on, "it comes up"))];
    Look::Sees(Plan { steps, end: End::Done(json!({})) })
}

fn later(on: WaitingOn) -> Look {
    Look::Meets(Trouble::Later { on, failure: Failure::new(ErrorCode::Throttled, "slow down") })
}

fn failing(message: &str) -> Look {
    Look::Sees(Plan::failed(Failure::new(ErrorCode::Conflict, message)))
}

/// A product, and an operation of a machine that is not there: only what a test ticks happens to it.
struct Stand {
    product: Product,
    operation: Operation,
}

impl Stand {
    async fn of(stages: Option<(Stage, Stage)>) -> Self {
        let product = Product::new(7).await;
        let creation = product.creation(decisions("demo", json!({})), Stage::Verification);
        let submission = Submission { machine: "nowhere", stages, ..creation };
        let operation = product.front.desk.submit(submission).await.unwrap().operation;
        Self { product, operation }
    }

    async fn now(&self) -> Operation {
        self.product.operation(self.operation.id).await
    }

    async fn tick(&self, told: &Told) -> Result<TickAnswer, Failure> {
        self.tick_in(Mode::Act, told).await
    }

    async fn tick_in(&self, mode: Mode, told: &Told) -> Result<TickAnswer, Failure> {
        let attempt = self.now().await.attempt;
        let request = TickRequest { schema: 1, operation_id: self.operation.id, attempt, stage: told.stage, mode };
        engine::tick::tick(&self.product.front.engine, told, &request).await
    }

    /// Ticks as the state machine does, until there is nothing to wait for.
    async fn tick_to_the_end(&self, told: &Told) -> Result<TickAnswer, Failure> {
        loop {
            let answer = self.tick(told).await?;
            match answer.outcome {
                Outcome::Wait => pass(answer.wait_seconds.into()).await,
                Outcome::Continue => {}
                _ => return Ok(answer),
            }
        }
    }

    async fn dies(&self, error: &str) -> Operation {
        let attempt = self.now().await.attempt;
        let death = Death { operation_id: self.operation.id, attempt, error: error.to_owned(), cause: String::new() };
        self.product.front.desk.settle(&death).await.unwrap()
    }
}

const WHOLE: Option<(Stage, Stage)> = Some((Stage::ControlPlane, Stage::Verification));

async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn a_stage_that_cannot_begin_is_the_one_that_failed() {
    let stand = Stand::of(WHOLE).await;
    let first = Told::new(Stage::ControlPlane, [done()]);
    assert_eq!(stand.tick(&first).await.unwrap().outcome, Outcome::Done);
    let ended = stand.dies("Lambda.ResourceNotFoundException").await;
    assert_eq!((ended.state, ended.stage), (OperationState::Failed, Some(Stage::Selection)));
    let failure = ended.failure.unwrap();
    assert!(failure.message.contains("the stage selection could not begin"), "{failure}");
    let stage = |stage| stand.product.stage(ended.cluster_id, stage);
    assert_eq!(stage(Stage::ControlPlane).await.state, StageState::Succeeded);
    let selection = stage(Stage::Selection).await;
    assert_eq!((selection.state, selection.attempts, selection.failure), (StageState::Failed, 0, Some(failure)));
    let again = stand.product.front.desk.retry(ended.id).await.unwrap();
    assert_eq!((again.first_stage, again.attempt), (Some(Stage::Selection), 2), "what is done is not run again");
}

#[tokio::test(start_paused = true)]
async fn a_tick_that_is_repeated_after_its_stage_succeeded_does_not_run_it_again() {
    let stand = Stand::of(WHOLE).await;
    let first = Told::new(Stage::ControlPlane, [done()]);
    for _ in 0..2 {
        assert_eq!(stand.tick(&first).await.unwrap().outcome, Outcome::Done);
    }
    assert_eq!(stand.product.stage(stand.operation.cluster_id, Stage::ControlPlane).await.attempts, 1);
}

#[tokio::test(start_paused = true)]
async fn a_crash_in_a_stage_that_ran_is_told_as_the_crash_that_it_is() {
    let stand = Stand::of(WHOLE).await;
    stand.tick(&Told::new(Stage::ControlPlane, [waiting(WaitingOn::Aws)])).await.unwrap();
    let ended = stand.dies("Runtime.ExitError").await;
    assert_eq!(ended.stage, Some(Stage::ControlPlane));
    assert_eq!(ended.failure.unwrap().message, "the execution died (Runtime.ExitError)");
}

#[tokio::test(start_paused = true)]
async fn a_look_knows_when_its_run_began_through_every_wait_and_a_retry_is_another_run() {
    for (stages, stage) in [(WHOLE, Some(Stage::ControlPlane)), (None, None)] {
        let stand = Stand::of(stages).await;
        let looks = [waiting(WaitingOn::Aws), later(WaitingOn::Throttled), waiting(WaitingOn::Nodes), failing("no")];
        let told = Told::new(stage, looks);
        let start = stand.product.account.now();
        for _ in 0..3 {
            stand.tick(&told).await.unwrap();
            assert_eq!(*told.began.lock().unwrap(), Some(start));
            pass(30).await;
        }
        stand.tick(&told).await.unwrap_err();
        stand.product.front.desk.retry(stand.operation.id).await.unwrap();
        let again = stand.product.account.now();
        stand.tick(&told).await.unwrap_err();
        assert_eq!(*told.began.lock().unwrap(), Some(again), "{stage:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tick_that_only_plans_lists_everything_and_changes_nothing() {
    let stand = Stand::of(WHOLE).await;
    let product = &stand.product;
    let desk = &product.front.desk;
    let cluster = desk.store.cluster(stand.operation.cluster_id).await.unwrap().unwrap();
    let submission = Submission {
        kind: "run_stage",
        cluster: engine::submit::ClusterWrite::Keep(cluster),
        machine: "nowhere",
        stages: Some((Stage::ControlPlane, Stage::Selection)),
        ..product.creation(decisions("demo", json!({})), Stage::Verification)
    };
    desk.preview(&submission).await.unwrap_err();
    let before = (stand.now().await, product.stage(stand.operation.cluster_id, Stage::ControlPlane).await);
    let told = Told::new(Stage::ControlPlane, [making(&["a", "b"])]);
    // The plan of the operation that is there, as it is kept while a person has to approve it.
    let waits = Submission { needs_approval: true, kind: "stop_spending", ..submission };
    let awaiting = desk.submit(waits).await.unwrap().operation;
    let request = |stage| TickRequest { schema: 1, operation_id: awaiting.id, attempt: 1, stage, mode: Mode::Plan };
    for _ in 0..2 {
        let answer = engine::tick::tick(&product.front.engine, &told, &request(told.stage)).await.unwrap();
        assert_eq!(answer.outcome, Outcome::Done);
    }
    let record = desk.planned(awaiting.id).await.unwrap().unwrap();
    let keys: Vec<&str> = record.parts[0].changes.iter().map(|change| change.change.as_str()).collect();
    assert_eq!((record.parts.len(), keys, record.is_complete()), (1, vec!["make/a", "make/b"], false));
    let blind = Told::new(Stage::Selection, [later(WaitingOn::Throttled)]);
    engine::tick::tick(&product.front.engine, &blind, &request(blind.stage)).await.unwrap();
    let record = desk.planned(awaiting.id).await.unwrap().unwrap();
    assert!(record.is_complete() && matches!(record.parts[1].end, engine::planned::Ending::Unknown(_)), "{record:#?}");
    assert_eq!(told.applied.load(Ordering::Relaxed), 0);
    let after = (stand.now().await, product.stage(stand.operation.cluster_id, Stage::ControlPlane).await);
    assert_eq!(after, before, "neither operation nor stage is written");
    let kept = product.operation(awaiting.id).await;
    assert_eq!((kept.state, kept.journal_length, kept.version), (OperationState::AwaitingApproval, 0, 1));
    assert!(desk.store.journal(awaiting.id, 0, 10).await.unwrap().items.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_lost_change_is_not_taken_for_done_because_a_plan_fails_before_it() {
    let stand = Stand::of(WHOLE).await;
    let told = Told::new(Stage::ControlPlane, [making(&["a"]), failing("something else is in the way")]);
    *told.refuses.lock().unwrap() = Some(Trouble::Uncertain(Failure::new(ErrorCode::UpstreamUnavailable, "no answer")));
    stand.tick(&told).await.unwrap();
    pass(VISIBILITY_WINDOW.unsigned_abs().as_secs()).await;
    stand.tick(&told).await.unwrap_err();
    let ended = stand.now().await;
    assert_eq!(ended.left, ["unknown: make/a was sent and not answered"]);
    let entry = stand.product.front.desk.store.journal_entry(ended.id, 1).await.unwrap().unwrap();
    assert_eq!(entry.fate, contract::journal::Fate::Uncertain);
}

#[tokio::test(start_paused = true)]
async fn a_change_that_is_answered_and_never_shows_ends_after_three_and_an_attempt_begins_anew() {
    for (stages, stage) in [(WHOLE, Some(Stage::ControlPlane)), (None, None)] {
        let stand = Stand::of(stages).await;
        let told = Told::new(stage, [making(&["a"])]);
        for made in [3, 6] {
            let failure = stand.tick_to_the_end(&told).await.unwrap_err();
            assert_eq!(failure.code, ErrorCode::Internal);
            assert!(failure.message.contains("3 times") && failure.message.contains("make a"), "{failure}");
            assert!(failure.message.contains("thingId a"), "{failure}");
            assert_eq!(told.applied.load(Ordering::Relaxed), made);
            stand.product.front.desk.retry(stand.operation.id).await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_thing_that_vanishes_is_made_again() {
    let stand = Stand::of(WHOLE).await;
    for _ in 0..2 {
        let told = Told::new(Stage::ControlPlane, [making(&["a"]), waiting(WaitingOn::Aws)]);
        stand.tick(&told).await.unwrap();
        assert_eq!(told.applied.load(Ordering::Relaxed), 1);
        pass(VISIBILITY_WINDOW.unsigned_abs().as_secs()).await;
    }
    let answer = stand.tick(&Told::new(Stage::ControlPlane, [making(&["a"]), done()])).await.unwrap();
    assert_eq!(answer.outcome, Outcome::Done);
}

#[tokio::test(start_paused = true)]
async fn records_stay_small_whatever_aws_says_and_a_stage_sees() {
    let stand = Stand::of(WHOLE).await;
    let long = "x".repeat(300_000);
    let told = Told::new(Stage::ControlPlane, [making(&["a"]), failing(&long)]);
    *told.refuses.lock().unwrap() = Some(Trouble::Uncertain(Failure::new(ErrorCode::UpstreamUnavailable, long)));
    stand.tick(&told).await.unwrap();
    stand.tick(&told).await.unwrap_err();
    let (operation, stage) =
        (stand.now().await, stand.product.stage(stand.operation.cluster_id, Stage::ControlPlane).await);
    assert_eq!(operation.state, OperationState::Failed, "it ended, and was not refused by its size");
    let entry = stand.product.front.desk.store.journal_entry(operation.id, 1).await.unwrap().unwrap();
    let sizes = [json!(operation), json!(stage), json!(entry)].map(|record| record.to_string().len());
    assert!(sizes.iter().all(|size| *size <= domain::limits::OPERATION_RECORD), "{sizes:?}");
}

#[tokio::test(start_paused = true)]
async fn a_request_too_large_to_be_kept_is_refused_before_anything_is_written() {
    let product = Product::new(7).await;
    let creation = product.creation(decisions("demo", json!({})), Stage::Verification);
    let submission = Submission { input: json!({ "much": "m".repeat(30_000) }), ..creation };
    let refused = product.front.desk.submit(submission).await.unwrap_err();
    assert_eq!(refused.failure.code, ErrorCode::PayloadTooLarge);
    assert!(product.front.desk.store.operations(None, 10).await.unwrap().items.is_empty());
}

#[tokio::test(start_paused = true)]
async fn two_retries_at_once_are_one_attempt_and_both_are_told_so() {
    let stand = Stand::of(WHOLE).await;
    stand.tick(&Told::new(Stage::ControlPlane, [failing("no")])).await.unwrap_err();
    let desk = &stand.product.front.desk;
    let (one, other) = tokio::join!(desk.retry(stand.operation.id), desk.retry(stand.operation.id));
    assert_eq!((one.unwrap().attempt, other.unwrap().attempt), (2, 2));
    let lane = desk.store.lane(stand.operation.cluster_id, "cluster").await.unwrap();
    assert_eq!(lane.map(|lane| lane.operation_id), Some(stand.operation.id));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_operation_beside_the_stages_tells_what_it_left() {
    let stand = Stand::of(None).await;
    let told = Told::new(None, [making(&["a"]), waiting(WaitingOn::Nodes)]);
    stand.tick(&told).await.unwrap();
    let ended = stand.product.front.desk.cancel(stand.operation.id).await.unwrap();
    assert_eq!(ended.left, ["thingId a (make/a)"]);
    assert!(ended.failure.unwrap().message.contains("AWS goes on by itself"));
    let desk = &stand.product.front.desk;
    assert_eq!(desk.store.lane(stand.operation.cluster_id, "cluster").await.unwrap(), None, "the lane is free");
}

#[tokio::test(start_paused = true)]
async fn what_was_cancelled_before_it_did_anything_does_not_speak_of_bills() {
    let stand = Stand::of(WHOLE).await;
    let ended = stand.product.front.desk.cancel(stand.operation.id).await.unwrap();
    let failure = ended.failure.unwrap();
    assert!(failure.message.contains("made and changed nothing"), "{failure}");
}

#[tokio::test(start_paused = true)]
async fn a_slow_write_of_records_is_waited_for_and_a_slow_read_is_not() {
    let stand = Stand::of(WHOLE).await;
    let slow = |action| Fault::new(action, Effect::Slow { seconds: 10 }).on("dynamodb", action);
    let switch_on = |fault| stand.product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
    let store = &stand.product.front.desk.store;
    let record = || Transaction::new().put(&Key::plan(stand.operation.id), &json!({}), &Condition::Any);
    switch_on(slow("TransactWriteItems"));
    assert_eq!(store.write(record()).await, Ok(Written::Done));
    switch_on(slow("GetItem"));
    let missed = store.operation(stand.operation.id).await.unwrap_err();
    assert!(matches!(missed, Trouble::Later { on: WaitingOn::Throttled, .. }), "{missed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_state_machine_of_an_earlier_release_is_brought_up_to_date() {
    let product = Product::new(7).await;
    let sfn = aws_sdk_sfn::Client::new(&product.owner.cloud.engine_config(&product.installed.home()).await);
    let arn = &product.installed.machines.cluster;
    let earlier = json!({ "StartAt": "Done", "States": { "Done": { "Type": "Succeed" } } }).to_string();
    sfn.update_state_machine().state_machine_arn(arn).definition(earlier).send().await.unwrap();
    let root = product.account.read(account::iam::root_credentials);
    gateway::install::install(&product.account, &product.installed, &root).await.unwrap();
    let now = sfn.describe_state_machine().state_machine_arn(arn).send().await.unwrap();
    assert!(now.definition().contains("SettleFailure"));
}
